/** Answers about ranges, kept for the few ranges that panes show at a time: those of the charts before and after a zoom. */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { createLru } from '../../../../shared/base/lru.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';

export interface RangeArguments {
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
}

type Find<T> = (trace: Trace, range: RangeArguments, task: Task<FlowProgress>) => Promise<Result<T>>;

const KEPT = 3;

/** Returns a function that finds what is not kept. Requests for the same range wait for the first of them. */
export function keptPerRange<T>(find: Find<T>): Find<T> {
  interface Known {
    readonly answers: { get: (key: string) => T | undefined; set: (key: string, found: T) => void };
    readonly running: Map<string, Promise<unknown>>;
  }
  const knownOf = cachePer((): Known => ({ answers: createLru<string, T>(KEPT), running: new Map() }));
  return async (trace, { from, to }, task) => {
    const { answers, running } = knownOf(trace);
    const key = `${from ?? ''} ${to ?? ''} ${trace.blocks.records} ${trace.ingest.complete}`;
    for (;;) {
      const known = answers.get(key);
      if (known !== undefined) return ok(known);
      const other = running.get(key);
      if (other === undefined) break;
      await other;
      if (task.cancelled()) return task.cancel();
    }
    const finding = find(trace, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, task);
    running.set(key, finding);
    const found = await finding.finally(() => running.delete(key));
    if (found.ok) answers.set(key, found.value);
    return found;
  };
}
