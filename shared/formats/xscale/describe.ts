/** Describes one entry of a trace buffer: its fields, and its bytes. */
import { FLAG, type Batch } from '../../records/batch.ts';
import type { Window } from '../../format/format.ts';
import { kindName, type FieldSpan, type RecordFields } from '../../records/record.ts';
import { joinAddress, toHex } from '../../base/units.ts';
import {
  ADDRESS_BYTES,
  BUFFER_BYTES,
  instructionsOf,
  isBranch,
  isCheckpointed,
  isException,
  isIndirect,
  MESSAGE,
  MESSAGE_OF,
  messageText,
  nativeName,
} from '../../xscale/messages.ts';
import type { Endian } from './fixed.ts';
import { scanHex } from './hex.ts';
import type { MessageByte } from './message-byte.ts';
import type { Dialect } from './options.ts';
import { MARK } from './rows.ts';

/** Trace buffer bytes of a record, and their positions within the record's bytes in the file. */
interface Parts {
  readonly bytes: readonly number[];
  readonly start: readonly number[];
  readonly end: readonly number[];
}

/** Storage of the buffers in the file. */
export interface Stored {
  readonly dialect: Dialect;
  readonly endian: Endian;
}

export function describeEntry(stored: Stored, bytes: Uint8Array, batch: Batch, index: number): RecordFields {
  const flags = batch.flags[index]!;
  const message = batch.native[index]!;
  const kind = kindName(batch.kind[index]!);
  const native = nativeName(message);
  if (message === MESSAGE.buffer) {
    const text = 'a buffer that cannot be read: its last byte is no message';
    return { kind, native, text, flags: ['malformed', 'first-of-capture'] };
  }
  const { bytes: own } = partsOf(stored, bytes, message, flags);
  const byte = own.at(-1) ?? 0;
  const target = toHex(joinAddress(batch.targetLow[index]!, batch.targetHigh[index]!));
  const address = toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!));
  const marks = marksOf(message, byte, flags, batch.targetLow[index]!);
  return {
    kind,
    native,
    ...((flags & FLAG.address) !== 0 && { address }),
    text: textOf(message, byte, own.slice(0, -1), (flags & MARK.partial) !== 0),
    ...((flags & FLAG.target) !== 0 && { target }),
    ...(marks.length > 0 && { flags: marks }),
  };
}

/** Implements `Decoder.wordsKeys`. Message byte, marks and parity of the target determine the text, except for partly lost targets. */
export function wordsKeys(
  byteOf: MessageByte,
  window: Window,
  batch: Batch,
  from: number,
  to: number,
  keys: Int32Array,
): void {
  const { native, flags, targetLow } = batch;
  for (let i = from; i < to; i++) {
    const depends = native[i] === MESSAGE.buffer || (flags[i]! & MARK.partial) !== 0;
    const odd = (flags[i]! & FLAG.target) === 0 ? 0 : targetLow[i]! & 1;
    const marks = (flags[i]! << NATIVE_BITS) | native[i]!;
    keys[i] = depends ? 0 : ((((marks << 1) | odd) << 8) | byteOf(window, batch, i)) + 1;
  }
}

/** Bits of a message code. The flags of this format have 15. */
const NATIVE_BITS = 5;

function textOf(message: number, byte: number, address: readonly number[], isPartial: boolean): string {
  if (message === MESSAGE.reserved) return `reserved message ${hexByte(byte)}`;
  if (message === MESSAGE.rollOver) return '16 instructions, the last of which is not a branch';
  const after = `${messageText(message)} after ${counted(instructionsOf(byte))}`;
  if (message === MESSAGE.dataAbort) return `${after}, or one more if a load of the program counter aborted`;
  if (!isPartial) return after;
  return address.length === 0
    ? `${after}, its target is lost`
    : `${after}, only the end ${address.map(hexByte).join('')} of its target is left`;
}

