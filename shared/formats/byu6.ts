/**
 * BYU Trace Distribution Center, 6-byte Pentium bus records: what did the processor ask of its bus?
 *
 * One record is one bus request (docs/formats/byu6.md, which also names the sources of what the format's own text leaves out):
 *
 *     00 10 07 c8  fc  d0
 *     |            |   |
 *     |            |   control 1101 xxxx: pins M/IO# D/C# W/R# CACHE#, a non-cacheable data read; the low half is unassigned
 *     |            byte enables BE7#..BE0# 1111 1100: a zero asks for a byte, here bytes 0 and 1 of the eight
 *     physical address, big endian, always a multiple of 8: pins A31..A3
 *
 * reads as: 2 bytes read at 0x1007c8. It refuses to know what is not on those pins: data, time, processor, the length of a
 * line fill, and the low four bits and the role (source or target) of a branch trace message.
 *
 * A record that cannot be right makes the decoder look whether records go on at another phase (bytes were lost). It looks
 * at most once per CELL bytes of the file, at most LOOKAHEAD bytes far, so the outcome is a function of the bytes, the phase
 * and whether this cell was searched: never of where a window ends.
 */
import { FLAG } from '../batch.ts';
import type { Batch } from '../batch.ts';
import type { Decoder, Format, Settings, State, Window } from '../format.ts';
import { KIND, kindName } from '../record.ts';
import type { FieldSpan, RecordFields } from '../record.ts';
import { assert, ok } from '../result.ts';
import { completeSettings } from '../settings.ts';
import { joinAddress, toHex } from '../units.ts';
import {
  addressAt,
  BRANCH_TRACE,
  CACHEABLE,
  CONTIGUOUS,
  CYCLES,
  HALT,
  INT_ACK,
  INT_ACK_FIRST,
  INT_ACK_SECOND,
  INVALID,
  IO_READ,
  IO_WRITE,
  KIND_OF,
  likely,
  LOWEST,
  NATIVE,
  NO_BYTE,
  onBytes,
  PLAIN,
  PLAIN_FLAGS,
  score,
  SPAN,
  SPECIAL,
  SPECIAL_CYCLES,
  SPLIT,
  STOP_GRANT_ADDRESS,
  UNIT,
  WEIGHED_RECORDS,
} from './byu6-cycles.ts';
import { sniff } from './byu6-sniff.ts';

const LOOKAHEAD = (WEIGHED_RECORDS + 1) * UNIT;
/** Bytes of the file in which at most one search is made: 16 records, and a divisor of the engine's blocks. */
const CELL = 96;

export const byu6: Format = {
  id: 'byu6',
  name: 'BYU 6-byte Pentium address trace',
  dialects: [],
  extensions: ['byu', 'trc', 'bin'],
  options: [
    {
      name: 'endian',
      values: ['auto', 'big', 'little'],
      default: 'auto',
      text: 'Byte order of the address field: big in the format, little in files that were swapped; auto judges the content.',
    },
  ],
  sniff,
  open(settings) {
    const complete = completeSettings(byu6, settings);
    return complete.ok ? ok(createDecoder(complete.value['endian'] === 'little')) : complete;
  },
  diagnostics: {
    'invalid-control':
      'The control byte names no bus cycle (upper half 0, 2, 4, 6, 10 or 11); the record is kept as INVALID.',
    'misaligned-address':
      'The address is not a multiple of 8 though pins A2..A0 do not exist; the low three bits are ignored.',
    'no-byte-enabled':
      'All byte enables are off (FF), so the request asks for no byte; it is kept at its address with size 0.',
    'split-byte-enables':
      'The enabled bytes are not neighbours; the access is shown from the lowest to the highest of them.',
    'unknown-special': 'The byte enables of a special bus cycle name no cycle of the Pentium.',
    'phase-slip':
      'Bytes are missing or surplus: the records go on at another phase, and the bytes between are left out.',
    'byte-swapped': 'The records make sense in the other byte order only: open the file with the other endian option.',
    'cut-record': 'The file ends inside a record: its length is not a multiple of 6.',
  },
};

/**
 * phase: offset of records modulo 6; searched: 1 when the phase was searched for in the cell (CELL bytes from a multiple of
 * CELL) in which the next record starts.
 */
interface Byu6State extends State {
  readonly phase: number;
  readonly searched: number;
}

function stateOf(state: State): Byu6State {
  const { phase, searched } = state;
  assert(phase !== undefined && searched !== undefined, 'a byu6 state has phase and searched');
  return { phase, searched };
}

