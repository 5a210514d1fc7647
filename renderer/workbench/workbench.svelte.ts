/** Open traces and the active one. Opening a trace detects its format and asks only if the format is in doubt. */
import type {
  Client,
  Detection,
  ExpandProgress,
  ImageProgress,
  FormatSummary,
  ImagePlace,
  KeptTrace,
  Opened,
  Preview,
} from '../../shared/requests/requests.ts';
import { BUNDLE } from '../../shared/requests/failures.ts';
import type { Bundle } from '../../shared/requests/bundle/bundles.ts';
import type { DesktopBridge } from '../../shared/desktop-bridge.ts';
import type { Settings } from '../../shared/format/format.ts';
import type { Failure, Result } from '../../shared/base/result.ts';
import { load, save } from '../trace/persisted.ts';
import type { Source } from '../trace/trace-base.ts';
import { createTrace, type Trace } from '../trace/trace.svelte.ts';
import { createTurns } from '../trace/questions/turns.ts';
import type { Keeper, LeftView } from './keeper.svelte.ts';

export interface Workbench {
  readonly client: Client;
  readonly bridge: DesktopBridge | undefined;
  readonly traces: readonly Trace[];
  readonly active: Trace | undefined;
  /** Path of the trace that is being opened. */
  readonly opening: string | null;
  /** Expansion of a compressed file that is being opened. */
  readonly expanding: Expanding | null;
  /** Choice of a format that a person has to make or wants to change. */
  readonly choice: Choice | null;
  /** Evidence bundle that is shown in place of a trace. */
  readonly bundle: Bundle | null;
  /** Bundle that is to be merged into the notebook of an open trace. */
  readonly merging: Merging | null;
  /** Reason why files could not be opened: one line per file. */
  readonly failure: (Failure & { readonly path: string }) | null;
  /**
   * Last message about the active trace, for the status bar. A message belongs to the record where the cursor was and to the range that
   * the charts showed, and disappears when one of them changes. A message about another trace waits until that trace becomes active.
   */
  readonly said: { readonly text: string; readonly at: number };
  readonly formats: readonly FormatSummary[];
  /** Traces that were left, the newest first. */
  readonly recent: readonly KeptTrace[];
  readonly keeper: Keeper;
  readonly activate: (trace: Trace) => void;
  readonly open: (source: Source) => Promise<void>;
  /** Opens a file that was dropped. A bundle about the active trace is merged into its notebook instead, once a person agrees. */
  readonly openDropped: (path: string) => Promise<void>;
  /**
   * Opens a trace without showing it. Resolves with the open trace; with undefined if it could not be opened.
   * @param images program images of a trace that was left without any
   */
  readonly openBeside: (source: Source, images?: readonly ImagePlace[]) => Promise<Trace | undefined>;
  /** Shows a trace that the engine has open, with a view as JSON. */
  readonly adopt: (source: Source, opened: Opened, view: string) => void;
  /** Lets a person choose another format for a trace. */
  readonly reconsider: (trace: Trace) => Promise<void>;
  /**
   * Ends the choice of a format: opens or reopens the trace with it, or cancels if `chosen` is null. If the trace cannot be opened,
   * returns the reason and changes nothing.
   */
  readonly choose: (chosen: Reading | null) => Promise<Failure | null>;
  /** Returns the first records of a file, read as a format with these settings. */
  readonly preview: (source: Reading & { readonly path: string }, signal?: AbortSignal) => Promise<Result<Preview>>;
  /** Reopens a trace with other images, in the same view. If they cannot be used, says why and changes nothing. */
  readonly setImages: (trace: Trace, images: readonly ImagePlace[]) => Promise<void>;
  /** Shows the open dialog of the desktop. Without a desktop the page asks for a path instead. */
  readonly browse: () => Promise<void>;
  readonly close: (trace: Trace) => Promise<void>;
  /** Opens the traces that were open before the page was reloaded, then those that the host requests. */
  readonly restore: (requested: readonly Source[]) => Promise<void>;
  /** Closes all traces in the engine, because the page is closing. */
  readonly release: () => void;
  readonly dismiss: () => void;
  readonly closeBundle: () => void;
  /** Shows what a bundle would add to the notebook of a trace, and lets a person decide. */
  readonly merge: (merging: Merging) => void;
  readonly endMerge: () => void;
  readonly say: (text: string) => void;
}

