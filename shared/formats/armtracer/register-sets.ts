/**
 * Assigns numbers to sets of registers. Register lines with the same number set the same registers in any order. A number is valid for
 * the lifetime of the decoder. The number of sets is limited, because a damaged trace can contain any number of them.
 */
import { assert } from '../../base/result.ts';
import { readList } from './register-list.ts';
import { textOf } from '../../base/scan.ts';

export interface RegisterSets {
  /** Returns a number from 1 for a mask with CPSR_BIT, SPSR_BIT and bit n for rn; 0 if the limit is reached. */
  ofMask(mask: number): number;
  /** Returns the same for the list bytes[at, to), which `readList` can read. */
  ofList(bytes: Uint8Array, at: number, to: number): number;
}

export const CPSR_BIT = 1 << 16;
export const SPSR_BIT = 1 << 17;

const MOST_SETS = 4096;
/** Size of the hash table: a power of two, and twice the number of sets to keep probe sequences short. */
const SLOTS = 8192;
/** Multiplier of Fibonacci hashing. */
const SPREAD = 0x9e3779b1;
/** Maximum length of a list in bytes. Longer lists get the number 0. */
const MOST_LETTERS = 1024;

export function createRegisterSets(): RegisterSets {
  /** Hash table of masks, 0 for a free slot, and their numbers. */
  const masks = new Int32Array(SLOTS);
  const numbers = new Uint16Array(SLOTS);
  /** Numbers of sets that contain names without a bit, by the sorted names. */
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
    readList(bytes, at, to, false, (nameAt, valueAt) => {
      names.add(textOf(bytes, nameAt, valueAt - 1));
    });
    let mask = 0;
    for (const name of names) mask |= BITS.get(name) ?? OTHER_BIT;
    if ((mask & OTHER_BIT) === 0) return ofMask(mask);
    // Names contain no comma.
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
