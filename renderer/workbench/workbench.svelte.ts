/** Which traces are open, which one is looked at, and how one is opened: detect first, ask only where there is doubt. */
import type {
  Client,
  Detection,
  ExpandProgress,
  FormatSummary,
  ImagePlace,
  Preview,
} from '../../shared/requests/requests.ts';
import type { DesktopBridge } from '../../shared/desktop-bridge.ts';
import type { Settings } from '../../shared/format/format.ts';
import type { Failure, Result } from '../../shared/base/result.ts';
import { load, save } from '../trace/persisted.ts';
import type { Source } from '../trace/trace-base.ts';
import { createTrace, type Trace } from '../trace/trace.svelte.ts';
import { createTurns } from '../trace/questions/turns.ts';

export interface Workbench {
  readonly client: Client;
  readonly bridge: DesktopBridge | undefined;
  readonly traces: readonly Trace[];
  readonly active: Trace | undefined;
  /** The path being opened. */
  readonly opening: string | null;
  /** The compressed file that is being expanded on the way. */
  readonly expanding: Expanding | null;
  /** A choice of format that a person must make, or wants to change. */
  readonly choice: Choice | null;
  /** Why the last opening failed: a line for each file. */
  readonly failure: (Failure & { readonly path: string }) | null;
  /**
   * The last thing worth saying of the active trace, for the status line: it is about the record that was looked at then, and goes
   * with it. What is said of another trace waits until that one comes forward.
   */
  readonly said: { readonly text: string; readonly at: number };
  readonly formats: readonly FormatSummary[];
  readonly recent: readonly string[];
  readonly activate: (trace: Trace) => void;
  readonly open: (source: Source) => Promise<void>;
  /** Asks again which format the active trace has. */
  readonly reconsider: (trace: Trace) => Promise<void>;
  /**
   * Ends the choice: opens (or opens anew) with what was chosen; null leaves all as it was. What cannot be opened leaves
   * the choice, and the trace whose format is reconsidered, as they are, and gives the reason.
   */
  readonly choose: (chosen: Reading | null) => Promise<Failure | null>;
  /** The first records of a file as a format with these settings reads them. */
  readonly preview: (source: Reading & { readonly path: string }, signal?: AbortSignal) => Promise<Result<Preview>>;
  /** Opens a trace anew with other images, at the same record. Where they cannot be used that is said, and it stays as it is. */
  readonly setImages: (trace: Trace, images: readonly ImagePlace[]) => Promise<void>;
  /** The open dialog on the desktop; on localhost the start screen asks for a path. */
  readonly browse: () => Promise<void>;
  readonly close: (trace: Trace) => Promise<void>;
  /** What was open before the page was loaded anew, then what the host asks for. */
  readonly restore: (asked: readonly Source[]) => Promise<void>;
  /** Closes all traces on the engine's side: the page is going. */
  readonly release: () => void;
  readonly dismiss: () => void;
  readonly say: (text: string) => void;
}

/** How a file is to be read. */
export interface Reading {
  readonly format: string;
  readonly options?: Settings;
}

export interface Expanding {
  readonly path: string;
  readonly progress: ExpandProgress;
  readonly cancel: () => void;
}

export interface Choice {
  readonly detection: Detection;
  /** The open trace whose format is reconsidered. */
  readonly trace: Trace | null;
  /** What it is opened with. */
  readonly images: readonly ImagePlace[];
}

/** Below this, detection is a guess that a person should confirm. */
const CONFIDENT = 0.5;
const RECENT = 10;
/** Indexes that are built at once. */
const MOST_BUILT = 2;

