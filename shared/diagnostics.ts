/**
 * Bad input, counted by code and by shape: what a line or a byte pattern looks like with its particulars taken out.
 *
 * What is kept does not depend on how the input was cut into parts: of a code's shapes the MOST_SHAPES first ones in the
 * order of their length, then their text, are kept for themselves, and all others are counted together.
 */
import type { ByteOffset, RecordNumber } from './units.ts';

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

export class Diagnostics {
  readonly #byCode = new Map<string, Map<string, Counted>>();

  add(code: string, offset: ByteOffset, record: RecordNumber, shape = ''): void {
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
    return [...this.#byCode].flatMap(([code, shapes]) =>
      [...shapes]
        .map(([shape, counted]) => ({ code, shape, ...counted }))
        .sort((a, b) => a.firstOffset - b.firstOffset || before(a.shape, b.shape)),
    );
  }

  #count(code: string, shape: string, count: number, offset: ByteOffset, record: RecordNumber): void {
    let shapes = this.#byCode.get(code);
    if (shapes === undefined) {
      shapes = new Map();
      this.#byCode.set(code, shapes);
    }
    const known = shapes.get(shape);
    if (known !== undefined) {
      known.count += count;
      if (offset >= known.firstOffset) return;
      known.firstOffset = offset;
      known.firstRecord = record;
      return;
    }
    shapes.set(shape, { count, firstOffset: offset, firstRecord: record });
    const kept = [...shapes.keys()].filter((one) => one !== OTHER_SHAPES);
    if (kept.length <= MOST_SHAPES) return;
    const last = kept.reduce((a, b) => (before(a, b) > 0 ? a : b));
    const { count: its, firstOffset, firstRecord } = shapes.get(last)!;
    shapes.delete(last);
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
