/**
 * Turns a window of BYU 6-byte records into columns.
 *
 * A record that cannot be right makes it look whether records go on at another phase (bytes were lost). It looks at most once
 * per CELL bytes of the file, at most LOOKAHEAD bytes far, so the outcome is a function of the bytes, the phase and whether
 * this cell was searched: never of where a window ends. What neighbours say of a record is in byu6-neighbours.ts.
 */
import { FLAG, SPAN_WORDS } from '../../records/batch.ts';
import type { Batch } from '../../records/batch.ts';
import { lookLikeTwelve } from '../../pentium/record-lengths.ts';
import { byteShape } from '../../format/diagnostics.ts';
import { rowAt, type AddressCells } from '../../format/address-cells.ts';
import { indexIn, type State, type Window } from '../../format/format.ts';
import { KIND } from '../../records/record.ts';
import {
  addressAt,
  BRANCH_TRACE,
  CACHEABLE,
  CONTIGUOUS,
  INT_ACK,
  INT_ACK_FIRST,
  INT_ACK_SECOND,
  INVALID,
  KIND_OF,
  likely,
  LOWEST,
  NATIVE,
  NEIGHBOURS,
  NO_BYTE,
  PLAIN,
  PLAIN_FLAGS,
  score,
  SPAN,
  SPECIAL,
  SPECIAL_CYCLES,
  SPLIT,
  UNIT,
  WEIGHED_RECORDS,
} from './cycles.ts';
import {
  acknowledgeMarks,
  AHEAD,
  BURST_BEAT,
  createMessageCell,
  FIRST_OF_PAIR,
  isBeat,
  markBeats,
  messageMarks,
  SECOND_OF_PAIR,
} from './neighbours.ts';
import type { MessageCell } from './neighbours.ts';

/** How far past a record its columns may depend on the bytes. */
export const LOOKAHEAD = Math.max((WEIGHED_RECORDS + 1) * UNIT, AHEAD);
/** Bytes of the file in which at most one search is made: 16 records, and a divisor of the engine's blocks. */
const CELL = 96;

/**
 * phase: offset of records modulo 6; searched: 1 when the phase was searched for in the cell (CELL bytes from a multiple of
 * CELL) in which the next record starts.
 */
export interface Byu6State extends State {
  readonly phase: number;
  readonly searched: number;
}

/**
 * By control byte and byte enables of a plain memory access, else 0: kind, native code from bit 5, lowest byte from bit 13, size
 * from bit 16, flags from bit 20. One look-up is quicker than four, and a constant of this module quicker than an imported one,
 * because the compiler then knows its length and leaves out the check of bounds.
 */
const PLAIN_CYCLE = new Int32Array(65536);
for (let control = 0; control < 256; control++) {
  for (const enables of NEIGHBOURS) {
    const cycle = (control << 8) | enables;
    if (PLAIN[cycle] === 0) break;
    const place = (LOWEST[enables]! << 13) | (SPAN[enables]! << 16);
    PLAIN_CYCLE[cycle] = KIND_OF[control]! | (NATIVE[control]! << 5) | place | (PLAIN_FLAGS[control]! << 20);
  }
}
/** Set in PLAIN_CYCLE for cycles that may be beats of a burst. */
const BEAT_KEY = CACHEABLE << 20;

