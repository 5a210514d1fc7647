/**
 * Pool task that compares the effects of aligned instructions. Most pairs are equal, which columns and texts of their records show; only the
 * others are read as effects. What this thread cannot decide, because it has no index, is left to the engine thread.
 */
import { createBatch, FLAG, resetBatch, type Batch } from '../../../../../shared/records/batch.ts';
import type { State } from '../../../../../shared/format/format.ts';
import { KIND } from '../../../../../shared/records/record.ts';
import { createRegisterFile, type RegisterFile } from '../../../../../shared/records/registers.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import {
  highHalf,
  joinAddress,
  lowHalf,
  type BlockNumber,
  type ByteOffset,
  type RecordNumber,
} from '../../../../../shared/base/units.ts';
import type { TraceReader, TraceRef } from '../../../index/trace-reader.ts';
import { poolTask } from '../../../threads/pool-task.ts';
import type { Decoded } from '../../records/block-reader.ts';
import type { Place } from '../paths/path-parts.ts';
import { differenceOf, type Rules } from './compare-effects.ts';
import { effectFields } from './effect-fields.ts';
import { addEffectAt, EFFECTS, instructionAt, type Effective } from './effects.ts';
import type { KnownRegisters } from './known-registers.ts';
import { opcodes } from './opcodes.ts';

/** Lines of a block that can be decoded alone. */
export interface Segment {
  readonly block: BlockNumber;
  readonly start: ByteOffset;
  readonly end: ByteOffset;
  readonly state: State;
}

/** Consecutive records of one trace. */
export interface RecordRun {
  readonly segments: readonly Segment[];
  /** Number of the first record. */
  readonly first: RecordNumber;
  /** Records of the run before which instructions of the CPU are missing, ascending: what was set before them is not known. */
  readonly gaps: readonly RecordNumber[];
}

/** Most records of a run. */
export const MOST_IN_RUN = 8192;

/** Aligned instructions [from, to) of a part. */
export interface AlignedStretch {
  readonly from: number;
  readonly to: number;
  readonly a: Place;
  readonly b: Place;
}

/** Records of both traces with the stretches in them. */
export interface AlignedRun {
  readonly a: RecordRun;
  readonly b: RecordRun;
  readonly stretches: readonly AlignedStretch[];
}

export interface RunsTask {
  readonly other: TraceRef;
  readonly cpus: readonly [a: number, b: number];
  readonly rules: Rules;
  readonly runs: readonly AlignedRun[];
}

/** A pair of instructions. */
export interface ComparedPair {
  readonly at: number;
  readonly a: RecordNumber;
  readonly b: RecordNumber;
  /** `open`: whether the pair differs depends on registers that were set earlier. */
  readonly is: 'different' | 'same' | 'open';
  /** In the first trace. */
  readonly address: bigint;
  /** How it differs; undefined unless it is the first pair of an answer that differs. */
  readonly what: string | undefined;
}

export interface ComparedStretch {
  /** Pairs that differ or are open, and the pair after each of these. */
  readonly pairs: readonly ComparedPair[];
  /** Records of the first instructions of both traces, and of the instructions after the stretch. */
  readonly start: readonly [RecordNumber, RecordNumber];
  readonly after: readonly [RecordNumber, RecordNumber];
}

/** Compared stretches as numbers: objects would take longer to pass between threads than to find. */
export interface ComparedRuns {
  /** For each stretch STRETCH_WORDS, and then PAIR_WORDS for each of its pairs. */
  readonly words: Float64Array;
  /** How the first pair differs. */
  readonly what: string | undefined;
}

/** 1 if the stretch could be compared, its records `start` and `after`, and the number of its pairs. */
const STRETCH_WORDS = 6;
/** Position, records, position in IS, halves of the address. */
const PAIR_WORDS = 6;
const IS = ['same', 'different', 'open'] as const;

/** Compares the stretches of runs in order. */
export const COMPARE_RUNS = poolTask<RunsTask & { readonly trace: TraceRef }, ComparedRuns>(
  'compare effects',
  'survey',
);

