/**
 * Which records belong to an instruction: what it read, wrote and set. Formats write them behind it, or one
 * instruction late where the record says so. Records of other cpus may lie between.
 */
import type { RecordView } from '../../../shared/records/record.ts';
import { isEffect, isInstruction } from '../../../present/base/kinds.ts';

export type RecordAt = (n: number) => RecordView | undefined;

/** An instruction that loads every register brings some thirty records; longer runs belong to nobody. */
const LONGEST = 40;

/** The instruction that record `n` is an effect of; undefined where it is none, or that is not known. */
export function ownerOf(n: number, at: RecordAt): number | undefined {
  const own = at(n);
  if (own === undefined || !isEffect(own.kind)) return undefined;
  let ahead = isLate(own) ? 1 : 0;
  for (let other = n - 1; other >= Math.max(0, n - LONGEST); other -= 1) {
    const record = at(other);
    if (record === undefined) return undefined;
    if (record.cpu !== own.cpu || isEffect(record.kind)) continue;
    if (!isInstruction(record.kind)) return undefined;
    if (ahead === 0) return other;
    ahead -= 1;
  }
  return undefined;
}

/** The effects of instruction `n` in the order of their records; none where it is no instruction. */
export function effectsOf(n: number, at: RecordAt): readonly RecordView[] {
  const own = at(n);
  const effects: RecordView[] = [];
  if (own === undefined || !isInstruction(own.kind)) return effects;
  let isNext = false;
  for (let other = n + 1; other <= n + LONGEST; other += 1) {
    const record = at(other);
    if (record === undefined) break;
    if (record.cpu !== own.cpu) continue;
    if (isEffect(record.kind)) {
      if (isLate(record) === isNext) effects.push(record);
    } else if (isNext || !isInstruction(record.kind)) break;
    else isNext = true;
  }
  return effects;
}

/** True of a record that tells what was so before the instruction above it: what the one before that left. */
export function isLate(record: RecordView): boolean {
  return record.flags?.includes('before-instruction') ?? false;
}
