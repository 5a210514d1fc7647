/**
 * BYU Trace Distribution Center, 12-byte P6 bus records (v1.0 and v1.1): the requests of all agents to the bus.
 *
 * One record is one bus request (docs/formats/byu12.md lists the sources):
 *
 *     20 00 14 00  01  20  03  00  11 00 00 00
 *     |            |   |   |   |   |
 *     |            |   |   |   |   ticks since the previous request, little endian
 *     |            |   |   |   processor (agent id)
 *     |            |   |   attribute: the low two bits are the memory type, 3 = write back
 *     |            |   bytes transferred
 *     |            request: 01 = memory read
 *     physical address, little endian
 *
 * means: processor 0 read 32 bytes at 0x140020, 17 ticks after the previous record. The time column holds the recorded difference,
 * because a sum would depend on all previous records. Records contain no data, and the other bits of the attribute are unknown.
 *
 * An implausible record, or an implausible time, starts a search for another phase (format/units.ts), at most once per CELL bytes of the
 * file and at most LOOKAHEAD bytes ahead.
 */
import { type Batch, FLAG } from '../../records/batch.ts';
import { u32LittleEndian } from '../../base/bytes.ts';
import { lookLikeSix } from '../../pentium/record-lengths.ts';
import { type Decoder, type Format, indexIn, type State, type Window } from '../../format/format.ts';
import { type FieldSpan, KIND, kindName, type RecordFields } from '../../records/record.ts';
import { assert, ok } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { toHex } from '../../base/units.ts';
import {
  countLikely,
  isLikely,
  isTransfer,
  KIND_OF,
  MEMORY_TYPES,
  NO_REQUEST,
  PLAIN,
  REQUESTS,
  touchesMemory,
  UNIT,
  USUAL_SIZE,
  WEIGHED_RECORDS,
} from './requests.ts';
import { sniff } from './sniff.ts';
import { alignUnit, endUnits, firstInCell, LEAST_WEIGHED, weighedUnits, weighSlips } from '../../format/units.ts';

const LOOKAHEAD = (WEIGHED_RECORDS + 1) * UNIT;
/** Bytes of the file in which at most one search is made: 16 records, and a divisor of the engine's blocks. */
const CELL = 192;
/** Format bit of the flags column: the bus of a P6 never transfers this size. */
const UNUSUAL_SIZE = 256;

export const byu12: Format = {
  id: 'byu12',
  name: 'BYU 12-byte P6 address trace',
  dialects: [],
  processor: 'x86',
  extensions: ['byu', 'byu12', 'trc', 'tr', 'bin'],
  options: [],
  timeUnit: 'ticks since the record before',
  sniff,
  open(settings) {
    const complete = completeSettings(byu12, settings);
    return complete.ok ? ok(decoder) : complete;
  },
  diagnostics: {
    'unknown-request': 'The format has no such request type; the record is kept as UNKNOWN.',
    'no-size': 'A memory or port access transfers no byte; it is kept at its address with size 0.',
    'unusual-size': 'The bus never transfers this size (only 1 to 8, 16 or 32 bytes); it is kept as recorded.',
    'phase-slip':
      'Bytes are missing or surplus here: the records continue at another offset, and the bytes in between are skipped.',
    'six-bytes': 'The records look like 6-byte records: open the file with the format byu6.',
    'cut-record': 'The file ends inside a record: its length is not a multiple of 12.',
  },
};

interface Byu12State extends State {
  /** Offset of the records modulo 12. */
  readonly phase: number;
  /** 1 if a search was made in the cell (CELL bytes starting at a multiple of CELL) in which the next record starts. */
  readonly searched: number;
}

const decoder: Decoder = {
  format: byu12,
  framing: {
    kind: 'units',
    bytes: UNIT,
    lookahead: LOOKAHEAD,
    align: (offset, state) => alignUnit(offset, stateOf(state).phase, UNIT),
  },
  valuedKinds: [],
  neverAborts: true,
  settings: {},
  initial: { phase: 0, searched: 0 },
  decode: (window, state, batch) => decode(window, stateOf(state), batch),
  // In a new cell, no search was made yet.
  placeBefore: (position, state) => ({
    position: firstInCell(position, CELL, UNIT),
    state: { phase: stateOf(state).phase, searched: 0 },
  }),
  describe,
  wordsKeys,
  fields: spans,
  nativeName,
};

