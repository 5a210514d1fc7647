/** Appends entries of a buffer to a batch as rows. */
import { FLAG, type Batch } from '../../records/batch.ts';
import { byteShape } from '../../format/diagnostics.ts';
import { KIND } from '../../records/record.ts';
import type { ByteOffset, RecordNumber } from '../../base/units.ts';
import { addressBefore, type BufferEntries } from '../../xscale/buffer.ts';
import {
  ADDRESS_BYTES,
  BUFFER_BYTES,
  isBranch,
  isCheckpointed,
  isException,
  isIndirect,
  MAYBE_YOUNGER,
  MESSAGE,
  MESSAGE_OF,
  vectorOf,
  YOUNGER,
} from '../../xscale/messages.ts';
import type { Capture } from './capture.ts';

/** The format's own bits of the `flags` column. */
export const MARK = {
  /** The oldest entry of its capture. */
  first: 1 << 8,
  /** Address bytes of its target were overwritten. */
  partial: 1 << 9,
  /** Its target comes from a checkpoint register. */
  fromCheckpoint: 1 << 10,
  /** Two younger entries own the checkpoint registers. */
  unkept: 1 << 11,
  /** Its checkpoint register holds another address. */
  differs: 1 << 12,
  /** It owns CHKPT1, not CHKPT0. */
  older: 1 << 13,
  /** A later byte that is no message may have been a checkpointed entry, so it is not known which register this entry owns. */
  uncertain: 1 << 14,
} as const;

/** The address columns hold the target, so that the record is shown and found there. */
export const GOES = FLAG.address | FLAG.target;

/** Bit of MEANING: the byte does not determine the row, and `completeRow` has to be called. */
export const MORE = 1 << 24;
/** By message byte: kind, native code from bit 8, flags of a complete entry from bit 16. */
export const MEANING = new Int32Array(256).map((_, byte) => {
  const message = MESSAGE_OF[byte]!;
  const kind = isBranch(message) ? KIND.branch : isException(message) ? KIND.exception : KIND.other;
  const plain = message === MESSAGE.direct || message === MESSAGE.rollOver || message === MESSAGE.indirect;
  const flags = message === MESSAGE.indirect ? GOES : 0;
  return kind | (message << 8) | (flags << 16) | (plain ? 0 : MORE);
});
/**
 * Appends entries, starting with `entries.first`, while they start before file offset `end` and the batch has room. Returns the next
 * entry. `base`: address of the exception vectors.
 */
export function addRows(batch: Batch, capture: Capture, entries: BufferEntries, end: ByteOffset, base: number): number {
  const { bytes, at, origin, stride, places } = capture;
  const { bounds } = entries;
  const room = batch.start.length;
  let younger = 0;
  for (let i = entries.first; i < BUFFER_BYTES; i++) younger += YOUNGER[bytes[at + bounds[i + 1]! - 1]!]!;
  let n = batch.count;
  let k = entries.first;
  for (; k < BUFFER_BYTES && n < room; k++, n++) {
    const from = bounds[k]!;
    const to = bounds[k + 1]!;
    const offset = places === undefined ? origin + from * stride : places.start[from]!;
    if (offset >= end) break;
    const before = places === undefined || from === 0 ? offset : places.end[from - 1]!;
    if (before < offset) batch.gaps.push({ name: 'text', start: before, end: offset });
    const byte = bytes[at + to - 1]!;
    const meaning = MEANING[byte]!;
    batch.start[n] = offset;
    batch.end[n] = places === undefined ? origin + to * stride : places.end[to - 1]!;
    batch.kind[n] = meaning;
    batch.native[n] = (meaning >>> 8) & 0xff;
    batch.flags[n] = 0;
    younger -= YOUNGER[byte]!;
    if (meaning >= 1 << 16) completeRow(batch, n, capture, from, to, younger, base, batch.first + n);
  }
  batch.count = n;
  return k;
}

const MESSAGE_SHAPE = byteShape('x.');

/** Completes row `n`, entry [from, to) of the capture, with what its byte does not contain. `younger`: sum of YOUNGER over later entries. */
export function completeRow(
  batch: Batch,
  n: number,
  capture: Capture,
  from: number,
  to: number,
  younger: number,
  base: number,
  record: RecordNumber,
): void {
  const { places, origin, stride } = capture;
  const offset = places === undefined ? origin + from * stride : places.start[from]!;
  const byte = capture.bytes[capture.at + to - 1]!;
  const message = MESSAGE_OF[byte]!;
  if (message === MESSAGE.reserved) {
    batch.flags[n] = FLAG.malformed;
    batch.diagnostics.add(reservedCode(byte), offset, record, byte.toString(16).padStart(2, '0'));
    return;
  }
  if (isException(message)) {
    goTo(batch, n, base + vectorOf(message), 0);
    return;
  }
  let marks = 0;
  const checkpointed = isCheckpointed(message);
  const register = younger % MAYBE_YOUNGER;
  const known = checkpointed && younger < 2 && (capture.known & (1 << younger)) !== 0;
  const checkpoint = younger === 0 ? capture.checkpoint0 : capture.checkpoint1;
  if (checkpointed && younger === 1) marks |= MARK.older;
  if (checkpointed && register < 2 && younger >= MAYBE_YOUNGER) marks |= MARK.uncertain;
  if (checkpointed && register > 1) {
    marks |= MARK.unkept;
    batch.diagnostics.add('surplus-checkpoint', offset, record, MESSAGE_SHAPE(capture.bytes, capture.at + to - 1));
  }
  const whole = to - from === 1 + ADDRESS_BYTES;
  if (isIndirect(message) && !whole) marks |= MARK.partial;
  if (whole) {
    const target = addressBefore(capture.bytes, capture.at + to - 1);
    if (known && (target ^ checkpoint) >>> 1 !== 0) {
      marks |= MARK.differs;
      batch.diagnostics.add('checkpoint-differs', offset, record, differs(younger, to - from));
    }
    goTo(batch, n, target, marks);
  } else if (known && !endsOtherwise(capture, from, to, checkpoint)) {
    goTo(batch, n, checkpoint, marks | MARK.fromCheckpoint);
  } else if (known) {
    batch.flags[n] = marks | MARK.differs;
    batch.diagnostics.add('checkpoint-differs', offset, record, differs(younger, to - from));
  } else {
    batch.flags[n] = marks;
  }
}

/** Returns the shape of the diagnostic: the register, and the number of remaining address bytes. */
function differs(register: number, entryBytes: number): string {
  return `CHKPT${register}, ${entryBytes - 1} of ${ADDRESS_BYTES} address bytes`;
}

/** Returns true if the remaining address bytes, the lowest ones, differ from the checkpoint register in more than bit 0. */
function endsOtherwise({ bytes, at }: Capture, from: number, to: number, checkpoint: number): boolean {
  // Bit 0 may mark Thumb code in one of them only.
  for (let i = to - 2, rest = checkpoint, bits = 0xfe; i >= from; i--, rest >>>= 8, bits = 0xff)
    if (((bytes[at + i]! ^ rest) & bits) !== 0) return true;
  return false;
}

function goTo(batch: Batch, n: number, target: number, marks: number): void {
  batch.addressLow[n] = target;
  batch.targetLow[n] = target;
  batch.flags[n] = GOES | marks;
}

function reservedCode(byte: number): string {
  switch (byte >>> 4) {
    case 0:
      return 'reset-message';
    case 5:
      return 'reserved-vector';
    case 15:
      return 'broken-roll-over';
    default:
      return 'reserved-message';
  }
}
