/**
 * What do the records before and behind a BYU 6-byte record say about it?
 *
 * Every answer is a mark in the flags column, a suspicion and never more. It is a function of the bytes within BEHIND bytes
 * before and AHEAD bytes from the record's first byte on, at the record's own phase; that those bytes are records is assumed.
 * Indexes are those of the window's bytes; `limit` is the index just past the file's last byte.
 */
import type { Batch } from '../../records/batch.ts';
import { readBranchTrace } from '../../pentium/branch-messages.ts';
import {
  addressAt,
  BRANCH_TRACE,
  CACHEABLE,
  FETCH,
  INT_ACK,
  INT_ACK_FIRST,
  INT_ACK_SECOND,
  IO_READ,
  IO_WRITE,
  NC_FETCH,
  SPECIAL,
  UNIT,
} from './cycles.ts';

/** Messages are weighed together with those of the same CELL of the file and as many records behind it. */
const CELL = 1536;
export const BEHIND = CELL;
export const AHEAD = 2 * CELL;

/** Format bits of the flags column; 256 and 512 are CACHEABLE and SPLIT. */
export const BURST_BEAT = 1 << 10;
export const SEAM = 1 << 11;
export const FIRST_OF_PAIR = 1 << 12;
export const SECOND_OF_PAIR = 1 << 13;
export const UNPAIRED = 1 << 14;
export const POSSIBLE_TARGET = 1 << 15;
export const POSSIBLE_SOURCE = 1 << 16;
export const POSSIBLE_NORMAL = 1 << 17;
export const POSSIBLE_FAST = 1 << 18;
/** Seven bits from here on: how sure the role of a branch trace message is, in percent. */
export const CONFIDENCE_SHIFT = 19;

/** Records of a line that is filled or written back at one quadword a record. */
const BEATS = 4;

/** Whether at least four records in a row lie in the 32-byte line of the one at `at`, with the same cycle. */
export function isBeat(bytes: Uint8Array, at: number, limit: number, little: boolean): boolean {
  let row = 1;
  for (let back = at - UNIT; row < BEATS && back >= 0 && sameLine(bytes, back, at, little); back -= UNIT) row++;
  for (let next = at + UNIT; row < BEATS && next + UNIT <= limit && sameLine(bytes, next, at, little); next += UNIT)
    row++;
  return row === BEATS;
}

/**
 * Marks what `isBeat` holds for among the rows [first, end) of the batch, records that lie side by side from index `at` on:
 * every row of records is looked at once.
 */
export function markBeats(
  batch: Batch,
  first: number,
  end: number,
  bytes: Uint8Array,
  at: number,
  limit: number,
  little: boolean,
): void {
  const { flags } = batch;
  let n = first;
  for (;;) {
    while (n < end && (flags[n]! & CACHEABLE) === 0) n++;
    if (n >= end) return;
    const index = at + (n - first) * UNIT;
    let next = n + 1;
    for (let other = index + UNIT; next < end && sameLine(bytes, index, other, little); other += UNIT) next++;
    const atEdge = n === first || next === end;
    const marked = next - n >= BEATS || (atEdge && isBeat(bytes, index, limit, little));
    if (marked) for (let beat = n; beat < next; beat++) flags[beat]! |= BURST_BEAT;
    n = next;
  }
}

function sameLine(bytes: Uint8Array, a: number, b: number, little: boolean): boolean {
  const low = little ? 0 : 3;
  const top = 3 - low;
  return (
    ((bytes[a + low]! ^ bytes[b + low]!) & 0xe0) === 0 &&
    ((bytes[a + 5]! ^ bytes[b + 5]!) & 0xf0) === 0 &&
    bytes[a + 1] === bytes[b + 1] &&
    bytes[a + 2] === bytes[b + 2] &&
    bytes[a + top] === bytes[b + top]
  );
}

/** Marks of the interrupt acknowledge cycle at `at`: its place in the pair, and whether a buffer seam may follow. */
export function acknowledgeMarks(bytes: Uint8Array, at: number, limit: number): number {
  const enables = bytes[at + 4]!;
  const before = at >= UNIT && isAcknowledge(bytes, at - UNIT);
  const after = at + 2 * UNIT <= limit && isAcknowledge(bytes, at + UNIT);
  const opened = before && bytes[at - UNIT + 4] !== INT_ACK_SECOND;
  const closed = after && bytes[at + UNIT + 4] !== INT_ACK_FIRST;
  if (enables === INT_ACK_SECOND || (enables !== INT_ACK_FIRST && opened && !closed)) {
    return SECOND_OF_PAIR | (opened ? 0 : UNPAIRED | seamMark(bytes, at, at + UNIT, limit));
  }
  const first = enables === INT_ACK_FIRST || closed ? FIRST_OF_PAIR : 0;
  return first | (closed ? 0 : UNPAIRED) | seamMark(bytes, at, at + (closed ? 2 : 1) * UNIT, limit);
}

function isAcknowledge(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 5]! >>> 4 === INT_ACK;
}

/** Turns of a loop, or reads of a port, from which on the processor is taken to be waiting. */
const TURNS = 8;
/** Records of the longest loop that counts as waiting; reads of a port lie no further apart either. */
const LONGEST_TURN = 16;
/** Records before the interrupt in which the same loop is looked for: it is then what was interrupted. */
const INTERRUPTED = 32;

/**
 * SEAM when the processor soon waits in a small loop: the driver that empties the analyser's buffer does, from an
 * interrupt on, and the records go on in the next buffer. Looks from `from` to the next interrupt, within AHEAD bytes.
 */
