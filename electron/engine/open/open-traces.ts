/** The open traces of an engine: opens, finds and closes them, builds their indexes, and rebuilds an index that turns out to be damaged. */
import fs from 'node:fs';
import path from 'node:path';
import { INDEX_DAMAGED } from '../../../shared/requests/failures.ts';
import type { ExpandProgress, ImageProgress, OpenArguments, TraceId } from '../../../shared/requests/requests.ts';
import { fail, ok, type Failure, type Result } from '../../../shared/base/result.ts';
import { detect } from './detect.ts';
import { expand, type Expansion } from './expand/expand.ts';
import { defaultStateDirectory } from '../kept/state-folder.ts';
import type { EngineSettings } from '../settings.ts';
import type { Images } from '../image/images.ts';
import { openImages } from '../image/read-images.ts';
import { closeTrace, copyIndex, openTrace, placedImages, type OpenContext } from './open-trace.ts';
import type { Pool } from '../threads/pool.ts';
import { DISK_FULL, NEIGHBOUR_STOPPED } from '../index/ingest.ts';
import { defaultIndexDirectory } from '../index/store/identity.ts';
import { isUnreadable } from '../index/store/errors.ts';
import { removeIndexFile } from '../index/store/open-index.ts';
import { createTask, type Task } from '../threads/task.ts';
import { stillTheSame, type Trace } from '../trace.ts';

export interface OpenTraces {
  open(args: OpenArguments, task: Task<ExpandProgress | ImageProgress>): Promise<Result<Trace>>;
  /** Returns an open trace. Fails if its file has changed (see `stillTheSame`). */
  get(id: TraceId): Result<Trace>;
  close(id?: TraceId): void;
  /** Folder of what the page keeps between two starts. */
  readonly stateDirectory: string;
  /** Folder of the indexes, if the host chose one. */
  readonly indexDirectory: string | undefined;
  /**
   * Reopens a trace with an empty index, once all requests about it are answered, except those to rebuild it. Ends running builds; the trace
   * that `get` returned before is no longer valid.
   */
  rebuild(id: TraceId): Promise<Result<Trace>>;
  /**
   * Builds the index while a request wants it. Resolves when it is complete, when `isWanted` returns false, or at a rebuild. Afterwards
   * `get` may return another trace, whose index is temporary, because the program that builds the shared one is stopped.
   */
  build(trace: Trace, isWanted: () => boolean): Promise<Result<undefined>>;
  /** Runs work for future requests, once per trace. The work is cancelled when the trace is closed or rebuilt. */
  ahead(trace: Trace, work: (task: Task<unknown>) => Promise<void>): void;
  /**
   * Answers a request, after a rebuild that has begun. If the index turns out to be damaged, replaces it by an empty one and fails with
   * INDEX_DAMAGED.
   */
  guarded<T>(args: object, answer: () => Promise<Result<T>> | Result<T>): Promise<Result<T>>;
}

/** A task that is never cancelled and reports to nobody. */
const SILENT = createTask<unknown>(
  () => false,
  () => undefined,
);

async function problemOf(file: string): Promise<Failure | undefined> {
  const detected = await detect(file);
  return detected.ok ? detected.value.problem : detected.error;
}

/** Milliseconds after an unfinished build before other programs may continue it. A trace that is closed sooner commits no rows. */
const RELEASE_MS = 1000;

interface Entry {
  readonly args: OpenArguments;
  /** Images, not yet placed where the trace maps them. */
  readonly images: Images;
  trace: Trace;
  /** Requests that want the index built, each a function that returns false when it no longer does. */
  readonly buildRequests: Set<() => boolean>;
  build: Promise<Result<undefined>> | undefined;
  ahead: { wanted: boolean; readonly ended: Promise<void> } | undefined;
  /** Requests that are being answered and may read the index. The trace is closed after the last one. */
  readonly answers: Set<Promise<unknown>>;
  rebuilding: Promise<Result<Trace>> | undefined;
  /** True if the disk was full while the index was built: closing the trace then removes the index. */
  full: boolean;
}

