/** Assembles captures from batches of records. Batches, blocks and gaps may cut a capture anywhere. */
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
  /** Number of the capture in the file, as the option `capture` counts. */
  readonly capture: number;
  /** File offsets of its beginning and end. The end includes checkpoint registers after the buffer. */
  readonly start: ByteOffset;
  readonly end: ByteOffset;
  /** First record and number of records: each entry is a record, and a buffer that cannot be decoded is one record. */
  readonly first: RecordNumber;
  readonly records: number;
  /** Oldest first; empty if the buffer is empty or cannot be decoded. */
  readonly entries: readonly Entry[];
  /** Known targets of the entries that CHKPT0 and CHKPT1 belong to. */
  readonly checkpoints: readonly [number | undefined, number | undefined];
  /** A checkpoint register holds another target than the bytes of its entry. */
  readonly registersDiffer: boolean;
  /** Bytes at the front of the buffer were never written. */
  readonly unwritten: boolean;
}

export interface CaptureAssembler {
  /** Starts a block, whose entry state is given. */
  enter(state: State): void;
  /** Returns false once the visitor wants no more. `batch.first` counts from the first record of the trace. */
  add(window: Window, batch: Batch): boolean;
  /** Completes the open capture. */
  finish(): void;
  /** Returns true as long as the visitor wants more captures. */
  continues(): boolean;
}

/** Returns the length of a capture in bytes if all have the same, otherwise 0. */
export function unitOf({ decoder: { framing } }: TraceReader): number {
  return framing.kind === 'units' ? framing.bytes : 0;
}

/** Creates an assembler that calls `visit` for each complete capture until it returns false. */
export function createAssembler(reader: TraceReader, visit: (capture: CaptureContent) => boolean): CaptureAssembler {
  const unit = unitOf(reader);
  const byteOf = messageByte(reader);
  let open: Open | undefined;
  let wanted = true;
  const continues = (): boolean => wanted;
  let phase = 0;
  /** Number of the next capture if captures differ in length. */
  let number = 0;
  /** File offset of a header or of unwritten bytes before the next capture; -1 if there are none. */
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
    wanted = visit({ ...content, capture: numberAt(inside), records });
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
        if (!wanted) break;
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
      if (!wanted) return;
      begin(front < 0 ? offset : front, offset, batch.first + i);
    }
    // Records at the start of the first block may belong to a capture that begins in an earlier block.
    if (open === undefined) return;
    open.end = batch.end[i]!;
    if (batch.native[i]! === MESSAGE.buffer) open.unreadable = true;
    else addEntry(open, byteOf(window, batch, i), batch, i);
  };

  /** Adds records, starting at `i` and before offset `end`, that their message byte describes completely. Returns the next record. */
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
    continues,
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
        if (!wanted) return false;
      }
      return true;
    },
    finish() {
      if (wanted) close();
    },
  };
}

interface Open {
  readonly start: ByteOffset;
  readonly first: RecordNumber;
  readonly unwritten: boolean;
  end: ByteOffset;
  /** File offset of its first record. */
  inside: ByteOffset;
  /** The last byte is no message, so its entries cannot be separated. */
  unreadable: boolean;
  registersDiffer: boolean;
  readonly entries: Entry[];
  readonly checkpoints: [number | undefined, number | undefined];
}

/** By message byte: the entry without a target and without target bytes. All captures share these objects. */
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