function seamMark(bytes: Uint8Array, at: number, from: number, limit: number): number {
  const end = Math.min(limit, at + AHEAD) - UNIT;
  let polls = 0;
  let poll = -1;
  /** Length of the loop that seems to be running, in bytes of trace; 0 for none. */
  let loop = 0;
  let inLoop = 0;
  for (let i = from; i <= end; i += UNIT) {
    const cycle = bytes[i + 5]! >>> 4;
    if (cycle === INT_ACK) return 0;
    if (cycle === IO_READ) {
      const again = poll >= 0 && i - poll <= LONGEST_TURN * UNIT && sameRecord(bytes, poll, i);
      polls = again ? polls + 1 : 1;
      poll = i;
      if (polls === TURNS) return wasInterrupted(bytes, at, i) ? 0 : SEAM;
    } else if (cycle === SPECIAL || cycle === IO_WRITE) poll = -1;
    if (loop > 0 && sameRecord(bytes, i - loop, i)) {
      inLoop += UNIT;
      if (inLoop >= (TURNS - 1) * loop) return wasInterrupted(bytes, at, i) ? 0 : SEAM;
    } else {
      loop = cycle === FETCH || cycle === NC_FETCH ? turnBefore(bytes, from, i) : 0;
      inLoop = UNIT;
    }
  }
  return 0;
}

/** How many bytes before index `i` the same fetch was made, not before `from` nor LONGEST_TURN records; 0 where it was not. */
function turnBefore(bytes: Uint8Array, from: number, i: number): number {
  const first = Math.max(from, i - LONGEST_TURN * UNIT);
  for (let back = i - UNIT; back >= first; back -= UNIT) if (sameRecord(bytes, back, i)) return i - back;
  return 0;
}

function wasInterrupted(bytes: Uint8Array, at: number, record: number): boolean {
  const first = Math.max(0, at - INTERRUPTED * UNIT);
  for (let i = at - UNIT; i >= first; i -= UNIT) if (sameRecord(bytes, i, record)) return true;
  return false;
}

function sameRecord(bytes: Uint8Array, a: number, b: number): boolean {
  return (
    bytes[a + 3] === bytes[b + 3] &&
    bytes[a + 5]! >>> 4 === bytes[b + 5]! >>> 4 &&
    bytes[a + 4] === bytes[b + 4] &&
    bytes[a + 2] === bytes[b + 2] &&
    bytes[a + 1] === bytes[b + 1] &&
    bytes[a] === bytes[b]
  );
}

/** Messages that are weighed together, an even number: of a cell these, then as many behind them. */
const MOST_MESSAGES = 64;

/** The messages of one CELL of the file at one phase, while its records are decoded in order within one window. */
export interface MessageCell {
  /** Index of its first record, and just past the last index at which one may start. */
  from: number;
  until: number;
  /** Messages of the cell before the next one. */
  passed: number;
  /** Marks of those that were weighed last, at even and at odd places in the cell. */
  readonly marks: Uint32Array;
  /** Room for the addresses of those. */
  readonly addresses: Uint32Array;
}

export function createMessageCell(): MessageCell {
  return { from: 0, until: 0, passed: 0, marks: new Uint32Array(2), addresses: new Uint32Array(MOST_MESSAGES) };
}

/** Marks of the branch trace message at `at`; every message of a cell is asked for once, in order. */
export function messageMarks(
  cell: MessageCell,
  bytes: Uint8Array,
  at: number,
  base: number,
  limit: number,
  little: boolean,
): number {
  const enters = at >= cell.until || (at - cell.from) % UNIT !== 0;
  if (enters) {
    const number = Math.floor((base + at) / CELL);
    cell.from = number * CELL + ((base + at) % UNIT) - base;
    cell.until = (number + 1) * CELL - base;
  }
  if (enters || cell.passed % MOST_MESSAGES === 0) weigh(cell, bytes, at, limit, little);
  return cell.marks[cell.passed++ & 1]!;
}

function weigh(cell: MessageCell, bytes: Uint8Array, at: number, limit: number, little: boolean): void {
  const { addresses, marks, from } = cell;
  const end = Math.min(limit, from + AHEAD) - UNIT;
  let count = 0;
  cell.passed = 0;
  for (let i = from; i <= end && (count < MOST_MESSAGES || i <= at); i += UNIT) {
    if (bytes[i + 4] !== BRANCH_TRACE || bytes[i + 5]! >>> 4 !== SPECIAL) continue;
    if (i < at) cell.passed++;
    if (count === MOST_MESSAGES) count = 0;
    addresses[count++] = addressAt(bytes, i, little);
  }
  const { even, odd, fast, changed } = readBranchTrace(addresses, count);
  if (changed > 1 - LIKELY) {
    marks.fill(changed >= LIKELY ? POSSIBLE_NORMAL : 0);
    return;
  }
  const mode = even + odd >= LIKELY ? POSSIBLE_NORMAL : fast >= LIKELY ? POSSIBLE_FAST : 0;
  marks[0] = roleMarks(even) | mode;
  marks[1] = roleMarks(odd) | mode;
}

/** From here on a role or a mode is named. */
const LIKELY = 0.8;

/** A message is a target in one of the three readings and a source in the two others. */
function roleMarks(target: number): number {
  const sure = Math.max(target, 1 - target);
  if (sure < LIKELY) return 0;
  const percent = Math.min(99, Math.floor(sure * 100));
  return (target >= LIKELY ? POSSIBLE_TARGET : POSSIBLE_SOURCE) | (percent << CONFIDENCE_SHIFT);
}
