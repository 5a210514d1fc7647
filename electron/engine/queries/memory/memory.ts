/**
 * Returns the known contents of a stretch of memory after a record took effect, with the last writer and the last access of each byte.
 *
 * The search runs from newest to oldest. The block of the record is decoded up to the record. Then the index identifies the earlier
 * stretches that affected the unresolved bytes, and its touch rows contain the records and values.
 */
import {
  KNOWN,
  type Answer,
  type Arguments,
  type Reach,
  type SearchProgress,
  type UnusedSegment,
} from '../../../../shared/requests/requests.ts';
import { FLAG } from '../../../../shared/records/batch.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, Hex, PageNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { SPAN_HIGH, SPAN_LOW } from '../../collections/byte-sets.ts';
import type { MaskReader } from '../../index/builders/memory/page-masks.ts';
import { TOUCH } from '../../index/builders/memory/page-touches.ts';
import { answerInSlices, type Steps } from '../../threads/in-slices.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import { disassemblerFor } from '../images/branch-matches.ts';
import { blocksNotSkippedBackwards, nodesReady } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { RowStream } from '../../index/store/node-rows.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { isWrite, nextAccess, offsetInSpan, READ_KINDS, WRITE_KINDS } from '../access/accesses.ts';
import { visitBatches } from '../records/block-reader.ts';
import { addImage } from './from-image.ts';
import { addOpcodes } from './opcodes.ts';
import { mayTouch, someMasks, someTouches, spanOf, type Span } from '../records/span.ts';

type View = Omit<Answer<'memory'>, 'at' | 'address' | 'reach'>;

type Question = Omit<Arguments<'memory'>, 'trace'>;

/** Returns memory contents known from data accesses. Ignores `opcodes` and `image`. */
export function* memorySteps(trace: Trace, args: Question): Steps<Answer<'memory'>> {
  const reach = reachOf(trace);
  const held = yield* heldAt(trace, args);
  return held.ok ? ok(answer(args, held.value.view, reach)) : held;
}

/** Returns memory contents. If `opcodes` is set, executed opcodes are used as well, which may take longer; images if `image` is set. */
export async function memory(
  trace: Trace,
  args: Question,
  task: Task<SearchProgress>,
): Promise<Result<Answer<'memory'>>> {
  const reach = reachOf(trace);
  const held = await answerInSlices(heldAt(trace, args), task, (at) => task.progress(() => ({ at })));
  if (!held.ok) return held;
  const { span, view, since } = held.value;
  if (args.opcodes === true) {
    const added = await addOpcodes(trace, { at: args.at, span }, view, since, task);
    if (!added.ok) return added;
  }
  if (args.image !== true) return ok(answer(args, view, reach));
  const steps = addImage(trace, span, view, since, await disassemblerFor(trace));
  const unused = await answerInSlices(steps, task);
  return unused.ok ? ok({ ...answer(args, view, reach), unused: unused.value }) : unused;
}

/**
 * Returns memory contents known from data accesses and, where no record up to `at` affected a byte, from program images. Without `at`:
 * before the first record.
 */
export function* memoryWithImage(
  trace: Trace,
  { at, address, length }: { readonly at: RecordNumber | undefined; readonly address: Hex; readonly length: number },
  disassembler: Disassembler | undefined,
): Steps<Pick<View, 'bytes' | 'known'> & { readonly unused: readonly UnusedSegment[] }> {
  const held =
    at === undefined ? ok(nothingHeld(BigInt(address), length)) : yield* heldAt(trace, { at, address, length });
  if (!held.ok) return held;
  const { span, view, since } = held.value;
  const unused = yield* addImage(trace, span, view, since, disassembler);
  return unused.ok ? ok({ ...view, unused: unused.value }) : unused;
}

function nothingHeld(low: bigint, length: number): Held {
  const span = spanOf(low, low + BigInt(length) - 1n);
  return { span, view: createView(length), since: new Float64Array(length).fill(-1) };
}

function answer({ at, address }: Question, view: View, reach: Reach): Answer<'memory'> {
  return { at, address, ...view, reach };
}

interface Held {
  readonly span: Span;
  readonly view: View;
  readonly since: Float64Array;
}

