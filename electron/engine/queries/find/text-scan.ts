/**
 * Which lines of a window match a regular expression: the whole stretch is searched at once, at the speed of memory.
 *
 * That is exact for lines of ASCII without a CR inside them. All others, and lines that are cut because they are long, are
 * tested one by one, as every line is where the expression cannot be put for many lines (`line-pattern.ts`).
 */
import { isAscii } from 'node:buffer';
import { latin1 } from '../../../../shared/bytes.ts';
import { LONG_LINE, type Window } from '../../../../shared/format.ts';
import { withinLines } from './line-pattern.ts';

export interface TextScan {
  /** The lines that start in [from, end of the block) and match, as offsets of the file in ascending order. */
  lines(window: Window, from: number): MatchingLines;
  /** Whether the text of one line or part of a line matches; `bytes` are its own, with its line end or without. */
  matches(bytes: Uint8Array): boolean;
  matchesText(text: string): boolean;
}

/** Offsets of lines and of the lines behind them. */
export interface MatchingLines {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Strings of this length stay in the cache and in the heap's nursery: several times as fast as larger ones. */
const STRETCH = 65_536;
const LF = 10;
const CR = 13;

export function createTextScan(pattern: string): TextScan {
  const one = new RegExp(pattern, 'u');
  const within = withinLines(pattern);
  const many = within === undefined ? undefined : new RegExp(within, 'gmu');
  // An expression is compiled when it is used for the second time.
  if (many !== undefined) for (let k = 0; k < 2; k++) many.test('');

  return { lines, matches: (bytes) => one.test(lineText(bytes)), matchesText: (text) => one.test(text) };

  function lines(window: Window, from: number): MatchingLines {
    const { base, bytes, length } = window;
    const found: Found = { starts: [], ends: [] };
    const stop = Math.min(window.end - base, length);
    let at = from - base;
    while (at < stop) {
      const end = stretchEnd(bytes, at, length);
      if (end - at > STRETCH || many === undefined) eachLine(bytes, at, end, stop, base, found);
      else stretch(many, bytes, at, end, stop, base, found);
      at = end;
    }
    return found;
  }

  /** Bytes [at, end) are whole lines, none of them long. */
  function stretch(
    many: RegExp,
    bytes: Uint8Array,
    at: number,
    end: number,
    stop: number,
    base: number,
    found: Found,
  ): void {
    const part = bytes.subarray(at, end);
    const text = Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1');
    const odd = isAscii(part) && !text.includes('\r') ? NONE : oddLines(text);
    let next = 0;
    many.lastIndex = 0;
    while (many.test(text)) {
      // What matches lies in one line, so its end tells the line.
      const matched = many.lastIndex;
      const lineStart = matched === 0 ? 0 : text.lastIndexOf('\n', matched - 1) + 1;
      const lf = text.indexOf('\n', matched);
      const lineEnd = lf < 0 ? text.length : lf + 1;
      if (at + lineStart >= stop || lineStart === text.length) break;
      while (next < odd.length && odd[next]!.start < lineStart) oneLine(odd[next++]!);
      if (next < odd.length && odd[next]!.start === lineStart) oneLine(odd[next++]!);
      else if (!isBetweenCrAndLf(text, matched, lf)) put(found, base + at + lineStart, base + at + lineEnd);
      if (lf < 0) break;
      many.lastIndex = lineEnd;
    }
    while (next < odd.length) oneLine(odd[next++]!);

    function oneLine(line: Line): void {
      if (at + line.start >= stop || !one.test(lineText(part.subarray(line.start, line.end)))) return;
      put(found, base + at + line.start, base + at + line.end);
    }
  }

  function eachLine(bytes: Uint8Array, at: number, end: number, stop: number, base: number, found: Found): void {
    let start = at;
    while (start < end && start < stop) {
      const lf = bytes.indexOf(LF, start);
      const lineEnd = lf < 0 || lf >= end ? end : lf + 1;
      if (one.test(lineText(bytes.subarray(start, Math.min(lineEnd, start + LONG_LINE)))))
        put(found, base + start, base + lineEnd);
      start = lineEnd;
    }
  }
}

interface Found {
  readonly starts: number[];
  readonly ends: number[];
}

interface Line {
  readonly start: number;
  readonly end: number;
}

const NONE: readonly Line[] = [];

function put({ starts, ends }: Found, start: number, end: number): void {
  starts.push(start);
  ends.push(end);
}

/** The end of as many whole lines as fit a stretch, or of one that does not fit. */
function stretchEnd(bytes: Uint8Array, at: number, length: number): number {
  const end = at + STRETCH;
  if (end >= length) return length;
  const last = bytes.lastIndexOf(LF, end - 1);
  if (last >= at) return last + 1;
  const first = bytes.indexOf(LF, end);
  return first < 0 || first >= length ? length : first + 1;
}

/** The empty place between CR and LF belongs to no line. */
function isBetweenCrAndLf(text: string, matched: number, lf: number): boolean {
  return matched === lf && matched > 0 && text.charCodeAt(matched - 1) === CR;
}

/** Lines with bytes that are no ASCII, or with a CR that is not in front of the LF. */
function oddLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  ODD.lastIndex = 0;
  while (ODD.test(text)) {
    const lf = text.indexOf('\n', ODD.lastIndex - 1);
    const end = lf < 0 ? text.length : lf + 1;
    lines.push({ start: text.lastIndexOf('\n', ODD.lastIndex - 1) + 1, end });
    ODD.lastIndex = end;
  }
  return lines;
}

const ODD = /[\x80-\xff]|\r(?!\n)/g;
const UTF8 = new TextDecoder();

/** A line without its end. */
export function lineText(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === LF || bytes[end - 1] === CR)) end--;
  const line = bytes.subarray(0, end);
  return isAscii(line) ? latin1(line) : UTF8.decode(line);
}
