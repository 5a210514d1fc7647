/** Summary of the differences of two runs by function: counts of instructions that only one run executed, or with other effects. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { DiffFunction } from '../../../../shared/requests/diff.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, joinAddress, lowHalf, toHex } from '../../../../shared/base/units.ts';
import { knownCalls } from '../../flow/calls.ts';
import { UNKNOWN } from '../../flow/functions/functions.ts';
import type { Task } from '../../threads/task.ts';
import { functionNames } from '../calls/function-names.ts';
import { visitBatches } from '../records/block-reader.ts';
import type { PathPart, Place } from './paths/path-parts.ts';
import { elementTest } from './paths/executed.ts';
import type { Side } from './paths/side.ts';

type Count = 'onlyA' | 'onlyB' | 'differing' | 'notAlignedA' | 'notAlignedB';
type Counts = Record<Count, number>;
type Counted = Omit<DiffFunction, Count> & Counts;

/** Instructions by address. */
type ByAddress = ReadonlyMap<bigint, number>;

/** Instructions of a side by address, and what they count as. */
type Executed = readonly [Side, Count, ByAddress];

/** Returns the instructions that only one run executed, and those that are not aligned. */
export async function executedApart(
  sides: readonly [Side, Side],
  parts: readonly PathPart[],
  task: Task<FlowProgress>,
): Promise<Result<readonly Executed[]>> {
  const [one, other] = sides;
  const counted: Executed[] = [];
  for (const [side, count, kind] of [
    [one, 'onlyA', 'a-only'],
    [other, 'onlyB', 'b-only'],
    [one, 'notAlignedA', 'not-aligned'],
    [other, 'notAlignedB', 'not-aligned'],
  ] as const) {
    const executed = await executedIn(
      side,
      parts
        .filter((part) => part.kind === kind)
        .map((part) => (side === one ? [part.a, part.instructionsA] : [part.b, part.instructionsB])),
      task,
    );
    if (!executed.ok) return executed;
    counted.push([side, count, executed.value]);
  }
  return ok(counted);
}

/**
 * Returns the functions with differences, those with most instructions first. Functions are those of `calls`: symbols of the images, or
 * inferred from calls and returns.
 * @param apart from `executedApart`
 * @param differing pairs with other effects, by address in the first program
 */
export async function differingFunctions(
  [one]: readonly [Side, Side],
  apart: readonly Executed[],
  differing: ByAddress,
  task: Task<FlowProgress>,
): Promise<readonly DiffFunction[]> {
  const counted: readonly Executed[] = [[one, 'differing', differing], ...apart];
  const found = new Map<string, Counted>();
  const owners = new Map<Side, OwnerOf>();
  for (const [side, count, byAddress] of counted) {
    if (byAddress.size === 0) continue;
    const owner = owners.get(side) ?? (await ownersOf(side, task));
    owners.set(side, owner);
    for (const [address, times] of byAddress) {
      const { name, entry, key = String(entry) } = owner(address);
      const known = found.get(key) ?? {
        name,
        ...(entry !== undefined && { address: toHex(entry) }),
        onlyA: 0,
        onlyB: 0,
        differing: 0,
        notAlignedA: 0,
        notAlignedB: 0,
      };
      known[count] += times;
      found.set(key, known);
    }
  }
  return [...found.values()].sort((a, b) => all(b) - all(a));
}

function all({ onlyA, onlyB, differing, notAlignedA, notAlignedB }: Counts): number {
  return onlyA + onlyB + differing + notAlignedA + notAlignedB;
}

/** Returns the executed instructions of parts by address, without the shift of the trace. */
async function executedIn(
  side: Side,
  parts: readonly (readonly [Place, number])[],
  task: Task<FlowProgress>,
): Promise<Result<ByAddress>> {
  const { trace, shift } = side;
  const { blocks } = trace;
  const isElement = elementTest(side);
  /** By address, exact: halves of 32 bits. */
  const times = new Map<number, Map<number, number>>();
  for (const [{ record, skip }, instructions] of parts) {
    let left = instructions;
    let skipped = skip;
    for (let next = record; left > 0 && next < blocks.records;) {
      const block = blocks.blockOfRecord(next);
      const read = visitBatches(trace, block, next - blocks.firstRecord(block), ({ batch, first }) => {
        for (let i = Math.max(0, next - first); i < batch.count && left > 0; i++) {
          if (!isElement(batch, i, first + i)) continue;
          if (skipped > 0) {
            skipped--;
            continue;
          }
          const [low, high] = [batch.addressLow[i]!, batch.addressHigh[i]!];
          const there = times.get(high) ?? new Map<number, number>();
          times.set(high, there);
          there.set(low, (there.get(low) ?? 0) + 1);
          left--;
        }
        next = first + batch.count;
        return left > 0;
      });
      if (!read.ok) return read;
      task.progress(() => ({ at: next, to: blocks.records }));
      await breathe();
      if (task.cancelled()) return task.cancel();
    }
  }
  const byAddress = new Map<bigint, number>();
  for (const [high, there] of times)
    for (const [low, count] of there) byAddress.set(joinAddress(low, high) - shift, count);
  return ok(byAddress);
}

/** Returns the function at an address without the shift of the trace. */
type OwnerOf = (address: bigint) => {
  readonly name: string | null;
  readonly entry?: bigint;
  /** Equal for the same function of both programs; by default its entry. */
  readonly key?: string;
};

async function ownersOf({ trace, shift, numbers }: Side, task: Task<FlowProgress>): Promise<OwnerOf> {
  const functionAt = numbers?.functionAt;
  if (functionAt !== undefined)
    return (address) => {
      const found = functionAt(address + shift);
      return found === undefined ? { name: null } : { key: found.key, name: found.name, entry: found.firstEntry };
    };
  const calls = await knownCalls(trace, task);
  // A trace whose calls cannot be found has no known functions.
  if (!calls.ok) return () => ({ name: null });
  const { functions } = calls.value;
  const nameOf = functionNames(trace.images, functions);
  return (address) => {
    const own = address + shift;
    const fn = functions.owner(lowHalf(own), highHalf(own));
    const entry = functions.address(fn);
    return fn === UNKNOWN || entry === undefined ? { name: null } : { name: nameOf(fn).name, entry: entry - shift };
  };
}
