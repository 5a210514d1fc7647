/**
 * Decodes a window of BYU 6-byte records into columns.
 *
 * The bytes `00 10 07 c8 fc d0` become a row with kind `read`, address 0x1007c8 and size 2 (worked through in byu6.ts). An implausible
 * record starts a search for another phase (format/units.ts), at most once per CELL bytes of the file and at most LOOKAHEAD bytes ahead.
 * So the result depends only on the bytes, the phase and whether this cell was searched, never on the end of a window. Marks that depend
 * on neighbouring records are set by neighbours.ts.
 */
import { type Batch, FLAG, SPAN_WORDS } from '../../records/batch.ts';
import { lookLikeTwelve } from '../../pentium/record-lengths.ts';
import { byteShape } from '../../format/diagnostics.ts';
import { type AddressCells, NO_ROW, rowAt, SEVERAL_ROWS } from '../../format/address-cells.ts';
import { type Counted, indexIn, type State, type Window } from '../../format/format.ts';
import { KIND } from '../../records/record.ts';
import type { ByteOffset } from '../../base/units.ts';
import {
  addressAt,
  CACHEABLE,
  countLikely,
  INT_ACK,
  INVALID,
  KIND_OF,
  likely,
  NATIVE,
  PLAIN,
  PLAIN_FLAGS,
  SPECIAL,
  SPLIT,
  UNIT,
  WEIGHED_RECORDS,
} from './cycles.ts';
import {
  BRANCH_TRACE,
  CONTIGUOUS,
  INT_ACK_FIRST,
  INT_ACK_SECOND,
  LOWEST,
  NEIGHBOURS,
  NO_BYTE,
  SPAN,
  SPECIAL_CYCLES,
} from '../../pentium/bus-cycles.ts';
import {
  acknowledgeMarks,
  AHEAD,
  BURST_BEAT,
  createMessageCell,
  FIRST_OF_PAIR,
  isBeat,
  markBeats,
  type MessageCell,
  messageMarks,
  SECOND_OF_PAIR,
} from './neighbours.ts';
import { endUnits, firstInCell, LEAST_WEIGHED, leastLikely, weighedUnits, weighSlips } from '../../format/units.ts';

/** Number of bytes past the start of a record that may affect its columns. */
export const LOOKAHEAD = Math.max((WEIGHED_RECORDS + 1) * UNIT, AHEAD);
/** Bytes of the file in which at most one search is made: 16 records, and a divisor of the engine's blocks. */
const CELL = 96;

export interface Byu6State extends State {
  /** Offset of the records modulo 6. */
  readonly phase: number;
  /** 1 if a search was made in the cell (CELL bytes starting at a multiple of CELL) in which the next record starts. */
  readonly searched: number;
}

/**
 * Properties of plain memory accesses by control byte and byte enables, 0 for other cycles: kind in bits 0-4, native code from bit 5,
 * lowest byte from bit 13, size from bit 16, flags from bit 20. One look-up is faster than four, and a constant of this module is faster
 * than an imported one, because V8 then knows its length and omits the bounds check.
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
/** Bit of PLAIN_CYCLE that is set for possible beats of a burst. */
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
    // Fast path for branch trace messages, which occur in thousands.
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
  const position = endUnits(window, batch, n, at, UNIT);
  return { phase: position % UNIT, searched: cellOf(position) === searchedCell ? 1 : 0 };
}

/** Implements `countPlain` of the format contract. The marks of markBeats change neither the address nor the kind of a plain record. */
export function countPlainRecords(
  window: Window,
  state: Byu6State,
  records: number,
  cells: AddressCells,
  little: boolean,
): Counted {
  const before = window.position;
  skimPlainRecords(window, records, cells, little);
  const sameCell = cellOf(window.position) === cellOf(before);
  return {
    records: (window.position - before) / UNIT,
    state: { phase: state.phase, searched: sameCell ? state.searched : 0 },
  };
}

/**
 * Bytes between two updates of the window's position. V8 compiles a long loop before its first end, and discards the code each time that
 * the loop ends with an operation that never ran before.
 */
const STEP = 256 * UNIT;