/** Returns the stretches one after the other; undefined for one that could not be compared. */
export function* readCompared({ words, what }: ComparedRuns): Generator<ComparedStretch | undefined, undefined> {
  let first = what;
  for (let at = 0; at < words.length;) {
    const [isCompared, startA, startB, afterA, afterB, count] = words.subarray(
      at,
      at + STRETCH_WORDS,
    ) as unknown as Six;
    at += STRETCH_WORDS;
    const pairs: ComparedPair[] = [];
    for (let k = 0; k < count; k++, at += PAIR_WORDS) {
      const [place, a, b, code, low, high] = words.subarray(at, at + PAIR_WORDS) as unknown as Six;
      const is = IS[code]!;
      const address = joinAddress(low, high);
      pairs.push({ at: place, a, b, is, address, what: is === 'different' ? first : undefined });
      if (is === 'different') first = undefined;
    }
    yield isCompared === 1 ? { pairs, start: [startA, startB], after: [afterA, afterB] } : undefined;
  }
  return undefined;
}

type Six = readonly [number, number, number, number, number, number];

/** The decoded records of a run. */
interface Rows {
  readonly reader: TraceReader;
  readonly cpu: number;
  readonly decoded: Decoded;
  readonly gaps: RecordRun['gaps'];
}

const ACCESS_FLAGS = FLAG.address | FLAG.noEffect | FLAG.value;
/** Codes as numbers of this module: a loop over all records must not read them from an object. */
const SKIPPED = KIND.skipped;
const REGISTER = KIND.register;

/** Returns a handler with batches of its own. */
export function createRunComparer(): (a: TraceReader, b: TraceReader, task: RunsTask) => Result<ComparedRuns> {
  const batches = [createBatch(MOST_IN_RUN), createBatch(MOST_IN_RUN)] as const;
  const buffers = [new Uint8Array(0), new Uint8Array(0)];
  return (a, b, { cpus, rules, runs }) => {
    const words: number[] = [];
    let what: string | undefined;
    for (const run of runs) {
      const one = decodeRun(a, run.a, batches[0], 0);
      if (!one.ok) return one;
      const other = decodeRun(b, run.b, batches[1], 1);
      if (!other.ok) return other;
      const sides = [
        { reader: a, cpu: cpus[0], decoded: one.value, gaps: run.a.gaps },
        { reader: b, cpu: cpus[1], decoded: other.value, gaps: run.b.gaps },
      ] as const;
      for (const stretch of run.stretches) {
        const place = words.length;
        words.push(0, 0, 0, 0, 0, 0);
        const compared = compareStretch(sides, stretch, rules, words, place);
        if (!compared.ok) return compared;
        if (words[place] === 0) words.length = place + STRETCH_WORDS;
        what ??= compared.value;
      }
    }
    return ok({ words: Float64Array.from(words), what });
  };

  function decodeRun(
    { source, decoder, plan }: TraceReader,
    { segments, first }: RecordRun,
    batch: Batch,
    side: number,
  ): Result<Decoded> {
    const [base, stop] = [segments[0]!.start, segments.at(-1)!.end];
    if (buffers[side]!.length < stop - base) buffers[side] = new Uint8Array(2 * (stop - base));
    const bytes = buffers[side]!;
    const read = source.read(base, bytes, 0, stop - base);
    if (!read.ok) return read;
    resetBatch(batch, first);
    for (const { start, end, state } of segments) {
      const window = {
        bytes,
        base,
        length: end - base,
        position: start,
        end,
        lastLineEnd: end,
        fileEnd: plan.fileBytes,
      };
      let its = state;
      while (window.position < window.end && batch.count < MOST_IN_RUN) its = decoder.decode(window, its, batch);
    }
    const window = {
      bytes,
      base,
      length: read.value,
      position: stop,
      end: stop,
      lastLineEnd: stop,
      fileEnd: plan.fileBytes,
    };
    return ok({ batch, first, window });
  }
}

