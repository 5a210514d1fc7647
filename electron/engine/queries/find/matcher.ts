/**
 * Finds the matching records of one block. Text is searched in all lines of the block at once, and only blocks that contain it are decoded.
 * Batch columns are tested before a record is described.
 */
import type { Batch } from '../../../../shared/records/batch.ts';
import { resetBatch } from '../../../../shared/records/batch.ts';
import { LONG_LINE, type Decoder, type Window } from '../../../../shared/format/format.ts';
import { KIND, kindBits, type RecordView } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { TraceReader } from '../../index/trace-reader.ts';
import type { Decoded } from '../records/block-reader.ts';
import type { BlockStart } from '../../index/blocks.ts';
import { nextInColumns } from './columns.ts';
import type { Question } from './question.ts';
import { anyStretch, textScan, type TextScan } from './text-scan.ts';
import { createWordsTest, type WordsTest } from './words-test.ts';
import { createValueFilter, createValueTest, valuePattern } from './value-test.ts';

/** A block with the facts that the index holds about it. */
export interface SearchedBlock extends BlockStart {
  /** Bit k set: the block has records of KINDS[k]. */
  readonly kinds: number;
}

export interface Matcher {
  /**
   * Visits the matches of a block in [from, to), batch by batch. `indexes` are the ascending positions in the batch. They and the batch are
   * only valid during the visit. Stops when `visit` returns false.
   */
  block(block: SearchedBlock, from: RecordNumber, to: RecordNumber, visit: VisitMatches): Result<undefined>;
  /** Returns the matches of one batch that the caller decoded, for a question without text. */
  batch(decoded: Decoded, from: RecordNumber, to: RecordNumber): readonly number[];
}

export type VisitMatches = (decoded: Decoded, indexes: readonly number[]) => boolean;

export function createMatcher(reader: TraceReader, batch: Batch, criteria: Question): Matcher {
  const { decoder, loader } = reader;
  const question = { ...criteria, kinds: criteria.kinds & answeringKinds(decoder, criteria) };
  const { framing } = decoder;
  const scan = question.text === undefined ? undefined : textScan(question.text);
  const scansLines = scan !== undefined && framing.kind === 'lines' && framing.parts !== true;
  const filter = question.value === undefined ? undefined : createValueFilter(question.value, framing.kind === 'lines');
  const holdsValue = question.value === undefined ? undefined : createValueTest(question.value);
  const pattern =
    question.value !== undefined && decoder.valuesAsDigits === true ? valuePattern(question.value) : undefined;
  const sets = question.register === undefined ? undefined : createRegisterTest(decoder, question.register);
  const words = scan === undefined || framing.kind === 'lines' ? undefined : wordsTest(decoder, scan);
  const indexes: number[] = [];
  if (question.kinds === 0) return { block: () => ok(undefined), batch: () => indexes };

  return {
    block: scansLines ? scannedBlock : decodedBlock,
    batch: (decoded, from, to) => {
      inBatch(decoded, from, to, undefined);
      return indexes;
    },
  };

  function scannedBlock(
    block: SearchedBlock,
    from: RecordNumber,
    to: RecordNumber,
    visit: VisitMatches,
  ): Result<undefined> {
    const loaded = loader.load(block.block, block.entry, block.entry.state);
    if (!loaded.ok) return loaded;
    const lines = scan?.lines(loaded.value, loaded.value.position);
    // The name of a numbered event may be missing from its line.
    const events = (block.kinds & question.kinds & (1 << KIND.event)) !== 0;
    if (lines === undefined || (lines.length === 0 && !events)) return ok(undefined);
    const last = events ? Number.POSITIVE_INFINITY : lines.at(-1)!;
    return decode(loaded.value, block, from, to, last, lines, visit);
  }

  function decodedBlock(
    block: SearchedBlock,
    from: RecordNumber,
    to: RecordNumber,
    visit: VisitMatches,
  ): Result<undefined> {
    const loaded = loader.load(block.block, block.entry, block.entry.state);
    if (!loaded.ok) return loaded;
    if (pattern !== undefined && !anyStretch(loaded.value, (part) => pattern.test(part.toString('latin1'))))
      return ok(undefined);
    return decode(loaded.value, block, from, to, Number.POSITIVE_INFINITY, undefined, visit);
  }

  /** Decodes up to and including the record that starts at `last`. */
  function decode(
    window: Window,
    { entry, firstRecord }: SearchedBlock,
    from: RecordNumber,
    to: RecordNumber,
    last: number,
    lines: readonly number[] | undefined,
    visit: VisitMatches,
  ): Result<undefined> {
    let state = entry.state;
    let first = firstRecord;
    while (window.position < window.end && window.position <= last && first < to) {
      resetBatch(batch, first - firstRecord);
      state = decoder.decode(window, state, batch);
      const decoded = { batch, window, first };
      if (first + batch.count > from) {
        inBatch(decoded, from, to, lines);
        if (indexes.length > 0 && !visit(decoded, indexes)) break;
      }
      first += batch.count;
    }
    return ok(undefined);
  }

  function inBatch(decoded: Decoded, from: RecordNumber, to: RecordNumber, lines: readonly number[] | undefined): void {
    const start = Math.max(0, from - decoded.first);
    const end = Math.min(decoded.batch.count, to - decoded.first);
    indexes.length = 0;
    words?.prepare(decoded, start, end);
    if (words !== undefined && filter === undefined && sets === undefined && question.span === undefined) {
      words.addMatches(question.kinds, start, end, indexes);
      return;
    }
    if (lines === undefined) {
      for (let i = next(decoded, start, end); i < end; i = next(decoded, i + 1, end)) {
        if (scan === undefined || hasText(decoded, i, scan)) indexes.push(i);
      }
      return;
    }
    let line = lowerBound(lines, decoded.batch.start[start]!);
    for (let i = next(decoded, start, end); i < end; i = next(decoded, i + 1, end)) {
      const at = decoded.batch.start[i]!;
      while (line < lines.length && lines[line]! < at) line++;
      if (lines[line] === at || nameHasText(decoded, i)) indexes.push(i);
    }
  }

  /** Returns the next record that matches all criteria except text. */
  function next(decoded: Decoded, from: number, end: number): number {
    let i = nextInColumns(decoded.batch, question, from, end);
    if (filter === undefined && sets === undefined) return i;
    while (i < end && !(isSet(decoded, i) && hasValue(decoded, i))) {
      i = nextInColumns(decoded.batch, question, i + 1, end);
    }
    return i;
  }

  function isSet(decoded: Decoded, index: number): boolean {
    return sets === undefined || sets(decoded, index);
  }

  function hasValue(decoded: Decoded, index: number): boolean {
    if (filter === undefined || holdsValue === undefined) return true;
    const { batch, window } = decoded;
    const at = batch.start[index]! - window.base;
    const known = filter(batch, index, window.bytes, at, endOf(decoded, index));
    return known ?? holdsValue(decoder.describe(bytesOf(decoded, index), batch, index));
  }

  function hasText(decoded: Decoded, index: number, { matches }: TextScan): boolean {
    return words === undefined ? matches(bytesOf(decoded, index)) || nameHasText(decoded, index) : words.hasText(index);
  }

  function nameHasText(decoded: Decoded, index: number): boolean {
    if (scan === undefined || decoded.batch.kind[index] !== KIND.event) return false;
    return scan.matchesText(decoder.describe(bytesOf(decoded, index), decoded.batch, index).text ?? '');
  }
}

