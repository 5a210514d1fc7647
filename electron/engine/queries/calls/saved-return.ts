/**
 * Shows that the caller of the outermost function was fixed before the return to it: the return reads its target from memory, where it was
 * written while the function was open already, as `PUSH {r4,lr}` does at the start of a function.
 */
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { WRITE_KINDS } from '../access/accesses.ts';
import { lastAccess } from '../access/access-memory.ts';
import { records } from '../records/records.ts';
import { spanOf } from '../records/span.ts';

/** Largest number of records between the beginning of a return and its target: effects of one instruction that loads all registers. */
const MOST_EFFECTS = 40;

/**
 * Returns the record that wrote the target of the return which arrives at record `arrival`; undefined if the return does not read its
 * target from memory, or if no record before it has written it.
 */
export async function savedReturn<E>(
  trace: Trace,
  arrival: RecordNumber,
  task: Task<E>,
): Promise<Result<RecordNumber | undefined>> {
  const from = Math.max(0, arrival - MOST_EFFECTS);
  const found = records(trace, { from, count: arrival - from + 1 });
  if (!found.ok) return found;
  const target = found.value.records.at(-1);
  if (target?.n !== arrival || target.address === undefined) return ok(undefined);
  // Bit 0 of the value selects the Thumb instruction set.
  const address = BigInt(target.address) & ~1n;
  const effects = found.value.records.slice(0, -1).filter(({ cpu }) => cpu === target.cpu);
  const first = effects.findLastIndex(({ kind }) => kind === 'instruction' || kind === 'skipped');
  const read = effects
    .slice(first + 1)
    .find(({ kind, value }) => kind === 'read' && value !== undefined && (BigInt(value) & ~1n) === address);
  if (read?.address === undefined || read.size === undefined) return ok(undefined);
  const low = BigInt(read.address);
  const span = spanOf(low, low + BigInt(read.size) - 1n);
  return answerInSlices(lastAccess(trace, WRITE_KINDS, span, read.n), task);
}
