/**
 * The report of a trace while a person composes it: its draft with undo, its preview and its export. The draft is saved in the
 * notebook after each change. Until a person changes it, it is the default report.
 */
import type { Client } from '../../../shared/requests/requests.ts';
import { NOTE_CHANGED } from '../../../shared/requests/failures.ts';
import type { Note, Notebook } from '../../../shared/requests/notes.ts';
import type { ReportPart, ReportPlan } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { counted } from '../../../shared/base/numbers.ts';
import type { Failure, Result } from '../../../shared/base/result.ts';
import { createFlowQuestion, type FlowQuestion } from '../questions/flow-question.svelte.ts';
import { isKeptReport, keptPlan, keptView } from './kept-report.ts';
import { createReportMaking, type ReportMaking } from './report-making.svelte.ts';
import { otherArgument, type OtherTrace } from './both-traces.ts';
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
  /** Draft of the report; null until it has been loaded. */
  readonly draft: Draft | null;
  /** A person has changed the default report, now or earlier. */
  readonly isOwn: boolean;
  /** Reason why there is no draft, or why it could not be saved. */
  readonly failure: Failure | null;
  readonly isUnsaved: boolean;
  /** Key of the chosen part. */
  chosen: string | null;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Notes that can be added as parts. */
  readonly notes: readonly Note[];
  /** Adopts the report in a new state of the notebook. */
  readonly update: (notebook: Notebook) => Promise<void>;
  /** Loads the draft from the notebook, unless it has been loaded. */
  readonly load: () => Promise<void>;
  readonly setTitle: (title: string) => void;
  /** Adds parts after the chosen one, and chooses the last of them. */
  readonly add: (parts: readonly ReportPart[]) => void;
  /** Adds a part from another pane: loads the draft first, saves it, and says what happened. */
  readonly take: (part: ReportPart) => Promise<void>;
  /** Changes a part. Consecutive changes of the same field are one undo step. */
  readonly change: (key: string, part: ReportPart, field: string) => void;
  readonly moveTo: (key: string, place: number) => void;
  readonly remove: (key: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Replaces the draft by the default report. */
  readonly startOver: () => Promise<void>;
  /** Saves unsaved changes in the notebook. */
  readonly keep: () => Promise<void>;
  readonly preview: FlowQuestion<PreviewKey, string>;
  /** Current step of making the preview. */
  readonly doing: string;
  /** Key of the current preview; null if there is nothing to show. */
  readonly previewKey: PreviewKey | null;
  /** Reason why the report cannot be made now: a part needs another trace. */
  readonly missing: Failure | null;
  readonly making: ReportMaking;
  readonly stop: () => void;
}

export interface PreviewKey {
  readonly plan: ReportPlan;
  /** Revisions of the notes in the plan. Saving the draft changes the notebook, but not these: the preview stays as it is. */
  readonly notes: readonly number[];
  /** Number of indexed records. */
  readonly records: number;
  /** Id of the trace that a part compares with; absent if no part does. */
  readonly other?: string;
}

/** Delay in milliseconds after the last change before the draft is saved. */
const SAVE_DELAY = 500;
const REMEMBERED = 200;

interface Known {
  readonly id: string;
  readonly reach: { readonly records: number; readonly complete: boolean };
  /** Open trace that it is compared with. */
  readonly compared: OtherTrace | undefined;
}

