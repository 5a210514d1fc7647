/**
 * The notebook of an open trace. It is located on first use, created with the first note and shared with other programs. If it cannot be
 * written, its readable content is returned with the reason.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NONE_TAKEN, type Note, type View } from '../../../shared/requests/notes.ts';
import { fail, ok, type Failure, type Result } from '../../../shared/base/result.ts';
import type { Source } from '../platform/source.ts';
import { identify, type TraceIdentity } from '../platform/file-identity.ts';
import { rememberNotebook } from './known-notebooks.ts';
import { keyOf, locate, ownPlace, type Place } from './locate.ts';
import { isWritable, makeFolder, PRIVATE } from '../platform/private-files.ts';
import { openNotebookFile, type Edit, type NotebookFile } from './notebook-file.ts';
import { identityText } from './peek.ts';
import { BUSY, DAMAGED, FULL, UNWANTED, problemOf, UNWRITABLE, unwritable } from './problems.ts';
import { readCopy, signature } from './read-copy.ts';
import { inOrder, type Content } from './read-content.ts';
import { takeAll, type Merged } from './take-items.ts';

export interface TraceNotebook {
  /** Returns the state on disk. Fails with BUSY while another program creates the notebook. */
  read(): Result<Held>;
  /** Same, but waits until no other program locks the notebook. */
  readSoon(): Promise<Result<Held>>;
  change(edit: Edit): Promise<Result<undefined>>;
  merge(notes: readonly Note[], views: readonly View[]): Promise<Result<Merged>>;
  /** Returns what `merge` would do, and the notebook as it would be. Nothing is written. */
  merged(
    notes: readonly Note[],
    views: readonly View[],
  ): Promise<Result<{ readonly taken: Merged; readonly held: Held }>>;
  /** Returns the identity of the trace. */
  identity(): Result<TraceIdentity>;
  /** Returns true if notes of the other trace apply to this one: both are the same, or the other is this one before it grew. */
  isOf(other: TraceIdentity): Result<boolean>;
  /** Increases with every change. 0 if there is no notebook yet, undefined if the version is unknown at present. */
  version(): number | undefined;
  close(): void;
}

export interface Held extends Content {
  readonly path: string;
  readonly exists: boolean;
  readonly problem?: string;
  readonly notices: readonly string[];
}

export interface NotebookSettings {
  /** The trace's file, and the number of bytes that are read as the trace. */
  readonly trace: string;
  readonly source: Source;
  readonly bytes: number;
  readonly notebook?: string | undefined;
  readonly dataDirectory: string;
}

/** Time during which a locked notebook is retried. */
const LOCKED_MS = 10_000;
const RETRY_MS = 50;
/** Interval between searches for a notebook that another program may have created. */
const SEARCH_MS = 3000;

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly file: NotebookFile; readonly notices: string[]; readonly inode: bigint }
  | {
      readonly kind: 'shown';
      readonly place: Place;
      readonly content: Content;
      readonly signature: string;
      /** The reason why the notebook is not open, if it may be temporary. */
      readonly passing: Failure | undefined;
    };

const NOTHING: Content = { version: 0, notes: [], views: [], unreadable: 0, altered: 0 };

