/**
 * Decodes windows of text lines for every text format. A format passes one function that reads one line.
 *
 * Lines end in LF or CR LF. Blank lines are gaps. A line that is no record of the format is kept as one record of kind `other` with its
 * text.
 */
import { FLAG, NO_CPU, type Batch } from '../records/batch.ts';
import { CR, LF, SPACE, TAB } from '../base/characters.ts';
import { lineShape } from './diagnostics.ts';
import { indexIn, LONG_LINE, type Head, type Window } from './format.ts';
import { KIND, kindName, type FieldSpan, type RecordFields } from '../records/record.ts';
import { assert } from '../base/result.ts';
import type { ByteOffset } from '../base/units.ts';
import { utf8 } from '../base/utf8.ts';

/** Sentences for the diagnostics that are counted here; a text format includes them in its own. */
export const LINE_DIAGNOSTICS = {
  'unknown-line': 'The line is no record of the format; its text is kept.',
  'cut-line': 'The last line breaks off before its record is complete; its text is kept.',
  'long-line': `The line is longer than ${LONG_LINE} bytes; its beginning is kept as text.`,
} as const;

/**
 * Reads bytes[at, to), a line without its end and trailing blanks, into row `batch.count - 1`, whose `start` and `end` are already
 * written. Returns false if it is no record of the format; the row's other columns are undefined then. If another record follows in the
 * same line, the function moves the row's `end` to the start of that record, which is read next.
 */
export type ReadLine = (bytes: Uint8Array, at: number, to: number, batch: Batch, row: number) => boolean;

/**
 * Fast path: reads lines of the simplest shapes, starting at bytes[at], into rows of the batch as `ReadLine` would. Stops at the first other
 * line, at `stop` or when the batch is full, and returns the start of the next line. Counts no diagnostics. All lines before `safe` end in
 * LF, so a reader that never passes an LF needs no bounds checks.
 */
export type ReadPlainLines = (
  bytes: Uint8Array,
  at: number,
  stop: number,
  safe: number,
  base: ByteOffset,
  batch: Batch,
) => number;

/** Rules of a format whose lines differ from the usual ones. */
export interface LineRules {
  /** Returns the end of a line's content, `trimLineEnd` by default. */
  readonly trim: (bytes: Uint8Array, at: number, end: number) => number;
  /** Returns the name of the gap that the line bytes[at, to) is, such as `header`; undefined if it can be a record. */
  readonly gap: (bytes: Uint8Array, at: number, to: number) => string | undefined;
}

/**
 * Fills the batch with the window's lines, starting at the window's position, and moves the position. `otherNative` is the native code
 * of a line kept as text. `plain` is an optional fast path for the lines that the format's writers print.
 */
export function decodeLines(
  window: Window,
  batch: Batch,
  otherNative: number,
  read: ReadLine,
  plain?: ReadPlainLines,
  rules?: LineRules,
): void {
  const { bytes, base, length } = window;
  const capacity = batch.kind.length;
  const stop = indexIn(window, window.end);
  const safe = plain === undefined || length === 0 ? 0 : bytes.lastIndexOf(LF, length - 1) + 1;
  let at = indexIn(window, window.position);
  /** End of the line that `at` is in, if records of this line precede it. */
  let within = at;
  let line: LinePlace = { end: at, ended: false, long: false };
  // A batch is also full when it holds as many blank lines, or memory would grow with their number.
  while ((at < stop || at < within) && batch.count < capacity && batch.gaps.length < capacity) {
    if (plain !== undefined && at < safe && at < stop) {
      at = plain(bytes, at, Math.min(stop, safe), safe, base, batch);
      if (at >= stop || batch.count >= capacity) break;
    }
    // A line of many records is searched for its end once.
    if (at >= within) line = lineAt(window, at);
    const { end, ended, long } = line;
    const to = long ? at : rules === undefined ? trimLineEnd(bytes, at, end) : rules.trim(bytes, at, end);
    const gap = long ? undefined : to === at ? 'blank' : rules?.gap(bytes, at, to);
    if (gap === undefined) {
      const row = batch.count++;
      batch.start[row] = base + at;
      batch.end[row] = base + end;
      if (long || !read(bytes, at, to, batch, row)) {
        keepText(batch, row, otherNative);
        countText(batch, row, long ? 'long-line' : ended ? 'unknown-line' : 'cut-line', bytes, at, long ? end : to);
      }
      const rest = base + end - batch.end[row];
      at = rest === 0 ? end : end - (rest | 0);
      within = end;
    } else {
      batch.gaps.push({ name: gap, start: base + at, end: base + end });
      at = end;
    }
  }
  window.position = base + at;
  if (at < within) window.end = Math.max(window.end, base + within);
}