export function createComposer(client: Client, trace: () => Known, say: (text: string) => void): Composer {
  let draft = $state.raw<Draft | null>(null);
  let isOwn = $state(false);
  let failure = $state.raw<Failure | null>(null);
  let isUnsaved = $state(false);
  let chosen = $state<string | null>(null);
  let undoable = $state.raw<readonly Draft[]>([]);
  let redoable = $state.raw<readonly Draft[]>([]);
  let notebook = $state.raw<Notebook | null>(null);
  let doing = $state('');
  /** Revision of the notebook's view that holds the draft. */
  let revision: number | undefined;
  /** Field of the last change, for joining undo steps. */
  let typing = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;

  const revisions = $derived(new Map(notebook?.notes.map(({ id, revision }) => [id, revision])));
  const plan = $derived(draft && presentPlan(draft));
  const about = $derived(plan && otherArgument(plan, trace().compared));
  const previewKey = $derived.by<PreviewKey | null>(() => {
    const { reach } = trace();
    if (!plan || plan.parts.length === 0 || !reach.complete || !about?.ok) return null;
    const notes = plan.parts.flatMap((part) => (part.kind === 'note' ? (revisions.get(part.note) ?? []) : []));
    return { plan: { ...plan, sha256: false }, notes, records: reach.records, ...about.value };
  });

  const making = createReportMaking(client, () => ({ trace: trace().id, plan, about }));
  const preview = createFlowQuestion<PreviewKey, string>(async (key, { signal, onEvent }) => {
    const result = await client.request(
      'report',
      {
        trace: trace().id,
        plan: key.plan,
        as: 'html',
        name: 'preview',
        ...(key.other !== undefined && { other: key.other }),
      },
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

  /** Returns the plan of a draft, without notes that were removed. */
  function presentPlan(own: Draft): ReportPlan {
    const { title, parts } = planOf(own);
    return { title, parts: parts.filter((part) => part.kind !== 'note' || revisions.has(part.note)) };
  }

  function saveSoon(): void {
    isUnsaved = true;
    clearTimeout(timer);
    timer = setTimeout(() => void keep(), SAVE_DELAY);
  }

  function step(next: Draft, what = ''): void {
    if (draft === null || isSameDraft(next, draft)) return;
    if (what === '' || what !== typing) undoable = [...undoable, draft].slice(-REMEMBERED);
    typing = what;
    redoable = [];
    draft = next;
    isOwn = true;
    saveSoon();
  }

  function turn(from: readonly Draft[], back: boolean): void {
    const next = from.at(-1);
    if (!next || !draft) return;
    const now = draft;
    if (back) [undoable, redoable] = [undoable.slice(0, -1), [...redoable, now]];
    else [redoable, undoable] = [redoable.slice(0, -1), [...undoable, now]];
    draft = next;
    typing = '';
    if (!next.parts.some(({ key }) => key === chosen)) chosen = null;
    isOwn = true;
    saveSoon();
  }

  /** Replaces the draft by someone else's version. Undo restores ours. */
  function adopt(next: Draft, ours: Draft | null): void {
    if (ours && !isSameDraft(ours, next)) undoable = [...undoable, ours].slice(-REMEMBERED);
    draft = next;
    typing = '';
    isOwn = true;
    failure = null;
  }

  async function loadDefault(): Promise<Result<Draft>> {
    const result = await client.request('reportPlan', { trace: trace().id });
    return result.ok ? { ok: true, value: draftOf(result.value, draft ?? undefined) } : result;
  }

  async function update(next: Notebook): Promise<void> {
    if (notebook && next.version < notebook.version) return;
    const isNew = next.version !== notebook?.version || draft === null;
    notebook = next;
    if (isUnsaved || writing) return;
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
    const result = await loadDefault();
    // A newer notebook is handled by a call of its own.
    if (isTouched() || notebook.version !== next.version) return;
    if (result.ok) {
      draft = result.value;
      failure = null;
    } else failure = result.error;
  }

  function isTouched(): boolean {
    return isOwn || isUnsaved;
  }

  async function read(): Promise<void> {
    const result = await client.request('notebook', { trace: trace().id });
    if (result.ok) await update(result.value);
    else failure = result.error;
  }

  async function write(): Promise<void> {
    while (isUnsaved && draft) {
      const own = draft;
      isUnsaved = false;
      const view = keptView(own, revision);
      const result = await client.request('changeNotebook', { trace: trace().id, putViews: [view] });
      if (result.ok) {
        revision = result.value.views.find(isKeptReport)?.revision;
        // A later change by someone else may have arrived before this answer.
        if (!notebook || result.value.version >= notebook.version) notebook = result.value;
        failure = null;
      } else if (result.error.code === NOTE_CHANGED) {
        await takeTheirs(own);
      } else {
        isUnsaved = true;
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
      isUnsaved = false;
      say('Someone else changed the report, so their version is shown. Undo restores yours.');
    } else isUnsaved = true;
  }

  async function keep(): Promise<void> {
    clearTimeout(timer);
    typing = '';
    writing ??= write().finally(() => (writing = undefined));
    await writing;
    if (draft && notebook) await update(notebook);
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
    get isUnsaved() {
      return isUnsaved;
    },
    get chosen() {
      return chosen;
    },
    set chosen(next) {
      if (next !== chosen) typing = '';
      chosen = next;
    },
    get canUndo() {
      return undoable.length > 0;
    },
    get canRedo() {
      return redoable.length > 0;
    },
    get notes() {
      return notebook?.notes ?? [];
    },
    update,
    load,
    setTitle: (title) => draft && step({ ...draft, title }, 'title'),
    add,
    async take(part) {
      await load();
      if (draft === null) {
        say(failure?.message ?? 'A report can be made once indexing has finished.');
        return;
      }
      add([part]);
      await keep();
      if (failure) say(failure.message);
      else say(`Added to the report, which now has ${counted(draft.parts.length, 'part')}`);
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
    undo: () => turn(undoable, true),
    redo: () => turn(redoable, false),
    async startOver() {
      const result = await loadDefault();
      if (!result.ok) {
        say(result.error.message);
        return;
      }
      failure = null;
      draft ??= { title: result.value.title, parts: [] };
      step(result.value);
      say('The default report was restored. Undo brings yours back.');
    },
    keep,
    preview,
    get doing() {
      return doing;
    },
    get previewKey() {
      return previewKey;
    },
    get missing() {
      return about && !about.ok ? about.error : null;
    },
    making,
    stop() {
      clearTimeout(timer);
      preview.stop();
      making.cancel();
    },
  };
}
