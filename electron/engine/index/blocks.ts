/**
 * How a file is cut into blocks, and how the bytes of one block come into a window for the decoder.
 *
 * Block b spans the nominal bytes [b * blockBytes, (b + 1) * blockBytes); it owns the records that start there.
 * For lines the first one starts after the first LF at or after the byte before the nominal start; for units the
 * decoder's state says where the grid lies. The bytes past the nominal end that the last record needs are in the window.
 * A file decoded as a whole is one block.
 */
import type { Decoder, Framing, State, Window } from '../../../shared/format/format.ts';
import { LONG_LINE } from '../../../shared/format/format.ts';
import type { Result } from '../../../shared/base/result.ts';
import { ok } from '../../../shared/base/result.ts';
import type { BlockNumber, ByteOffset, RecordNumber } from '../../../shared/base/units.ts';
import { alignedBuffer, type Source } from '../platform/source.ts';

export interface BlockPlan {
  readonly blockBytes: number;
  readonly blocks: number;
  readonly fileBytes: number;
}

/** Where a block begins and in which state the decoder is there. */
export interface Entry {
  readonly position: ByteOffset;
  readonly state: State;
}

/** A block with all that is needed to decode it alone. */
export interface BlockStart {
  readonly block: BlockNumber;
  readonly entry: Entry;
  readonly firstRecord: RecordNumber;
}

const LINE_BLOCK = 1024 * 1024;
/** 256 Ki records of six bytes; a multiple of 12 as well. */
const UNIT_BLOCK = 1536 * 1024;
/** Bytes read past a block of lines at first: most last lines end within. */
const LINE_REST = 1024;
const LF = 10;

export function planBlocks(framing: Framing, fileBytes: number, wantedBytes?: number): BlockPlan {
  if (framing.kind === 'whole')
    return { blockBytes: Math.max(1, fileBytes), blocks: Math.min(1, fileBytes), fileBytes };
  const blockBytes = wantedBytes ?? defaultBlockBytes(framing);
  return { blockBytes, blocks: Math.ceil(fileBytes / blockBytes), fileBytes };
}

/** Returns the nominal end of a block. */
export function endOfBlock({ blockBytes, fileBytes }: BlockPlan, block: BlockNumber): ByteOffset {
  return Math.min((block + 1) * blockBytes, fileBytes);
}

function defaultBlockBytes(framing: Exclude<Framing, { kind: 'whole' }>): number {
  // Whole units, so that a block does not begin inside one.
  return framing.kind === 'lines' ? LINE_BLOCK : UNIT_BLOCK - (UNIT_BLOCK % framing.bytes);
}

/** Loads windows of one trace into a buffer of its own; a window is valid until the next load. */
export interface WindowLoader {
  /**
   * The window of a block. Without an entry the block's position is found from its bytes (lines) or from the guessed
   * state (units). A block that owns no record start has position === end.
   */
  load(block: BlockNumber, entry: Entry | undefined, guess: State): Result<Window>;
  /** The window in the buffer if it is that of a block, without reading. */
  held(block: BlockNumber): Window | undefined;
  /**
   * The window of a block of lines with only the bytes [start, end) of it: a decoder must not be called for more records. It lies in a
   * buffer of its own, and is valid until the next call. Undefined if the last line goes on after `end`.
   */
  loadPart(block: BlockNumber, start: ByteOffset, end: ByteOffset): Result<Window> | undefined;
  /** The window of the records that start in [start, end), at most a block's worth of bytes. A record starts at `start`. */
  loadBetween(start: ByteOffset, end: ByteOffset): Result<Window>;
  /** The window of the records that start in the `bytes` bytes before a block (at most a block's worth), found as for `load`. */
  loadBefore(block: BlockNumber, bytes: number, guess: State): Result<Window>;
}