/** Yields the first record of each earlier block that it decoded. */
function* heldAt(trace: Trace, { at, address, length }: Question): Steps<Held> {
  const low = BigInt(address);
  const span = spanOf(low, low + BigInt(length) - 1n);
  const view = createView(length);
  const state = {
    ...view,
    since: new Float64Array(length).fill(-1),
    firstPage: span.firstPage,
    lines: openLines(span),
  };
  const { blocks } = trace;
  if (blocks.length > 0) {
    const last = blocks.blockOfRecord(Math.min(at, blocks.records - 1));
    const read = addBlock(trace, last, at, span, state);
    if (!read.ok) return read;
    const before = yield* addBlocksBefore(trace, last, span, state);
    if (!before.ok) return before;
  }
  return ok({ span, view, since: state.since });
}

function createView(length: number): View {
  return {
    length,
    bytes: new Uint8Array(length),
    known: new Uint8Array(length),
    writers: new Float64Array(length).fill(-1),
    touched: new Float64Array(length).fill(-1),
  };
}

/** The bytes of a line whose last access, last writer or value is still unknown, as bit sets. */
interface OpenLine {
  /** Offset of byte 0 of the line from the first byte of the span. */
  readonly offset: number;
  touchLow: number;
  touchHigh: number;
  writeLow: number;
  writeHigh: number;
  valueLow: number;
  valueHigh: number;
}

interface State extends View {
  readonly firstPage: PageNumber;
  /** Keyed by `lineKey`. Lines without unresolved bytes are removed. */
  readonly lines: Map<number, OpenLine>;
  /** Per byte: the record that determined its state in the view, or -1. */
  readonly since: Float64Array;
}

/** Numbers lines from the first page of the span. Line numbers of the whole address space would exceed exact doubles. */
function lineKey({ firstPage }: Pick<Span, 'firstPage'>, page: PageNumber, line: number): number {
  return (page - firstPage) * 64 + line;
}

function openLines(span: Span): Map<number, OpenLine> {
  const lines = new Map<number, OpenLine>();
  for (let line = span.low >> 6n; line <= span.high >> 6n; line++) {
    const start = line << 6n;
    const from = span.low > start ? Number(span.low - start) : 0;
    const to = span.high < start + 63n ? Number(span.high - start) : 63;
    const low = SPAN_LOW[from * 65 + to - from + 1]!;
    const high = SPAN_HIGH[from * 65 + to - from + 1]!;
    lines.set(lineKey(span, Number(line >> 6n), Number(line & 63n)), {
      offset: Number(start - span.low),
      ...{ touchLow: low, touchHigh: high, writeLow: low, writeHigh: high, valueLow: low, valueHigh: high },
    });
  }
  return lines;
}

/** Decodes a block and applies the effects of its records up to `at` to the unresolved bytes. */
function addBlock(trace: Trace, block: BlockNumber, at: RecordNumber, span: Span, state: State): Result<undefined> {
  const its = createView(state.length);
  /** Per byte: the record that determined its state, as in State. */
  const since = new Float64Array(state.length).fill(-1);
  const read = visitBatches(trace, block, 0, ({ batch, first }) => {
    const end = Math.min(batch.count, at - first + 1);
    const kinds = READ_KINDS | WRITE_KINDS;
    for (let i = nextAccess(batch, kinds, span, 0, end); i < end; i = nextAccess(batch, kinds, span, i + 1, end)) {
      const writes = isWrite(batch, i);
      const valued = (batch.flags[i]! & FLAG.value) !== 0;
      const offset = offsetInSpan(batch, i, span);
      const to = Math.min(state.length, offset + Math.max(1, batch.size[i]!));
      for (let byte = Math.max(0, offset); byte < to; byte++) {
        its.touched[byte] = first + i;
        if (writes) its.writers[byte] = first + i;
        if (!writes && !valued) continue;
        since[byte] = first + i;
        its.known[byte] = valued ? KNOWN.data : KNOWN.not;
        its.bytes[byte] = valued ? batch.values.bytes[batch.valueAt[i]! + byte - offset]! : 0;
      }
    }
    return first + batch.count <= at;
  });
  if (!read.ok) return read;
  for (let byte = 0; byte < state.length; byte++) {
    if (its.touched[byte]! < 0) continue;
    const { line, key, bit, isHigh } = placeOf(span, byte, state);
    if (line === undefined) continue;
    if (take(line, 'touch', isHigh, bit)) state.touched[byte] = its.touched[byte]!;
    if (its.writers[byte]! >= 0 && take(line, 'write', isHigh, bit)) state.writers[byte] = its.writers[byte]!;
    if (since[byte]! >= 0 && take(line, 'value', isHigh, bit)) {
      state.since[byte] = since[byte]!;
      state.known[byte] = its.known[byte]!;
      state.bytes[byte] = its.bytes[byte]!;
    }
    closeIfDone(state, key, line);
  }
  return ok(undefined);
}