function marksOf(message: number, byte: number, flags: number, target: number): readonly string[] {
  const goes = (flags & FLAG.target) !== 0;
  return [
    ...((flags & FLAG.malformed) === 0 ? [] : ['malformed']),
    ...((flags & MARK.first) === 0 ? [] : ['first-of-capture']),
    ...(message === MESSAGE.reserved ? [] : [`instructions-${String(instructionsOf(byte))}`]),
    ...(isException(message) ? ['vector-base-assumed'] : []),
    ...((flags & MARK.partial) === 0 ? [] : ['partial-target']),
    ...(isCheckpointed(message) && (flags & (MARK.unkept | MARK.uncertain)) === 0
      ? [(flags & MARK.older) === 0 ? 'checkpoint-0' : 'checkpoint-1']
      : []),
    ...((flags & MARK.unkept) === 0 ? [] : ['checkpoint-not-kept']),
    ...((flags & MARK.uncertain) === 0 ? [] : ['checkpoint-uncertain']),
    ...((flags & MARK.fromCheckpoint) === 0 ? [] : ['target-from-checkpoint']),
    ...((flags & MARK.differs) === 0 ? [] : ['checkpoint-differs']),
    ...(goes && isBranch(message) && target % 2 === 1 ? ['odd-target'] : []),
  ];
}

export function entrySpans(stored: Stored, bytes: Uint8Array, batch: Batch, index: number): readonly FieldSpan[] {
  const message = batch.native[index]!;
  if (message === MESSAGE.buffer) {
    return [{ name: 'buffer', start: 0, end: bytes.length, text: 'bytes that cannot be divided into entries' }];
  }
  const { bytes: own, start, end } = partsOf(stored, bytes, message, batch.flags[index]!);
  const last = own.length - 1;
  return own.map((byte, i) => {
    const address = i < last;
    const low = 8 * (last - 1 - i);
    return {
      name: address ? `target[${String(low + 7)}:${String(low)}]` : 'message',
      start: start[i]!,
      end: end[i]!,
      text: address ? `${hexByte(byte)}: bits ${String(low + 7)} to ${String(low)} of the target` : messageBits(byte),
    };
  });
}

/** The message byte bit by bit: `1001 0011: indirect branch, 3 instructions`. */
function messageBits(byte: number): string {
  const bits = byte.toString(2).padStart(8, '0');
  const message = MESSAGE_OF[byte]!;
  const count = message === MESSAGE.reserved ? '' : `, ${counted(instructionsOf(byte))}`;
  return `${bits.slice(0, 4)} ${bits.slice(4)}: ${messageText(message)}${count}`;
}

function partsOf({ dialect, endian }: Stored, bytes: Uint8Array, message: number, flags: number): Parts {
  switch (dialect) {
    case 'raw':
    case 'checkpoints':
      return evenParts(bytes, 1, 0);
    case 'openocd':
      return evenParts(bytes, 4, 3);
    case 'words':
    case 'words-checkpoints':
      return evenParts(bytes, 4, isBig(endian, bytes) ? 3 : 0);
    case 'hex': {
      const found = hexParts(bytes, false);
      return mayHave(found.bytes.length, message, flags) ? found : hexParts(bytes, true);
    }
  }
}

function hexParts(bytes: Uint8Array, bytesAlone: boolean): Parts {
  const own = new Uint8Array(BUFFER_BYTES);
  const { count, start, end } = scanHex(bytes, 0, bytes.length, own, () => undefined, true, bytesAlone);
  const all = Array.from(own.subarray(0, count));
  return { bytes: all, start: [...start.subarray(0, count)], end: [...end.subarray(0, count)] };
}

/** Returns true if an entry can have this number of bytes. */
function mayHave(bytes: number, message: number, flags: number): boolean {
  if (!isIndirect(message)) return bytes === 1;
  return (flags & MARK.partial) === 0 ? bytes === 1 + ADDRESS_BYTES : bytes >= 1 && bytes <= ADDRESS_BYTES;
}

function isBig(endian: Endian, bytes: Uint8Array): boolean {
  return endian === 'big' || (endian === 'auto' && bytes.at(-4) === 0 && bytes.at(-1) !== 0);
}

/** `low`: index of the trace buffer's byte in each part. */
function evenParts(bytes: Uint8Array, stride: number, low: number): Parts {
  const start = Array.from({ length: Math.floor(bytes.length / stride) }, (_, i) => i * stride);
  return { bytes: start.map((at) => bytes[at + low]!), start, end: start.map((at) => at + stride) };
}

function counted(instructions: number): string {
  return instructions === 1 ? '1 instruction' : `${String(instructions)} instructions`;
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