/**
 * Adds the pairs of a stretch to `words`, and fills its own words at `place`. Leaves these as they are if the run does not contain the
 * stretch and an instruction after it, or has other instructions there. Returns how the first pair differs.
 */
function compareStretch(
  [one, other]: readonly [Rows, Rows],
  { from, to, a, b }: AlignedStretch,
  rules: Rules,
  words: number[],
  place: number,
): Result<string | undefined> {
  let i = nthInstruction(one, a);
  let j = nthInstruction(other, b);
  const [startA, startB] = [recordAt(one, i), recordAt(other, j)];
  const { isSamePlace, areEqual, difference } = createPairComparer(one, other, rules);
  const { addressLow, addressHigh } = one.decoded.batch;
  let what: string | undefined;
  let isAfter = false;
  let pairs = 0;
  const add = (at: number, is: ComparedPair['is']): void => {
    words.push(at, recordAt(one, i), recordAt(other, j), IS.indexOf(is), addressLow[i]!, addressHigh[i]!);
    pairs++;
  };
  for (let at = from; at < to; at++) {
    const nextI = nextInstruction(one, i + 1);
    const nextJ = nextInstruction(other, j + 1);
    // Effects of the last instruction may lie after the run.
    if (nextI >= one.decoded.batch.count || nextJ >= other.decoded.batch.count) return ok(undefined);
    if (!isSamePlace(i, j)) return ok(undefined);
    if (isAfter || !areEqual(i, nextI, j, nextJ)) {
      const found = difference(i, nextI, j, nextJ);
      if (!found.ok) return found;
      const { is } = found.value;
      if (is !== 'same' || isAfter) add(at, is);
      what ??= found.value.what;
      isAfter = is !== 'same';
    }
    i = nextI;
    j = nextJ;
  }
  if (isAfter) add(to, 'same');
  words.splice(place, STRETCH_WORDS, 1, startA, startB, recordAt(one, i), recordAt(other, j), pairs);
  return ok(what);
}

interface Found extends Pick<ComparedPair, 'is'> {
  readonly what?: string;
}

/** Compares pairs of instructions at rows of both runs. The effects of each lie between it and the next instruction. */
interface PairComparer {
  isSamePlace(i: number, j: number): boolean;
  /** Returns true only if the pair does not differ: columns and texts of all its records are the same. */
  areEqual(i: number, nextI: number, j: number, nextJ: number): boolean;
  difference(i: number, nextI: number, j: number, nextJ: number): Result<Found>;
}

