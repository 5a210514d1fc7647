/**
 * Bad input, counted by code and by shape: what a line or a byte pattern looks like with its particulars taken out.
 *
 * What is kept does not depend on how the input was cut into parts: of a code's shapes the MOST_SHAPES first ones in the
 * order of their length, then their text, are kept for themselves, and all others are counted together.
 */
import type { ByteOffset, RecordNumber } from '../base/units.ts';

/** A kind of bad input, counted. */
export interface Diagnostic {
  /** Short name for programs: `unknown-line`. */
  readonly code: string;
  /** What all of them look like; empty where the code says it all. */
  readonly shape: string;
  readonly count: number;
  readonly firstOffset: ByteOffset;
  /** The record it was in, or the next one where it was in none; counts like `Batch.first`. */
  readonly firstRecord: RecordNumber;
}

/** Shapes kept of a code; memory does not grow with the input. */
export const MOST_SHAPES = 48;
/** Stands for all shapes that are not kept; no shape looks like this. */
export const OTHER_SHAPES = '…';
/** Shapes are cut to this many characters. */
const SHAPE_CHARACTERS = 60;

interface Counted {
  count: number;
  firstOffset: ByteOffset;
  firstRecord: RecordNumber;
}

interface Shapes {
  readonly counted: Map<string, Counted>;
  /** All of them but OTHER_SHAPES, in the order in which they are kept. */
  readonly kept: string[];
}

export class Diagnostics {
  readonly #byCode = new Map<string, Shapes>();
  readonly #met: ((record: RecordNumber) => void) | undefined;

  /** `met` is told the record of each one that `add` counts: what is counted keeps only the first of a shape. */
  constructor(met?: (record: RecordNumber) => void) {
    this.#met = met;
  }

  add(code: string, offset: ByteOffset, record: RecordNumber, shape = ''): void {
    this.#met?.(record);
    this.#count(code, shape.slice(0, SHAPE_CHARACTERS), 1, offset, record);
  }

  /** Adds what was counted elsewhere; `records`: how many lie before where its records count from. */
  addAll(found: readonly Diagnostic[], records: RecordNumber = 0): void {
    for (const { code, shape, count, firstOffset, firstRecord } of found) {
      this.#count(code, shape, count, firstOffset, firstRecord + records);
    }
  }

  clear(): void {
    this.#byCode.clear();
  }

  /** In the order in which codes were first met; of a code the shapes in file order. */
  list(): readonly Diagnostic[] {
    return [...this.#byCode].flatMap(([code, { counted: shapes }]) =>
      [...shapes]
        .map(([shape, counted]) => ({ code, shape, ...counted }))
        .sort((a, b) => a.firstOffset - b.firstOffset || before(a.shape, b.shape)),
    );
  }

  #count(code: string, looks: string, count: number, offset: ByteOffset, record: RecordNumber): void {
    let shapes = this.#byCode.get(code);
    if (shapes === undefined) {
      shapes = { counted: new Map(), kept: [] };
      this.#byCode.set(code, shapes);
    }
    const { counted, kept } = shapes;
    const isBehind = kept.length === MOST_SHAPES && before(kept[MOST_SHAPES - 1]!, looks) < 0;
    const shape = isBehind ? OTHER_SHAPES : looks;
    const known = counted.get(shape);
    if (known !== undefined) {
      known.count += count;
      if (offset >= known.firstOffset) return;
      known.firstOffset = offset;
      known.firstRecord = record;
      return;
    }
    counted.set(shape, { count, firstOffset: offset, firstRecord: record });
    if (shape === OTHER_SHAPES) return;
    kept.splice(kept.findLastIndex((one) => before(one, shape) < 0) + 1, 0, shape);
    if (kept.length <= MOST_SHAPES) return;
    const last = kept.pop()!;
    const { count: its, firstOffset, firstRecord } = counted.get(last)!;
    counted.delete(last);
    this.#count(code, OTHER_SHAPES, its, firstOffset, firstRecord);
  }
}

function before(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** Diagnostics by code alone, each with the first place of all its shapes. */
export function byCode(found: readonly Diagnostic[]): readonly Omit<Diagnostic, 'shape'>[] {
  const sums = new Diagnostics();
  sums.addAll(found.map((one) => ({ ...one, shape: '' })));
  return sums.list().map(({ code, count, firstOffset, firstRecord }) => ({ code, count, firstOffset, firstRecord }));
}

/**
 * The shape of a line of text: hexadecimal numbers, decimal numbers and white space each become one sign; words stay, since
 * they tell one kind of line from another. Bytes that are not printable ASCII become a dot.
 */
export function lineShape(bytes: Uint8Array, start: number, end: number): string {
  const until = Math.min(end, start + 4 * SHAPE_CHARACTERS);
  let line = '';
  for (let at = start; at < until; at++) {
    const byte = bytes[at]!;
    if (byte === 13 || byte === 10) continue;
    line += byte === 9 ? ' ' : byte < 32 || byte > 126 ? '.' : String.fromCharCode(byte);
  }
  return line
    .replaceAll(/\.{2,}/g, '..')
    .replaceAll(/ +/g, ' ')
    .trim()
    .replaceAll(/\b(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]+\b/gi, '#')
    .slice(0, SHAPE_CHARACTERS);
}

/**
 * Makes shapes of binary records. `pattern`: the digits of a record in hexadecimal, an x for each that is kept, a dot for each
 * that is not: with `.. .. .. .. xx x.` the bytes 00 10 07 c8 ff d0 become `.. .. .. .. ff d.`. Each shape is made once: a damaged
 * file asks for the same ones again and again. At most ten digits are kept.
 */
export function byteShape(pattern: string): (bytes: Uint8Array, at: number) => string {
  const digits = pattern.replaceAll(' ', '');
  const kept = Array.from(digits).flatMap((sign, digit) => (sign === 'x' ? [digit] : []));
  const known = new Map<number, string>();
  return (bytes, at) => {
    let key = 0;
    for (const digit of kept) key = key * 16 + ((bytes[at + (digit >>> 1)]! >>> (digit & 1 ? 0 : 4)) & 15);
    let shape = known.get(key);
    if (shape === undefined) {
      const shown = key.toString(16).padStart(kept.length, '0');
      let next = 0;
      shape = pattern.replaceAll('x', () => shown[next++]!);
      known.set(key, shape);
    }
    return shape;
  };
}
