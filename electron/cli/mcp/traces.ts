/** The traces of the command line, opened and indexed in the background: a client waits for its first answer only a few seconds. */
import { basename } from 'node:path';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Context } from '../command.ts';
import { suggestion } from '../parse.ts';
import { withTrace, type OpenTrace } from '../trace.ts';
import type { Call } from './protocol.ts';

/** An indexed trace. */
export interface IndexedTrace {
  readonly trace: OpenTrace;
  readonly records: RecordNumber;
}

export interface Traces {
  /** Names by which tools refer to them: names of files, or paths where two files have the same name. */
  readonly names: readonly string[];
  /** The trace of a name, the first one by default, once it is indexed. */
  get(name: string | undefined, call: Call): Promise<Result<IndexedTrace>>;
  /** Closes all. */
  close(): Promise<void>;
}

interface Opening {
  readonly opened: Promise<Result<IndexedTrace>>;
  readonly closed: Promise<unknown>;
  /** Bytes that are indexed, of how many. */
  readonly at: { done: number; total: number };
  readonly listeners: Set<Call>;
}

export function openTraces(context: Context): Traces {
  const paths = [context.trace, ...context.rest];
  const files = paths.map((path) => basename(path));
  const names = paths.map((path, i) => (files.indexOf(files[i]!) === files.lastIndexOf(files[i]!) ? files[i]! : path));
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const openings = paths.map((path) => opening(context, path, ended));
  return {
    names,
    async get(name = names[0], call) {
      const place = names.indexOf(name ?? '');
      if (place < 0)
        return fail(
          'usage',
          `there is no trace '${String(name)}'${suggestion(String(name), names)}; there is ${names.join(', ')}`,
        );
      const { opened, listeners, at } = openings[place]!;
      listeners.add(call);
      if (at.total > 0) call.progress(at.done, at.total, 'indexing');
      const trace = await opened;
      listeners.delete(call);
      return trace;
    },
    async close() {
      end();
      await Promise.all(openings.map(({ closed }) => closed));
    },
  };
}

/** Opens and indexes a trace, and keeps it open until `ended`. */
function opening(context: Context, path: string, ended: Promise<void>): Opening {
  const at = { done: 0, total: 0 };
  const listeners = new Set<Call>();
  const progress: Context['progress'] = {
    update({ bytes, totalBytes }) {
      Object.assign(at, { done: bytes, total: totalBytes });
      for (const call of listeners) call.progress(bytes, totalBytes, 'indexing');
    },
    clear: () => undefined,
  };
  let settle: (opened: Result<IndexedTrace>) => void = () => undefined;
  const opened = new Promise<Result<IndexedTrace>>((resolve) => (settle = resolve));
  const closed = withTrace({ ...context, trace: path, progress }, async (trace) => {
    const indexed = await trace.index();
    settle(indexed.ok ? ok({ trace, records: indexed.value.records }) : indexed);
    await ended;
    return ok(undefined);
  }).then((outcome) => {
    if (!outcome.ok) settle(outcome);
  });
  return { opened, closed, at, listeners };
}
