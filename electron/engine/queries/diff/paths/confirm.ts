/** Decodes the parts that count as equal, and compares each instruction: fingerprints found them. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { Task } from '../../../threads/task.ts';
import { createReader, isSame } from './executed.ts';
import { addPart, type PathPart, type Place } from './path-parts.ts';
import type { Side } from './side.ts';

/** Compared instructions between two looks whether the request was cancelled. */
const SLICE = 4096;

/** Returns the parts. One of kind `same` in which instructions differ is `not-aligned`, starting at the first of them. */
export async function confirmed(
  sides: readonly [Side, Side],
  parts: readonly PathPart[],
  task: Task<FlowProgress>,
): Promise<Result<readonly PathPart[]>> {
  const found: PathPart[] = [];
  for (const part of parts) {
    if (part.kind !== 'same') {
      addPart(found, part);
      continue;
    }
    const equal = await equalIn(sides, part, task);
    if (!equal.ok) return equal;
    const { value: count } = equal;
    const [instructionsA, instructionsB] = [part.instructionsA - count, part.instructionsB - count];
    addPart(found, { ...part, instructionsA: count, instructionsB: count });
    addPart(found, {
      kind: 'not-aligned',
      a: after(part.a, count),
      b: after(part.b, count),
      instructionsA,
      instructionsB,
    });
  }
  return ok(found);
}

function after({ record, skip }: Place, count: number): Place {
  return { record, skip: skip + count };
}

/** Returns how many instructions of a part are equal before the first that differ. */
async function equalIn(
  [one, other]: readonly [Side, Side],
  { a, b, instructionsA }: PathPart,
  task: Task<FlowProgress>,
): Promise<Result<number>> {
  const readers = [createReader(one, a.record), createReader(other, b.record)] as const;
  for (const [reader, { skip }] of [[readers[0], a] as const, [readers[1], b] as const])
    for (let k = 0; k < skip; k++) {
      const skipped = reader.next();
      if (!skipped.ok) return skipped;
    }
  for (let at = 0; at < instructionsA; at++) {
    const [its, others] = [readers[0].next(), readers[1].next()];
    if (!its.ok) return its;
    if (!others.ok) return others;
    if (its.value === undefined || !isSame(its.value, others.value)) return ok(at);
    if (at % SLICE !== SLICE - 1) continue;
    const { record } = its.value;
    task.progress(() => ({ at: record, to: one.trace.blocks.records }));
    await breathe();
    if (task.cancelled()) return task.cancel();
  }
  return ok(instructionsA);
}
