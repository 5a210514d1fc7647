/**
 * BYU Trace Distribution Center, 12-byte P6 bus records (v1.0 and v1.1): what did each agent ask of the bus?
 *
 * One record is one bus request (docs/formats/byu12.md names the sources):
 *
 *     20 00 14 00  01  20  03  00  11 00 00 00
 *     |            |   |   |   |   |
 *     |            |   |   |   |   ticks since the request before, little endian
 *     |            |   |   |   processor (agent id)
 *     |            |   |   attribute: the low two bits are the memory type, 3 = write back
 *     |            |   bytes transferred
 *     |            request: 01 = memory read
 *     physical address, little endian
 *
 * reads as: processor 0 read 32 bytes at 0x140020, 17 ticks after what came before. The time column holds that difference as
 * it is recorded: to add up would need every record before. It refuses to know data and what the other bits of the
 * attribute are.
 *
 * A record that cannot be right, or whose time hardly is, makes the decoder look whether records go on at another phase (bytes were
 * lost), at most once per CELL bytes of the file and at most LOOKAHEAD bytes far: never depending on where a window ends.
 */
import { FLAG } from '../../records/batch.ts';
import type { Batch } from '../../records/batch.ts';
import { u32LittleEndian } from '../../base/bytes.ts';
import { lookLikeSix } from '../../pentium/record-lengths.ts';
import { indexIn, type Decoder, type Format, type State, type Window } from '../../format/format.ts';
import { KIND, kindName } from '../../records/record.ts';
import type { FieldSpan, RecordFields } from '../../records/record.ts';
import { assert, ok } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { toHex } from '../../base/units.ts';
import {
  isLikely,
  isTransfer,
  KIND_OF,
  MEMORY_TYPES,
  NO_REQUEST,
  PLAIN,
  REQUESTS,
  score,
  touchesMemory,
  UNIT,
  USUAL_SIZE,
  WEIGHED_RECORDS,
} from './requests.ts';
import { sniff } from './sniff.ts';

const LOOKAHEAD = (WEIGHED_RECORDS + 1) * UNIT;
/** Bytes of the file in which at most one search is made: 16 records, and a divisor of the engine's blocks. */
const CELL = 192;
/** Format bit of the flags column: the size is none that the bus of a P6 transfers. */
const UNUSUAL_SIZE = 256;

export const byu12: Format = {
  id: 'byu12',
  name: 'BYU 12-byte P6 address trace',
  dialects: [],
  extensions: ['byu', 'byu12', 'trc', 'tr', 'bin'],
  options: [],
  timeUnit: 'ticks since the record before',
  sniff,
  open(settings) {
    const complete = completeSettings(byu12, settings);
    return complete.ok ? ok(decoder) : complete;
  },
  diagnostics: {
    'unknown-request': 'The request type is none of the format; the record is kept as UNKNOWN.',
    'no-size': 'A memory or port access transfers no byte; it is kept at its address with size 0.',
    'unusual-size': 'The size is none that the bus transfers (1 to 8, 16 or 32 bytes); it is kept as recorded.',
    'phase-slip':
      'Bytes are missing or surplus: the records go on at another phase, and the bytes between are left out.',
    'six-bytes': 'The records look like those of 6 bytes: open the file with the format byu6.',
    'cut-record': 'The file ends inside a record: its length is not a multiple of 12.',
  },
};

/** phase: offset of records modulo 12; searched: 1 when the phase was searched for in the cell in which the next record starts. */
interface Byu12State extends State {
  readonly phase: number;
  readonly searched: number;
}

const decoder: Decoder = {
  format: byu12,
  framing: {
    kind: 'units',
    bytes: UNIT,
    lookahead: LOOKAHEAD,
    align: (offset, state) => offset + ((stateOf(state).phase - (offset % UNIT) + UNIT) % UNIT),
  },
  valuedKinds: [],
  neverAborts: true,
  settings: {},
  initial: { phase: 0, searched: 0 },
  decode: (window, state, batch) => decode(window, stateOf(state), batch),
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

// Constants of this module, because the compiler then leaves out the checks of bounds, which it does not do for imports.
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
    // Three lost bytes make fetches of all records, whose sizes are the low bytes of times: an address in the time tells.
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

function cellOf(offset: number): number {
  return Math.floor(offset / CELL);
}

/**
 * Bytes to skip from index `at` so that records make sense again; 0 to stay. It moves only where at least three quarters of
 * the records at another phase are likely and at least half of them more than at this one.
 */
function findSlip({ bytes, base, fileEnd }: Window, at: number, batch: Batch, record: number): number {
  const left = fileEnd - base - at;
  const count = Math.min(WEIGHED_RECORDS, Math.floor((left - UNIT + 1) / UNIT));
  if (count < 4) return 0;
  const least = Math.ceil((count * 3) / 4);
  let best = 0;
  let bestScore = 0;
  for (let skip = 1; skip < UNIT; skip++) {
    const good = score(bytes, at + skip, count, least);
    if (good > bestScore) {
      best = skip;
      bestScore = good;
    }
  }
  const here = score(bytes, at, count, 0);
  if (bestScore > 0 && bestScore >= here + count / 2) return best;
  if (here < count / 2 && lookLikeSix(bytes, at, fileEnd - base, count))
    batch.diagnostics.add('six-bytes', base + at, record);
  return 0;
}

/** Mends the columns of a record that is no ordinary memory request. */
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

/** What `describe` makes words of: the request, its flags, its length and its type of memory. */
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