/** Format and settings to read a file with. */
export interface Reading {
  readonly format: string;
  readonly options?: Settings;
}

/** A trace that is expanded, or whose images are read, before it is opened. */
export interface Expanding {
  readonly path: string;
  readonly progress: ExpandProgress | ImageProgress;
  readonly cancel: () => void;
}

export interface Merging {
  readonly trace: Trace;
  /** Path of the bundle. */
  readonly path: string;
}

export interface Choice {
  readonly detection: Detection;
  /** Open trace whose format is to be changed; null for a new trace. */
  readonly trace: Trace | null;
  /** Images that the trace is opened with. */
  readonly images: readonly ImagePlace[];
}

/** Below this confidence a person has to confirm the detected format. */
const CONFIDENT = 0.5;
/** Largest number of indexes that are built at once. */
const MOST_BUILT = 2;

export function createWorkbench(client: Client, bridge: DesktopBridge | undefined, keeper: Keeper): Workbench {
  let traces = $state.raw<readonly Trace[]>([]);
  let activeId = $state<string | null>(null);
  let opening = $state<string | null>(null);
  let expanding = $state.raw<Expanding | null>(null);
  let choice = $state.raw<Choice | null>(null);
  let bundle = $state.raw<Bundle | null>(null);
  let merging = $state.raw<Merging | null>(null);
  let failure = $state.raw<(Failure & { readonly path: string }) | null>(null);
  /** Last message about each trace, by its id. */
  let messages = $state.raw<ReadonlyMap<string, Message>>(new Map());
  let times = 0;
  let formats = $state.raw<readonly FormatSummary[]>([]);
  /** Traces that the host requested when the page was loaded, as JSON. */
  let requestedTraces = '[]';
  /** Number of openings that are running or waiting. */
  let waiting = 0;
  let restoring = false;
  /** Number of times a person activated a trace, and its value before traces were restored. */
  let activations = 0;
  let activationsBefore = 0;
  /** Resolves when the last opening, and the choice of format that it may need, is done. */
  let queue: Promise<unknown> = Promise.resolve();
  let decided: Promise<unknown> = Promise.resolve();
  let decide: (answered?: unknown) => void = () => undefined;
  /** Running and waiting openings by their source: a double click opens a trace once. */
  const openings = new Map<string, Promise<void>>();
  /** Paths of traces that are opened without being shown, with the images that they have by default. */
  const beside = new Map<string, readonly ImagePlace[]>();
  /** Paths of dropped files, with the trace on which each was dropped. */
  const droppedOn = new Map<string, Trace>();
  /** Number of answers to the current choice: only the latest one counts. */
  let choosing = 0;
  const inTurn = createTurns(MOST_BUILT);
  let reconsidered: Trace | null = null;
  /** Views of traces that were open before the page was reloaded, by their paths. */
  let views: ReadonlyMap<string, string> = new Map();
  const active = $derived(traces.find((trace) => trace.id === activeId) ?? traces[0]);

  void client.request('formats', {}).then((result) => {
    if (result.ok) formats = result.value;
  });

  function say(text: string): void {
    sayAbout(active, text);
  }

  function sayAbout(trace: Trace | undefined, text: string): void {
    times += 1;
    messages = new Map(messages).set(trace?.id ?? '', { text, at: times, place: placeOf(trace) });
  }

  function keepSession(): void {
    // Reloading the page during a restore must not lose the traces that are not open yet.
    if (restoring) return;
    save(
      sessionStorage,
      'open',
      traces.map((trace) => trace.source),
    );
  }

  /** Opens traces one after the other: the choice of a format ends before the next trace is opened. */
  function open(source: Source): Promise<void> {
    const key = JSON.stringify(source);
    const same = openings.get(key);
    if (same) return same;
    // Keep the failures of other files that are opened at the same time.
    if (waiting === 0) failure = null;
    waiting += 1;
    const done = queue
      .then(() => openNow(source))
      .finally(() => {
        waiting -= 1;
        openings.delete(key);
      });
    openings.set(key, done);
    queue = done.then(() => decided);
    return done;
  }

  async function openBeside(source: Source, images: readonly ImagePlace[] = []): Promise<Trace | undefined> {
    beside.set(source.path, images);
    await open(source);
    // A person may have to choose its format.
    await decided;
    beside.delete(source.path);
    return traces.find((trace) => trace.source.path === source.path);
  }

  /** Makes a trace the active one, unless it was opened without being shown. */
  function reveal({ id, source }: Trace): void {
    if (active === undefined || !beside.has(source.path)) activeId = id;
  }

  /** Adds a line to the message about files that could not be opened. */
  function failed(error: Failure, path: string): void {
    failure = { ...error, message: failure ? `${failure.message}\n${error.message}` : error.message, path };
  }

  async function openNow(source: Source): Promise<void> {
    opening = source.path;
    try {
      const same = traces.find((trace) => trace.source.path === source.path);
      if (same) reveal(same);
      else await openAsLeft(source);
    } finally {
      opening = null;
    }
  }

  /** Opens a trace as it was left: with its images, unless the source names its own, and its view. */
  async function openAsLeft(source: Source): Promise<void> {
    const { traces: found, problems } = await keeper.find(source.path);
    const kept = found[0];
    const view = views.get(source.path) ?? kept?.view;
    const left = view === undefined ? undefined : { view, changed: kept?.state === 'changed' };
    const isPlain = source.format === undefined && source.options === undefined && source.images === undefined;
    const { format, options, images: own } = (isPlain && kept) || {};
    const byDefault = beside.get(source.path) ?? [];
    const images = own ?? (isPlain && byDefault.length > 0 ? byDefault : undefined);
    const asKept = {
      ...source,
      ...(format !== undefined && { format, ...(options && { options }) }),
      ...(images && { images }),
    };
    const instead = format !== undefined || images ? source : undefined;
    // A file that has not changed would be detected as when it was left; of a bundle, nothing was detected.
    if (isPlain && kept?.state === 'same' && kept.bundle !== true) await openAs(asKept, left, instead);
    else await openWith(asKept, left, instead);
    for (const problem of problems) say(problem);
  }

  /** @param instead is opened if the source cannot be, because what was kept about it is out of date */
  async function openWith(source: Source, left?: LeftView, instead?: Source): Promise<void> {
    if (source.format === undefined) await detectAndOpen(source, left, instead);
    else await openAs(source, left, instead);
  }

  async function detectAndOpen(source: Source, left?: LeftView, instead?: Source): Promise<void> {
    const { path } = source;
    const detected = await client.request('detect', { path });
    if (!detected.ok) {
      failed(detected.error, path);
      return;
    }
    const { candidates, problem } = detected.value;
    if (problem?.code === BUNDLE) {
      await openBundle(path);
      return;
    }
    const best = candidates[0];
    if (best && best.confidence >= CONFIDENT && !problem) await openAs(source, left, instead);
    else if (best || problem?.code === UNKNOWN_FORMAT)
      offerChoice({ detection: detected.value, trace: null, images: source.images ?? [] });
    else failed(problem ?? UNKNOWN, path);
  }

  /** Shows a bundle, or what it would add to the trace on which it was dropped. The next file is opened once it is closed. */
  async function openBundle(path: string): Promise<void> {
    const trace = droppedOn.get(path);
    if (trace && (await client.request('importBundle', { trace: trace.id, path, dry: true })).ok) {
      beginMerge({ trace, path });
      return;
    }
    const read = await client.request('readBundle', { path });
    if (!read.ok) {
      failed(read.error, path);
      return;
    }
    bundle = read.value;
    keeper.keepBundle(path, read.value.bytes);
    decided = new Promise((settle) => (decide = settle));
  }

  function beginMerge(next: Merging): void {
    merging = next;
    decided = new Promise((settle) => (decide = settle));
  }

  function offerChoice(next: Choice): void {
    choice = next;
    decided = new Promise((settle) => (decide = settle));
  }

  async function reconsider(trace: Trace): Promise<void> {
    const detected = await client.request('detect', { path: trace.source.path });
    // The trace may have been closed, or another one activated, meanwhile.
    if (trace !== active) return;
    if (detected.ok) offerChoice({ detection: detected.value, trace, images: trace.source.images ?? [] });
    else say(detected.error.message);
  }

  async function openAs(source: Source, left?: LeftView, instead?: Source): Promise<void> {
    const { path } = source;
    const result = await openInEngine(source);
    if (!result) {
      say('Opening was cancelled, so the trace was not opened');
      return;
    }
    if (!result.ok && instead) {
      const { message } = result.error;
      await openWith(instead, left);
      const trace = traces.find((other) => other.source.path === path);
      if (trace) sayAbout(trace, `The trace was opened without its earlier images and format: ${message}`);
      return;
    }
    if (!result.ok) {
      failed(result.error, source.path);
      return;
    }
    const known = traces.find((trace) => trace.id === result.value.trace);
    if (known) {
      reveal(known);
      return;
    }
    const trace = show(source, result.value, left);
    if (!restoring || activations === activationsBefore) reveal(trace);
    keepSession();
    for (const notice of result.value.notices) say(notice);
  }

  /** Returns undefined if a person cancelled the opening. */
  async function openInEngine(source: Source): Promise<Result<Opened> | undefined> {
    const { path, format, options, images } = source;
    const args = {
      path,
      ...(format !== undefined && { format }),
      ...(options && { options }),
      ...(images && { images }),
    };
    const own = new AbortController();
    const cancel = (): void => own.abort();
    const result = await client.request('open', args, {
      signal: own.signal,
      onEvent: (progress) => (expanding = { path, progress, cancel }),
    });
    expanding = null;
    return own.signal.aborted && !result.ok ? undefined : result;
  }

  /**
   * Opens a trace again and then shows it in the place of the open one, so that keys always have a trace. If it cannot be opened, returns
   * the reason and changes nothing.
   */
  async function replace(trace: Trace, source: Source, keepsView: boolean): Promise<Failure | null> {
    await trace.keepTyped();
    const result = await openInEngine(source);
    if (!result) {
      sayAbout(trace, 'Opening was cancelled, so the trace stays as it was');
      return null;
    }
    if (!result.ok) return result.error;
    if (!traces.includes(trace)) {
      await client.request('close', { trace: result.value.trace });
      return null;
    }
    const left = keepsView ? { view: keeper.viewOf(trace), changed: false } : undefined;
    const wasActive = trace === active;
    const next = show(source, result.value, left, trace);
    if (wasActive) activeId = next.id;
    await remove(trace);
    for (const notice of result.value.notices) sayAbout(next, notice);
    return null;
  }

  /** Shows a trace in the place of another one, or last. */
  function show(source: Source, opened: Opened, left?: LeftView, instead?: Trace): Trace {
    const trace = createTrace(
      client,
      source,
      opened,
      (text) => sayAbout(trace, text),
      inTurn,
      () => traces,
    );
    keeper.follow(trace, left);
    // Sent before the panes are made, so that the engine works meanwhile.
    void trace.build();
    traces = instead ? traces.map((other) => (other === instead ? trace : other)) : [...traces, trace];
    return trace;
  }

  function preview(source: Reading & { readonly path: string }, signal?: AbortSignal): Promise<Result<Preview>> {
    return client.request('preview', source, signal ? { signal } : {});
  }

  /** Returns the reason why a trace cannot be reopened like this. Checked before it is closed, so that nothing is lost. */
  async function reopenError(
    source: Reading & { readonly path: string },
    images: readonly ImagePlace[],
  ): Promise<Failure | null> {
    const readable = await preview(source);
    if (!readable.ok) return readable.error;
    if (images.length === 0) return null;
    const usable = await client.request('images', { images });
    return usable.ok ? null : usable.error;
  }

  async function close(trace: Trace): Promise<void> {
    const index = traces.indexOf(trace);
    traces = traces.filter((other) => other !== trace);
    if (activeId === trace.id) activeId = (traces[index] ?? traces.at(-1))?.id ?? null;
    await remove(trace);
  }

  /** Closes a trace that is shown no longer. */
  async function remove(trace: Trace): Promise<void> {
    messages = new Map([...messages].filter(([id]) => id !== trace.id));
    keepSession();
    await keeper.leave(trace);
    await trace.close();
  }

  return {
    client,
    bridge,
    get traces() {
      return traces;
    },
    get active() {
      return active;
    },
    get opening() {
      return opening;
    },
    get expanding() {
      return expanding;
    },
    get choice() {
      return choice;
    },
    get bundle() {
      return bundle;
    },
    get merging() {
      return merging;
    },
    get failure() {
      return failure;
    },
    get said() {
      const own = messages.get(active?.id ?? '');
      return own?.place === placeOf(active) ? own : { text: '', at: own?.at ?? 0 };
    },
    get formats() {
      return formats;
    },
    get recent() {
      return keeper.recent;
    },
    keeper,
    activate(trace) {
      activeId = trace.id;
      activations += 1;
    },
    open,
    async openDropped(path) {
      if (active) droppedOn.set(path, active);
      await open({ path });
      droppedOn.delete(path);
    },
    openBeside,
    adopt: (source, opened, view) => void show(source, opened, { view, changed: false }),
    reconsider(trace) {
      if (trace === reconsidered) return Promise.resolve();
      reconsidered = trace;
      const done = queue.then(() => reconsider(trace)).finally(() => (reconsidered = null));
      queue = done.then(() => decided);
      return done;
    },
    async choose(chosen) {
      const current = choice;
      if (!current || !chosen) {
        choice = null;
        decide();
        return null;
      }
      const { images } = current;
      const source = { path: current.detection.file.path, ...chosen };
      choosing += 1;
      const own = choosing;
      const error = await reopenError(source, images);
      // The choice was cancelled, or another format chosen, meanwhile.
      if (choice !== current || own !== choosing) return null;
      if (error) return error;
      choice = null;
      const whole = { ...source, ...(images.length > 0 && { images }) };
      opening = source.path;
      if (current.trace) {
        const refusal = await replace(current.trace, whole, false);
        if (refusal) failed(refusal, source.path);
      } else await openAs(whole);
      opening = null;
      decide();
      return null;
    },
    async setImages(trace, images) {
      const { path, format, options } = trace.source;
      const refusal = await replace(
        trace,
        {
          path,
          ...(format !== undefined && { format }),
          ...(options && { options }),
          ...(images.length > 0 && { images }),
        },
        true,
      );
      if (refusal) sayAbout(trace, refusal.message);
    },
    preview,
    async browse() {
      if (!bridge) return;
      await Promise.all((await bridge.openDialog()).map((path) => open({ path })));
    },
    close,
    async restore(requested) {
      const kept = load(sessionStorage, 'open', isSources, []);
      const left = load(sessionStorage, 'left', isLeft, null);
      requestedTraces = JSON.stringify(requested);
      // After a reload the requested traces have been opened before, and may have been closed since.
      const isReload = left?.requested === requestedTraces;
      save(sessionStorage, 'left', { requested: requestedTraces, active: '', views: [] });
      views = new Map(isReload ? left.views : []);
      restoring = true;
      activationsBefore = activations;
      await Promise.all([...kept, ...(isReload ? [] : requested)].map(open));
      restoring = false;
      views = new Map();
      keepSession();
      if (!isReload) return;
      if (activations !== activationsBefore) return;
      activeId = traces.find(({ source }) => source.path === left.active)?.id ?? activeId;
    },
    release() {
      const last = traces.map((trace) => [trace.source.path, keeper.viewOf(trace)]);
      save(sessionStorage, 'left', { requested: requestedTraces, active: active?.source.path ?? '', views: last });
      keeper.flush();
      for (const trace of traces) void trace.close();
    },
    dismiss: () => (failure = null),
    closeBundle() {
      bundle = null;
      decide();
    },
    merge: beginMerge,
    endMerge() {
      merging = null;
      decide();
    },
    say,
  };
}