function stateOf(state: State): Byu12State {
  const { phase, searched } = state;
  assert(phase !== undefined && searched !== undefined, 'a byu12 state has phase and searched');
  return { phase, searched };
}

function nativeName(code: number): string {
  return REQUESTS[code]?.[1] ?? 'UNKNOWN';
}

// Constants of this module, because V8 then knows their length and omits bounds checks, which it does not do for imports.
const PLAIN_AT = PLAIN;
const KIND_AT = KIND_OF;

function decode(window: Window, state: Byu12State, batch: Batch): State {
  const { bytes, base, fileEnd } = window;
  const { start, end, time, kind, native, addressLow, size, cpu, flags } = batch;
  const room = start.length;
  /** Index just past the last index at which a whole record of this block can start. */
  const stop = indexIn(window, Math.min(window.end, fileEnd - UNIT + 1));
  let searchedCell = state.searched === 1 ? cellOf(window.position) : -1;
  let at = indexIn(window, window.position);
  const first = batch.count;
  let n = first;
  while (n < room && at < stop) {
    const request = bytes[at + 4]!;
    const bytesMoved = bytes[at + 5]!;
    const plain = PLAIN_AT[(request << 8) | bytesMoved] === 1;
    // After three lost bytes every record looks like a fetch whose size is the low byte of a time. An address in the time shows this.
    if ((!plain || bytes[at + 11] !== 0) && !isLikely(bytes, at) && cellOf(base + at) !== searchedCell) {
      searchedCell = cellOf(base + at);
      const slip = findSlip(window, at, batch, batch.first + n);
      if (slip > 0) {
        batch.gaps.push({ name: 'slip', start: base + at, end: base + at + slip });
        batch.diagnostics.add('phase-slip', base + at, batch.first + n, `${slip} of ${UNIT} bytes`);
        at += slip;
        continue;
      }
    }
    start[n] = base + at;
    end[n] = base + at + UNIT;
    addressLow[n] = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    cpu[n] = bytes[at + 7]!;
    time[n] = (bytes[at + 8]! | (bytes[at + 9]! << 8) | (bytes[at + 10]! << 16) | (bytes[at + 11]! << 24)) >>> 0;
    kind[n] = KIND_AT[request]!;
    native[n] = request;
    size[n] = bytesMoved;
    flags[n] = FLAG.address;
    if (!plain) decodeOdd(batch, n, request, bytesMoved);
    at += UNIT;
    n++;
  }
  batch.addressHigh.fill(0, first, n);
  const position = endUnits(window, batch, n, at, UNIT);
  return { phase: position % UNIT, searched: cellOf(position) === searchedCell ? 1 : 0 };
}

function cellOf(offset: number): number {
  return Math.floor(offset / CELL);
}

/**
 * Returns the number of bytes to skip from index `at` so that records make sense again; 0 to stay. Skips only if at least three quarters
 * of the records at another phase are likely, and half of all records more than at this phase.
 */
function findSlip(window: Window, at: number, batch: Batch, record: number): number {
  const { bytes, base, fileEnd } = window;
  const count = weighedUnits(window, at, UNIT, WEIGHED_RECORDS);
  if (count < LEAST_WEIGHED) return 0;
  const { skip, likely } = weighSlips(at, UNIT, count, (from, records, least) =>
    countLikely(bytes, from, records, least),
  );
  const here = countLikely(bytes, at, count, 0);
  if (likely > 0 && likely >= here + count / 2) return skip;
  if (here < count / 2 && lookLikeSix(bytes, at, fileEnd - base, count))
    batch.diagnostics.add('six-bytes', base + at, record);
  return 0;
}

