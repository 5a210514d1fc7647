/** The traces that are open on this engine, how they are found, rebuilt and dropped when their index turns out damaged. */
import path from 'node:path';
import { INDEX_DAMAGED } from '../../../shared/requests/failures.ts';
import type { ExpandProgress, OpenArguments, TraceId } from '../../../shared/requests/requests.ts';
import { fail, ok, type Failure, type Result } from '../../../shared/base/result.ts';
import { detect } from './detect.ts';
import { expand, type Expansion } from './expand/expand.ts';
import type { EngineSettings } from '../settings.ts';
import { closeTrace, openTrace } from './open-trace.ts';
import type { Pool } from '../threads/pool.ts';
import { DISK_FULL } from '../index/ingest.ts';
import { defaultIndexDirectory } from '../index/store/identity.ts';
import { isUnreadable, removeIndexFile } from '../index/store/index-file.ts';
import { createTask, type Task } from '../threads/task.ts';
import { stillTheSame, type Trace } from '../trace.ts';

export interface Desk {
  open(args: OpenArguments, task: Task<ExpandProgress>): Promise<Result<Trace>>;
  /** The open trace, checked to be the file that was opened. */
  trace(id: TraceId): Result<Trace>;
  close(id?: TraceId): void;
  /** The same trace with an empty index; builds that ran end, earlier answers of `trace` are no longer valid. */
  rebuild(id: TraceId): Promise<Result<Trace>>;
  /** Builds the index while any wish says so; resolves when it is complete or the wish is gone, met or dropped by a rebuild. */
  build(trace: Trace, wish: () => boolean): Promise<Result<undefined>>;
  /** Works for questions to come while nobody waits, until the trace is closed or dropped; once for a trace. */
  ahead(trace: Trace, work: (task: Task<unknown>) => Promise<void>): void;
  /** Runs a request; when it meets a damaged index that is dropped and the caller told so. */
  guarded<T>(args: object, call: () => Promise<Result<T>> | Result<T>): Promise<Result<T>>;
}

/** For what nobody waits for by itself. */
const SILENT = createTask<ExpandProgress>(
  () => false,
  () => undefined,
);

async function problemOf(file: string): Promise<Failure | undefined> {
  const detected = await detect(file);
  return detected.ok ? detected.value.problem : detected.error;
}

/** Milliseconds: who asks about the beginning of a trace and closes it leaves nothing behind in the index. */
const RELEASE_MS = 1000;

interface Open {
  readonly args: OpenArguments;
  trace: Trace;
  readonly wishes: Set<() => boolean>;
  build: Promise<Result<undefined>> | undefined;
  ahead: { wanted: boolean; readonly ended: Promise<void> } | undefined;
  /** Calls that are being answered: the trace is closed behind the last. */
  readonly calls: Set<Promise<unknown>>;
  /** The disk had no room for the index: what was made of it is taken away when the trace is closed. */
  full: boolean;
}

