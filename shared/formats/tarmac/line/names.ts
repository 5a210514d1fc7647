/**
 * Numbers for the names of registers: the same name, and which of several registers of that name stands in brackets, has
 * the same number as long as the decoder lives, and no other name has it. A damaged trace has no end of names, so only so
 * many are kept.
 */
import { SPACE } from '../../../base/characters.ts';

export interface RegisterNames {
  /** From 1 up; 0 for a name that is too long or one too many. `noteAt` = `noteEnd` where nothing stands in brackets. */
  numberOf(bytes: Uint8Array, nameAt: number, nameEnd: number, noteAt: number, noteEnd: number): number;
}

const MOST_NAMES = 4096;
const MOST_BYTES = 64;
/** A power of two, twice the names: a search meets few others. */
const SLOTS = 8192;
const PRIME = 0x01000193;
/** Bytes of a short name. */
const SHORT = 4;
const SHORT_SLOTS = 1024;
/** Leaves as many bits of a hash as count the slots. */
const SHORT_SHIFT = 22;
const SPREAD = 0x9e3779b1;

export function createRegisterNames(): RegisterNames {
  /** Numbers, by hash; 0 is free. */
  const slots = new Uint16Array(SLOTS);
  /** Name n has keys[ends[n - 1], ends[n]): the name, and behind a blank, which none has, the note. */
  const ends = new Uint32Array(MOST_NAMES + 1);
  let keys = new Uint8Array(1024);
  let count = 0;
  /** Short names without a note by what `packed` makes of them, and their numbers: the last ones of each hash. */
  const short = new Int32Array(SHORT_SLOTS);
  const shortNumbers = new Uint16Array(SHORT_SLOTS);
  return { numberOf };

  function numberOf(bytes: Uint8Array, nameAt: number, nameEnd: number, noteAt: number, noteEnd: number): number {
    if (noteEnd > noteAt || nameEnd - nameAt > SHORT || bytes[nameAt]! <= SPACE)
      return search(bytes, nameAt, nameEnd, noteAt, noteEnd);
    // No name that comes here begins with a byte that is 0, so names of different lengths differ.
    let packed = 0;
    for (let at = nameAt; at < nameEnd; at++) packed = (packed << 8) | bytes[at]!;
    const slot = Math.imul(packed, SPREAD) >>> SHORT_SHIFT;
    if (short[slot] !== packed) {
      short[slot] = packed;
      shortNumbers[slot] = search(bytes, nameAt, nameEnd, noteAt, noteEnd);
    }
    return shortNumbers[slot]!;
  }

  function search(bytes: Uint8Array, nameAt: number, nameEnd: number, noteAt: number, noteEnd: number): number {
    const name = nameEnd - nameAt;
    const length = noteEnd > noteAt ? name + 1 + noteEnd - noteAt : name;
    if (length > MOST_BYTES) return 0;
    let hash = length;
    for (let at = nameAt; at < nameEnd; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME);
    for (let at = noteAt; at < noteEnd; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME);
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    for (let number = slots[slot]!; number !== 0; number = slots[slot]!) {
      if (isKey(number, bytes, nameAt, nameEnd, noteAt, length)) return number;
      slot = (slot + 1) & (SLOTS - 1);
    }
    if (count === MOST_NAMES) return 0;
    slots[slot] = ++count;
    let end = ends[count - 1]!;
    if (end + length > keys.length) {
      const larger = new Uint8Array(2 * keys.length);
      larger.set(keys);
      keys = larger;
    }
    keys.set(bytes.subarray(nameAt, nameEnd), end);
    end += name;
    if (length > name) {
      keys[end++] = SPACE;
      keys.set(bytes.subarray(noteAt, noteEnd), end);
    }
    ends[count] = end + Math.max(0, noteEnd - noteAt);
    return count;
  }

  function isKey(
    number: number,
    bytes: Uint8Array,
    nameAt: number,
    nameEnd: number,
    noteAt: number,
    length: number,
  ): boolean {
    let key = ends[number - 1]!;
    const end = ends[number]!;
    if (end - key !== length) return false;
    for (let at = nameAt; at < nameEnd; at++) if (keys[key++] !== bytes[at]) return false;
    if (key === end) return true;
    if (keys[key++] !== SPACE) return false;
    for (let at = noteAt; key < end; at++) if (keys[key++] !== bytes[at]) return false;
    return true;
  }
}