export function decodeRecords(window: Window, state: Byu6State, batch: Batch, little: boolean): State {
  const { bytes, base, fileEnd } = window;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { start, end, kind, native, addressLow, size, flags, placed } = batch;
  const top = little ? 3 : 0;
  const step = little ? -1 : 1;
  const room = start.length;
  const limit = fileEnd - base;
  const messages = createMessageCell();
  /** Index just past the last index at which a whole record of this block can start. */
  const stop = indexIn(window, Math.min(window.end, fileEnd - UNIT + 1));
  let searchedCell = state.searched === 1 ? cellOf(window.position) : -1;
  let at = indexIn(window, window.position);
  const first = batch.count;
  let n = first;
  for (;;) {
    const last = Math.min(stop, at + (room - n) * UNIT);
    const from = n;
    const fromIndex = at;
    let seen = 0;
    for (; at < last; at += UNIT, n++) {
      const field = view.getUint32(at, little);
      const cycle = PLAIN_CYCLE[view.getUint16(at + 4, true)]!;
      if ((field & 7) !== 0 || cycle === 0) break;
      kind[n] = cycle & 31;
      native[n] = (cycle >>> 5) & 255;
      addressLow[n] = field + ((cycle >>> 13) & 7);
      size[n] = (cycle >>> 16) & 15;
      flags[n] = cycle >>> 20;
      seen |= cycle;
    }
    if (placed) {
      for (let i = from, offset = base + fromIndex; i < n; i++) {
        start[i] = offset;
        offset += UNIT;
        end[i] = offset;
      }
    }
    if ((seen & BEAT_KEY) !== 0) markBeats(batch, from, n, bytes, fromIndex, limit, little);
    if (n >= room || at >= stop) break;
    // Branch trace messages come in thousands, so they do not take the long way.
    if (bytes[at + 4] === BRANCH_TRACE && bytes[at + 5]! >>> 4 === SPECIAL && (bytes[at + top + 3 * step]! & 7) === 0) {
      start[n] = base + at;
      end[n] = base + at + UNIT;
      kind[n] = KIND.branch;
      native[n] = SPECIAL;
      addressLow[n] = addressAt(bytes, at, little) & ~15;
      size[n] = 0;
      flags[n] = FLAG.address | messageMarks(messages, bytes, at, base, limit, little);
      at += UNIT;
      n++;
      continue;
    }
    if (!likely(bytes, at, little) && cellOf(base + at) !== searchedCell) {
      searchedCell = cellOf(base + at);
      const slip = findSlip(window, at, batch.first + n, batch, little);
      if (slip > 0) {
        batch.gaps.push({ name: 'slip', start: base + at, end: base + at + slip });
        batch.diagnostics.add('phase-slip', base + at, batch.first + n, `${slip} of ${UNIT} bytes`);
        at += slip;
        continue;
      }
    }
    start[n] = base + at;
    end[n] = base + at + UNIT;
    decodeOdd(bytes, at, batch, n, little);
    batch.flags[n]! |= marksByNeighbours(messages, bytes, at, base, limit, batch.flags[n]!, little);
    at += UNIT;
    n++;
  }
  batch.addressHigh.fill(0, first, n);
  batch.count = n;
  let position = base + at;
  if (n < room && position < window.end && position + UNIT > fileEnd) {
    batch.gaps.push({ name: 'tail', start: position, end: fileEnd });
    batch.diagnostics.add('cut-record', position, batch.first + n, `${fileEnd - position} of ${UNIT} bytes`);
    position = fileEnd;
  }
  window.position = position;
  return { phase: position % UNIT, searched: cellOf(position) === searchedCell ? 1 : 0 };
}

/** `countPlain` of shared/format/format.ts. What neighbours say of a plain record (markBeats) changes neither its address nor its kind. */
export function countPlainRecords(
  window: Window,
  state: Byu6State,
  records: number,
  { low, bounds, kinds, counts, firstCell }: AddressCells,
  little: boolean,
): Byu6State {
  const { bytes, base } = window;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const big = !little;
  const top = bounds[bounds.length - 1]!;
  // One comparison for what lies outside: what lies below wraps around to above.
  const most = (top - 1) >>> 0;
  // Of what is handed in a compiler does not know that it is a whole number.
  const lowest = low | 0;
  const wanted = kinds | 0;
  const start = firstCell | 0;
  const rowsPerByte = (bounds.length - 1) / top;
  const from = indexIn(window, window.position);
  const last = Math.min(window.end, window.fileEnd - UNIT + 1, window.position + records * UNIT);
  const stop = indexIn(window, last);
  let at = from;
  for (; at < stop; at += UNIT) {
    const field = view.getInt32(at, !big);
    const cycle = PLAIN_CYCLE[view.getInt32(at + 2, true) >>> 16]!;
    if ((field & 7) !== 0 || cycle === 0) break;
    const distance = (field + ((cycle >>> 13) & 7) - lowest) >>> 0;
    if (distance > most || (wanted & (1 << (cycle & 31))) === 0) continue;
    const cell = start + rowAt(distance, rowsPerByte, bounds);
    counts[cell] = counts[cell]! + 1;
  }
  window.position = base + at;
  const sameCell = cellOf(base + at) === cellOf(base + from);
  return { phase: state.phase, searched: sameCell ? state.searched : 0 };
}

