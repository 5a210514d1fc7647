/** Describes BYU 6-byte records for people, as fields and as named bytes. */
import { type Batch, FLAG } from '../../records/batch.ts';
import { type FieldSpan, kindName, type RecordFields } from '../../records/record.ts';
import { joinAddress, toHex } from '../../base/units.ts';
import { addressAt, CACHEABLE, CYCLES, INT_ACK, INVALID, IO_READ, IO_WRITE, SPECIAL, SPLIT } from './cycles.ts';
import { BRANCH_TRACE, INT_ACK_FIRST, INT_ACK_SECOND, requestedBytes, specialText } from '../../pentium/bus-cycles.ts';
import {
  BURST_BEAT,
  CONFIDENCE_SHIFT,
  FIRST_OF_PAIR,
  POSSIBLE_FAST,
  POSSIBLE_NORMAL,
  POSSIBLE_SOURCE,
  POSSIBLE_TARGET,
  SEAM,
  SECOND_OF_PAIR,
  UNPAIRED,
} from './neighbours.ts';

export function nativeName(code: number): string {
  return CYCLES[code]?.[1] ?? 'INVALID';
}

export function describeRecord(bytes: Uint8Array, batch: Batch, index: number, little: boolean): RecordFields {
  const flags = batch.flags[index]!;
  const size = batch.size[index]!;
  const address = toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!));
  const native = batch.native[index]!;
  const text = cycleText(native, bytes[4]!, addressAt(bytes, 0, little), flags);
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

/** The text of memory and port cycles follows from their name and marks. That of other cycles depends on byte enables and address. */
export function wordsKeys({ native, flags }: Batch, from: number, to: number, keys: Int32Array): void {
  for (let i = from; i < to; i++) {
    const cycle = native[i]!;
    keys[i] = cycle === INT_ACK || cycle === SPECIAL ? 0 : ((flags[i]! << NATIVE_BITS) | cycle) + 1;
  }
}

/** Number of bits of a native code. The flags of this format have 19 bits. */
const NATIVE_BITS = 8;

/** Returns the name of a cycle that accesses neither memory nor a port; undefined for other cycles. */
function cycleText(native: number, enables: number, address: number, flags: number): string | undefined {
  if (native === INT_ACK) {
    if ((flags & FIRST_OF_PAIR) !== 0) return 'interrupt acknowledge, first of the pair';
    if ((flags & SECOND_OF_PAIR) !== 0) return 'interrupt acknowledge, second of the pair';
    return 'interrupt acknowledge';
  }
  return native === SPECIAL ? specialText(enables, address) : undefined;
}

function marksOf(native: number, enables: number, address: number, flags: number): readonly string[] {
  return [
    ...MARKS.filter(([bit]) => (flags & bit) !== 0).map(([, mark]) => mark),
    ...(native === INT_ACK ? pairMarks(enables, flags) : []),
    ...(native === SPECIAL && enables === BRANCH_TRACE ? messageMarks(address, flags) : []),
  ];
}

const MARKS: readonly (readonly [number, string])[] = [
  [FLAG.malformed, 'malformed'],
  [CACHEABLE, 'cacheable'],
  [SPLIT, 'split-byte-enables'],
  [BURST_BEAT, 'possible-burst-beat'],
  [SEAM, 'suspected-seam'],
  [FIRST_OF_PAIR, 'first-of-pair'],
  [SECOND_OF_PAIR, 'second-of-pair'],
  [UNPAIRED, 'unpaired'],
];

/** Byte enables prove the position in a pair. If they do not, it was inferred from neighbours. */
function pairMarks(enables: number, flags: number): readonly string[] {
  const placed = (flags & (FIRST_OF_PAIR | SECOND_OF_PAIR)) !== 0;
  return placed && enables !== INT_ACK_FIRST && enables !== INT_ACK_SECOND ? ['place-by-neighbours'] : [];
}

function messageMarks(address: number, flags: number): readonly string[] {
  const mode = (flags & POSSIBLE_NORMAL) !== 0 ? 'normal' : (flags & POSSIBLE_FAST) !== 0 ? 'fast' : 'unknown';
  const role = (flags & POSSIBLE_TARGET) !== 0 ? 'target' : (flags & POSSIBLE_SOURCE) !== 0 ? 'source' : undefined;
  return [
    'linear-address',
    'address-of-16-bytes',
    'no-data-bus',
    `operand-size-${operandSize(address)}`,
    ...(mode === 'unknown' ? ['mode-unknown'] : [`possible-mode-${mode}`]),
    ...(role === undefined ? ['role-unknown'] : [`possible-${role}`, `confidence-${confidence(flags)}`]),
  ];
}

function confidence(flags: number): string {
  return String((flags >>> CONFIDENCE_SHIFT) & 127);
}

/** Pin A3 of a branch trace message shows the default operand size. */
function operandSize(address: number): string {
  return (address & 8) === 0 ? '16' : '32';
}

export function recordSpans(bytes: Uint8Array, batch: Batch, index: number, little: boolean): readonly FieldSpan[] {
  const address = addressAt(bytes, 0, little);
  const control = bytes[5]!;
  const native = batch.native[index]!;
  return [
    { name: 'address A31-A3', start: 0, end: 4, text: addressText(native, bytes[4]!, address, little) },
    {
      name: 'byte enables BE7#-BE0#',
      start: 4,
      end: 5,
      text: enablesText(native, bytes[4]!, address, batch.flags[index]!),
    },
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
  const low = (address & 7) === 0 ? '' : `, invalid low bits ${binary(address & 7, 3)}`;
  const field = `0x${address.toString(16).padStart(8, '0')} ${order}${low}`;
  if (native === INVALID) return `${field}, unknown cycle`;
  if (native === IO_READ || native === IO_WRITE) return `${field}, port`;
  if (native === INT_ACK) return `${field}, no address: A2 is not recorded`;
  if (native !== SPECIAL) return `${field}, physical`;
  if (enables !== BRANCH_TRACE) return `${field}, no memory address`;
  return `${field}, linear A31-A4; A3=${bit(address, 3)}: operand size ${operandSize(address)}`;
}

function enablesText(native: number, enables: number, address: number, flags: number): string {
  const bits = binary(enables, 8);
  const cycle = cycleText(native, enables, address, flags);
  if (cycle !== undefined) return `${bits}: ${cycle}`;
  const on = requestedBytes(enables);
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
