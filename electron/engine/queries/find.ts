/**
 * Next and previous records that match: whole ranges of blocks that cannot hold a match are skipped by the find pyramid,
 * the rest is decoded.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments, FindProgress } from '../../../shared/api.ts';
import { FLAG, type Batch } from '../../../shared/batch.ts';
import { latin1 } from '../../../shared/bytes.ts';
import { KIND, type RecordView } from '../../../shared/record.ts';
import { assert, fail, ok, type Result } from '../../../shared/result.ts';
import { addressToPage, highHalf, lowHalf, type BlockNumber, type PageNumber } from '../../../shared/units.ts';
import type { Task } from '../task.ts';
import { blocksNotSkipped, blocksNotSkippedBackwards, nodesReady } from '../pyramid.ts';
import { reachOf, type Trace } from '../trace.ts';
import { recordBytes, recordView, visitBatches, type Decoded } from './block-reader.ts';

const ALL_KINDS = 2 ** 18 - 1;
const SLICE_MS = 8;
const REPORT_MS = 100;

/** The address span of a question, both ends inclusive. */
interface Span {
  readonly low: bigint;
  readonly high: bigint;
  readonly lowLow: number;
  readonly lowHigh: number;
  readonly highLow: number;
  readonly highHigh: number;
  readonly firstPage: PageNumber;
  readonly lastPage: PageNumber;
}

interface Question {
  /** Bit k set: records of KINDS[k] may match. */
  readonly kinds: number;
  readonly span: Span | undefined;
  readonly value: bigint | undefined;
  readonly text: RegExp | undefined;
}

