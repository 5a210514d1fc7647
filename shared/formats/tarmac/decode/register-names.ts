/**
 * Assigns numbers to register names. A name and its note in parentheses keep their number for the lifetime of the decoder, and no other
 * name gets it. The number of names is limited, because a damaged trace can contain any number of them.
 */
import { SPACE } from '../../../base/characters.ts';
import { textOf } from '../../../base/scan.ts';
import { isRegisterName } from '../../../records/registers.ts';

export interface RegisterNames {
  /**
   * Returns a number from 1; LOST_NAME if it is no name; 0 if it is too long or the limit is reached. `noteAt` equals `noteEnd` if there
   * is no note.
   */
  numberOf(bytes: Uint8Array, nameAt: number, nameEnd: number, noteAt: number, noteEnd: number): number;
}

/** Number of all names that cannot be read. */
export const LOST_NAME = 65535;

const MOST_NAMES = 4096;
const MOST_BYTES = 64;
/** Size of the hash table: a power of two, and twice the number of names to keep probe sequences short. */
const SLOTS = 8192;
/** Prime of the FNV-1a hash. */
const PRIME = 0x01000193;
/** Maximum length of a short name in bytes. */
const SHORT = 4;
const SHORT_SLOTS = 1024;
/** Shift that reduces a hash to the index of a short slot. */
const SHORT_SHIFT = 22;
/** Multiplier of Fibonacci hashing. */
const SPREAD = 0x9e3779b1;

export function createRegisterNames(): RegisterNames {
  /** Hash table of numbers; 0 is a free slot. */
  const slots = new Uint16Array(SLOTS);
  /** The key of number n is keys[ends[n - 1], ends[n]): the name, and after a blank, which no name contains, the note. */
  const ends = new Uint32Array(MOST_NAMES + 1);
  let keys = new Uint8Array(1024);
  let count = 0;
  /** Direct-mapped cache of short names without a note: the packed bytes of the latest name per slot, and its number. */
  const short = new Int32Array(SHORT_SLOTS);
  const shortNumbers = new Uint16Array(SHORT_SLOTS);
  return { numberOf };

  function numberOf(bytes: Uint8Array, nameAt: number, nameEnd: number, noteAt: number, noteEnd: number): number {
    if (noteEnd > noteAt || nameEnd - nameAt > SHORT || bytes[nameAt]! <= SPACE)
      return search(bytes, nameAt, nameEnd, noteAt, noteEnd);
    // The first byte of such a name is never 0, so packed names of different lengths differ.
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
    if (!isRegisterName(textOf(bytes, nameAt, nameEnd))) return LOST_NAME;
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