/** Counts plain records, and moves the window's position. */
function skimPlainRecords(
  window: Window,
  records: number,
  { rows, kinds, counts, firstCell }: AddressCells,
  little: boolean,
): void {
  const { bytes, base } = window;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const big = !little;
  const { stretches } = rows;
  // V8 does not know that these are integers.
  const most = rows.last >>> 0;
  const lowest = rows.low | 0;
  const shift = rows.shift | 0;
  const wanted = kinds | 0;
  const start = firstCell | 0;
  const last = Math.min(window.end, window.fileEnd - UNIT + 1, window.position + records * UNIT);
  const stop = indexIn(window, last);
  let at = indexIn(window, window.position);
  let stepEnd: number;
  do {
    stepEnd = Math.min(stop, at + STEP);
    for (; at < stepEnd; at += UNIT) {
      const field = view.getInt32(at, !big);
      const cycle = PLAIN_CYCLE[view.getInt32(at + 2, true) >>> 16]!;
      if ((field & 7) !== 0 || cycle === 0) break;
      // One comparison finds addresses outside: those below the lowest one wrap around to large distances.
      const distance = (field + ((cycle >>> 13) & 7) - lowest) >>> 0;
      if (distance > most || (wanted & (1 << (cycle & 31))) === 0) continue;
      let row = stretches[distance >>> shift]!;
      if (row < 0) {
        if (row === SEVERAL_ROWS) row = rowAt(rows, distance);
        if (row === NO_ROW) continue;
      }
      const cell = start + row;
      counts[cell] = counts[cell]! + 1;
    }
    window.position = base + at;
  } while (at >= stepEnd && at < stop);
}

/** Implements `placeBefore` of the format contract: in a new cell, no search was made yet. */
export function placeBefore(position: ByteOffset, { phase }: Byu6State): { position: ByteOffset; state: Byu6State } {
  return { position: firstInCell(position, CELL, UNIT), state: { phase, searched: 0 } };
}

function cellOf(offset: number): number {
  return Math.floor(offset / CELL);
}

/**
 * Returns the number of bytes to skip from index `at` so that records make sense again; 0 to stay. Skips only if at least three quarters
 * of the records at another phase are likely, and half of all records more than at this phase. The other byte order is also weighed, but
 * only reported as a diagnostic, because changing it is the user's choice.
 */
function findSlip(window: Window, at: number, record: number, batch: Batch, little: boolean): number {
  const { bytes, base, fileEnd } = window;
  const count = weighedUnits(window, at, UNIT, WEIGHED_RECORDS);
  if (count < LEAST_WEIGHED) return 0;
  const { skip, likely: shifted } = weighSlips(at, UNIT, count, (from, records, least) =>
    countLikely(bytes, from, records, least, little),
  );
  const swapped = countLikely(bytes, at, count, leastLikely(count), !little);
  const most = Math.max(swapped, shifted);
  const here = countLikely(bytes, at, count, 0, little);
  if (most === 0 || most < here + count / 2) {
    if (here < count / 2 && lookLikeTwelve(bytes, at, fileEnd - base, Math.floor(count / 2)))
      batch.diagnostics.add('twelve-bytes', base + at, record);
    return 0;
  }
  if (swapped <= shifted) return skip;
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
 * Decodes the first `count` rows of a condensed batch from their last records: kind, native code, address, size and flags, without marks
 * that depend on neighbours. Returns false if a record is implausible. Replaces the indexes of records in `spans` by record numbers,
 * counted from index `from`.
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
 * Decodes the rows [row, count) up to the first one that is not a plain memory access. Returns that row, whose span is already converted.
 * The loop has no calls, because V8 looks up all of its arrays again after a call.
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

/** Position of an interrupt acknowledge cycle in its pair, by byte enables. */
const PLACE_BY_ENABLES: Readonly<Record<number, number>> = {
  [INT_ACK_FIRST]: FIRST_OF_PAIR,
  [INT_ACK_SECOND]: SECOND_OF_PAIR,
};

/** Shapes of broken records for diagnostics: the cycle, alone or with the byte enables, or the low digit of the address. */
const CYCLE_SHAPE = byteShape('.. .. .. .. .. x.');
const ENABLES_SHAPE = byteShape('.. .. .. .. xx x.');
const LOW_ADDRESS_SHAPE = byteShape('.. .. .. .x .. ..');
const LOW_ADDRESS_SHAPE_LITTLE = byteShape('.x .. .. .. .. ..');

/**
 * Fills all columns except `start`, `end` and `addressHigh` for a record that is not a plain memory access. `spell` converts the shape of
 * its six bytes to the form in the file.
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
