/**
 * Puts captures together from batches: which entries each has, and where in the file it lies. A capture is one trace buffer as it
 * was read out; batches, blocks and gaps may cut it anywhere.
 */
import { FLAG, type Batch } from '../../../../shared/records/batch.ts';
import type { State, Window } from '../../../../shared/format/format.ts';
import { messageByteOf, type MessageByte } from '../../../../shared/formats/xscale/message-byte.ts';
import { DIALECTS } from '../../../../shared/formats/xscale/options.ts';
import { MARK } from '../../../../shared/formats/xscale/rows.ts';
import type { ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import {
  ADDRESS_BYTES,
  instructionsOf,
  isBranch,
  isCheckpointed,
  isIndirect,
  MESSAGE,
  MESSAGE_OF,
} from '../../../../shared/xscale/messages.ts';
import type { TraceReader } from '../../index/trace-reader.ts';
import type { Entry } from './xscale/entries.ts';

export interface CaptureContent {
  /** Its number in the file, as the option `capture` counts. */
  readonly capture: number;
  /** Where it begins and ends in the file, registers behind it included. */
  readonly start: ByteOffset;
  readonly end: ByteOffset;
  /** The number of its first record, and how many it has: each entry is one, and so is a buffer that cannot be read. */
  readonly first: RecordNumber;
  readonly records: number;
  /** Oldest first; none where the buffer is empty or cannot be read. */
  readonly entries: readonly Entry[];
  /** Targets of the entries that have CHKPT0 and CHKPT1, where they are known. */
  readonly checkpoints: readonly [number | undefined, number | undefined];
  /** One of these is not what its entry has itself. */
  readonly registersDiffer: boolean;
  /** Bytes at its front were never written. */
  readonly unwritten: boolean;
}

export interface Reading {
  /** A block begins in this state. */
  enter(state: State): void;
  /** False once no more is wanted. `batch.first` counts from the first record of the trace. */
  add(window: Window, batch: Batch): boolean;
  finish(): void;
  goesOn(): boolean;
}

/** Bytes of a capture where all have the same, else 0. */
export function unitOf({ decoder: { framing } }: TraceReader): number {
  return framing.kind === 'units' ? framing.bytes : 0;
}

export function createReading(reader: TraceReader, visit: (capture: CaptureContent) => boolean): Reading {
  const unit = unitOf(reader);
  const byteOf = messageByte(reader);
  let open: Open | undefined;
  let going = true;
  const isGoing = (): boolean => going;
  let phase = 0;
  /** Of the next capture, where they do not all have the same length. */
  let number = 0;
  /** Where the front of the next capture begins, and whether it has bytes that were never written. */
  let front = -1;
  let unwritten = false;

  const numberAt = (offset: ByteOffset): number => {
    if (unit > 0) return Math.floor((offset - phase) / unit);
    return number++;
  };
  const close = (): void => {
    if (open === undefined) return;
    const { inside, unreadable, ...content } = open;
    open = undefined;
    const records = unreadable ? 1 : content.entries.length;
    going = visit({ ...content, capture: numberAt(inside), records });
  };
  const addGap = (name: string, start: ByteOffset, end: ByteOffset): void => {
    switch (name) {
      case 'header':
      case 'never-written':
        close();
        if (front < 0) front = start;
        unwritten = name === 'never-written';
        break;
      case 'checkpoints':
      case 'text':
        if (open !== undefined) open.end = end;
        break;
      case 'empty':
        close();
        if (!going) break;
        begin(front < 0 ? start : front, start, NaN);
        open!.end = end;
        close();
        break;
      case 'other-capture':
        close();
        number++;
        break;
      case 'slip':
        close();
        if (unit > 0) phase = end % unit;
        break;
      default:
        close();
    }
  };
  const begin = (start: ByteOffset, inside: ByteOffset, first: RecordNumber): void => {
    open = {
      start,
      first,
      unwritten,
      end: inside,
      inside,
      unreadable: false,
      registersDiffer: false,
      entries: [],
      checkpoints: [undefined, undefined],
    };
    front = -1;
    unwritten = false;
  };
  const addRecord = (window: Window, batch: Batch, i: number): void => {
    const offset = batch.start[i]!;
    if ((batch.flags[i]! & MARK.first) !== 0) {
      close();
      if (!going) return;
      begin(front < 0 ? offset : front, offset, batch.first + i);
    }
    // What comes first in the first block may belong to a capture that begins before it.
    if (open === undefined) return;
    open.end = batch.end[i]!;
    if (batch.native[i]! === MESSAGE.buffer) open.unreadable = true;
    else addEntry(open, byteOf(window, batch, i), batch, i);
  };

  /** Adds records from `i` on as long as their bytes tell all of them, up to `end`; answers the next one. */
  const addBare = (window: Window, batch: Batch, i: number, end: ByteOffset): number => {
    if (open === undefined) return i;
    const { entries } = open;
    const { count, flags, native, start } = batch;
    let next = i;
    for (; next < count && flags[next] === 0 && start[next]! < end; next++) {
      const bare = BARE[byteOf(window, batch, next)]!;
      if (bare.message !== native[next] || isIndirect(bare.message) || isCheckpointed(bare.message)) break;
      entries.push(bare);
    }
    if (next > i) open.end = batch.end[next - 1]!;
    return next;
  };

  return {
    goesOn: isGoing,
    enter(state) {
      phase = state['phase'] ?? 0;
    },
    add(window, batch) {
      let gap = 0;
      let i = 0;
      while (i < batch.count || gap < batch.gaps.length) {
        const next = batch.gaps[gap];
        if (next !== undefined && (i === batch.count || next.start < batch.start[i]!)) {
          addGap(next.name, next.start, next.end);
          gap++;
        } else {
          addRecord(window, batch, i++);
          i = addBare(window, batch, i, next?.start ?? Number.POSITIVE_INFINITY);
        }
        if (!isGoing()) return false;
      }
      return true;
    },
    finish() {
      if (going) close();
    },
  };
}

interface Open {
  readonly start: ByteOffset;
  readonly first: RecordNumber;
  readonly unwritten: boolean;
  end: ByteOffset;
  /** Where a record of it lies. */
  inside: ByteOffset;
  /** Its last byte is no message, so that nothing in it can be told. */
  unreadable: boolean;
  registersDiffer: boolean;
  readonly entries: Entry[];
  readonly checkpoints: [number | undefined, number | undefined];
}

/** By message byte: the entry that it makes where it has no target and no bytes of one. All captures share them. */
const BARE: readonly Entry[] = Array.from({ length: 256 }, (_, byte): Entry => {
  const message = MESSAGE_OF[byte]!;
  return { message, count: message === MESSAGE.reserved ? 0 : instructionsOf(byte), bytes: 1 };
});

function addEntry(open: Open, byte: number, batch: Batch, i: number): void {
  const { entries, checkpoints } = open;
  const message = batch.native[i]!;
  const flags = batch.flags[i]!;
  const bare = BARE[byte]!;
  const isWhole = isIndirect(message) && (flags & MARK.partial) === 0;
  const target = (flags & FLAG.target) !== 0 && isBranch(message) ? batch.targetLow[i]! : undefined;
  if (bare.message === message && target === undefined && !isWhole) {
    entries.push(bare);
  } else {
    const { count } = bare;
    const bytes = isWhole ? 1 + ADDRESS_BYTES : 1;
    entries.push(target === undefined ? { message, count, bytes } : { message, count, target, bytes });
  }
  if ((flags & MARK.differs) !== 0) open.registersDiffer = true;
  if (!isCheckpointed(message) || (flags & (MARK.unkept | MARK.uncertain)) !== 0) return;
  checkpoints[(flags & MARK.older) === 0 ? 0 : 1] = target;
}

function messageByte({ decoder }: TraceReader): MessageByte {
  const { dialect, settings } = decoder;
  const { endian } = settings;
  return messageByteOf(
    DIALECTS.find((name) => name === dialect) ?? 'raw',
    endian === 'big' || endian === 'little' ? endian : 'auto',
  );
}