/** Returns the kinds (bit k: KINDS[k]) whose records can have the wanted value or register. */
function answeringKinds({ valuedKinds }: Decoder, { value, register }: Question): number {
  if (valuedKinds === undefined || (value === undefined && register === undefined)) return ~0;
  return kindBits(valuedKinds);
}

/** Tests the name, text and marks of a record, for formats that are not text. */
function wordsTest(decoder: Decoder, { matchesText }: TextScan): WordsTest {
  const wordsOf = (decoded: Decoded, index: number): string => {
    const { native, text, flags } = decoder.describe(bytesOf(decoded, index), decoded.batch, index);
    return [native, text ?? '', ...(flags ?? [])].join(' ');
  };
  return createWordsTest(decoder, wordsOf, matchesText);
}

/** Returns the bytes of a record, cut after LONG_LINE. */
function bytesOf(decoded: Decoded, index: number): Uint8Array {
  const { batch, window } = decoded;
  return window.bytes.subarray(batch.start[index]! - window.base, endOf(decoded, index));
}

/** Returns the end of these bytes in the window. */
function endOf({ batch, window }: Decoded, index: number): number {
  const end = Math.min(batch.end[index]!, batch.start[index]! + LONG_LINE) - window.base;
  return Math.min(end, window.length);
}

export function viewOf(decoder: Decoder, decoded: Decoded, index: number): RecordView {
  const { batch, first } = decoded;
  const offset = batch.start[index]!;
  return {
    n: first + index,
    offset,
    bytes: batch.end[index]! - offset,
    ...decoder.describe(bytesOf(decoded, index), batch, index),
  };
}

/** Tests if a record of kind `register` sets the register. Results are cached by the decoder's number for the set of registers. */
function createRegisterTest(decoder: Decoder, name: string): (decoded: Decoded, index: number) => boolean {
  const known = new Map<number, boolean>();
  return (decoded, index) => {
    const { batch } = decoded;
    const number = batch.registers[index]!;
    // Numbers of different CPUs may mean different registers.
    const key = number === 0 ? -1 : (batch.cpu[index]! + 1) * 65536 + number;
    const before = known.get(key);
    if (before !== undefined) return before;
    const { register, registers } = decoder.describe(bytesOf(decoded, index), batch, index);
    const found = registers?.some(([one]) => one === name) ?? register === name;
    if (key >= 0) known.set(key, found);
    return found;
  };
}

/** Returns the first position in an ascending list whose value is at least `wanted`. */
export function lowerBound(list: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
