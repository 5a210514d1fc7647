/**
 * Lines of text as records: what every text format does with a window before and after it reads a line.
 *
 * Lines end in LF, with or without a CR before it; blank ones are gaps; a line that is no record of the format is kept as
 * one record of kind `other` with its text. A format gives one function that reads one line.
 */
import { FLAG, NO_CPU, type Batch } from '../records/batch.ts';
import { CR, LF, SPACE, TAB } from '../base/characters.ts';
import { lineShape } from './diagnostics.ts';
import { indexIn, LONG_LINE, type Window } from './format.ts';
import { KIND, kindName, type FieldSpan, type RecordFields } from '../records/record.ts';
import { assert } from '../base/result.ts';
import type { ByteOffset } from '../base/units.ts';
import { utf8 } from '../base/utf8.ts';

/** Sentences for the diagnostics counted here; a text format has them among its own. */
export const LINE_DIAGNOSTICS = {
  'unknown-line': 'The line is no record of the format; its text is kept.',
  'cut-line': 'The last line breaks off before its record is complete; its text is kept.',
  'long-line': `The line is longer than ${LONG_LINE} bytes; its beginning is kept as text.`,
} as const;

/**
 * Reads bytes[at, to), a line without its end and without blanks behind, into row `batch.count - 1`, whose `start`, `end`
 * and nothing else is written; false when it is no record of the format, whatever it wrote meanwhile.
 */
export type ReadLine = (bytes: Uint8Array, at: number, to: number, batch: Batch, row: number) => boolean;

/**
 * Reads lines of the plainest shapes from bytes[at] on as rows of the batch, as `ReadLine` would read them and without any
 * diagnostic, while they start before `stop` and the batch has room; returns where the first other line starts. All lines
 * up to `safe` end in LF, so a reader that never steps over an LF needs no bounds.
 */
export type ReadPlainLines = (
  bytes: Uint8Array,
  at: number,
  stop: number,
  safe: number,
  base: ByteOffset,
  batch: Batch,
) => number;

/**
 * Fills the batch with the window's lines from its position on and moves the position. `otherNative`: the native code of a
 * line kept as text. `plain`: a quick way through the lines that the format's writers print.
 */
export function decodeLines(
  window: Window,
  batch: Batch,
  otherNative: number,
  read: ReadLine,
  plain?: ReadPlainLines,
): void {
  const { bytes, base, length } = window;
  const capacity = batch.kind.length;
  const stop = indexIn(window, window.end);
  const safe = plain === undefined || length === 0 ? 0 : bytes.lastIndexOf(LF, length - 1) + 1;
  let at = indexIn(window, window.position);
  // A batch is also full when it holds as many blank lines, or memory would grow with their number.
  while (at < stop && batch.count < capacity && batch.gaps.length < capacity) {
    if (plain !== undefined && at < safe) {
      at = plain(bytes, at, Math.min(stop, safe), safe, base, batch);
      if (at >= stop || batch.count >= capacity) break;
    }
    const found = bytes.indexOf(LF, at);
    const ended = found >= 0 && found < length;
    const end = ended ? found + 1 : base + length < window.fileEnd ? window.lastLineEnd - base : length;
    const long = end - at > LONG_LINE;
    assert(long || end <= length, 'a window holds LONG_LINE bytes of its last line');
    const to = long ? at : trimLineEnd(bytes, at, end);
    if (to === at && !long) {
      batch.gaps.push({ name: 'blank', start: base + at, end: base + end });
    } else {
      const row = batch.count++;
      batch.start[row] = base + at;
      batch.end[row] = base + end;
      if (long || !read(bytes, at, to, batch, row)) {
        keepText(batch, row, otherNative);
        const code = long ? 'long-line' : ended ? 'unknown-line' : 'cut-line';
        // Text between the records is no broken record: what other programs print belongs there.
        if (code !== 'unknown-line') batch.flags[row] = FLAG.malformed;
        batch.diagnostics.add(code, base + at, batch.first + row, lineShape(bytes, at, long ? end : to));
      }
    }
    at = end;
  }
  window.position = base + at;
}

/** Makes a row a record of kind `other` without anything known of it but its text. */
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

/** Where a line's content ends: before its line end and the blanks in front of that. */
export function trimLineEnd(bytes: Uint8Array, at: number, end: number): number {
  let to = end;
  while (to > at) {
    const byte = bytes[to - 1]!;
    if (byte !== SPACE && byte !== LF && byte !== CR && byte !== TAB) break;
    to--;
  }
  return to;
}

/** What `describe` says of a line kept as text. */
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

/** What `fields` says of a line kept as text. */
export function textSpans(bytes: Uint8Array): readonly FieldSpan[] {
  const end = contentEnd(bytes);
  return end === 0 ? [] : [{ name: 'text', start: 0, end, text: 'kept text' }];
}

function contentEnd(bytes: Uint8Array): number {
  const end = bytes.at(-1) === LF ? bytes.length - 1 : bytes.length;
  return end > 0 && bytes[end - 1] === CR ? end - 1 : end;
}
