/**
 * Counts of bad input by code and shape. A shape is a line or byte pattern without its particulars.
 *
 * The result does not depend on how the input was divided: for each code the first MOST_SHAPES shapes, ordered by length and then by
 * text, are counted separately, and all others together.
 */
import type { ByteOffset, RecordNumber } from '../base/units.ts';

/** A kind of bad input, counted. */
export interface Diagnostic {
  /** Short name for programs: `unknown-line`. */
  readonly code: string;
  /** Common form of the input; empty if the code says everything. */
  readonly shape: string;
  readonly count: number;
  readonly firstOffset: ByteOffset;
  /** Record of the first occurrence, or the next one if it was between records; relative like `Batch.first`. */
  readonly firstRecord: RecordNumber;
}

/** Largest number of shapes per code, so that memory does not grow with the input. */
export const MOST_SHAPES = 48;
/** Represents all shapes that are not kept; no other shape equals it. */
export const OTHER_SHAPES = '…';
/** Length to which shapes are truncated. */
const SHAPE_CHARACTERS = 60;

interface Counted {
  count: number;
  firstOffset: ByteOffset;
  firstRecord: RecordNumber;
}

interface Shapes {
  readonly counted: Map<string, Counted>;
  /** All of them except OTHER_SHAPES, in order. */
  readonly kept: string[];
}

export class Diagnostics {
  readonly #byCode = new Map<string, Shapes>();
  readonly #met: ((record: RecordNumber) => void) | undefined;

  /** `met` is called with the record of every diagnostic that `add` counts; the counts keep only the first one of a shape. */
  constructor(met?: (record: RecordNumber) => void) {
    this.#met = met;
  }

  add(code: string, offset: ByteOffset, record: RecordNumber, shape = ''): void {
    this.#met?.(record);
    this.#count(code, shape.slice(0, SHAPE_CHARACTERS), 1, offset, record);
  }

  /** Adds counts from elsewhere. `records`: number of records before their origin. */
  addAll(found: readonly Diagnostic[], records: RecordNumber = 0): void {
    for (const { code, shape, count, firstOffset, firstRecord } of found) {
      this.#count(code, shape, count, firstOffset, firstRecord + records);
    }
  }

  clear(): void {
    this.#byCode.clear();
  }

  /** Returns the codes in order of their first occurrence, and the shapes of a code in file order. */
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
    const isSurplus = kept.length === MOST_SHAPES && before(kept[MOST_SHAPES - 1]!, looks) < 0;
    const shape = isSurplus ? OTHER_SHAPES : looks;
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

/** Returns diagnostics by code alone, each with its first occurrence. */
export function byCode(found: readonly Diagnostic[]): readonly Omit<Diagnostic, 'shape'>[] {
  const sums = new Diagnostics();
  sums.addAll(found.map((one) => ({ ...one, shape: '' })));
  return sums.list().map(({ code, count, firstOffset, firstRecord }) => ({ code, count, firstOffset, firstRecord }));
}

/**
 * Returns the shape of a line of text: each number and each run of white space becomes one character. Words stay, because they distinguish
 * kinds of lines. Bytes that are not printable ASCII become dots.
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
 * Returns a function that makes shapes of binary records. `pattern` has an x for each hexadecimal digit that is kept and a dot for each
 * that is not: with `.. .. .. .. xx x.` the bytes 00 10 07 c8 ff d0 become `.. .. .. .. ff d.`. Shapes are cached, because a damaged
 * file has the same ones again and again. At most ten digits are kept.
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
