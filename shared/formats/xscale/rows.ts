/** Entries of a buffer as rows of a batch. */
import { FLAG, type Batch } from '../../batch.ts';
import { KIND } from '../../record.ts';
import type { ByteOffset } from '../../units.ts';
import { addressBefore, type BufferEntries } from '../../xscale/buffer.ts';
import {
  ADDRESS_BYTES,
  BUFFER_BYTES,
  isBranch,
  isCheckpointed,
  isException,
  isIndirect,
  MESSAGE,
  MESSAGE_OF,
  vectorOf,
} from '../../xscale/messages.ts';
import type { Capture } from './capture.ts';

/** What the `flags` column says of an entry. */
export const MARK = {
  /** The oldest entry of its capture. */
  first: 1 << 8,
  /** Address bytes of its target were written over. */
  partial: 1 << 9,
  /** Its target is what a checkpoint register holds. */
  fromCheckpoint: 1 << 10,
  /** Two younger entries have the checkpoint registers. */
  unkept: 1 << 11,
  /** Its checkpoint register holds another address. */
  differs: 1 << 12,
  /** It has CHKPT1, not CHKPT0. */
  older: 1 << 13,
} as const;

/** Both ends of a branch are known to go to the target: it is shown and found there. */
const GOES = FLAG.address | FLAG.target;

/** In MEANING: the byte alone does not say all, `completeRow` does. */
const MORE = 0x80000000;
/** By message byte: kind, from bit 8 the native code, from bit 16 the flags of an entry with all of its bytes. */
const MEANING = new Uint32Array(256).map((_, byte) => {
  const message = MESSAGE_OF[byte]!;
  const kind = isBranch(message) ? KIND.branch : isException(message) ? KIND.exception : KIND.other;
  const plain = message === MESSAGE.direct || message === MESSAGE.rollOver;
  const flags = message === MESSAGE.indirect ? GOES : plain ? 0 : MORE >>> 16;
  return kind | (message << 8) | (flags << 16);
});

/**
 * Appends all entries of a capture whose bytes lie at even distances; the batch must have room for one per byte. Returns how
 * many bytes at the front were never written. `base`: of the exception vectors.
 *
 * This is the plain case of `readEntries` and `addRows`. It goes twice over the bytes from their end, first to count, then to
 * write rows from behind, because going forwards over a list of bounds takes twice the time.
 */
export function addCapture(batch: Batch, capture: Capture, base: number): number {
  const { start, end, kind, native, flags, addressLow, targetLow } = batch;
  const { bytes, at, length, origin, stride } = capture;
  const last = at + length - 1;
  let entries = 0;
  let kept = 0;
  let front = last + 1;
  for (let i = last; i >= at;) {
    const byte = bytes[i]!;
    // Asked by a branch: the next turn then need not wait for a look-up.
    if (isIndirectByte(byte)) i -= 1 + ADDRESS_BYTES;
    else i--;
    entries++;
    if (byte !== 0) {
      kept = entries;
      front = i + 1;
    }
  }
  if (front < at) front = at;
  let n = batch.count + kept;
  batch.count = n;
  let more = 0;
  let offset = origin + length * stride;
  let i = last;
  for (const full = at + ADDRESS_BYTES; i >= front && i >= full;) {
    const byte = bytes[i]!;
    const meaning = MEANING[byte]!;
    n--;
    end[n] = offset;
    if (isIndirectByte(byte)) {
      const target = (bytes[i - 4]! << 24) | (bytes[i - 3]! << 16) | (bytes[i - 2]! << 8) | bytes[i - 1]!;
      addressLow[n] = target;
      targetLow[n] = target;
      i -= 1 + ADDRESS_BYTES;
      offset -= (1 + ADDRESS_BYTES) * stride;
    } else {
      i--;
      offset -= stride;
    }
    start[n] = offset;
    kind[n] = meaning;
    native[n] = (meaning >>> 8) & 0xff;
    flags[n] = meaning >>> 16;
    if (meaning >= MORE) UNFINISHED[more++] = n;
  }
  // What is left lies in the first bytes, where addresses cannot be whole.
  while (i >= front) {
    const byte = bytes[i]!;
    const meaning = MEANING[byte]!;
    n--;
    end[n] = offset;
    i = isIndirectByte(byte) ? at - 1 : i - 1;
    offset = origin + (i + 1 - at) * stride;
    start[n] = offset;
    kind[n] = meaning;
    native[n] = (meaning >>> 8) & 0xff;
    flags[n] = 0;
    if (meaning >= MORE || isIndirectByte(byte)) UNFINISHED[more++] = n;
  }
  if (more > 0) finish(batch, capture, more, base);
  return front - at;
}