function placeOf(
  span: Span,
  byte: number,
  { lines }: State,
): { readonly line: OpenLine | undefined; readonly key: number; readonly bit: number; readonly isHigh: boolean } {
  const inPage = (span.lowLow & 4095) + byte;
  const key = Math.floor(inPage / 64);
  return { line: lines.get(key), key, bit: 1 << (inPage & 31), isHigh: (inPage & 32) !== 0 };
}

/** Marks a byte as resolved. Returns true if it was unresolved before. */
function take(line: OpenLine, what: 'touch' | 'write' | 'value', isHigh: boolean, bit: number): boolean {
  const half = `${what}${isHigh ? 'High' : 'Low'}` as const;
  if ((line[half] & bit) === 0) return false;
  line[half] &= ~bit;
  return true;
}

function closeIfDone({ lines }: State, key: number, line: OpenLine): void {
  const open = line.touchLow | line.touchHigh | line.writeLow | line.writeHigh | line.valueLow | line.valueHigh;
  if (open === 0) lines.delete(key);
}

function* addBlocksBefore(trace: Trace, block: BlockNumber, span: Span, state: State): Steps<undefined> {
  const { blocks, index, ingest } = trace;
  const done = blocks.length;
  const { complete } = ingest;
  const ready = (level: number): number => nodesReady(level, done, complete);
  const skip = (level: number, node: number): boolean => {
    if (state.lines.size === 0) return true;
    if (level > 0) {
      const rows = index.rows(NODE.masks, level, node, span.firstPage, span.lastPage);
      if (rows !== undefined) return !someMasks(rows, span, (page, masks) => concerns(state, page, masks));
    } else {
      const rows = index.rows(NODE.touches, 0, node, span.firstPage, span.lastPage);
      if (rows !== undefined) {
        addTouches(state, rows, span, blocks.firstRecord(node));
        return true;
      }
    }
    return !mayTouch(index, level, node, span, READ_KINDS | WRITE_KINDS);
  };
  for (const candidate of blocksNotSkippedBackwards(0, block, ready, skip)) {
    const read = addBlock(trace, candidate, Number.MAX_SAFE_INTEGER, span, state);
    if (!read.ok) return read;
    yield blocks.firstRecord(candidate);
  }
  return ok(undefined);
}

/** Returns true if the stretch may resolve a byte of the line. */
function concerns(state: State, page: PageNumber, masks: MaskReader): boolean {
  const line = state.lines.get(lineKey(state, page, masks.line));
  if (line === undefined) return false;
  const { touchedLow, touchedHigh, writtenLow, writtenHigh, knownLow, knownHigh } = masks;
  return (
    ((touchedLow & line.touchLow) | (touchedHigh & line.touchHigh)) !== 0 ||
    ((writtenLow & line.writeLow) | (writtenHigh & line.writeHigh)) !== 0 ||
    (((writtenLow | knownLow) & line.valueLow) | ((writtenHigh | knownHigh) & line.valueHigh)) !== 0
  );
}

/** Applies the accesses of a block to the unresolved bytes, the newest of each line first. */
function addTouches(state: State, rows: RowStream, span: Span, firstRecord: RecordNumber): void {
  someTouches(rows, span, (page, touch) => {
    const key = lineKey(state, page, touch.line);
    const line = state.lines.get(key);
    if (line === undefined) return false;
    const record = firstRecord + touch.record;
    const writes = (touch.flags & TOUCH.write) !== 0;
    const valued = (touch.flags & TOUCH.value) !== 0;
    for (let k = 0; k < touch.size; k++) {
      const inLine = touch.start + k;
      const byte = line.offset + inLine;
      if (byte < 0 || byte >= state.length) continue;
      const bit = 1 << (inLine & 31);
      const isHigh = inLine > 31;
      if (take(line, 'touch', isHigh, bit)) state.touched[byte] = record;
      if (writes && take(line, 'write', isHigh, bit)) state.writers[byte] = record;
      if ((writes || valued) && take(line, 'value', isHigh, bit)) {
        state.since[byte] = record;
        state.known[byte] = valued ? KNOWN.data : KNOWN.not;
        state.bytes[byte] = valued ? touch.bytes[touch.valueAt + k]! : 0;
      }
    }
    closeIfDone(state, key, line);
    return state.lines.size === 0;
  });
}