export function createNotebook(settings: NotebookSettings): TraceNotebook {
  let state: State = { kind: 'closed' };
  let known: TraceIdentity | undefined;
  let ended = false;
  /** Path of the notebook to be created, and the time until which no other place is searched. */
  let missing: { readonly path: string; readonly until: number } | undefined;

  return { read, readSoon, change, merge, merged, identity, isOf, version, close };

  function identity(): Result<TraceIdentity> {
    if (known !== undefined) return ok(known);
    const found = identify(settings.source, settings.bytes);
    if (found.ok) known = found.value;
    return found;
  }

  function isOf(other: TraceIdentity): Result<boolean> {
    if (other.bytes > settings.bytes) return ok(false);
    const then = identify(settings.source, other.bytes);
    return then.ok ? ok(then.value.probe === other.probe) : then;
  }

  function read(): Result<Held> {
    if (ended) return notOpen();
    if (state.kind === 'open' && inodeOf(state.file.path) !== state.inode) reset();
    if (state.kind === 'shown' && signature(state.place.path) !== state.signature) reset();
    if (state.kind === 'closed') {
      const place = find();
      if (!place.ok) return place;
      if (place.value.unwanted === true) return fail(UNWANTED, place.value.problem ?? '');
      if (!place.value.exists) return ok({ ...NOTHING, ...place.value });
      const opened = open(place.value, false);
      if (!opened.ok) return opened;
    }
    return held();
  }

  function held(): Result<Held> {
    if (state.kind === 'open') {
      const { file, notices } = state;
      const content = file.content();
      if (content.ok)
        return ok({ ...content.value, path: file.path, exists: true, notices: noticesOf(content.value, notices) });
      if (content.error.code !== DAMAGED) return content;
      show({ path: file.path, exists: true, problem: content.error.message, notices });
    }
    if (state.kind !== 'shown') return fail('notebook', `${settings.trace}: its notebook cannot be opened`);
    const { place, content } = state;
    return ok({ ...content, ...place, notices: noticesOf(content, place.notices) });
  }

  function find(): Result<Place> {
    const mine = identity();
    if (!mine.ok) return mine;
    return ok(
      locate({
        trace: settings.trace,
        notebook: settings.notebook,
        dataDirectory: settings.dataDirectory,
        identity: mine.value,
        identify: (bytes) => identify(settings.source, bytes),
      }),
    );
  }

  /** Sets the state to `open`, or to `shown` with the reason. Fails for temporary problems. */
  function open(place: Place, create: boolean): Result<undefined> {
    if (place.problem !== undefined) return show(place);
    if (!create && !(isWritable(place.path) && isWritable(path.dirname(place.path))))
      return show({ ...place, problem: unwritable(place.path) });
    const mine = identity();
    if (!mine.ok) return mine;
    const mode = create ? modeOf(settings.trace) : undefined;
    const file = openNotebookFile(place.path, identityText(mine.value), path.basename(settings.trace), mode);
    if (!file.ok) {
      const { error } = file;
      if (create || error.code === BUSY) return file;
      return show({ ...place, problem: error.message }, error.code === FULL ? error : undefined);
    }
    const notices = [...place.notices];
    const notRecorded = rememberNotebook(settings.dataDirectory, keyOf(mine.value), place.path);
    if (notRecorded !== undefined) notices.push(notRecorded);
    reset();
    state = { kind: 'open', file: file.value, notices, inode: inodeOf(place.path) ?? 0n };
    return ok(undefined);
  }

  function show(place: Place, passing?: Failure): Result<undefined> {
    reset();
    const content = fs.existsSync(place.path) ? readCopy(place.path) : ok(NOTHING);
    if (passing !== undefined && !content.ok) return { ok: false, error: passing };
    const problem = place.problem ?? (content.ok ? undefined : content.error.message);
    state = {
      kind: 'shown',
      place: { ...place, ...(problem === undefined ? {} : { problem }) },
      content: content.ok ? content.value : { ...NOTHING, unreadable: 1 },
      signature: signature(place.path),
      passing,
    };
    return ok(undefined);
  }

  function change(edit: Edit): Promise<Result<undefined>> {
    const { put, remove, putViews, removeViews } = edit;
    if (put.length + remove.length + putViews.length + removeViews.length === 0) return Promise.resolve(ok(undefined));
    return write((file) => file.change(edit));
  }

  function merge(notes: readonly Note[], views: readonly View[]): Promise<Result<Merged>> {
    if (notes.length + views.length === 0) return Promise.resolve(ok({ ...NONE_TAKEN, views: NONE_TAKEN }));
    return write((file) => file.merge(notes, views));
  }

  async function merged(
    notes: readonly Note[],
    views: readonly View[],
  ): Promise<Result<{ readonly taken: Merged; readonly held: Held }>> {
    const now = await readSoon();
    if (!now.ok) return now;
    const [allNotes, allViews] = [byId(now.value.notes), byId(now.value.views)];
    const into = {
      notes: { find: (id: string) => allNotes.get(id), put: (note: Note) => void allNotes.set(note.id, note) },
      views: { find: (id: string) => allViews.get(id), put: (view: View) => void allViews.set(view.id, view) },
    };
    const taken = takeAll(into, { notes, views });
    return ok({ taken, held: { ...now.value, ...inOrder(allNotes.values(), allViews.values()) } });
  }

  function readSoon(): Promise<Result<Held>> {
    return retryWhileBusy(read);
  }

  function write<T>(work: (file: NotebookFile) => Result<T>): Promise<Result<T>> {
    return retryWhileBusy(() => {
      const file = forWriting();
      return file.ok ? work(file.value) : file;
    });
  }

  function forWriting(): Result<NotebookFile> {
    // The disk may have free space by now.
    if (state.kind === 'shown' && state.passing !== undefined) reset();
    const now = read();
    if (!now.ok) return now;
    if (!now.value.exists && now.value.problem === undefined) {
      const made = make(now.value);
      if (!made.ok) return made;
    }
    if (state.kind === 'open') return ok(state.file);
    if (state.kind === 'shown' && state.passing !== undefined) return { ok: false, error: state.passing };
    const problem = state.kind === 'shown' ? state.place.problem : undefined;
    return fail(UNWRITABLE, problem ?? `${now.value.path}: the notebook cannot be written`);
  }

  /** Creates the file for the first note. Uses the user's data folder if the trace's own folder turns out to be unwritable. */
  function make(place: Place): Result<undefined> {
    const mine = identity();
    if (!mine.ok) return mine;
    const own = ownPlace(settings.dataDirectory, mine.value);
    if (place.path !== own) {
      const made = open(place, true);
      const elsewhere = settings.notebook === undefined && !made.ok && made.error.code === UNWRITABLE;
      if (!elsewhere) return made;
    }
    try {
      makeFolder(path.dirname(own));
    } catch (error) {
      return withAdvice(own, problemOf(own, error));
    }
    return withAdvice(own, open({ path: own, exists: false, notices: place.notices }, true));
  }

  function version(): number | undefined {
    if (state.kind === 'open' && inodeOf(state.file.path) === state.inode) {
      const now = state.file.version();
      if (now.ok) return now.value;
    }
    if (state.kind === 'closed' && missing !== undefined && performance.now() < missing.until) {
      if (!fs.existsSync(missing.path)) return 0;
    }
    const now = read();
    if (!now.ok) return undefined;
    missing = now.value.exists ? undefined : { path: now.value.path, until: performance.now() + SEARCH_MS };
    return now.value.version;
  }

  function reset(): void {
    if (state.kind === 'open') state.file.close();
    state = { kind: 'closed' };
  }

  function close(): void {
    ended = true;
    reset();
  }
}