function cellOf(offset: number): number {
  return Math.floor(offset / CELL);
}

/**
 * Bytes to skip from index `at` so that records make sense again; 0 to stay. It moves only where at least three quarters of
 * the records at another phase are likely and at least half of them more than at this one. The other byte order is weighed
 * too, but only ever reported: to change it is the person's choice.
 */
function findSlip(window: Window, at: number, record: number, batch: Batch, little: boolean): number {
  const { bytes, base, fileEnd } = window;
  const left = fileEnd - base - at;
  const count = Math.min(WEIGHED_RECORDS, Math.floor((left - UNIT + 1) / UNIT));
  if (count < 4) return 0;
  const least = Math.ceil((count * 3) / 4);
  let best = 0;
  let bestScore = 0;
  for (let skip = 1; skip < UNIT; skip++) {
    const good = score(bytes, at + skip, count, least, little);
    if (good > bestScore) {
      best = skip;
      bestScore = good;
    }
  }
  const swapped = score(bytes, at, count, least, !little);
  const most = Math.max(swapped, bestScore);
  const here = score(bytes, at, count, 0, little);
  if (most === 0 || most < here + count / 2) {
    if (here < count / 2 && lookLikeTwelve(bytes, at, fileEnd - base, Math.floor(count / 2)))
      batch.diagnostics.add('twelve-bytes', base + at, record);
    return 0;
  }
  if (swapped <= bestScore) return best;
  batch.diagnostics.add('byte-swapped', base + at, record);
  return 0;
}

function marksByNeighbours(
  messages: MessageCell,
  bytes: Uint8Array,
  at: number,
  base: number,
  limit: number,
  flags: number,
  little: boolean,
): number {
  const cycle = bytes[at + 5]! >>> 4;
  if (cycle === INT_ACK) return acknowledgeMarks(bytes, at, limit);
  if (cycle === SPECIAL && bytes[at + 4] === BRANCH_TRACE)
    return messageMarks(messages, bytes, at, base, limit, little);
  return (flags & CACHEABLE) !== 0 && isBeat(bytes, at, limit, little) ? BURST_BEAT : 0;
}

/**
 * Fills kind, native code, address, size and flags of the first `count` rows with what their latest records say; false where one of
 * them is not what a Pentium does. Nothing is asked of neighbours. In `spans` are the indexes of records, which become their
 * numbers counted from index `from` on.
 */
export function decodeLikely(
  bytes: Uint8Array,
  from: number,
  spans: Int32Array,
  count: number,
  batch: Batch,
  little: boolean,
): boolean {
  for (let n = decodePlain(bytes, from, spans, 0, count, batch, little); n < count;) {
    const at = from + spans[n * SPAN_WORDS + 2]! * UNIT;
    if (!likely(bytes, at, little)) return false;
    decodeOdd(bytes, at, batch, n, little);
    n = decodePlain(bytes, from, spans, n + 1, count, batch, little);
  }
  return true;
}

/**
 * The rows [row, count) as far as they are plain memory accesses; returns the first that is not, whose span is done. Without calls:
 * after one, a compiled loop looks all of its arrays up again.
 */