interface Message {
  readonly text: string;
  readonly at: number;
  /** Active trace, cursor and range when the message was shown. */
  readonly place: string;
}

/** Code of the failure of a file that can still be read as a format that a person chooses. */
export const UNKNOWN_FORMAT = 'unknown-format';
const UNKNOWN: Failure = {
  code: UNKNOWN_FORMAT,
  message: 'No known format fits this file. Open another file.',
};

function placeOf(trace: Trace | undefined): string {
  if (!trace) return '';
  const { n, range } = trace.cursor;
  return [trace.id, n, ...(range ? [range.from, range.to] : [])].join(' ');
}

/** State that a page leaves for the next one in its tab: the traces that the host requested, the active trace, and views by path. */
interface Left {
  readonly requested: string;
  readonly active: string;
  readonly views: readonly (readonly [path: string, view: string])[];
}

function isLeft(value: unknown): value is Left | null {
  if (value === null) return true;
  if (typeof value !== 'object' || !('requested' in value) || !('active' in value) || !('views' in value)) return false;
  const isView = (view: unknown): boolean => Array.isArray(view) && view.every((text) => typeof text === 'string');
  return Array.isArray(value.views) && value.views.every(isView);
}

function isSources(value: unknown): value is readonly Source[] {
  return (
    Array.isArray(value) &&
    value.every(
      (source: unknown) =>
        typeof source === 'object' && source !== null && 'path' in source && typeof source.path === 'string',
    )
  );
}
