/** Which records belong to an instruction above them: what it read, wrote and set. */
import type { Kind } from '../../shared/record.ts';
import { isEffect, isInstruction } from './kinds.ts';

/** An instruction that loads every register brings some thirty records; longer runs belong to nobody. */
const LONGEST = 40;

/** True when record `n` is an effect and the nearest record before it that is none is an instruction. */
export function isAttached(n: number, kindAt: (n: number) => Kind | undefined): boolean {
  const own = kindAt(n);
  if (own === undefined || !isEffect(own)) return false;
  for (let before = n - 1; before >= Math.max(0, n - LONGEST); before -= 1) {
    const kind = kindAt(before);
    if (kind === undefined) return false;
    if (!isEffect(kind)) return isInstruction(kind);
  }
  return false;
}