function decodePlain(
  bytes: Uint8Array,
  from: number,
  spans: Int32Array,
  row: number,
  count: number,
  { kind, native, addressLow, size, flags }: Batch,
  little: boolean,
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const big = !little;
  let n = row;
  for (; n < count; n++) {
    const span = n * SPAN_WORDS;
    const at = spans[span + 2]!;
    spans[span + 1] = ((spans[span + 1]! - from) / UNIT) | 0;
    spans[span + 2] = ((at - from) / UNIT) | 0;
    const field = view.getInt32(at, !big);
    const cycle = PLAIN_CYCLE[view.getInt32(at + 2, true) >>> 16]!;
    if ((field & 7) !== 0 || cycle === 0) break;
    kind[n] = cycle & 31;
    native[n] = (cycle >>> 5) & 255;
    addressLow[n] = (field + ((cycle >>> 13) & 7)) | 0;
    size[n] = (cycle >>> 16) & 15;
    flags[n] = cycle >>> 20;
  }
  return n;
}

/** Place in the pair of an interrupt acknowledge cycle. */
const PLACE_BY_ENABLES: Readonly<Record<number, number>> = {
  [INT_ACK_FIRST]: FIRST_OF_PAIR,
  [INT_ACK_SECOND]: SECOND_OF_PAIR,
};

/** What tells one broken record from another: its cycle, alone or with the byte enables, or the low digit of its address. */
const CYCLE_SHAPE = byteShape('.. .. .. .. .. x.');
const ENABLES_SHAPE = byteShape('.. .. .. .. xx x.');
const LOW_ADDRESS_SHAPE = byteShape('.. .. .. .x .. ..');
const LOW_ADDRESS_SHAPE_LITTLE = byteShape('.x .. .. .. .. ..');

/**
 * Fills all columns but `start`, `end` and `addressHigh` for a record that is no plain memory access. `spell`: how the shape of
 * its six bytes looks in the file.
 */
export function decodeOdd(
  bytes: Uint8Array,
  at: number,
  batch: Batch,
  n: number,
  little: boolean,
  spell: (shape: string) => string = asBytes,
): void {
  const control = bytes[at + 5]!;
  const enables = bytes[at + 4]!;
  const native = NATIVE[control]!;
  const record = batch.first + n;
  const offset = batch.start[n]!;
  batch.native[n] = native;
  batch.kind[n] = KIND_OF[control]!;
  batch.size[n] = 0;
  if (native === INVALID) {
    batch.addressLow[n] = 0;
    batch.flags[n] = FLAG.malformed;
    batch.diagnostics.add('invalid-control', offset, record, spell(CYCLE_SHAPE(bytes, at)));
    return;
  }
  let flags = PLAIN_FLAGS[control]!;
  const field = addressAt(bytes, at, little);
  const aligned = (field & ~7) >>> 0;
  if (aligned !== field) {
    flags |= FLAG.malformed;
    const shape = (little ? LOW_ADDRESS_SHAPE_LITTLE : LOW_ADDRESS_SHAPE)(bytes, at);
    batch.diagnostics.add('misaligned-address', offset, record, spell(shape));
  }
  if (native === SPECIAL) {
    batch.addressLow[n] = aligned;
    if (enables === BRANCH_TRACE) {
      batch.kind[n] = KIND.branch;
      batch.addressLow[n] = field & ~15;
    } else if (!(enables in SPECIAL_CYCLES)) {
      flags |= FLAG.malformed;
      batch.diagnostics.add('unknown-special', offset, record, spell(ENABLES_SHAPE(bytes, at)));
    }
  } else {
    if (native === INT_ACK) flags |= PLACE_BY_ENABLES[enables] ?? 0;
    batch.addressLow[n] = aligned + LOWEST[enables]!;
    batch.size[n] = SPAN[enables]!;
    if (enables === NO_BYTE) {
      flags |= FLAG.malformed;
      batch.diagnostics.add('no-byte-enabled', offset, record, spell(ENABLES_SHAPE(bytes, at)));
    } else if (CONTIGUOUS[enables] === 0) {
      flags |= SPLIT;
      batch.diagnostics.add('split-byte-enables', offset, record, spell(ENABLES_SHAPE(bytes, at)));
    }
  }
  batch.flags[n] = flags;
}

function asBytes(shape: string): string {
  return shape;
}