/** Corrects the columns of a record that is not a plain transfer. */
function decodeOdd(batch: Batch, n: number, request: number, bytesMoved: number): void {
  const record = batch.first + n;
  const offset = batch.start[n]!;
  if (!(request in REQUESTS)) {
    batch.kind[n] = KIND.other;
    batch.native[n] = NO_REQUEST;
    batch.addressLow[n] = 0;
    batch.size[n] = 0;
    batch.flags[n] = FLAG.malformed;
    batch.diagnostics.add('unknown-request', offset, record, `request ${twoDigits(request)}`);
  } else if (!isTransfer(request)) {
    batch.size[n] = 0;
  } else if (bytesMoved === 0) {
    batch.flags[n] = FLAG.address | FLAG.malformed;
    batch.diagnostics.add('no-size', offset, record, nativeName(request));
  } else if (USUAL_SIZE[bytesMoved] === 0) {
    batch.flags[n] = FLAG.address | UNUSUAL_SIZE;
    batch.diagnostics.add('unusual-size', offset, record, `${nativeName(request)} ${String(bytesMoved)}`);
  }
}

function describe(bytes: Uint8Array, batch: Batch, index: number): RecordFields {
  const native = batch.native[index]!;
  const flags = batch.flags[index]!;
  const size = batch.size[index]!;
  const text = REQUESTS[native]?.[2];
  const marks = marksOf(bytes, native, flags);
  return {
    time: u32LittleEndian(bytes, 8),
    cpu: bytes[7]!,
    kind: kindName(batch.kind[index]!),
    native: nativeName(native),
    ...((flags & FLAG.address) !== 0 && { address: toHex(batch.addressLow[index]!) }),
    ...(size > 0 && { size }),
    ...(text !== undefined && { text }),
    ...(marks.length > 0 && { flags: marks }),
  };
}

/** The words of `describe` follow from the request, its flags, its size and its memory type. */
function wordsKeys(
  { bytes, base, length }: Window,
  { native, flags, start }: Batch,
  from: number,
  to: number,
  keys: Int32Array,
): void {
  for (let i = from; i < to; i++) {
    const at = start[i]! - base;
    const whole = at >= 0 && at + UNIT <= length;
    keys[i] = whole ? ((flags[i]! * 256 + native[i]!) * 256 + bytes[at + 5]!) * 4 + (bytes[at + 6]! & 3) + 1 : 0;
  }
}

function marksOf(bytes: Uint8Array, native: number, flags: number): readonly string[] {
  const known = native in REQUESTS;
  return [
    ...((flags & FLAG.malformed) !== 0 ? ['malformed'] : []),
    ...((flags & UNUSUAL_SIZE) !== 0 ? ['unusual-size'] : []),
    ...(touchesMemory(native) ? [MEMORY_TYPES[bytes[6]! & 3]!] : []),
    ...(known && !isTransfer(native) && bytes[5]! > 0 ? [`length-${String(bytes[5]!)}`] : []),
    ...(isBranchTrace(native) ? ['no-data-bus'] : []),
  ];
}

function isBranchTrace(native: number): boolean {
  return REQUESTS[native]?.[0] === 'branch';
}

function spans(bytes: Uint8Array, batch: Batch, index: number): readonly FieldSpan[] {
  const native = batch.native[index]!;
  const meaning = REQUESTS[native]?.[2];
  const name = nativeName(native) + (meaning === undefined ? '' : `: ${meaning}`);
  const ticks = u32LittleEndian(bytes, 8);
  return [
    { name: 'address', start: 0, end: 4, text: `0x${hex(u32LittleEndian(bytes, 0), 8)} little endian${place(native)}` },
    { name: 'request type', start: 4, end: 5, text: `${twoDigits(bytes[4]!)}: ${name}` },
    { name: 'size', start: 5, end: 6, text: `${String(bytes[5]!)} bytes` },
    {
      name: 'attribute',
      start: 6,
      end: 7,
      text: `${MEMORY_TYPES[bytes[6]! & 3]!}, other bits ${(bytes[6]! >>> 2).toString(2).padStart(6, '0')}`,
    },
    { name: 'processor', start: 7, end: 8, text: `agent ${String(bytes[7]!)}` },
    { name: 'time', start: 8, end: 12, text: `${String(ticks)} ticks since the record before` },
  ];
}

function place(native: number): string {
  if (touchesMemory(native)) return ', physical';
  return isTransfer(native) ? ', port' : ', no memory address';
}

function twoDigits(byte: number): string {
  return hex(byte, 2);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
