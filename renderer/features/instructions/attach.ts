/**
 * Assigns records to the instruction whose effects they are: what it read, wrote and set. Formats write effects after the instruction,
 * or one instruction late if the record is flagged so. Records of other CPUs may be in between.
 */
import type { RecordView } from '../../../shared/records/record.ts';
import { isEffect, isInstruction } from '../../../present/base/kinds.ts';

export type RecordAt = (n: number) => RecordView | undefined;

/** Largest distance of an effect: an instruction that loads every register has some thirty effects. */
const LONGEST = 40;

/** Returns the instruction that record `n` is an effect of; undefined if it is not an effect, or that is unknown. */
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

/** Returns the effects of instruction `n` in the order of records; empty if it is not an instruction. */
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

/** Returns true for a record with the state before the instruction above it: an effect of the previous instruction. */
export function isLate(record: RecordView): boolean {
  return record.flags?.includes('before-instruction') ?? false;
}