export function createOpenTraces(pool: Pool, settings: EngineSettings): OpenTraces {
  const entries = new Map<TraceId, Entry>();
  let nextId = 1;
  let nextKey = 1;

  const stateDirectory = settings.stateDirectory ?? defaultStateDirectory();
  const { indexDirectory } = settings;
  return { open, get, close, stateDirectory, indexDirectory, rebuild, build, ahead, guarded };

  async function open(args: OpenArguments, task: Task<ExpandProgress | ImageProgress>): Promise<Result<Trace>> {
    const content = await expanded(args, task);
    if (!content.ok) return content;
    const images = await openImages(args.images, task);
    if (!images.ok) return images;
    if (task.cancelled()) return task.cancel();
    const placed = await placedImages(args, { images: images.value, settings, ...content.value }, task);
    if (!placed.ok) return placed;
    if (task.cancelled()) return task.cancel();
    const id = `t${String(nextId)}`;
    const context = { pool, settings, images: placed.value };
    const opened = openTrace(args, { id, key: newKey(), ...context, ...content.value });
    if (!opened.ok) return opened;
    nextId++;
    entries.set(id, {
      args,
      images: images.value,
      trace: opened.value,
      buildRequests: new Set(),
      build: undefined,
      ahead: undefined,
      answers: new Set(),
      rebuilding: undefined,
      full: false,
    });
    return opened;
  }

  /** Expands a compressed file, unless its expansion exists already. */
  async function expanded(
    { path: given, format, indexDirectory }: OpenArguments,
    task: Task<ExpandProgress>,
  ): Promise<Result<{ readonly expansion?: Expansion }>> {
    const file = path.resolve(given);
    const made = await expand({
      file,
      folder: indexDirectory ?? settings.indexDirectory ?? defaultIndexDirectory(),
      check: () => (format === undefined ? problemOf(file) : Promise.resolve(undefined)),
      task,
    });
    if (!made.ok) return made;
    return ok(made.value === undefined ? {} : { expansion: made.value });
  }

  /** Expands the file of an open trace again, and places its images. */
  async function contentOf({ args, images }: Entry): Promise<Result<Pick<OpenContext, 'expansion' | 'images'>>> {
    const content = await expanded(args, SILENT);
    if (!content.ok) return content;
    const placed = await placedImages(args, { images, settings, ...content.value }, SILENT);
    return placed.ok ? ok({ ...content.value, images: placed.value }) : placed;
  }

  /** Returns a new key, by which workers know a trace. A reopened trace gets a new one. */
  function newKey(): string {
    return `k${String(nextKey++)}`;
  }

  function get(id: TraceId): Result<Trace> {
    const found = entries.get(id);
    if (found === undefined) return fail('not-open', `trace ${id} is not open; open it again`);
    const same = stillTheSame(found.trace);
    return same.ok ? ok(found.trace) : same;
  }

  function close(id?: TraceId): void {
    for (const [key, entry] of entries) {
      if (id !== undefined && id !== key) continue;
      entries.delete(key);
      entry.buildRequests.clear();
      if (entry.ahead !== undefined) entry.ahead.wanted = false;
      // Closes the notebook now: its watchers notice a closed trace only at their next poll, and a program that exits does not wait for that.
      entry.trace.notebook.close();
      void Promise.allSettled([whenIdle(entry), ...entry.answers]).then(() => {
        closeTrace(entry.trace, entry.full);
      });
    }
  }

  async function whenIdle(entry: Entry): Promise<void> {
    if (entry.build !== undefined) await entry.build;
    if (entry.ahead !== undefined) await entry.ahead.ended;
  }

  function ahead(wanted: Trace, work: (task: Task<unknown>) => Promise<void>): void {
    const entry = entries.get(wanted.id);
    if (entry?.trace !== wanted || entry.ahead !== undefined) return;
    const begun = { wanted: true };
    const task = createTask<unknown>(
      () => !begun.wanted,
      () => undefined,
    );
    const ended = work(task).catch((error: unknown) => {
      // A later request meets the same error, and then drops a damaged index.
      const why = error instanceof Error ? error.message : String(error);
      wanted.notices.push(`calls, branches and counts were not computed in advance: ${why}`);
    });
    entry.ahead = Object.assign(begun, { ended });
  }

  async function rebuild(id: TraceId): Promise<Result<Trace>> {
    const entry = entries.get(id);
    if (entry === undefined) return fail('not-open', `trace ${id} is not open; open it again`);
    entry.rebuilding ??= reopen(id, entry).finally(() => {
      entry.rebuilding = undefined;
    });
    return entry.rebuilding;
  }

  async function reopen(id: TraceId, entry: Entry): Promise<Result<Trace>> {
    entry.buildRequests.clear();
    if (entry.ahead !== undefined) entry.ahead.wanted = false;
    await Promise.allSettled([whenIdle(entry), ...entry.answers]);
    const content = await contentOf(entry);
    if (entries.get(id) !== entry) return fail('not-open', `trace ${id} is not open; open it again`);
    entry.ahead = undefined;
    // Another program has replaced the file and is rebuilding it: it must stay.
    const isReplaced = entry.trace.index.isReplaced();
    closeTrace(entry.trace);
    const removed = isReplaced ? ok(undefined) : removeIndexFile(entry.trace.index.path);
    const context = { id, key: newKey(), pool, settings };
    const placed = removed.ok ? content : removed;
    const opened = placed.ok ? openTrace(entry.args, { ...context, ...placed.value }) : placed;
    if (!opened.ok) {
      entries.delete(id);
      return opened;
    }
    entry.trace = opened.value;
    return opened;
  }

  async function build(wanted: Trace, isWanted: () => boolean): Promise<Result<undefined>> {
    const entry = entries.get(wanted.id);
    if (entry?.trace !== wanted) return fail('not-open', `trace ${wanted.id} is not open; open it again`);
    entry.buildRequests.add(isWanted);
    try {
      while (entry.buildRequests.has(isWanted) && isWanted() && !entry.trace.ingest.complete) {
        entry.build ??= buildOrGoAlone(entry).finally(() => {
          entry.build = undefined;
        });
        const built = await entry.build;
        if (!built.ok) {
          entry.full ||= built.error.code === DISK_FULL;
          return built;
        }
      }
      return ok(undefined);
    } finally {
      entry.buildRequests.delete(isWanted);
      if (entry.buildRequests.size === 0 && !entry.trace.ingest.complete) releaseLater(entry.trace);
    }
  }

  /** Builds the index. If another program builds it but is stopped, reopens the trace with its own copy of that index. */
  async function buildOrGoAlone(entry: Entry): Promise<Result<undefined>> {
    const waiting = entry.trace;
    const built = await waiting.ingest.run(() => [...entry.buildRequests].some((wanted) => wanted()));
    if (built.ok || built.error.code !== NEIGHBOUR_STOPPED) return built;
    const content = await contentOf(entry);
    if (!content.ok) return content;
    const ownIndex = await copyIndex(waiting, built.error.message, settings.scratch);
    if (!ownIndex.ok) return ownIndex;
    const context = { id: waiting.id, key: newKey(), pool, settings, ownIndex: ownIndex.value };
    const opened = openTrace(entry.args, { ...context, ...content.value });
    if (!opened.ok) {
      fs.rmSync(ownIndex.value.folder, { recursive: true, force: true });
      return opened;
    }
    entry.trace = opened.value;
    if (entry.ahead !== undefined) entry.ahead.wanted = false;
    const users = Promise.allSettled([entry.ahead?.ended ?? Promise.resolve(), ...entry.answers]);
    entry.ahead = undefined;
    void users.then(() => {
      closeTrace(waiting);
    });
    return ok(undefined);
  }

  /** Releases the lock of an unfinished index, which would keep other programs from building it while the trace is open. */
  function releaseLater(wanted: Trace): void {
    const release = async (): Promise<void> => {
      const entry = entries.get(wanted.id);
      if (entry?.trace !== wanted || entry.build !== undefined) return;
      await guarded({ trace: wanted.id }, () => {
        wanted.ingest.release();
        return ok(undefined);
      });
    };
    setTimeout(() => void release(), RELEASE_MS).unref();
  }

  async function guarded<T>(args: object, answer: () => Promise<Result<T>> | Result<T>): Promise<Result<T>> {
    const id = 'trace' in args && typeof args.trace === 'string' ? args.trace : '';
    await entries.get(id)?.rebuilding;
    const answers = entries.get(id)?.answers;
    const answering = Promise.resolve().then(answer);
    answers?.add(answering);
    try {
      return await answering;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const again = await rebuild(id);
      if (!again.ok) return again;
      again.value.notices.push('the index was damaged and is built again');
      return fail(
        INDEX_DAMAGED,
        `${again.value.file.path}: its index was damaged and has been deleted; index it again`,
      );
    } finally {
      answers?.delete(answering);
    }
  }
}