function createDecoder(little: boolean): Decoder {
  const settings: Settings = { endian: little ? 'little' : 'big' };
  return {
    format: byu6,
    framing: { kind: 'units', bytes: UNIT, lookahead: LOOKAHEAD },
    settings,
    initial: { phase: 0, searched: 0 },
    decode: (window, state, batch) => decode(window, stateOf(state), batch, little),
    agrees: (guess, entry) => guess['phase'] === entry['phase'] && guess['searched'] === entry['searched'],
    join: (_, exit) => exit,
    align: (offset, state) => offset + ((stateOf(state).phase - (offset % UNIT) + UNIT) % UNIT),
    describe: (bytes, batch, index) => describe(bytes, batch, index, little),
    fields: (bytes, batch, index) => spans(bytes, batch, index, little),
    nativeName,
  };
}

function nativeName(code: number): string {
  return CYCLES[code]?.[1] ?? 'INVALID';
}

// The loop's tables are constants of this module, because the compiler then knows their lengths and leaves out the checks of
// bounds, which it does not do for imported bindings; packed, because one look-up is quicker than three.
const PLAIN_AT = PLAIN;
/** By control byte: kind, native code from bit 8, flags from bit 16. */
const CONTROL = new Uint32Array(256).map(
  (_, byte) => KIND_OF[byte]! | (NATIVE[byte]! << 8) | (PLAIN_FLAGS[byte]! << 16),
);
/** By byte enables: the lowest byte, the size from bit 4. */
const ENABLES = new Uint8Array(256).map((_, byte) => LOWEST[byte]! | (SPAN[byte]! << 4));

function decode(window: Window, state: Byu6State, batch: Batch, little: boolean): State {
  const { bytes, base, fileEnd } = window;
  const { start, end, kind, native, addressLow, size, flags } = batch;
  const top = little ? 3 : 0;
  const step = little ? -1 : 1;
  const room = start.length;
  /** Index just past the last index at which a whole record of this block can start. */
  const stop = Math.min(window.end, fileEnd - UNIT + 1) - base;
  let searchedCell = state.searched === 1 ? cellOf(window.position) : -1;
  let at = window.position - base;
  const first = batch.count;
  let n = first;
  for (;;) {
    const last = Math.min(stop, at + (room - n) * UNIT);
    let offset = base + at;
    for (; at < last; at += UNIT, n++) {
      const low = bytes[at + top + 3 * step]!;
      const enables = bytes[at + 4]!;
      const control = bytes[at + 5]!;
      if ((low & 7) !== 0 || PLAIN_AT[(control << 8) | enables] === 0) break;
      start[n] = offset;
      offset += UNIT;
      end[n] = offset;
      const cycle = CONTROL[control]!;
      kind[n] = cycle;
      native[n] = (cycle >>> 8) & 255;
      flags[n] = cycle >>> 16;
      const field =
        (bytes[at + top]! << 24) | (bytes[at + top + step]! << 16) | (bytes[at + top + 2 * step]! << 8) | low;
      const asked = ENABLES[enables]!;
      addressLow[n] = field + (asked & 15);
      size[n] = asked >>> 4;
    }
    if (n >= room || at >= stop) break;
    if (!likely(bytes, at, little) && cellOf(base + at) !== searchedCell) {
      searchedCell = cellOf(base + at);
      const slip = findSlip(window, at, batch.first + n, batch, little);
      if (slip > 0) {
        batch.gaps.push({ name: 'slip', start: base + at, end: base + at + slip });
        batch.diagnostics.add('phase-slip', base + at, batch.first + n);
        at += slip;
        continue;
      }
    }
    start[n] = base + at;
    end[n] = base + at + UNIT;
    decodeOdd(bytes, at, batch, n, little);
    at += UNIT;
    n++;
  }
  batch.addressHigh.fill(0, first, n);
  batch.count = n;
  let position = base + at;
  if (n < room && position < window.end && position + UNIT > fileEnd) {
    batch.gaps.push({ name: 'tail', start: position, end: fileEnd });
    batch.diagnostics.add('cut-record', position, batch.first + n);
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
  if (most === 0 || most < score(bytes, at, count, 0, little) + count / 2) return 0;
  if (swapped <= bestScore) return best;
  batch.diagnostics.add('byte-swapped', base + at, record);
  return 0;
}

/** Fills all columns but `start`, `end` and `addressHigh` for a record that is no plain memory access. */
function decodeOdd(bytes: Uint8Array, at: number, batch: Batch, n: number, little: boolean): void {
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
    batch.diagnostics.add('invalid-control', offset, record);
    return;
  }
  let flags = PLAIN_FLAGS[control]!;
  const field = addressAt(bytes, at, little);
  const aligned = (field & ~7) >>> 0;
  if (aligned !== field) {
    flags |= FLAG.malformed;
    batch.diagnostics.add('misaligned-address', offset, record);
  }
  if (native === SPECIAL) {
    batch.addressLow[n] = aligned;
    if (enables === BRANCH_TRACE) {
      batch.kind[n] = KIND.branch;
      batch.addressLow[n] = field & ~15;
    } else if (!(enables in SPECIAL_CYCLES)) {
      flags |= FLAG.malformed;
      batch.diagnostics.add('unknown-special', offset, record);
    }
  } else {
    batch.addressLow[n] = aligned + LOWEST[enables]!;
    batch.size[n] = SPAN[enables]!;
    if (enables === NO_BYTE) {
      flags |= FLAG.malformed;
      batch.diagnostics.add('no-byte-enabled', offset, record);
    } else if (CONTIGUOUS[enables] === 0) {
      flags |= SPLIT;
      batch.diagnostics.add('split-byte-enables', offset, record);
    }
  }
  batch.flags[n] = flags;
}

