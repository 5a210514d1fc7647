/**
 * The report of a trace while a person composes it: its plan with a way back, kept in the notebook after each change, its preview, and
 * its making. Until somebody changes it, it is what reports usually have.
 */
import type { Client } from '../../../shared/requests/requests.ts';
import { NOTE_CHANGED } from '../../../shared/requests/failures.ts';
import type { Note, Notebook } from '../../../shared/requests/notes.ts';
import type { ReportPart, ReportPlan } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import type { Failure, Result } from '../../../shared/base/result.ts';
import { createFlowQuestion, type FlowQuestion } from '../questions/flow-question.svelte.ts';
import { isKeptReport, keptPlan, keptView } from './kept-report.ts';
import { createReportMaking, type ReportMaking } from './report-making.svelte.ts';
import {
  draftOf,
  isSameDraft,
  placed,
  planOf,
  withMoved,
  withoutPart,
  withPart,
  withParts,
  type Draft,
  type Placed,
} from './report-draft.ts';

export interface Composer {
  /** Null until it is known. */
  readonly draft: Draft | null;
  /** Somebody changed it, today or before. */
  readonly isOwn: boolean;
  /** Why there is no draft, or why it could not be kept: a sentence. */
  readonly failure: Failure | null;
  readonly isUnkept: boolean;
  /** Key of the part that is looked at. */
  chosen: string | null;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Notes that parts can be about. */
  readonly notes: readonly Note[];
  /** Takes over what the notebook says now. */
  readonly heed: (notebook: Notebook) => Promise<void>;
  /** Reads the notebook and heeds it, unless that has been done. */
  readonly load: () => Promise<void>;
  readonly setTitle: (title: string) => void;
  /** Behind the chosen part, the last of them becoming the chosen one. */
  readonly add: (parts: readonly ReportPart[]) => void;
  /** As `add`, from elsewhere than where the report is composed: reads the notebook before, and tells. */
  readonly take: (part: ReportPart) => Promise<void>;
  /** `field`: changes of the same one, one after the other, are taken back together. */
  readonly change: (key: string, part: ReportPart, field: string) => void;
  readonly moveTo: (key: string, place: number) => void;
  readonly remove: (key: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Back to what reports usually have. */
  readonly startOver: () => Promise<void>;
  /** Writes to the notebook what has not been written yet. */
  readonly keep: () => Promise<void>;
  readonly preview: FlowQuestion<PreviewKey, string>;
  /** What is being made for the preview. */
  readonly doing: string;
  /** What the preview is to show now; null where there is nothing to show. */
  readonly previewKey: PreviewKey | null;
  readonly making: ReportMaking;
  readonly stop: () => void;
}

export interface PreviewKey {
  readonly plan: ReportPlan;
  /** Of the notebook: notes are in the report. */
  readonly version: number;
  /** How far the index reaches. */
  readonly records: number;
}

/** Milliseconds that a person types on before what they typed is written down. */
const REST = 500;
const REMEMBERED = 200;

interface Known {
  readonly id: string;
  readonly reach: { readonly records: number; readonly complete: boolean };
}

export function createComposer(client: Client, trace: () => Known, say: (text: string) => void): Composer {
  let draft = $state.raw<Draft | null>(null);
  let isOwn = $state(false);
  let failure = $state.raw<Failure | null>(null);
  let unkept = $state(false);
  let chosen = $state<string | null>(null);
  let behind = $state.raw<readonly Draft[]>([]);
  let ahead = $state.raw<readonly Draft[]>([]);
  let notebook = $state.raw<Notebook | null>(null);
  let doing = $state('');
  /** Revision of the view in the notebook that the draft is, or comes from. */
  let revision: number | undefined;
  let typing = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;

  const noteIds = $derived(new Set(notebook?.notes.map(({ id }) => id)));
  const plan = $derived(draft && presentPlan(draft));
  const previewKey = $derived.by<PreviewKey | null>(() => {
    const { reach } = trace();
    if (!plan || plan.parts.length === 0 || !reach.complete) return null;
    return { plan: { ...plan, sha256: false }, version: notebook?.version ?? 0, records: reach.records };
  });

  const making = createReportMaking(client, () => ({ trace: trace().id, plan }));
  const preview = createFlowQuestion<PreviewKey, string>(async (key, { signal, onEvent }) => {
    const result = await client.request(
      'report',
      { trace: trace().id, plan: key.plan, as: 'html', name: 'preview' },
      {
        signal,
        onEvent: (event: ReportProgress) => {
          doing = event.what;
          onEvent({ at: event.done, to: event.of });
        },
      },
    );
    if (!result.ok) return result;
    return { ok: true, value: new TextDecoder().decode(result.value.files[0]?.bytes) };
  });

  /** Without notes that are no more. */
  function presentPlan(own: Draft): ReportPlan {
    const { title, parts } = planOf(own);
    return { title, parts: parts.filter((part) => part.kind !== 'note' || noteIds.has(part.note)) };
  }

  function keepSoon(): void {
    unkept = true;
    clearTimeout(timer);
    timer = setTimeout(() => void keep(), REST);
  }

  function step(next: Draft, what = ''): void {
    if (draft === null || isSameDraft(next, draft)) return;
    if (what === '' || what !== typing) behind = [...behind, draft].slice(-REMEMBERED);
    typing = what;
    ahead = [];
    draft = next;
    isOwn = true;
    keepSoon();
  }

  function turn(from: readonly Draft[], back: boolean): void {
    const next = from.at(-1);
    if (!next || !draft) return;
    const now = draft;
    if (back) [behind, ahead] = [behind.slice(0, -1), [...ahead, now]];
    else [ahead, behind] = [ahead.slice(0, -1), [...behind, now]];
    draft = next;
    typing = '';
    if (!next.parts.some(({ key }) => key === chosen)) chosen = null;
    isOwn = true;
    keepSoon();
  }

  /** What others wrote replaces what is shown, which a person can have back. */
  function adopt(next: Draft, ours: Draft | null): void {
    if (ours && !isSameDraft(ours, next)) behind = [...behind, ours].slice(-REMEMBERED);
    draft = next;
    typing = '';
    isOwn = true;
    failure = null;
  }

  async function usual(): Promise<Result<Draft>> {
    const result = await client.request('reportPlan', { trace: trace().id });
    return result.ok ? { ok: true, value: draftOf(result.value, draft ?? undefined) } : result;
  }

  async function heed(next: Notebook): Promise<void> {
    if (notebook && next.version < notebook.version) return;
    const isNew = next.version !== notebook?.version || draft === null;
    notebook = next;
    if (unkept || writing) return;
    const view = next.views.find(isKeptReport);
    if (view) {
      if (view.revision === revision && draft) return;
      const kept = keptPlan(view);
      revision = view.revision;
      if (kept.ok) adopt(draftOf(kept.value, draft ?? undefined), isOwn ? draft : null);
      else failure = { ...kept.error, message: `The report in the notebook cannot be shown: ${kept.error.message}.` };
      return;
    }
    if (isTouched() || !isNew || !trace().reach.complete) return;
    const result = await usual();
    // A notebook that came since is asked about for itself.
    if (isTouched() || notebook.version !== next.version) return;
    if (result.ok) {
      draft = result.value;
      failure = null;
    } else failure = result.error;
  }

  function isTouched(): boolean {
    return isOwn || unkept;
  }

  async function read(): Promise<void> {
    const result = await client.request('notebook', { trace: trace().id });
    if (result.ok) await heed(result.value);
    else failure = result.error;
  }

  async function write(): Promise<void> {
    while (unkept && draft) {
      const own = draft;
      unkept = false;
      const view = keptView(own, revision);
      const result = await client.request('changeNotebook', { trace: trace().id, putViews: [view] });
      if (result.ok) {
        revision = result.value.views.find(isKeptReport)?.revision;
        // What others wrote behind it may have come before its answer.
        if (!notebook || result.value.version >= notebook.version) notebook = result.value;
        failure = null;
      } else if (result.error.code === NOTE_CHANGED) {
        await takeTheirs(own);
      } else {
        unkept = true;
        failure = result.error;
        return;
      }
    }
  }

  async function takeTheirs(ours: Draft): Promise<void> {
    const result = await client.request('notebook', { trace: trace().id });
    if (!result.ok) {
      failure = result.error;
      return;
    }
    notebook = result.value;
    const view = result.value.views.find(isKeptReport);
    revision = view?.revision;
    const theirs = view && keptPlan(view);
    if (theirs?.ok) {
      adopt(draftOf(theirs.value, ours), draft);
      unkept = false;
      say('The report was changed elsewhere meanwhile, and is shown as it is there: undo brings yours back');
    } else unkept = true;
  }

  async function keep(): Promise<void> {
    clearTimeout(timer);
    typing = '';
    writing ??= write().finally(() => (writing = undefined));
    await writing;
    if (draft && notebook) await heed(notebook);
  }

  function add(parts: readonly ReportPart[]): void {
    if (!draft || parts.length === 0) return;
    const added: readonly Placed[] = parts.map(placed);
    step(withParts(draft, added, chosen));
    chosen = added.at(-1)?.key ?? null;
  }

  async function load(): Promise<void> {
    if (draft === null) await read();
  }

  return {
    get draft() {
      return draft;
    },
    get isOwn() {
      return isOwn;
    },
    get failure() {
      return failure;
    },
    get isUnkept() {
      return unkept;
    },
    get chosen() {
      return chosen;
    },
    set chosen(next) {
      if (next !== chosen) typing = '';
      chosen = next;
    },
    get canUndo() {
      return behind.length > 0;
    },
    get canRedo() {
      return ahead.length > 0;
    },
    get notes() {
      return notebook?.notes ?? [];
    },
    heed,
    load,
    setTitle: (title) => draft && step({ ...draft, title }, 'title'),
    add,
    async take(part) {
      await load();
      if (draft === null) {
        say(failure?.message ?? 'A report can be made once the whole trace is indexed.');
        return;
      }
      add([part]);
      await keep();
      if (failure) say(failure.message);
      else say(`Added to the report, which has ${draft.parts.length} parts now`);
    },
    change: (key, part, field) => draft && step(withPart(draft, key, part), `${key} ${field}`),
    moveTo: (key, place) => draft && step(withMoved(draft, key, place)),
    remove(key) {
      if (!draft) return;
      const at = draft.parts.findIndex((own) => own.key === key);
      const next = draft.parts[at + 1] ?? draft.parts[at - 1];
      step(withoutPart(draft, key));
      if (chosen === key) chosen = next?.key ?? null;
    },
    undo: () => turn(behind, true),
    redo: () => turn(ahead, false),
    async startOver() {
      const result = await usual();
      if (!result.ok) {
        say(result.error.message);
        return;
      }
      failure = null;
      draft ??= { title: result.value.title, parts: [] };
      step(result.value);
      say('The report is as reports usually are; undo brings yours back');
    },
    keep,
    preview,
    get doing() {
      return doing;
    },
    get previewKey() {
      return previewKey;
    },
    making,
    stop() {
      clearTimeout(timer);
      preview.stop();
      making.cancel();
    },
  };
}