function createPairComparer(one: Rows, other: Rows, rules: Rules): PairComparer {
  const [batch, others] = [one.decoded.batch, other.decoded.batch];
  const code = opcodes(one.reader.decoder);
  const fields = effectFields(one.reader.decoder);
  const [shiftLow, shiftHigh] = [lowHalf(rules.shift), highHalf(rules.shift)];
  /** Times that a register was asked for that is not set in the run. */
  let open = 0;

  return { isSamePlace, areEqual, difference };

  function isSamePlace(i: number, j: number): boolean {
    const low = batch.addressLow[i]! + shiftLow;
    const carry = low > 0xffff_ffff ? 1 : 0;
    return (
      low >>> 0 === others.addressLow[j]! &&
      (batch.addressHigh[i]! + shiftHigh + carry) >>> 0 === others.addressHigh[j]!
    );
  }

  function areEqual(i: number, nextI: number, j: number, nextJ: number): boolean {
    if (batch.kind[i] !== others.kind[j]) return false;
    if (!code.haveSame(one.decoded, i, other.decoded, j)) return false;
    let row = nextEffect(one, i + 1, nextI);
    let its = nextEffect(other, j + 1, nextJ);
    while (row < nextI && its < nextJ) {
      if (!areSameEffects(row, its)) return false;
      row = nextEffect(one, row + 1, nextI);
      its = nextEffect(other, its + 1, nextJ);
    }
    return row >= nextI && its >= nextJ;
  }

  function areSameEffects(i: number, j: number): boolean {
    if (batch.kind[i] !== others.kind[j]) return false;
    if (batch.kind[i] === REGISTER) return fields.haveSameSettings(one.decoded, i, other.decoded, j);
    const flags = batch.flags[i]!;
    const size = batch.size[i]!;
    if ((flags & ACCESS_FLAGS) !== (others.flags[j]! & ACCESS_FLAGS) || size !== others.size[j]!) return false;
    if (batch.addressLow[i] !== others.addressLow[j] || batch.addressHigh[i] !== others.addressHigh[j]) return false;
    if ((flags & FLAG.value) === 0) return true;
    const [bytes, theirs] = [batch.values.bytes, others.values.bytes];
    const [at, there] = [batch.valueAt[i]!, others.valueAt[j]!];
    for (let k = 0; k < size; k++) if (bytes[at + k] !== theirs[there + k]) return false;
    return true;
  }

  function difference(i: number, nextI: number, j: number, nextJ: number): Result<Found> {
    const before = open;
    const known = [knownBefore(one, nextI), knownBefore(other, nextJ)] as const;
    const what = differenceOf(effectiveAt(one, i, nextI), effectiveAt(other, j, nextJ), known, rules);
    if (!what.ok) return what;
    return ok(
      open > before
        ? { is: 'open' }
        : what.value === undefined
          ? { is: 'same' }
          : { is: 'different', what: what.value },
    );
  }

  /** The registers that records of the run set before a row. */
  function knownBefore(rows: Rows, end: number): KnownRegisters {
    let file: RegisterFile | undefined;
    return {
      apply: () => undefined,
      value(name) {
        file ??= registersBefore(rows, end);
        const known = file.known().find((each) => each.name === name);
        const gap = rows.gaps.findLast((record) => record < rows.decoded.first + end);
        if (known === undefined || (gap !== undefined && known.since < gap)) open++;
        return ok(known?.value);
      },
    };
  }
}

function registersBefore(rows: Rows, end: number): RegisterFile {
  const file = createRegisterFile();
  const { decoded } = rows;
  const fields = effectFields(rows.reader.decoder);
  for (let row = nextEffect(rows, 0, end); row < end; row = nextEffect(rows, row + 1, end))
    if (decoded.batch.kind[row] === REGISTER)
      for (const [name, value] of fields.settings(decoded, row)) file.set(name, value, decoded.first + row);
  return file;
}

function effectiveAt(rows: Rows, row: number, next: number): Effective {
  const { decoder } = rows.reader;
  const found = instructionAt(decoder, rows.decoded, row, false);
  for (let k = nextEffect(rows, row + 1, next); k < next; k = nextEffect(rows, k + 1, next))
    addEffectAt(decoder, rows.decoded, k, found);
  return found;
}

/** Returns the row of the next effect of the CPU before another row, or that row. */
function nextEffect({ decoded: { batch }, cpu }: Rows, from: number, end: number): number {
  let row = from;
  while (row < end && (EFFECTS[batch.kind[row]!] === 0 || batch.cpu[row] !== cpu)) row++;
  return row;
}

function recordAt({ decoded }: Rows, row: number): RecordNumber {
  return decoded.first + row;
}

function isInstruction({ decoded: { batch }, cpu }: Rows, row: number): boolean {
  return batch.kind[row]! <= SKIPPED && batch.cpu[row] === cpu;
}

/** Returns the row of the next instruction of the CPU, or the number of rows. */
function nextInstruction(rows: Rows, from: number): number {
  let row = from;
  while (row < rows.decoded.batch.count && !isInstruction(rows, row)) row++;
  return row;
}

function nthInstruction(rows: Rows, { record, skip }: Place): number {
  let row = nextInstruction(rows, record - rows.decoded.first);
  for (let left = skip; left > 0; left--) row = nextInstruction(rows, row + 1);
  return row;
}
