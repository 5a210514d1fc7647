/**
 * Columns in shared memory: what a thread has read is passed to another one without copying. Nothing is transferred, because V8 checks every
 * access to typed arrays in a thread that has given a buffer away.
 */
import { Buffer } from 'node:buffer';

export function sharedBytes(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}

export function sharedNumbers(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT));
}

export function sharedAddresses(length: number): BigUint64Array {
  return new BigUint64Array(new SharedArrayBuffer(length * BigUint64Array.BYTES_PER_ELEMENT));
}

/** A list of texts: UTF-8, each between two zero bytes. */
export interface SharedTexts {
  readonly bytes: Uint8Array;
  /** Offset of each text, and of the text that would follow the last one. */
  readonly starts: Uint32Array;
}

export function shareTexts(texts: readonly string[]): SharedTexts {
  const starts = sharedNumbers(texts.length + 1);
  let at = 1;
  texts.forEach((text, i) => {
    starts[i] = at;
    at += Buffer.byteLength(text) + 1;
  });
  starts[texts.length] = at;
  const bytes = sharedBytes(at);
  const target = asBuffer(bytes);
  texts.forEach((text, i) => target.write(text, starts[i]!));
  return { bytes, starts };
}

export function textAt({ bytes, starts }: SharedTexts, i: number): string {
  return asBuffer(bytes).toString('utf8', starts[i], starts[i + 1]! - 1);
}

/** Returns the indexes of the texts that equal `wanted`, in order. */
export function indexesOf({ bytes, starts }: SharedTexts, wanted: string): readonly number[] {
  const all = asBuffer(bytes);
  const pattern = Buffer.from(`\0${wanted}\0`);
  const found: number[] = [];
  for (let at = all.indexOf(pattern); at >= 0; at = all.indexOf(pattern, at + 1)) {
    const i = indexOfStart(starts, at + 1);
    if (i >= 0 && starts[i + 1] === at + pattern.length) found.push(i);
  }
  return found;
}

function indexOfStart(starts: Uint32Array, wanted: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return starts[low] === wanted ? low : -1;
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