/** Adds advice to the failure of the last place that was tried. */
function withAdvice(own: string, made: Result<undefined>): Result<undefined> {
  if (made.ok || made.error.code !== UNWRITABLE) return made;
  return fail(
    UNWRITABLE,
    `${own}: a notebook can be created neither next to the trace nor there; name another place with --notebook`,
  );
}

/** Retries while another program keeps the notebook locked, for a limited time. */
async function retryWhileBusy<T>(work: () => Result<T>): Promise<Result<T>> {
  const until = performance.now() + LOCKED_MS;
  for (;;) {
    const done = work();
    if (done.ok || done.error.code !== BUSY || performance.now() > until) return done;
    await delay(RETRY_MS);
  }
}

function byId<T extends Note | View>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}

function notOpen(): Result<never> {
  return fail('not-open', 'the trace is no longer open; open it again');
}

function noticesOf({ unreadable, altered }: Content, notices: readonly string[]): readonly string[] {
  return [
    ...notices,
    ...(unreadable === 0 ? [] : ['the notebook has rows that cannot be read; the notes in them are not shown']),
    ...(altered === 0
      ? []
      : [
          `${counted(altered)} altered since this program wrote the notebook: the file was damaged or edited, so read with care`,
        ]),
  ];
}

function counted(notes: number): string {
  return notes === 1 ? 'one note was' : `${String(notes)} notes were`;
}

function inodeOf(file: string): bigint | undefined {
  return fs.statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Returns the mode of a new notebook: users who may not read the trace may not read the notes on it. */
function modeOf(trace: string): number {
  const status = fs.statSync(trace, { throwIfNoEntry: false });
  return status === undefined ? PRIVATE : (status.mode & 0o666) | PRIVATE;
}
