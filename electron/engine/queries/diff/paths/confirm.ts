/** Decodes the parts that count as equal, and compares each element: fingerprints found them. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { Task } from '../../../threads/task.ts';
import { visitColumns } from '../../records/block-reader.ts';
import { createElementNumbers } from './element-numbers.ts';
import { elementTest } from './executed.ts';
import { addPart, type PathPart, type Place } from './path-parts.ts';
import type { NumberOf } from './record-legs.ts';
import type { Side } from './side.ts';

/** Returns the parts. One of kind `same` in which elements differ is `not-aligned`, starting at the first of them. */
export async function confirmed(
  sides: readonly [Side, Side],
  parts: readonly PathPart[],
  task: Task<FlowProgress>,
): Promise<Result<readonly PathPart[]>> {
  const numbersOf = createElementNumbers(sides);
  const numbers = [numbersOf(sides[0]), numbersOf(sides[1])] as const;
  const found: PathPart[] = [];
  for (const part of parts) {
    if (part.kind !== 'same') {
      addPart(found, part);
      continue;
    }
    const equal = await equalIn(sides, numbers, part, task);
    if (!equal.ok) return equal;
    const { value: count } = equal;
    addPart(found, { ...part, instructionsA: count, instructionsB: count });
    addPart(found, {
      kind: 'not-aligned',
      a: after(part.a, count),
      b: after(part.b, count),
      instructionsA: part.instructionsA - count,
      instructionsB: part.instructionsB - count,
    });
  }
  return ok(found);
}

function after({ record, skip }: Place, count: number): Place {
  return { record, skip: skip + count };
}

/** Returns how many elements of a part are equal before the first that differ. */
async function equalIn(
  [one, other]: readonly [Side, Side],
  [numberA, numberB]: readonly [NumberOf, NumberOf],
  { a, b, instructionsA }: PathPart,
  task: Task<FlowProgress>,
): Promise<Result<number>> {
  const [left, right] = [createWalk(one, numberA, a), createWalk(other, numberB, b)];
  for (let equal = 0; ;) {
    const more = left.more();
    if (!more.ok) return more;
    const others = right.more();
    if (!others.ok) return others;
    const most = Math.min(left.count - left.at, right.count - right.at, instructionsA - equal);
    if (most === 0) return ok(equal);
    for (let k = 0; k < most; k++) if (left.numbers[left.at + k] !== right.numbers[right.at + k]) return ok(equal + k);
    equal += most;
    left.at += most;
    right.at += most;
    task.progress(() => ({ at: left.next, to: one.trace.blocks.records }));
    await breathe();
    if (task.cancelled()) return task.cancel();
  }
}

interface Walk {
  /** Numbers of the elements of the latest batch, and the next one of them. */
  readonly numbers: Int32Array;
  readonly count: number;
  at: number;
  /** The first record that was not read. */
  readonly next: number;
  /** Reads batches until there is a next element, or the trace ends. */
  more(): Result<undefined>;
}

/** Reads the elements of a side, starting at a place. */
function createWalk(side: Side, numberOf: NumberOf, { record, skip }: Place): Walk {
  const { blocks } = side.trace;
  const isElement = elementTest(side);
  let left = skip;
  const walk = {
    numbers: new Int32Array(0),
    count: 0,
    at: 0,
    next: record,
    more(): Result<undefined> {
      while (walk.at === walk.count && walk.next < blocks.records) {
        const block = blocks.blockOfRecord(walk.next);
        const read = visitColumns(side.trace, block, walk.next - blocks.firstRecord(block), ({ batch, first }) => {
          if (walk.numbers.length < batch.count) walk.numbers = new Int32Array(batch.count);
          let count = 0;
          for (let row = Math.max(0, walk.next - first); row < batch.count; row++)
            if (isElement(batch, row, first + row) && left-- <= 0) walk.numbers[count++] = numberOf(batch, row);
          walk.count = count;
          walk.at = 0;
          walk.next = first + batch.count;
          return false;
        });
        if (!read.ok) return read;
      }
      return ok(undefined);
    },
  };
  return walk;
}
