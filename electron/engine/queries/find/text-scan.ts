/**
 * Finds the lines of a window that match a regular expression, by searching a whole stretch of lines at once.
 *
 * Expressions with repetitions use an automaton (`automaton.ts`), and the others use the JavaScript engine. Both are exact for ASCII lines
 * whose only CR precedes the LF. All other lines and truncated long lines are tested one by one. So is every line if the expression cannot
 * be rewritten for many lines (`line-pattern.ts`).
 */
import { isAscii } from 'node:buffer';
import { latin1 } from '../../../../shared/base/bytes.ts';
import { LONG_LINE, type Window } from '../../../../shared/format/format.ts';
import { createAutomaton, type Automaton } from './automaton.ts';
import { withinLines } from './line-pattern.ts';

export interface TextScan {
  /** Returns the matching lines that start in [from, end of the block), as ascending file offsets. */
  lines(window: Window, from: number): MatchingLines;
  /** Tests the text of one line or part of a line. `bytes` may include the line end. */
  matches(bytes: Uint8Array): boolean;
  matchesText(text: string): boolean;
}

/** File offsets of the first byte of each line and of the byte after it. */
export interface MatchingLines {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Maximum length of a searched string. Strings of this size stay in the cache and the young heap, and are several times as fast as larger
 * ones.
 */
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
  const many = createSearch(pattern);

  return { lines, matches: (bytes) => one.test(lineText(bytes)), matchesText: (text) => one.test(text) };

  function lines(window: Window, from: number): MatchingLines {
    const { base, bytes, length } = window;
    const found: Found = { starts: [], ends: [] };
    const stop = Math.min(window.end - base, length);
    let at = from - base;
    while (at < stop) {
      const end = stretchEnd(bytes, at, length);
      if (end - at > STRETCH || many === undefined) eachLine(bytes, at, end, stop, base, found);
      else stretch(many, bytes.subarray(at, end), stop - at, base + at, found);
      at = end;
    }
    return found;
  }

  /** `part` consists of whole lines, none of them long. Only lines that start before `stop` count. */
  function stretch(many: ManyLines, part: Uint8Array, stop: number, base: number, found: Found): void {
    const odd = isAscii(part) && !asBuffer(part).includes(CR) ? NONE : oddLines(part);
    let next = 0;
    const search = many(part);
    for (let from = 0; from < part.length;) {
      const matched = search(from);
      if (matched < 0) break;
      const lineStart = matched === 0 ? 0 : part.lastIndexOf(LF, matched - 1) + 1;
      const lf = part.indexOf(LF, matched);
      const lineEnd = lf < 0 ? part.length : lf + 1;
      if (lineStart >= stop || lineStart === part.length) break;
      while (next < odd.length && odd[next]!.start < lineStart) oneLine(odd[next++]!);
      if (next < odd.length && odd[next]!.start === lineStart) oneLine(odd[next++]!);
      // The empty match between CR and LF belongs to no line.
      else if (matched !== lf || matched === 0 || part[matched - 1] !== CR)
        put(found, base + lineStart, base + lineEnd);
      from = lineEnd;
    }
    while (next < odd.length) oneLine(odd[next++]!);

    function oneLine(line: Line): void {
      if (line.start >= stop || !one.test(lineText(part.subarray(line.start, line.end)))) return;
      put(found, base + line.start, base + line.end);
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

/**
 * Searches lines starting at the start of a line. Returns a position in, or at the end of, the first matching line, or -1. The result is
 * meaningless for lines that are not ASCII or that contain a CR before their end.
 */
type ManyLines = (part: Uint8Array) => (from: number) => number;

/** Repetitions, with which a backtracking search may try many ways at every position. */
const REPEATS = /[*+{]/;
/** Repeated groups, with which a backtracking search may take exponential time. */
const REPEATED_GROUP = /\)[*+{]/;

/** Number of stretches. */
const FIRST_TURNS = 4;
const TRY_AGAIN = 64;

/** Returns undefined if lines have to be tested one by one. */
function createSearch(pattern: string): ManyLines | undefined {
  const backtracking = createBacktracking(pattern);
  // The automaton also refuses every pattern that cannot be rewritten for many lines.
  if (!REPEATS.test(pattern) || backtracking === undefined) return backtracking;
  const automaton = createAutomaton(pattern);
  if (automaton === undefined) return backtracking;
  const walking = createWalking(automaton, backtracking);
  return REPEATED_GROUP.test(pattern) ? walking : createFaster(walking, backtracking);
}

/** Uses the automaton until its table grows too large, and the other search after that. */
function createWalking(automaton: Automaton, otherwise: ManyLines): ManyLines {
  const refused = { yet: false };
  return (part) => {
    let instead: ((from: number) => number) | undefined;
    return (from) => {
      const found = refused.yet ? undefined : automaton.find(part, from, part.length);
      if (found !== undefined) return found;
      refused.yet = true;
      instead ??= otherwise(part);
      return instead(from);
    };
  };
}

/** Uses the faster of two equivalent searches, measured at their best. The first one must never be much slower than usual. */
function createFaster(...ways: readonly [ManyLines, ManyLines]): ManyLines {
  /** Lowest cost of each search in milliseconds per byte. The minimum excludes time taken by other programs and threads. */
  const costs = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let turn = 0;
  return (part) => {
    // Code that is not compiled yet is slow, so the first search gets a few initial turns and another one now and then.
    const isTrial = turn < FIRST_TURNS || turn % TRY_AGAIN === 0;
    const chosen = isTrial ? 0 : turn === FIRST_TURNS || costs[1]! < costs[0]! ? 1 : 0;
    turn++;
    let cost = 0;
    const search = ways[chosen](part);
    return (from) => {
      const started = performance.now();
      const found = search(from);
      cost += (performance.now() - started) / part.length;
      // The last search of a stretch completes the cost of the whole stretch.
      if (found < 0) costs[chosen] = Math.min(costs[chosen]!, cost);
      return found;
    };
  };
}

/** Searches with the JavaScript engine, which is the fastest for words, classes and alternatives. */
function createBacktracking(pattern: string): ManyLines | undefined {
  const within = withinLines(pattern);
  if (within === undefined) return undefined;
  const many = new RegExp(within, 'gmu');
  // The engine compiles an expression at its second use.
  for (let k = 0; k < 2; k++) many.test('');
  return (part) => {
    const text = asBuffer(part).toString('latin1');
    return (from) => {
      many.lastIndex = from;
      // A match is within one line, so its end identifies the line.
      return many.test(text) ? many.lastIndex : -1;
    };
  };
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

/** Returns the lines that are not ASCII or that contain a CR not followed by an LF. */
function oddLines(part: Uint8Array): readonly Line[] {
  const text = asBuffer(part).toString('latin1');
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

/** Decodes a line without its line end. */
function lineText(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === LF || bytes[end - 1] === CR)) end--;
  const line = bytes.subarray(0, end);
  return isAscii(line) ? latin1(line) : UTF8.decode(line);
}