export function createDesk(pool: Pool, settings: EngineSettings): Desk {
  const open = new Map<TraceId, Open>();
  let nextId = 1;
  let nextKey = 1;

  return { open: openNew, trace, close, rebuild, build, ahead, guarded };

  async function openNew(args: OpenArguments, task: Task<ExpandProgress>): Promise<Result<Trace>> {
    const content = await expanded(args, task);
    if (!content.ok) return content;
    if (task.cancelled()) return task.cancel();
    const id = `t${String(nextId)}`;
    const opened = openTrace(args, { id, key: newKey(), pool, settings, ...content.value });
    if (!opened.ok) return opened;
    nextId++;
    open.set(id, {
      args,
      trace: opened.value,
      wishes: new Set(),
      build: undefined,
      ahead: undefined,
      calls: new Set(),
      full: false,
    });
    return opened;
  }

  /** The expansion of a compressed file, made now where there is none. */
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

  /** Workers know traces by key: a trace that is opened again gets a new one. */
  function newKey(): string {
    return `k${String(nextKey++)}`;
  }

  function trace(id: TraceId): Result<Trace> {
    const found = open.get(id);
    if (found === undefined) return fail('not-open', `trace ${id} is not open; open it again`);
    const same = stillTheSame(found.trace);
    return same.ok ? ok(found.trace) : same;
  }

  function close(id?: TraceId): void {
    for (const [key, entry] of open) {
      if (id !== undefined && id !== key) continue;
      open.delete(key);
      entry.wishes.clear();
      if (entry.ahead !== undefined) entry.ahead.wanted = false;
      // At once: what watches it ends only when it next looks, and a program that ends does not wait for that.
      entry.trace.notebook.close();
      void Promise.allSettled([whenIdle(entry), ...entry.calls]).then(() => {
        closeTrace(entry.trace, entry.full);
      });
    }
  }

  async function whenIdle(entry: Open): Promise<void> {
    if (entry.build !== undefined) await entry.build;
    if (entry.ahead !== undefined) await entry.ahead.ended;
  }

  function ahead(wanted: Trace, work: (task: Task<unknown>) => Promise<void>): void {
    const entry = open.get(wanted.id);
    if (entry?.trace !== wanted || entry.ahead !== undefined) return;
    const begun = { wanted: true };
    const task = createTask<unknown>(
      () => !begun.wanted,
      () => undefined,
    );
    const ended = work(task).catch((error: unknown) => {
      // Whoever asks for it meets the same; what is damaged is thrown away then.
      const why = error instanceof Error ? error.message : String(error);
      wanted.notices.push(`calls and branches were not looked for ahead: ${why}`);
    });
    entry.ahead = Object.assign(begun, { ended });
  }

  async function rebuild(id: TraceId): Promise<Result<Trace>> {
    const entry = open.get(id);
    if (entry === undefined) return fail('not-open', `trace ${id} is not open; open it again`);
    entry.wishes.clear();
    if (entry.ahead !== undefined) entry.ahead.wanted = false;
    await whenIdle(entry);
    entry.ahead = undefined;
    // What came in its place is another program's, which builds it anew already.
    const isReplaced = entry.trace.index.isReplaced();
    closeTrace(entry.trace);
    const removed = isReplaced ? ok(undefined) : removeIndexFile(entry.trace.index.path);
    const content = removed.ok ? await expanded(entry.args, SILENT) : removed;
    const opened = content.ok
      ? openTrace(entry.args, { id, key: newKey(), pool, settings, ...content.value })
      : content;
    if (!opened.ok) {
      open.delete(id);
      return opened;
    }
    entry.trace = opened.value;
    return opened;
  }

  async function build(wanted: Trace, wish: () => boolean): Promise<Result<undefined>> {
    const entry = open.get(wanted.id);
    if (entry?.trace !== wanted) return fail('not-open', `trace ${wanted.id} is not open; open it again`);
    entry.wishes.add(wish);
    try {
      while (entry.wishes.has(wish) && wish() && !wanted.ingest.complete) {
        entry.build ??= wanted.ingest
          .run(() => [...entry.wishes].some((go) => go()))
          .finally(() => {
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
      entry.wishes.delete(wish);
      if (entry.wishes.size === 0 && !wanted.ingest.complete) releaseLater(wanted);
    }
  }

  /** A trace whose index is not gone on with would keep all others from building it for as long as it is open. */
  function releaseLater(wanted: Trace): void {
    const release = async (): Promise<void> => {
      const entry = open.get(wanted.id);
      if (entry?.trace !== wanted || entry.build !== undefined) return;
      await guarded({ trace: wanted.id }, () => {
        wanted.ingest.release();
        return ok(undefined);
      });
    };
    setTimeout(() => void release(), RELEASE_MS).unref();
  }

  async function guarded<T>(args: object, call: () => Promise<Result<T>> | Result<T>): Promise<Result<T>> {
    const id = 'trace' in args && typeof args.trace === 'string' ? args.trace : '';
    const calls = open.get(id)?.calls;
    const answer = Promise.resolve().then(call);
    calls?.add(answer);
    try {
      return await answer;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const again = await rebuild(id);
      if (!again.ok) return again;
      again.value.notices.push('the index was damaged and is built again');
      return fail(
        INDEX_DAMAGED,
        `${again.value.file.path}: its index was damaged and has been thrown away; index it again`,
      );
    } finally {
      calls?.delete(answer);
    }
  }
}
