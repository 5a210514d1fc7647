/**
 * The last answer of a sort about a whole trace, kept in the index. A script or a person at a terminal asks for the same one again, in
 * another process, and finding it takes longer than everything else that the process does.
 */
import { ok, type Result } from '../../../../shared/base/result.ts';
import { createWholeTraceResult } from '../../flow/whole-trace.ts';
import type { Trace } from '../../trace.ts';

interface Kept<T> {
  readonly question: string;
  readonly answer: T;
}

export interface LastAnswer<T> {
  /**
   * Returns the answer over all records to a question, which `find` finds if it is not the last one.
   * @param args everything on which the answer depends beside the trace
   */
  (trace: Trace, args: object, find: () => Result<T> | Promise<Result<T>>): Promise<Result<T>>;
}

/**
 * @param name distinguishes sorts of answers in the index
 * @param most larger answers would need more room in the index than they save time; in elements of their arrays
 */
export function createLastAnswer<T extends object>(name: string, most: number): LastAnswer<T> {
  const same = (kept: Kept<T>): Kept<T> => kept;
  const last = createWholeTraceResult<Kept<T>, Kept<T>>({ name, toTable: same, fromTable: same });
  return async (trace, args, find) => {
    if (!trace.ingest.complete) return find();
    const question = JSON.stringify(args);
    const known = last.get(trace);
    if (known?.question === question) return ok(copyOf(known.answer));
    const found = await find();
    if (found.ok && elementsOf(found.value) <= most)
      last.set(trace, trace.blocks.records, { question, answer: copyOf(found.value) });
    return found;
  };
}

/** Copies arrays, because an answer that is sent gives them away, and those from the index are views of one buffer. */
function copyOf<T extends object>(answer: T): T {
  const arrays = Object.entries(answer).filter(isArray);
  return { ...answer, ...Object.fromEntries(arrays.map(([key, values]) => [key, values.slice()])) };
}

function isArray(entry: [string, unknown]): entry is [string, Float64Array] {
  return entry[1] instanceof Float64Array;
}

function elementsOf(answer: object): number {
  return Object.entries(answer)
    .filter(isArray)
    .reduce((sum, [, values]) => sum + values.length, 0);
}