/** A line of a window. */
export interface LinePlace {
  /** Index after the line end. It is outside the window only if the line is long. */
  readonly end: number;
  /** False if the file ends before the line does. */
  readonly ended: boolean;
  /** The line has more than LONG_LINE bytes. */
  readonly long: boolean;
}

/** Finds the end of the line that starts at index `at`. */
export function lineAt({ bytes, base, length, fileEnd, lastLineEnd }: Window, at: number): LinePlace {
  const found = bytes.indexOf(LF, at);
  const ended = found >= 0 && found < length;
  const end = ended ? found + 1 : base + length < fileEnd ? lastLineEnd - base : length;
  const long = end - at > LONG_LINE;
  assert(long || end <= length, 'a window holds LONG_LINE bytes of its last line');
  return { end, ended, long };
}

/** Counts the diagnostic of a line or word bytes[at, to) that row `row` keeps as text. */
export function countText(batch: Batch, row: number, code: string, bytes: Uint8Array, at: number, to: number): void {
  // Text of other programs between the records is expected, so only broken and overlong lines are malformed.
  if (code === 'cut-line' || code === 'long-line') batch.flags[row] = FLAG.malformed;
  batch.diagnostics.add(code, batch.start[row]!, batch.first + row, lineShape(bytes, at, to));
}

/**
 * Calls `visit` for each line of a file's head that is not blank: bytes[at, to) is its content and `end` the index after its line end.
 * Skips a last line that the head cuts off, unless it is the only line. Returns the number of visited lines.
 */
export function visitHead(
  { bytes, size }: Head,
  visit: (at: number, to: number, end: number) => void,
  trim: LineRules['trim'] = trimLineEnd,
): number {
  let lines = 0;
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(LF, at);
    if (found < 0 && bytes.length < size && lines > 0) break;
    const end = found < 0 ? bytes.length : found + 1;
    const to = trim(bytes, at, end);
    if (to > at) {
      lines++;
      visit(at, to, end);
    }
    at = end;
  }
  return lines;
}

/** Makes a row a record of kind `other` that has only text. */
export function keepText(batch: Batch, row: number, otherNative: number): void {
  batch.time[row] = Number.NaN;
  batch.kind[row] = KIND.other;
  batch.native[row] = otherNative;
  batch.addressLow[row] = 0;
  batch.addressHigh[row] = 0;
  batch.size[row] = 0;
  batch.cpu[row] = NO_CPU;
  batch.flags[row] = 0;
  batch.registers[row] = 0;
}

/**
 * Returns the end of a line's content, before the line end and the blanks that precede it. A carriage return belongs to a line end only:
 * a record that ends within its line keeps it.
 */
export function trimLineEnd(bytes: Uint8Array, at: number, end: number): number {
  const endsLine = end > at && bytes[end - 1] === LF;
  let to = end;
  while (to > at) {
    const byte = bytes[to - 1]!;
    if (byte !== SPACE && byte !== TAB && !(endsLine && (byte === LF || byte === CR))) break;
    to--;
  }
  return to;
}

/** Implements `describe` for a line that is kept as text. */
export function describeText(bytes: Uint8Array, batch: Batch, index: number, native: string): RecordFields {
  const cut = batch.end[index]! - batch.start[index]! > bytes.length;
  const flags = [...((batch.flags[index]! & FLAG.malformed) === 0 ? [] : ['malformed']), ...(cut ? ['text-cut'] : [])];
  return {
    kind: kindName(batch.kind[index]!),
    native,
    text: utf8(bytes.subarray(0, contentEnd(bytes))),
    ...(flags.length === 0 ? {} : { flags }),
  };
}

/** Implements `fields` for a line that is kept as text. */
export function textSpans(bytes: Uint8Array): readonly FieldSpan[] {
  const end = contentEnd(bytes);
  return end === 0 ? [] : [{ name: 'text', start: 0, end, text: 'kept text' }];
}

function contentEnd(bytes: Uint8Array): number {
  const end = bytes.at(-1) === LF ? bytes.length - 1 : bytes.length;
  return end > 0 && bytes[end - 1] === CR ? end - 1 : end;
}
