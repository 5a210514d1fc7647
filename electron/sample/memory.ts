/**
 * The memory of the synthetic program: what is read is what was last written there, in bounded space at any trace size.
 *
 * Static data, stack and the newest HEAP_RING bytes of the heap are held in full. The strewn region (1 GiB) takes only
 * two values per word and keeps a bit for each. Code is read-only and comes from the program.
 */
import { assert } from '../../shared/base/result.ts';
import {
  HEAP_BASE,
  HEAP_RING,
  STACK_BASE,
  STACK_BYTES,
  STATIC_BASE,
  STATIC_BYTES,
  STREWN_BASE,
  STREWN_BYTES,
  STREWN_FACTOR,
  STREWN_FLIP,
} from './layout.ts';

export interface Memory {
  /** The value at an address, size 1, 2 or 4; any alignment. Addresses are unsigned. */
  load(address: number, size: number): number;
  store(address: number, size: number, value: number): void;
  /** Gives heap that the program has not touched its first contents; both whole words. */
  fill(address: number, bytes: number, seed: number): void;
}

const STACK_AT = STATIC_BYTES;
const RING_AT = STATIC_BYTES + STACK_BYTES;

/** `code`: the words starting at address 0. `strewn`: high addresses belong to the strewn region, else to the heap. */
export function createMemory(code: Int32Array, strewn: boolean): Memory {
  const buffer = new ArrayBuffer(RING_AT + (strewn ? 0 : HEAP_RING));
  const bytes = new Uint8Array(buffer);
  const halves = new Int16Array(buffer);
  const words = new Int32Array(buffer);
  const flipped = new Uint8Array(strewn ? STREWN_BYTES / 32 : 0);
  const codeBytes = code.length * 4;
  const ringMask = HEAP_RING - 1;

  const place = (address: number): number => {
    if (address >= HEAP_BASE) return RING_AT + (address & ringMask);
    if (address >= STACK_BASE && address < STACK_BASE + STACK_BYTES) return address - STACK_BASE + STACK_AT;
    if (address >= STATIC_BASE && address < STATIC_BASE + STATIC_BYTES) return address - STATIC_BASE;
    throw new Error(`internal error: the program strays to ${address.toString(16)}`);
  };
  const loadBytes = (address: number, size: number): number => {
    let value = 0;
    for (let k = 0; k < size; k++) value |= bytes[place(address + k)]! << (8 * k);
    return value;
  };
  const strewnWord = (address: number): number => {
    const word = (address - STREWN_BASE) >>> 2;
    const plain = Math.imul(address, STREWN_FACTOR);
    return (flipped[word >>> 3]! >>> (word & 7)) & 1 ? plain ^ STREWN_FLIP : plain;
  };

  return {
    load(address, size) {
      if (strewn && address >= STREWN_BASE) {
        assert(size === 4 && (address & 3) === 0, 'the strewn region is read by words');
        return strewnWord(address);
      }
      if (address < codeBytes) {
        assert(size === 4 && (address & 3) === 0, 'code is read by words');
        return code[address >>> 2]!;
      }
      if ((address & (size - 1)) !== 0) return loadBytes(address, size);
      const at = place(address);
      if (size === 4) return words[at >>> 2]!;
      return size === 1 ? bytes[at]! : halves[at >>> 1]! & 0xffff;
    },
    store(address, size, value) {
      if (strewn && address >= STREWN_BASE) {
        const difference = value ^ Math.imul(address, STREWN_FACTOR);
        assert(
          size === 4 && (difference === 0 || difference === STREWN_FLIP),
          'a value that the strewn region cannot hold',
        );
        const word = (address - STREWN_BASE) >>> 2;
        const bit = 1 << (word & 7);
        flipped[word >>> 3] = difference === 0 ? flipped[word >>> 3]! & ~bit : flipped[word >>> 3]! | bit;
        return;
      }
      if ((address & (size - 1)) !== 0) {
        for (let k = 0; k < size; k++) bytes[place(address + k)] = value >>> (8 * k);
        return;
      }
      const at = place(address);
      if (size === 4) words[at >>> 2] = value;
      else if (size === 1) bytes[at] = value;
      else halves[at >>> 1] = value;
    },
    fill(address, length, seed) {
      let value = seed | 0;
      for (let k = 0; k < length; k += 4) {
        value = (Math.imul(value, 1664525) + 1013904223) | 0;
        words[place(address + k) >>> 2] = value >> 9;
      }
    },
  };
}
