/**
 * Finds the lines of a window that match a regular expression, by searching a whole stretch of lines at once.
 *
 * An automaton (`automaton.ts`) searches ASCII lines whose only CR precedes the LF. Stretches with other lines, and expressions that no
 * automaton can express, are tested line by line. A stretch without the text that every match contains is skipped.
 */
import { isAscii } from 'node:buffer';
import { latin1 } from '../../../../shared/base/bytes.ts';
import { LONG_LINE, type Window } from '../../../../shared/format/format.ts';
import { parseLinePattern } from './automaton-pattern.ts';
import { createAutomaton } from './automaton.ts';

export interface TextScan {
  /** Returns the file offsets of the matching lines that start in [from, end of the block), ascending. */
  lines(window: Window, from: number): readonly number[];
  /** Tests the text of one line or part of a line. `bytes` may include the line end. */
  matches(bytes: Uint8Array): boolean;
  matchesText(text: string): boolean;
}

/** Maximum length of a stretch, which stays in the processor's cache. */
const STRETCH = 65_536;
const LF = 10;
const CR = 13;

/** Returns the scan of the expression, cached so that the many tasks of one search share its compiled state. */
export function textScan(pattern: string): TextScan {
  if (latest?.pattern !== pattern) latest = { pattern, scan: createTextScan(pattern) };
  return latest.scan;
}

let latest: { readonly pattern: string; readonly scan: TextScan } | undefined;

export function createTextScan(pattern: string): TextScan {
  const one = new RegExp(pattern, 'u');
  const { nodes, literal } = parseLinePattern(pattern);
  const needle = Buffer.from(literal);
  let automaton = nodes === undefined ? undefined : createAutomaton(nodes);

  return { lines, matches: (bytes) => one.test(lineText(bytes)), matchesText: (text) => one.test(text) };

  function lines(window: Window, from: number): readonly number[] {
    const { base, bytes, length } = window;
    const found: number[] = [];
    const stop = Math.min(window.end - base, length);
    let at = from - base;
    while (at < stop) {
      const end = stretchEnd(bytes, at, length);
      const part = asBuffer(bytes.subarray(at, end));
      if (part.includes(needle)) {
        const rest = part.length > STRETCH || isOdd(part) ? 0 : stretch(part, stop - at, base + at, found);
        eachLine(part, rest, stop - at, base + at, found);
      }
      at = end;
    }
    return found;
  }

  /**
   * Adds the matching lines of `part`, which start before `stop`, as far as the automaton can find them. Returns the start of the first line
   * that it has not searched.
   */
  function stretch(part: Buffer, stop: number, base: number, found: number[]): number {
    for (let from = 0; from < stop;) {
      const matched = automaton?.find(part, from, part.length);
      if (matched === undefined) {
        automaton = undefined;
        return from;
      }
      if (matched < 0) break;
      const start = lineStart(part, matched);
      const end = lineEnd(part, matched);
      if (start < stop) found.push(base + start);
      from = end;
    }
    return part.length;
  }

  function eachLine(part: Buffer, from: number, stop: number, base: number, found: number[]): void {
    // Slices of one text are faster than a text for each line.
    const text = isAscii(part) ? part.toString('latin1') : undefined;
    for (let start = from; start < part.length && start < stop;) {
      const end = lineEnd(part, start);
      const cut = Math.min(end, start + LONG_LINE);
      const line = text === undefined ? lineText(part.subarray(start, cut)) : withoutLineEnd(text.slice(start, cut));
      if (one.test(line)) found.push(base + start);
      start = end;
    }
  }
}

/** Returns true if `found` accepts any stretch of whole lines in the window. */
export function anyStretch({ base, bytes, length, position, end }: Window, found: (part: Buffer) => boolean): boolean {
  const stop = Math.min(end - base, length);
  for (let at = position - base; at < stop;) {
    const next = stretchEnd(bytes, at, length);
    if (found(asBuffer(bytes.subarray(at, next)))) return true;
    at = next;
  }
  return false;
}

/** Returns the end of as many whole lines as fit a stretch, or of one line that does not fit. */
function stretchEnd(bytes: Uint8Array, at: number, length: number): number {
  const end = at + STRETCH;
  if (end >= length) return length;
  const last = bytes.lastIndexOf(LF, end - 1);
  if (last >= at) return last + 1;
  const first = bytes.indexOf(LF, end);
  return first < 0 || first >= length ? length : first + 1;
}

/** Returns the same bytes as a Buffer, whose search methods are fast. */
function asBuffer(part: Uint8Array): Buffer {
  return Buffer.from(part.buffer, part.byteOffset, part.length);
}

/** Returns the start of the line that contains the byte at `at`. Lines are short, so a loop is faster than a call of `lastIndexOf`. */
function lineStart(part: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && part[start - 1] !== LF) start--;
  return start;
}

/** Returns the end of the line that contains the byte at `at`, after its LF. */
function lineEnd(part: Uint8Array, at: number): number {
  let end = at;
  while (end < part.length && part[end] !== LF) end++;
  return Math.min(end + 1, part.length);
}

/** Returns true if any line is not ASCII or contains a CR that no LF follows. */
function isOdd(part: Buffer): boolean {
  return !isAscii(part) || (part.includes(CR) && LONE_CR.test(part.toString('latin1')));
}

const LONE_CR = /\r(?!\n)/;
const UTF8 = new TextDecoder();

/** Decodes a line without its line end. */
function lineText(bytes: Uint8Array): string {
  return withoutLineEnd(isAscii(bytes) ? latin1(bytes) : UTF8.decode(bytes));
}

function withoutLineEnd(line: string): string {
  let end = line.length;
  while (end > 0 && (line.charCodeAt(end - 1) === LF || line.charCodeAt(end - 1) === CR)) end--;
  return line.slice(0, end);
}