export async function find(
  trace: Trace,
  args: Omit<Arguments<'find'>, 'trace'>,
  task: Task<FindProgress>,
): Promise<Result<Answer<'find'>>> {
  const question = read(args);
  if (!question.ok) return question;
  const { blocks } = trace;
  const limit = args.limit ?? 1;
  const records: RecordView[] = [];
  const backwards = args.before !== undefined;
  const from = args.after === undefined ? 0 : args.after + 1;
  const to = Math.min(args.before ?? blocks.records, blocks.records);
  if (from >= to || limit <= 0) return ok({ records, reach: reachOf(trace) });

  const firstBlock = blocks.blockOfRecord(from);
  const endBlock = blocks.blockOfRecord(to - 1) + 1;
  const complete = trace.ingest.complete;
  const done = blocks.length;
  const ready = (level: number): number => nodesReady(level, done, complete);
  const skip = (level: number, node: number): boolean => cannotMatch(trace, question.value, level, node);
  const candidates = backwards
    ? blocksNotSkippedBackwards(firstBlock, endBlock, ready, skip)
    : blocksNotSkipped(firstBlock, endBlock, ready, skip);

  let sliceEnd = performance.now() + SLICE_MS;
  let nextReport = performance.now() + REPORT_MS;
  for (const block of candidates) {
    const searched = backwards
      ? searchBackwards(trace, question.value, block, from, to, limit, records)
      : searchForwards(trace, question.value, block, from, to, limit, records);
    if (!searched.ok) return searched;
    if (records.length >= limit) break;
    const now = performance.now();
    if (now >= nextReport) {
      task.report({ at: blocks.firstRecord(block), found: records.length });
      nextReport = now + REPORT_MS;
    }
    if (now < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return ok({ records, reach: reachOf(trace) });
}

function read(args: Omit<Arguments<'find'>, 'trace'>): Result<Question> {
  if (args.after !== undefined && args.before !== undefined)
    return fail('usage', 'find looks after a record or before one, not both');
  let text: RegExp | undefined;
  if (args.text !== undefined) {
    try {
      text = new RegExp(args.text, 'u');
    } catch (error) {
      return fail(
        'usage',
        `'${args.text}' is not a regular expression: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return ok({
    kinds: args.kinds === undefined ? ALL_KINDS : args.kinds.reduce((bits, kind) => bits | (1 << KIND[kind]), 0),
    span: args.address === undefined ? undefined : spanOf(BigInt(args.address.low), BigInt(args.address.high)),
    value: args.value === undefined ? undefined : BigInt(args.value),
    text,
  });
}

function spanOf(low: bigint, high: bigint): Span {
  return {
    low,
    high,
    lowLow: lowHalf(low),
    lowHigh: highHalf(low),
    highLow: lowHalf(high),
    highHigh: highHalf(high),
    firstPage: addressToPage(low),
    lastPage: addressToPage(high),
  };
}

/** Whether a node of the pyramid certainly holds no match. */
function cannotMatch(trace: Trace, { kinds, span }: Question, level: number, node: number): boolean {
  if (level === 0 && (trace.blocks.kindsPresent(node) & kinds) === 0) return true;
  if (span === undefined) return false;
  const rows = trace.index.findRows(level, node, span.firstPage, span.lastPage);
  if (rows === undefined) return false;
  for (const columns of iterate(rows)) {
    for (let i = 0; i < columns.length; i++) {
      const page = columns.page[i]!;
      if (page < span.firstPage || page > span.lastPage || (kinds & (1 << columns.kind[i]!)) === 0) continue;
      const from = page === span.firstPage ? (span.lowLow >>> 6) & 63 : 0;
      const to = page === span.lastPage ? (span.highLow >>> 6) & 63 : 63;
      if (anyLine(columns.lineLow[i]!, columns.lineHigh[i]!, from, to)) return false;
    }
  }
  return true;
}

function* iterate<T>(iterator: Iterator<T, undefined>): Generator<T, undefined> {
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) yield next.value;
  return undefined;
}

function anyLine(low: number, high: number, from: number, to: number): boolean {
  return (
    (low & bitsBetween(from, Math.min(to, 31))) !== 0 || (high & bitsBetween(Math.max(from - 32, 0), to - 32)) !== 0
  );
}

/** Bits from..to set, none when to < from. */
function bitsBetween(from: number, to: number): number {
  if (to < from) return 0;
  return (-1 << from) & (-1 >>> (31 - to));
}

function searchForwards(
  trace: Trace,
  question: Question,
  block: BlockNumber,
  from: number,
  to: number,
  limit: number,
  found: RecordView[],
): Result<undefined> {
  const first = trace.blocks.firstRecord(block);
  return visitBatches(trace, block, Math.max(0, from - first), (decoded) => {
    const start = Math.max(0, from - decoded.first);
    const end = Math.min(decoded.batch.count, to - decoded.first);
    for (
      let i = nextMatch(decoded.batch, question, start, end);
      i < end;
      i = nextMatch(decoded.batch, question, i + 1, end)
    ) {
      const view = confirmed(trace, question, decoded, i);
      if (view !== undefined) found.push(view);
      if (found.length >= limit) return false;
    }
    return decoded.first + decoded.batch.count < to;
  });
}

function searchBackwards(
  trace: Trace,
  question: Question,
  block: BlockNumber,
  from: number,
  to: number,
  limit: number,
  found: RecordView[],
): Result<undefined> {
  const first = trace.blocks.firstRecord(block);
  // Batches decode forwards only: the last `wanted` matches of the block are kept.
  const wanted = limit - found.length;
  let kept: RecordView[] = [];
  const read = visitBatches(trace, block, Math.max(0, from - first), (decoded) => {
    const start = Math.max(0, from - decoded.first);
    const end = Math.min(decoded.batch.count, to - decoded.first);
    if (question.value === undefined && question.text === undefined) {
      // Every candidate is a match: only the last ones of the batch need describing.
      const matches: number[] = [];
      for (
        let i = nextMatch(decoded.batch, question, start, end);
        i < end;
        i = nextMatch(decoded.batch, question, i + 1, end)
      )
        matches.push(i);
      kept.push(...matches.slice(-wanted).map((i) => recordView(trace, decoded, i)));
    } else {
      for (
        let i = nextMatch(decoded.batch, question, start, end);
        i < end;
        i = nextMatch(decoded.batch, question, i + 1, end)
      ) {
        const view = confirmed(trace, question, decoded, i);
        if (view !== undefined) kept.push(view);
      }
    }
    if (kept.length > wanted) kept = kept.slice(-wanted);
    return decoded.first + decoded.batch.count < to;
  });
  found.push(...kept.reverse());
  return read;
}

/** Index of the next record in [from, end) whose kind and address match; `end` where there is none. */
function nextMatch(batch: Batch, { kinds, span }: Question, from: number, end: number): number {
  const { kind, flags, addressLow, addressHigh, size } = batch;
  if (span === undefined) {
    for (let i = from; i < end; i++) if ((kinds & (1 << kind[i]!)) !== 0) return i;
    return end;
  }
  const { lowLow, lowHigh, highLow, highHigh } = span;
  for (let i = from; i < end; i++) {
    // Most records are elsewhere: the address alone rules them out.
    const high = addressHigh[i]!;
    const low = addressLow[i]!;
    if (high > highHigh || (high === highHigh && low > highLow)) continue;
    // Carry of the last byte touched, which may lie above 4 GiB.
    const lastLow = low + Math.max(1, size[i]!) - 1;
    const lastHigh = lastLow > 0xffffffff ? high + 1 : high;
    if (lastHigh < lowHigh || (lastHigh === lowHigh && (lastLow > 0xffffffff ? lastLow - 2 ** 32 : lastLow) < lowLow))
      continue;
    if ((flags[i]! & FLAG.address) !== 0 && (kinds & (1 << kind[i]!)) !== 0) return i;
  }
  return end;
}

/** The record in full when its value and text match as well. */
function confirmed(trace: Trace, question: Question, decoded: Decoded, index: number): RecordView | undefined {
  if (question.text !== undefined && trace.reader.decoder.framing.kind === 'lines') {
    const found =
      question.text.test(lineText(recordBytes(decoded, index))) ||
      // What a numbered event is called, its line may not say.
      (decoded.batch.kind[index] === KIND.event && question.text.test(recordView(trace, decoded, index).text ?? ''));
    if (!found) return undefined;
    if (question.value === undefined) return recordView(trace, decoded, index);
  }
  const view = recordView(trace, decoded, index);
  if (question.value !== undefined && !hasValue(view, question.value)) return undefined;
  if (question.text !== undefined && trace.reader.decoder.framing.kind !== 'lines') {
    assert(typeof view.native === 'string', 'every record has a name');
    if (!question.text.test([view.native, view.text ?? '', ...(view.flags ?? [])].join(' '))) return undefined;
  }
  return view;
}

/** Whether the record's value is this one, or that of any register that it sets. */
function hasValue({ value, registers }: RecordView, wanted: bigint): boolean {
  if (value !== undefined && BigInt(value) === wanted) return true;
  return registers?.some(([, one]) => BigInt(one) === wanted) ?? false;
}

const UTF8 = new TextDecoder();

/** A line without its end. */
function lineText(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 10 || bytes[end - 1] === 13)) end--;
  const line = bytes.slice(0, end);
  return line.every((byte) => byte < 128) ? latin1(line) : UTF8.decode(line);
}