function describe(bytes: Uint8Array, batch: Batch, index: number, little: boolean): RecordFields {
  const flags = batch.flags[index]!;
  const size = batch.size[index]!;
  const address = toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!));
  const native = batch.native[index]!;
  const text = cycleText(native, bytes[4]!, addressAt(bytes, 0, little));
  const marks = marksOf(native, bytes[4]!, addressAt(bytes, 0, little), flags);
  return {
    kind: kindName(batch.kind[index]!),
    native: nativeName(native),
    ...((flags & FLAG.address) !== 0 && { address }),
    ...(size > 0 && { size }),
    ...(text !== undefined && { text }),
    ...(marks.length > 0 && { flags: marks }),
  };
}

/** What a cycle without memory or port is, as far as the record tells. */
function cycleText(native: number, enables: number, address: number): string | undefined {
  if (native === INT_ACK) {
    if (enables === INT_ACK_FIRST) return 'interrupt acknowledge, first of the pair';
    if (enables === INT_ACK_SECOND) return 'interrupt acknowledge, second of the pair';
    return 'interrupt acknowledge';
  }
  if (native !== SPECIAL) return undefined;
  if (enables === HALT && address === STOP_GRANT_ADDRESS) return 'stop grant';
  return SPECIAL_CYCLES[enables] ?? 'unknown special cycle';
}

function marksOf(native: number, enables: number, address: number, flags: number): readonly string[] {
  const branchTrace = native === SPECIAL && enables === BRANCH_TRACE;
  return [
    ...((flags & FLAG.malformed) !== 0 ? ['malformed'] : []),
    ...((flags & CACHEABLE) !== 0 ? ['cacheable'] : []),
    ...((flags & SPLIT) !== 0 ? ['split-byte-enables'] : []),
    ...(branchTrace
      ? ['linear-address', 'address-of-16-bytes', 'no-data-bus', `operand-size-${operandSize(address)}`]
      : []),
  ];
}

/** A branch trace message has the default operand size on pin A3. */
function operandSize(address: number): string {
  return (address & 8) === 0 ? '16' : '32';
}

function spans(bytes: Uint8Array, batch: Batch, index: number, little: boolean): readonly FieldSpan[] {
  const address = addressAt(bytes, 0, little);
  const control = bytes[5]!;
  const native = batch.native[index]!;
  return [
    { name: 'address A31-A3', start: 0, end: 4, text: addressText(native, bytes[4]!, address, little) },
    { name: 'byte enables BE7#-BE0#', start: 4, end: 5, text: enablesText(native, bytes[4]!, address) },
    {
      name: 'control M/IO# D/C# W/R# CACHE#',
      start: 5,
      end: 6,
      text: `${nativeName(native)}: M/IO#=${bit(control, 7)} D/C#=${bit(control, 6)} W/R#=${bit(control, 5)} CACHE#=${bit(control, 4)}, unassigned ${binary(control & 15, 4)}`,
    },
  ];
}

function addressText(native: number, enables: number, address: number, little: boolean): string {
  const order = little ? 'little endian' : 'big endian';
  const low = (address & 7) === 0 ? '' : `, low bits ${binary(address & 7, 3)} cannot be`;
  const field = `0x${address.toString(16).padStart(8, '0')} ${order}${low}`;
  if (native === INVALID) return `${field}, of no known cycle`;
  if (native === IO_READ || native === IO_WRITE) return `${field}, port`;
  if (native === INT_ACK) return `${field}, no address: A2 is not recorded`;
  if (native !== SPECIAL) return `${field}, physical`;
  if (enables !== BRANCH_TRACE) return `${field}, no memory address`;
  return `${field}, linear A31-A4; A3=${bit(address, 3)}: operand size ${operandSize(address)}`;
}

function enablesText(native: number, enables: number, address: number): string {
  const bits = binary(enables, 8);
  const cycle = cycleText(native, enables, address);
  if (cycle !== undefined) return `${bits}: ${cycle}`;
  const on = onBytes(enables);
  if (on.length === 0) return `${bits}: no byte`;
  return on.length === 8
    ? `${bits}: all eight bytes`
    : `${bits}: ${on.length === 1 ? 'byte' : 'bytes'} ${on.join(', ')}`;
}

function bit(value: number, at: number): string {
  return String((value >>> at) & 1);
}

function binary(value: number, digits: number): string {
  return value.toString(2).padStart(digits, '0');
}
