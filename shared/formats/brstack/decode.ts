/** Decodes the lines of a window into branches: the hot path of branch stacks. */
import { type Batch, FLAG, NO_CPU } from '../../records/batch.ts';
import {
  afterMark,
  COLON,
  HASH,
  isBlank,
  LOWER_X,
  MINUS,
  SEMICOLON,
  SLASH,
  TAB,
  UPPER_N,
  ZERO,
} from '../../base/characters.ts';
import { lineShape } from '../../format/diagnostics.ts';
import { indexIn, type State, type Window } from '../../format/format.ts';
import { countText, keepText, lineAt, trimLineEnd } from '../../format/lines.ts';
import { KIND } from '../../records/record.ts';
import { columnTime, createHead, readHead, recordAt } from './head.ts';
import { createToken, readToken, type Token } from './token.ts';
import {
  COMMENT,
  FIRST_RECORD,
  FRAME,
  RECORD_PREFIX,
  recordCode,
  SAMPLE,
  TEXT,
  typeCode,
  WRONG_PATH_HASH,
} from './codes.ts';
import { decimalEnd, hexEnd, skipBlanks, textOf, tokenEnd } from '../../base/scan.ts';

/** Shift of the bits of the flags column that hold the number of newer branches in the sample, at most MOST_PLACES. */
export const PLACE_SHIFT = 8;
export const MOST_PLACES = 255;
/** Flag of the first branch of a sample. */
export const FIRST = 1 << 16;
/** Flag of a recorded branch that was not taken. */
export const NOT_TAKEN = 1 << 17;
/** Flag of a branch on a mispredicted path, which the program never took. */
export const WRONG_PATH = 1 << 18;

export function decodeSamples(window: Window, state: State, batch: Batch): State {
  const { bytes, base } = window;
  const capacity = batch.kind.length;
  const stop = indexIn(window, window.end);
  let at = indexIn(window, window.position);
  let line = state['line'] ?? -1;
  let branches = state['branches'] ?? 0;
  let cpu = state['cpu'] ?? NO_CPU;
  // A batch is also full when it holds as many blank lines, or memory would grow with their number.
  while ((at < stop || line >= 0) && batch.count < capacity && batch.gaps.length < capacity) {
    const { end, ended, long: isLong } = lineAt(window, at);
    // The rest of a line whose first branches filled the previous batch is in the window as well.
    const long = line < 0 && isLong;
    const to = long ? at : trimLineEnd(bytes, at, end);
    if (line < 0) {
      if (to === at && !long) {
        batch.gaps.push({ name: 'blank', start: base + at, end: base + end });
        at = end;
        continue;
      }
      const first = long ? -1 : findToken(bytes, at, to);
      if (first < 0) {
        keepLine(bytes, at, to, end, base, batch, long, ended);
        at = end;
        continue;
      }
      readHead(bytes, at, first, head);
      line = base + at;
      branches = countBroken(bytes, at, first, base, batch);
      cpu = head.cpu;
      at = putBranch(bytes, at, to, end, base, batch, columnTime(bytes, head), cpu, branches, FIRST);
    }
    while (at < end && batch.count < capacity) {
      branches++;
      if (readToken(bytes, at, to, token))
        at = putBranch(bytes, at, to, end, base, batch, Number.NaN, cpu, branches, 0);
      else at = putWord(bytes, at, to, end, base, batch, ended);
    }
    if (at >= end) line = -1;
    else window.end = Math.max(window.end, base + end);
  }
  window.position = base + at;
  return line < 0 ? BETWEEN_LINES : { line, branches, cpu };
}

const BETWEEN_LINES: State = { line: -1, branches: 0, cpu: NO_CPU };
const token: Token = createToken();
const head = createHead();

/** Reads the first branch of bytes[at, to) into `token` and returns its start; -1 if there is none. */
export function findToken(bytes: Uint8Array, at: number, to: number, found: Token = token): number {
  let word = true;
  for (let p = afterMark(bytes, at, to); p < to; p++) {
    if (word && readToken(bytes, p, to, found)) return p;
    word = isBlank(bytes[p]!);
  }
  return -1;
}

/**
 * Counts the words in the head of a sample, bytes[at, to), that are damaged branches. They stay in the text of the sample's first
 * intact branch, whose number of newer branches includes them.
 */
function countBroken(bytes: Uint8Array, at: number, to: number, base: number, batch: Batch): number {
  let broken = 0;
  for (let p = at; p < to; p++) {
    if (!isSeam(bytes, p)) continue;
    let start = p;
    while (start > at && !isBlank(bytes[start - 1]!)) start--;
    while (p < to && !isBlank(bytes[p]!)) p++;
    batch.diagnostics.add('unknown-word', base + start, batch.first + batch.count, lineShape(bytes, start, p));
    broken++;
  }
  return broken;
}

/** True if `/0x` or `/-/` is at `p`, as within branches. Names of programs and files contain neither. */
function isSeam(bytes: Uint8Array, p: number): boolean {
  if (bytes[p] !== SLASH) return false;
  return (bytes[p + 1] === ZERO && bytes[p + 2] === LOWER_X) || (bytes[p + 1] === MINUS && bytes[p + 2] === SLASH);
}