export function createWorkbench(client: Client, bridge: DesktopBridge | undefined): Workbench {
  let traces = $state.raw<readonly Trace[]>([]);
  let activeId = $state<string | null>(null);
  let opening = $state<string | null>(null);
  let expanding = $state.raw<Expanding | null>(null);
  let choice = $state.raw<Choice | null>(null);
  let failure = $state.raw<(Failure & { readonly path: string }) | null>(null);
  /** By trace: the last words about it, which come forward with it. */
  let said = $state.raw<ReadonlyMap<string, Said>>(new Map());
  let times = 0;
  let formats = $state.raw<readonly FormatSummary[]>([]);
  /** What the host asked for when the page was loaded. */
  let wished = '[]';
  /** Openings that are under way or wait; when the last of them is done; when the question that it led to is answered. */
  let waiting = 0;
  let restoring = false;
  /** How often somebody turned to a trace, and how often before those of an earlier page were opened. */
  let turns = 0;
  let turnsBefore = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let decided: Promise<unknown> = Promise.resolve();
  let decide: (answered?: unknown) => void = () => undefined;
  /** Openings that wait or are under way, by what is opened: a double click opens once. */
  const awaited = new Map<string, Promise<void>>();
  /** Counts the answers to a choice: the last one counts. */
  let choosing = 0;
  const inTurn = createTurns(MOST_BUILT);
  let reconsidered: Trace | null = null;
  let recent = $state.raw<readonly string[]>(load(localStorage, 'recent', isPaths, []));
  const active = $derived(traces.find((trace) => trace.id === activeId) ?? traces[0]);

  void client.request('formats', {}).then((result) => {
    if (result.ok) formats = result.value;
  });
  void bridge?.recentFiles().then((paths) => (recent = paths));

  function say(text: string): void {
    tell(active, text);
  }

  function tell(trace: Trace | undefined, text: string): void {
    times += 1;
    said = new Map(said).set(trace?.id ?? '', { text, at: times, place: placeOf(trace) });
  }

  function keepSession(): void {
    // Who loads the page anew once more meanwhile loses nothing.
    if (restoring) return;
    save(
      sessionStorage,
      'open',
      traces.map((trace) => trace.source),
    );
  }

  function remember(path: string): void {
    recent = [path, ...recent.filter((other) => other !== path)].slice(0, RECENT);
    if (!bridge) save(localStorage, 'recent', recent);
  }

  /** One after the other: a question about the format of one is answered before the next one is looked at. */
  function open(source: Source): Promise<void> {
    const key = JSON.stringify(source);
    const same = awaited.get(key);
    if (same) return same;
    // What went wrong with one of several is not forgotten for the next one.
    if (waiting === 0) failure = null;
    waiting += 1;
    const done = turn
      .then(() => openNow(source))
      .finally(() => {
        waiting -= 1;
        awaited.delete(key);
      });
    awaited.set(key, done);
    turn = done.then(() => decided);
    return done;
  }

  /** Of several files that are opened at once each that cannot be is told of, in a line of its own. */
  function failed(error: Failure, path: string): void {
    failure = { ...error, message: failure ? `${failure.message}\n${error.message}` : error.message, path };
  }

  async function openNow(source: Source): Promise<void> {
    opening = source.path;
    try {
      const same = traces.find((trace) => trace.source.path === source.path);
      if (same) activeId = same.id;
      else if (source.format === undefined) await detectAndOpen(source);
      else await openAs(source);
    } finally {
      opening = null;
    }
  }

  async function detectAndOpen(source: Source): Promise<void> {
    const { path } = source;
    const detected = await client.request('detect', { path });
    if (!detected.ok) {
      failed(detected.error, path);
      return;
    }
    const { candidates, problem } = detected.value;
    const best = candidates[0];
    if (best && best.confidence >= CONFIDENT && !problem) await openAs(source);
    else if (best || problem?.code === UNKNOWN_FORMAT)
      ask({ detection: detected.value, trace: null, images: source.images ?? [] });
    else failed(problem ?? UNKNOWN, path);
  }

  function ask(next: Choice): void {
    choice = next;
    decided = new Promise((settle) => (decide = settle));
  }

  async function reconsider(trace: Trace): Promise<void> {
    const detected = await client.request('detect', { path: trace.source.path });
    // Whoever has closed it, or turned to another one, is not asked about it.
    if (trace !== active) return;
    if (detected.ok) ask({ detection: detected.value, trace, images: trace.source.images ?? [] });
    else say(detected.error.message);
  }

  async function openAs(source: Source): Promise<void> {
    const { path } = source;
    const own = new AbortController();
    const cancel = (): void => own.abort();
    const result = await client.request('open', source, {
      signal: own.signal,
      onEvent: (progress) => (expanding = { path, progress, cancel }),
    });
    expanding = null;
    if (own.signal.aborted && !result.ok) {
      say('Expanding was cancelled: nothing was opened');
      return;
    }
    if (!result.ok) {
      failed(result.error, source.path);
      return;
    }
    const known = traces.find((trace) => trace.id === result.value.trace);
    if (known) {
      activeId = known.id;
      return;
    }
    const trace = createTrace(client, source, result.value, (text) => tell(trace, text), inTurn);
    traces = [...traces, trace];
    if (!restoring || turns === turnsBefore) activeId = trace.id;
    remember(source.path);
    keepSession();
    for (const notice of result.value.notices) say(notice);
    void trace.build();
  }

  function preview(source: Reading & { readonly path: string }, signal?: AbortSignal): Promise<Result<Preview>> {
    return client.request('preview', source, signal ? { signal } : {});
  }

  /** Why a trace cannot be opened anew like this: asked while it is still open, so that nothing is lost over it. */
  async function hindrance(
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
    said = new Map([...said].filter(([id]) => id !== trace.id));
    if (activeId === trace.id) activeId = (traces[index] ?? traces.at(-1))?.id ?? null;
    keepSession();
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
    get failure() {
      return failure;
    },
    get said() {
      const own = said.get(active?.id ?? '');
      return own?.place === placeOf(active) ? own : { text: '', at: own?.at ?? 0 };
    },
    get formats() {
      return formats;
    },
    get recent() {
      return recent;
    },
    activate(trace) {
      activeId = trace.id;
      turns += 1;
    },
    open,
    reconsider(trace) {
      if (trace === reconsidered) return Promise.resolve();
      reconsidered = trace;
      const done = turn.then(() => reconsider(trace)).finally(() => (reconsidered = null));
      turn = done.then(() => decided);
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
      const hindered = await hindrance(source, images);
      // It was given up, or something else was chosen, meanwhile.
      if (choice !== current || own !== choosing) return null;
      if (hindered) return hindered;
      choice = null;
      if (current.trace) await close(current.trace);
      opening = source.path;
      await openAs({ ...source, ...(images.length > 0 && { images }) });
      opening = null;
      decide();
      return null;
    },
    async setImages(trace, images) {
      const { path, format, options } = trace.source;
      const read = trace.opened.format;
      const hindered = await hindrance({ path, format: read.id, options: read.options }, images);
      if (!traces.includes(trace)) return;
      if (hindered) {
        tell(trace, hindered.message);
        return;
      }
      const { n, address } = trace.cursor;
      await close(trace);
      opening = path;
      await openAs({
        path,
        ...(format !== undefined && { format }),
        ...(options && { options }),
        ...(images.length > 0 && { images }),
      });
      opening = null;
      if (active?.source.path !== path) return;
      if (address) active.cursor.jump(n, address);
      else active.cursor.jump(n);
    },
    preview,
    async browse() {
      if (!bridge) return;
      await Promise.all((await bridge.openDialog()).map((path) => open({ path })));
    },
    close,
    async restore(asked) {
      const kept = load(sessionStorage, 'open', isSources, []);
      const left = load(sessionStorage, 'left', isLeft, null);
      const wish = JSON.stringify(asked);
      // What the host asked for was opened before, if this is the same page loaded anew: it may be closed again by now.
      const isAgain = left?.asked === wish;
      save(sessionStorage, 'left', { asked: wish, active: '', places: [] });
      wished = wish;
      restoring = true;
      turnsBefore = turns;
      await Promise.all([...kept, ...(isAgain ? [] : asked)].map(open));
      restoring = false;
      keepSession();
      if (!isAgain) return;
      for (const { path, n } of left.places) {
        const trace = traces.find((other) => other.source.path === path);
        // Who has gone elsewhere already stays there.
        if (trace?.cursor.n === 0 && n < trace.reach.records) trace.cursor.step(n);
      }
      if (turns !== turnsBefore) return;
      activeId = traces.find(({ source }) => source.path === left.active)?.id ?? activeId;
    },
    release() {
      const places = traces.map(({ source, cursor }) => ({ path: source.path, n: cursor.n }));
      save(sessionStorage, 'left', { asked: wished, active: active?.source.path ?? '', places });
      for (const trace of traces) void trace.close();
    },
    dismiss: () => (failure = null),
    say,
  };
}

interface Said {
  readonly text: string;
  readonly at: number;
  /** Trace and record that were looked at then. */
  readonly place: string;
}

/** The problem of a file that can still be read as a format that a person names. */
export const UNKNOWN_FORMAT = 'unknown-format';
const UNKNOWN: Failure = {
  code: UNKNOWN_FORMAT,
  message: 'No format that can be read fits this file; open another file.',
};

function placeOf(trace: Trace | undefined): string {
  return trace ? `${trace.id} ${trace.cursor.n}` : '';
}

function isPaths(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((path) => typeof path === 'string');
}

/** What a page that was left leaves for the next one: what the host had asked for, which trace was looked at, and where. */
interface Left {
  readonly asked: string;
  readonly active: string;
  readonly places: readonly { readonly path: string; readonly n: number }[];
}

function isLeft(value: unknown): value is Left | null {
  if (value === null) return true;
  if (typeof value !== 'object' || !('asked' in value) || !('active' in value) || !('places' in value)) return false;
  const isPlace = (place: unknown): boolean =>
    typeof place === 'object' && place !== null && 'path' in place && 'n' in place && typeof place.n === 'number';
  return Array.isArray(value.places) && value.places.every(isPlace);
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
