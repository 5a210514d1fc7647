/**
 * Marks BYU 6-byte records by their neighbours: beats of bursts, pairs of interrupt acknowledges, seams of the analyser's buffer, and the
 * role of branch trace messages.
 *
 * Every result is a mark in the flags column that expresses a suspicion. It depends only on the bytes from BEHIND bytes before to AHEAD
 * bytes after the record's first byte, which are taken as records at the same phase. Positions are indexes of the window's bytes, and
 * `limit` is the index after the file's last byte.
 */
import type { Batch } from '../../records/batch.ts';
import { readBranchTrace } from '../../pentium/branch-messages.ts';
import { addressAt, CACHEABLE, FETCH, INT_ACK, IO_READ, IO_WRITE, NC_FETCH, SPECIAL, UNIT } from './cycles.ts';
import { BRANCH_TRACE, INT_ACK_FIRST, INT_ACK_SECOND } from '../../pentium/bus-cycles.ts';

/** Size in bytes of the part of the file whose messages are weighed together, with as many bytes after it. */
const CELL = 1536;
export const BEHIND = CELL;
export const AHEAD = 2 * CELL;

/** Format bits of the flags column. Bits 8 and 9 are CACHEABLE and SPLIT. */
export const BURST_BEAT = 1 << 10;
export const SEAM = 1 << 11;
export const FIRST_OF_PAIR = 1 << 12;
export const SECOND_OF_PAIR = 1 << 13;
export const UNPAIRED = 1 << 14;
export const POSSIBLE_TARGET = 1 << 15;
export const POSSIBLE_SOURCE = 1 << 16;
export const POSSIBLE_NORMAL = 1 << 17;
export const POSSIBLE_FAST = 1 << 18;
/** Shift of the seven bits that hold the confidence in a branch trace message's role, in percent. */
export const CONFIDENCE_SHIFT = 19;

/** Number of records of a cache line that is filled or written back with one quadword per record. */
const BEATS = 4;

/** True if the record at `at` belongs to at least four consecutive records in one 32-byte line with the same cycle. */
export function isBeat(bytes: Uint8Array, at: number, limit: number, little: boolean): boolean {
  let row = 1;
  for (let back = at - UNIT; row < BEATS && back >= 0 && sameLine(bytes, back, at, little); back -= UNIT) row++;
  for (let next = at + UNIT; row < BEATS && next + UNIT <= limit && sameLine(bytes, next, at, little); next += UNIT)
    row++;
  return row === BEATS;
}

/** Marks the rows [first, end) of adjacent records, starting at index `at`, for which `isBeat` is true. Visits every record once. */
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

/** Returns the marks of the interrupt acknowledge cycle at `at`: its position in the pair, and whether a buffer seam may follow. */
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

/** Minimum number of iterations of a loop, or of reads of a port, after which the processor is assumed to wait. */
const TURNS = 8;
/** Maximum length of a waiting loop in records, which is also the maximum distance between reads of a port. */
const LONGEST_TURN = 16;
/** Number of records before the interrupt in which the same loop is searched. If found, the loop is the interrupted program. */
const INTERRUPTED = 32;

/**
 * Returns SEAM if the processor soon waits in a small loop. The driver that empties the analyser's buffer waits like that after an
 * interrupt, and the records then continue in the next buffer. Searches from `from` to the next interrupt, within AHEAD bytes.
 */
function seamMark(bytes: Uint8Array, at: number, from: number, limit: number): number {
  const end = Math.min(limit, at + AHEAD) - UNIT;
  let polls = 0;
  let poll = -1;
  /** Length in trace bytes of the loop that seems to run; 0 if there is none. */
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

/** Returns the distance in bytes to the previous equal fetch, at most LONGEST_TURN records back and not before `from`; 0 if none. */
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

/** Number of messages that are weighed together; even, so that the parity of places is the same in every group. */
const MOST_MESSAGES = 64;

/** Weighing of the messages in one CELL of the file at one phase, while its records are decoded in order within one window. */
export interface MessageCell {
  /** Index of the first record, and index after the last possible start of a record. */
  from: number;
  until: number;
  /** Number of messages of the cell that were already marked. */
  passed: number;
  /** Marks of the messages weighed last, for even and odd places in the cell. */
  readonly marks: Uint32Array;
  /** Scratch space for the addresses of those messages. */
  readonly addresses: Uint32Array;
}

export function createMessageCell(): MessageCell {
  return { from: 0, until: 0, passed: 0, marks: new Uint32Array(2), addresses: new Uint32Array(MOST_MESSAGES) };
}

/** Returns the marks of the branch trace message at `at`. Must be called once per message of a cell, in order. */
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

/** Minimum probability to mark a role or a mode. */
const LIKELY = 0.8;

/** Returns the marks of a role. A message is a target in one of the three readings and a source in the other two. */
function roleMarks(target: number): number {
  const sure = Math.max(target, 1 - target);
  if (sure < LIKELY) return 0;
  const percent = Math.min(99, Math.floor(sure * 100));
  return (target >= LIKELY ? POSSIBLE_TARGET : POSSIBLE_SOURCE) | (percent << CONFIDENCE_SHIFT);
}