/** 1x01 xxxx */
function isIndirectByte(byte: number): boolean {
  return (byte & 0xb0) === 0x90;
}

/** Rows of one capture that need more than their message byte, newest first: scratch of addCapture. */
const UNFINISHED = new Uint32Array(BUFFER_BYTES);

function finish(batch: Batch, capture: Capture, count: number, base: number): void {
  const { origin, stride } = capture;
  let younger = 0;
  for (let k = 0; k < count; k++) if (isCheckpointed(batch.native[UNFINISHED[k]!]!)) younger++;
  for (let k = count - 1; k >= 0; k--) {
    const n = UNFINISHED[k]!;
    if (isCheckpointed(batch.native[n]!)) younger--;
    const from = (batch.start[n]! - origin) / stride;
    completeRow(batch, n, capture, from, (batch.end[n]! - origin) / stride, younger, base);
  }
}

/**
 * Appends entries from `entries.first` on while they start before `end` and the batch has room; returns the next entry.
 * `base`: of the exception vectors.
 */
export function addRows(batch: Batch, capture: Capture, entries: BufferEntries, end: ByteOffset, base: number): number {
  const { bytes, at, origin, stride, places } = capture;
  const { bounds } = entries;
  const room = batch.start.length;
  let younger = entries.checkpointed;
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
    if ((byte & 0xe0) === 0xc0) younger--;
    if (meaning >= 1 << 16) completeRow(batch, n, capture, from, to, younger, base);
  }
  batch.count = n;
  return k;
}

/** What an entry's byte alone does not say: row `n`, entry [from, to) of the capture, `younger` checkpointed ones behind. */
function completeRow(
  batch: Batch,
  n: number,
  capture: Capture,
  from: number,
  to: number,
  younger: number,
  base: number,
): void {
  const byte = capture.bytes[capture.at + to - 1]!;
  const message = MESSAGE_OF[byte]!;
  if (message === MESSAGE.reserved) {
    batch.flags[n] = FLAG.malformed;
    batch.diagnostics.add(reservedCode(byte), batch.start[n]!, batch.first + n, byte.toString(16).padStart(2, '0'));
    return;
  }
  if (isException(message)) {
    goTo(batch, n, base + vectorOf(message), 0);
    return;
  }
  let marks = 0;
  const checkpointed = isCheckpointed(message);
  const known = checkpointed && younger < 2 && (capture.known & (1 << younger)) !== 0;
  const checkpoint = younger === 0 ? capture.checkpoint0 : capture.checkpoint1;
  if (checkpointed && younger === 1) marks |= MARK.older;
  if (checkpointed && younger > 1) {
    marks |= MARK.unkept;
    batch.diagnostics.add('surplus-checkpoint', batch.start[n]!, batch.first + n);
  }
  const whole = to - from === 1 + ADDRESS_BYTES;
  if (isIndirect(message) && !whole) marks |= MARK.partial;
  if (whole) {
    const target = addressBefore(capture.bytes, capture.at + to - 1);
    if (known && target !== checkpoint) {
      marks |= MARK.differs;
      batch.diagnostics.add('checkpoint-differs', batch.start[n]!, batch.first + n);
    }
    goTo(batch, n, target, marks);
  } else if (known && !endsOtherwise(capture, from, to, checkpoint)) {
    goTo(batch, n, checkpoint, marks | MARK.fromCheckpoint);
  } else if (known) {
    batch.flags[n] = marks | MARK.differs;
    batch.diagnostics.add('checkpoint-differs', batch.start[n]!, batch.first + n);
  } else {
    batch.flags[n] = marks;
  }
}

/** Whether the address bytes that are left, the lowest ones, are other than those of the checkpoint register. */
function endsOtherwise({ bytes, at }: Capture, from: number, to: number, checkpoint: number): boolean {
  for (let i = to - 2, rest = checkpoint; i >= from; i--, rest >>>= 8) if (bytes[at + i] !== (rest & 0xff)) return true;
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