/** Adds the branch in `token` as a record that starts at `at`, and returns its end: the next word or the line's end. */
function putBranch(
  bytes: Uint8Array,
  at: number,
  to: number,
  end: number,
  base: number,
  batch: Batch,
  time: number,
  cpu: number,
  place: number,
  begins: number,
): number {
  const row = batch.count++;
  const next = nextWord(bytes, token.end, to, end);
  const { fromLow, fromHigh, toLow, toHigh } = token;
  // perf prints the address 0 for an end that was not recorded.
  const source = (fromLow | fromHigh) !== 0 ? FLAG.address : 0;
  const target = (toLow | toHigh) !== 0 ? FLAG.target : 0;
  const notTaken = bytes[token.predictionEnd - 1] === UPPER_N ? NOT_TAKEN : 0;
  const wrongPath = token.speculationHash === WRONG_PATH_HASH ? WRONG_PATH : 0;
  const wide = time > Number.MAX_SAFE_INTEGER ? FLAG.wideTime : 0;
  batch.start[row] = base + at;
  batch.end[row] = base + next;
  batch.time[row] = time;
  batch.kind[row] = KIND.branch;
  batch.native[row] = typeCode(token.typeHash);
  batch.addressLow[row] = fromLow;
  batch.addressHigh[row] = fromHigh;
  batch.targetLow[row] = toLow;
  batch.targetHigh[row] = toHigh;
  batch.size[row] = 0;
  batch.cpu[row] = cpu;
  batch.flags[row] =
    source |
    target |
    begins |
    wide |
    notTaken |
    wrongPath |
    (begins === 0 && cpu !== NO_CPU ? FLAG.cpuAssumed : 0) |
    (Math.min(place, MOST_PLACES) << PLACE_SHIFT);
  return next;
}

/** Adds the word at `at`, which is not a branch, as a text record. Returns the start of the next word, or the line's end. */
function putWord(
  bytes: Uint8Array,
  at: number,
  to: number,
  end: number,
  base: number,
  batch: Batch,
  ended: boolean,
): number {
  const row = batch.count++;
  const p = tokenEnd(bytes, at, to);
  const next = nextWord(bytes, p, to, end);
  batch.start[row] = base + at;
  batch.end[row] = base + next;
  keep(batch, row, TEXT);
  // A blank after the word shows that it is complete.
  countText(batch, row, ended || p < end ? 'unknown-word' : 'cut-line', bytes, at, p);
  return next;
}

/** Adds a line without branches as one record. */
function keepLine(
  bytes: Uint8Array,
  at: number,
  to: number,
  end: number,
  base: number,
  batch: Batch,
  long: boolean,
  ended: boolean,
): void {
  const row = batch.count++;
  batch.start[row] = base + at;
  batch.end[row] = base + end;
  const native = long ? TEXT : kindOfLine(bytes, afterMark(bytes, at, to), to);
  keep(batch, row, native);
  if (native === SAMPLE || native >= FIRST_RECORD) {
    batch.kind[row] = KIND.event;
    batch.time[row] = columnTime(bytes, head);
    batch.cpu[row] = head.cpu;
    if (batch.time[row] > Number.MAX_SAFE_INTEGER) batch.flags[row] = FLAG.wideTime;
  }
  if (native !== TEXT) return;
  countText(batch, row, long ? 'long-line' : ended ? 'unknown-line' : 'cut-line', bytes, at, long ? end : to);
}

/**
 * Classifies a line without branches: a comment, one of perf's own records, the head of a sample whose branches follow on another line, or
 * a call frame. Reads time and cpu into `head`.
 */
export function kindOfLine(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] === HASH || bytes[at] === SEMICOLON) return COMMENT;
  const record = recordAt(bytes, at, to);
  readHead(bytes, at, record < 0 ? to : record, head);
  if (record >= 0) return recordCode(/^\w*/.exec(textOf(bytes, record + RECORD_PREFIX.length, to))![0]);
  if (head.timeAt >= 0) return SAMPLE;
  if (isFrame(bytes, at, to)) return FRAME;
  return isUntimedHead(bytes, at, to) ? SAMPLE : TEXT;
}

/** Width of the address in a frame. */
const FRAME_DIGITS = 16;

/** True for a frame: perf prints a tab and the right-aligned address, which a symbol may follow. Copies may have other blanks. */
function isFrame(bytes: Uint8Array, at: number, to: number): boolean {
  const address = skipBlanks(bytes, at, to);
  const end = hexEnd(bytes, address, to);
  if (address === at || end === address || (end < to && !isBlank(bytes[end]!))) return false;
  return end - address >= 4 || (bytes[at] === TAB && end === at + 1 + FRAME_DIGITS);
}

/** True for `demo 1356/1357 cycles:u:`, the head of a sample without a time: a process, and the event as the last word. */
function isUntimedHead(bytes: Uint8Array, at: number, to: number): boolean {
  let last = to;
  while (last > at && !isBlank(bytes[last - 1]!)) last--;
  if (bytes[to - 1] !== COLON || to - last < 2) return false;
  for (let p = skipBlanks(bytes, at, last); p < last; p = skipBlanks(bytes, tokenEnd(bytes, p, last), last)) {
    const end = decimalEnd(bytes, p, last);
    if (end > p && (isBlank(bytes[end]!) || bytes[end] === SLASH)) return true;
  }
  return false;
}

function keep(batch: Batch, row: number, native: number): void {
  keepText(batch, row, native);
  batch.targetLow[row] = 0;
  batch.targetHigh[row] = 0;
}

/** Returns the start of the word after `p`; the line's end if there is none. */
function nextWord(bytes: Uint8Array, p: number, to: number, end: number): number {
  const next = skipBlanks(bytes, p, to);
  return next < to ? next : end;
}
