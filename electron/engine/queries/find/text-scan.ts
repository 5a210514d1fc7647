/**
 * Which lines of a window match a regular expression: the whole stretch is searched at once, at the speed of memory.
 *
 * Expressions with repetitions go to an automaton (`automaton.ts`), the others to the machine's own search. Both are exact for
 * lines of ASCII without a CR inside them. All others, and lines that are cut because they are long, are
 * tested one by one, as every line is where the expression cannot be put for many lines (`line-pattern.ts`).
 */
import { isAscii } from 'node:buffer';
import { latin1 } from '../../../../shared/base/bytes.ts';
import { LONG_LINE, type Window } from '../../../../shared/format/format.ts';
import { createAutomaton, type Automaton } from './automaton.ts';
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

/** The scan of an expression that this thread used last, with what it has learnt; a search comes as many tasks. */
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

  /** `part` is whole lines, none of them long, of which those that start before `stop` count. */
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
      // The empty place between CR and LF belongs to no line.
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
 * Searches lines from the start of one on: answers a place in or at the end of the first line that matches, or -1. What it
 * answers of lines that are not ASCII or have a CR inside them means nothing.
 */
type ManyLines = (part: Uint8Array) => (from: number) => number;

/** Repetitions, with which a backtracking search may try many ways at every place. */
const REPEATS = /[*+{]/;
/** Repeated groups, with which it may try more ways than anybody can wait for. */
const REPEATED_GROUP = /\)[*+{]/;

/** Stretches. */
const FIRST_TURNS = 4;
const TRY_AGAIN = 64;

/** Undefined where lines have to be tested one by one. */
function createSearch(pattern: string): ManyLines | undefined {
  const backtracking = createBacktracking(pattern);
  // What cannot be put for many lines is refused by the automaton as well.
  if (!REPEATS.test(pattern) || backtracking === undefined) return backtracking;
  const automaton = createAutomaton(pattern);
  if (automaton === undefined) return backtracking;
  const walking = createWalking(automaton, backtracking);
  return REPEATED_GROUP.test(pattern) ? walking : createFaster(walking, backtracking);
}

/** The automaton for as long as it stays small. */
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

/** Whichever of two ways is faster at its best; both answer the same. The first one is never much slower than usual. */
function createFaster(...ways: readonly [ManyLines, ManyLines]): ManyLines {
  /** The least milliseconds a byte that each way took: other programs and threads take time as well. */
  const costs = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let turn = 0;
  return (part) => {
    // What the machine has not compiled yet is slow: the first way gets a few turns, and another one now and then.
    const isTrial = turn < FIRST_TURNS || turn % TRY_AGAIN === 0;
    const chosen = isTrial ? 0 : turn === FIRST_TURNS || costs[1]! < costs[0]! ? 1 : 0;
    turn++;
    let cost = 0;
    const search = ways[chosen](part);
    return (from) => {
      const started = performance.now();
      const found = search(from);
      cost += (performance.now() - started) / part.length;
      // The last search of a stretch tells what all of it took.
      if (found < 0) costs[chosen] = Math.min(costs[chosen]!, cost);
      return found;
    };
  };
}

/** The expression of the machine, which is the fastest for words, classes and choices of them. */
function createBacktracking(pattern: string): ManyLines | undefined {
  const within = withinLines(pattern);
  if (within === undefined) return undefined;
  const many = new RegExp(within, 'gmu');
  // An expression is compiled when it is used for the second time.
  for (let k = 0; k < 2; k++) many.test('');
  return (part) => {
    const text = asBuffer(part).toString('latin1');
    return (from) => {
      many.lastIndex = from;
      // What matches lies in one line, so its end tells the line.
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

/** The end of as many whole lines as fit a stretch, or of one that does not fit. */
function stretchEnd(bytes: Uint8Array, at: number, length: number): number {
  const end = at + STRETCH;
  if (end >= length) return length;
  const last = bytes.lastIndexOf(LF, end - 1);
  if (last >= at) return last + 1;
  const first = bytes.indexOf(LF, end);
  return first < 0 || first >= length ? length : first + 1;
}

/** The same bytes: what searches them at the speed of memory. */
function asBuffer(part: Uint8Array): Buffer {
  return Buffer.from(part.buffer, part.byteOffset, part.length);
}

/** Lines with bytes that are no ASCII, or with a CR that is not in front of the LF. */
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

/** A line without its end. */
function lineText(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === LF || bytes[end - 1] === CR)) end--;
  const line = bytes.subarray(0, end);
  return isAscii(line) ? latin1(line) : UTF8.decode(line);
}