export function createWindowLoader(source: Source, decoder: Decoder, plan: BlockPlan): WindowLoader {
  const framing = decoder.framing;
  const rest = restBytes(framing);
  const behind = framing.kind === 'units' ? (framing.lookbehind ?? 0) : 0;
  const buffer = alignedBuffer(1 + behind + plan.blockBytes + rest + LINE_REST);
  /** `first`: where the first record starts; undefined if only `guess` says so. */
  const loadRange = (
    start: ByteOffset,
    end: ByteOffset,
    first: ByteOffset | undefined,
    guess: State,
  ): Result<Window> =>
    framing.kind === 'lines'
      ? loadLines(source, plan, buffer, start, end)
      : loadUnits(source, plan, buffer, behind, rest, end, first ?? alignGuess(framing, start, guess));
  let partBuffer = new Uint8Array(0);
  /** The block in the buffer, which consecutive questions about one place load again. */
  let held:
    { readonly block: BlockNumber; readonly position: ByteOffset | undefined; readonly window: Window } | undefined;
  return {
    load: (block, entry, guess) => {
      if (held?.block === block && entry !== undefined && held.position === entry.position)
        return ok({ ...held.window });
      held = undefined;
      const start = block * plan.blockBytes;
      const loaded = loadRange(start, endOfBlock(plan, block), entry?.position, guess);
      if (loaded.ok && entry !== undefined) held = { block, position: entry.position, window: { ...loaded.value } };
      return loaded;
    },
    loadPart(block, start, end) {
      if (partBuffer.length < end - start) partBuffer = new Uint8Array(2 * (end - start));
      const read = source.read(start, partBuffer, 0, end - start);
      if (!read.ok) return read;
      if (partBuffer[end - start - 1] !== LF) return undefined;
      return ok({
        bytes: partBuffer,
        length: read.value,
        base: start,
        position: start,
        end: endOfBlock(plan, block),
        lastLineEnd: end,
        fileEnd: plan.fileBytes,
      });
    },
    held: (block) => (held?.block === block ? held.window : undefined),
    loadBetween: (start, end) => {
      held = undefined;
      return loadRange(start, end, start, {});
    },
    loadBefore: (block, bytes, guess) => {
      held = undefined;
      const end = block * plan.blockBytes;
      return loadRange(Math.max(0, end - Math.min(bytes, plan.blockBytes)), end, undefined, guess);
    },
  };
}

/** Bytes that a window may hold past the nominal end of its block. */
function restBytes(framing: Framing): number {
  switch (framing.kind) {
    case 'lines':
      return LONG_LINE;
    case 'units':
      return framing.bytes + framing.lookahead;
    case 'whole':
      return 0;
  }
}

function alignGuess(framing: Framing, start: ByteOffset, guess: State): ByteOffset {
  return start === 0 || framing.kind !== 'units' ? start : framing.align(start, guess);
}

function loadUnits(
  source: Source,
  plan: BlockPlan,
  buffer: Uint8Array,
  behind: number,
  rest: number,
  end: ByteOffset,
  start: ByteOffset,
): Result<Window> {
  const position = Math.min(start, plan.fileBytes);
  const base = Math.max(0, position - behind);
  const wanted = Math.max(0, Math.min(end + rest, plan.fileBytes) - base);
  const read = source.read(base, buffer, 0, wanted);
  if (!read.ok) return read;
  return ok({
    bytes: buffer,
    length: read.value,
    base,
    position,
    end: Math.max(end, position),
    lastLineEnd: plan.fileBytes,
    fileEnd: plan.fileBytes,
  });
}

/** The window of the lines that start in [start, end). */
function loadLines(
  source: Source,
  plan: BlockPlan,
  buffer: Uint8Array,
  start: ByteOffset,
  end: ByteOffset,
): Result<Window> {
  const base = start === 0 ? 0 : start - 1;
  let length = Math.min(end + LINE_REST, plan.fileBytes) - base;
  const read = source.read(base, buffer, 0, length);
  if (!read.ok) return read;
  const position = start === 0 ? 0 : firstLineStart(buffer, base, length, end);
  const window = { bytes: buffer, base, position, end, fileEnd: plan.fileBytes };
  if (position >= end || end === plan.fileBytes)
    return ok({ ...window, position: Math.min(position, end), length, lastLineEnd: plan.fileBytes });

  // The last line of the block is the one that holds the byte before `end`; its LF may be that very byte.
  let lf = buffer.subarray(0, length).indexOf(LF, end - 1 - base);
  if (lf < 0 && base + length < plan.fileBytes) {
    const more = Math.min(end + LONG_LINE, plan.fileBytes) - (base + length);
    const extended = source.read(base + length, buffer, length, more);
    if (!extended.ok) return extended;
    lf = buffer.subarray(0, length + more).indexOf(LF, length);
    length += more;
  }
  if (lf >= 0) return ok({ ...window, length: lf + 1, lastLineEnd: base + lf + 1 });
  const lineEnd = scanForLineEnd(source, plan, base + length);
  if (!lineEnd.ok) return lineEnd;
  return ok({ ...window, length, lastLineEnd: lineEnd.value });
}

/** `end` where no line starts before it. */
function firstLineStart(buffer: Uint8Array, base: ByteOffset, length: number, end: ByteOffset): ByteOffset {
  const lf = buffer.subarray(0, length).indexOf(LF);
  return lf < 0 ? end : Math.min(base + lf + 1, end);
}

function scanForLineEnd(source: Source, plan: BlockPlan, from: ByteOffset): Result<ByteOffset> {
  const chunk = new Uint8Array(LINE_BLOCK);
  for (let at = from; at < plan.fileBytes; at += chunk.length) {
    const read = source.read(at, chunk, 0, Math.min(chunk.length, plan.fileBytes - at));
    if (!read.ok) return read;
    const lf = chunk.subarray(0, read.value).indexOf(LF);
    if (lf >= 0) return ok(at + lf + 1);
  }
  return ok(plan.fileBytes);
}
