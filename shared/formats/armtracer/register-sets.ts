/**
 * Numbers for what register lines set: lines with the same number set the same registers, whatever the order, as long as
 * the decoder lives. A damaged trace has no end of them, so only so many have one.
 */
import { assert } from '../../base/result.ts';
import { readList } from './line.ts';

export interface RegisterSets {
  /** From 1 up, for registers as bits of a mask: CPSR_BIT, SPSR_BIT and bit n for rn; 0 where it would be one too many. */
  ofMask(mask: number): number;
  /** The same for the list at bytes[at, to), which `readList` reads. */
  ofList(bytes: Uint8Array, at: number, to: number): number;
}

export const CPSR_BIT = 1 << 16;
export const SPSR_BIT = 1 << 17;

const MOST_SETS = 4096;
/** A power of two, twice the sets: a search meets few others. */
const SLOTS = 8192;
const SPREAD = 0x9e3779b1;
/** Lists longer than this are not told apart. */
const MOST_LETTERS = 1024;

export function createRegisterSets(): RegisterSets {
  /** By hash: the mask, 0 where free, and its number. */
  const masks = new Int32Array(SLOTS);
  const numbers = new Uint16Array(SLOTS);
  /** Lists with names that have no bit, by their sorted names. */
  const named = new Map<string, number>();
  let count = 0;
  return { ofMask, ofList };

  function ofMask(mask: number): number {
    assert(mask !== 0, 'a register line sets a register');
    let slot = Math.imul(mask, SPREAD) >>> 19;
    for (; masks[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) if (masks[slot] === mask) return numbers[slot]!;
    if (count === MOST_SETS) return 0;
    masks[slot] = mask;
    numbers[slot] = ++count;
    return count;
  }

  function ofList(bytes: Uint8Array, at: number, to: number): number {
    if (to - at > MOST_LETTERS) return 0;
    const names = new Set<string>();
    readList(bytes, at, to, (nameAt, valueAt) => {
      names.add(String.fromCharCode(...bytes.subarray(nameAt, valueAt - 1)));
    });
    let mask = 0;
    for (const name of names) mask |= BITS.get(name) ?? OTHER_BIT;
    if ((mask & OTHER_BIT) === 0) return ofMask(mask);
    // No name has a comma.
    const key = [...names].sort().join(',');
    const known = named.get(key);
    if (known !== undefined) return known;
    if (count === MOST_SETS) return 0;
    named.set(key, ++count);
    return count;
  }
}

const OTHER_BIT = 1 << 18;
const BITS: ReadonlyMap<string, number> = new Map([
  ...Array.from({ length: 16 }, (_, n) => [`r${String(n)}`, 1 << n] as const),
  ['cpsr', CPSR_BIT],
  ['spsr', SPSR_BIT],
]);
