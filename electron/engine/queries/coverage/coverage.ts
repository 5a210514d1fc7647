/** Returns how often each instruction, line and function of the images ran in a range. */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Coverage, InstructionSort } from '../../../../shared/requests/answers/coverage.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { NO_FLOW, NO_IMAGE_CODE } from '../../../../shared/requests/failures.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { deriving } from '../../../../shared/coverage/derive.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, toHex } from '../../../../shared/base/units.ts';
import { knownCalls } from '../../flow/calls.ts';
import { createImageCode, type ImageCode } from '../../flow/classify/image-code.ts';
import { loopRuns, rangeRuns } from '../../flow/loops/loop-runs.ts';
import type { Images } from '../../image/images.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { countsCode } from '../../index/block-scan.ts';
import { lacksFlowRecords } from '../calls/lacks-flow-records.ts';
import { edgesOf } from '../calls/branches.ts';
import { rangeOf } from '../find/find.ts';
import { countedCode } from './counted-code.ts';
import { countedIn, executedCode, type ExecutedCode } from './executed-code.ts';
import { programCode, SORT, type ProgramCode, type WholeCode } from './program-code.ts';
import { placesOf } from './places.ts';

/** Fails with NO_IMAGE_CODE without an image that has code. */
export async function coverage(
  trace: Trace,
  args: Omit<Arguments<'coverage'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Coverage>> {
  const executed = await executedIn(trace, args, task);
  if (!executed.ok) return executed;
  const code = createImageCode(trace.images, await loadDisassembler());
  const work = answerOf({ trace, code, executed: executed.value, hasTexts: args.texts === true });
  return answerInSlices(work, task);
}

type Range = Pick<Arguments<'coverage'>, 'from' | 'to'>;

/** Finds the instructions of the images that ran. Adds notes. */
export type Executed = (code: ProgramCode, notes: string[]) => Generator<undefined, ExecutedCode, undefined>;

/** Returns what ran in a range, to be counted in the code of the images. Fails as `coverage` does. */
export async function executedIn(trace: Trace, args: Range, task: Task<FlowProgress>): Promise<Result<Executed>> {
  if (!trace.images.list.some(({ segments }) => segments.length > 0))
    return fail(NO_IMAGE_CODE, "coverage needs the program's image; give an ELF file with --image");
  const isCounted = countsCode(trace.reader.decoder);
  return isCounted ? countedRecords(trace, args, task) : provedRuns(trace, args, task);
}

/** Reads the counts of the index, for a trace whose records are instructions. */
async function countedRecords(trace: Trace, args: Range, task: Task<FlowProgress>): Promise<Result<Executed>> {
  const { ingest, file } = trace;
  if (ingest.complete && lacksFlowRecords(trace))
    return fail(NO_FLOW, `${file.path}: its records do not show which instructions ran`);
  const counted = await countedCode(trace, rangeOf(trace, args), task);
  if (!counted.ok) return counted;
  const showsSkipped = ingest.totals.kinds[KIND.skipped]! > 0;
  return ok(function* executed(code, notes) {
    const found = yield* countedIn(code, counted.value, showsSkipped);
    const { unexplained } = found;
    notes.push(...notesOf({ unexplained }));
    return found;
  });
}

/** Counts the straight runs between branches that the images prove, for other traces. */
async function provedRuns(trace: Trace, args: Range, task: Task<FlowProgress>): Promise<Result<Executed>> {
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { records, messages } = known.value;
  const whole = await loopRuns(trace, known.value, task);
  if (!whole.ok) return whole;
  const { from, to } = rangeOf(trace, args);
  const range = { from: Math.min(from, records), to: Math.min(to, records) };
  const runs = await rangeRuns(trace, known.value, whole.value, range, task);
  if (!runs.ok) return runs;
  const edges = await edgesOf(trace, range, task);
  if (!edges.ok) return edges;
  if (runs.value.runs.count === 0 && whole.value.whole.runs.count === 0)
    return fail(NO_FLOW, `${trace.file.path}: its records do not show which instructions ran`);
  const isPentium = trace.reader.decoder.format.branches?.pentium === true;
  return ok(function* executed(code, notes) {
    const found = yield* executedCode(code, runs.value, edges.value, messages && isPentium ? 'pentium' : messages);
    notes.push(...notesOf({ ...runs.value, ...found }));
    return found;
  });
}

interface Ran {
  readonly trace: Trace;
  readonly code: ImageCode;
  readonly executed: Executed;
  readonly hasTexts: boolean;
}

/** Disassembling a large program takes seconds. */
const codeOf = new WeakMap<Images, WholeCode>();

function* answerOf({ trace, executed, hasTexts, ...ran }: Ran): Generator<undefined, Result<Coverage>, undefined> {
  const { images } = trace;
  const texts: string[] | undefined = hasTexts ? [] : undefined;
  const kept = hasTexts ? undefined : codeOf.get(images);
  const code = kept ?? (yield* programCode(images, ran.code, texts));
  if (!hasTexts) codeOf.set(images, code);
  const notes: string[] = [];
  const { counts, skipped, passed, taken } = yield* executed(code, notes);
  const { low, high, size, sort } = code.columns;
  // Code outside of functions counts only if it ran: earlier questions may have added more, also while this one is answered.
  const order = yield* sortedRows(code, (row) => counts[row]! > 0 || taken[row]! > 0, counts.length);
  const addresses = yield* listOf(order, (row) => joinAddress(low[row]!, high[row]!));
  const { places, rows } = yield* placesOf(images, addresses);
  const ofBranches = (column: Float64Array): Generator<undefined, (number | null)[]> =>
    listOf(order, (row) => (sort[row]! >= SORT.branch ? column[row]! : null));
  const counted = {
    addresses: yield* listOf(addresses, toHex),
    sizes: yield* listOf(order, (row) => size[row]!),
    counts: yield* listOf(order, (row) => counts[row]!),
    skipped: yield* listOf(order, (row) => (Number.isNaN(skipped[row]!) ? null : skipped[row]!)),
    kinds: yield* listOf(order, (row) => KINDS[sort[row]!]!),
    taken: yield* ofBranches(taken),
    notTaken: yield* ofBranches(passed),
    ...rows,
    ...(texts && { texts: yield* listOf(order, (row) => texts[row]!) }),
  };
  return ok({ ...(yield* deriving(counted, places)), notes, reach: reachOf(trace) });
}

/** Returns a value for each entry. Yields often. */
function* listOf<T, V>(list: ArrayLike<T>, valueOf: (entry: T) => V): Generator<undefined, V[]> {
  const values: V[] = [];
  for (let at = 0; at < list.length; at++) {
    if (at % STEP === 0) yield;
    values.push(valueOf(list[at]!));
  }
  return values;
}

/** Entries of a list between two yields. */
const STEP = 256;

/** Returns the rows of functions and those of other code that ran, among the first `count` rows, by address. */
function* sortedRows(
  { ofFunctions, columns: { low, high } }: WholeCode,
  hasRun: (row: number) => boolean,
  count: number,
): Generator<undefined, number[]> {
  const compare = (a: number, b: number): number => high[a]! - high[b]! || low[a]! - low[b]!;
  const inOrder: number[] = [];
  const others: number[] = [];
  for (let row = 0; row < count; row++) {
    if (row % STEP === 0) yield;
    if (row >= ofFunctions && !hasRun(row)) continue;
    // Functions are disassembled by address: few rows are out of order.
    const isNext = row < ofFunctions && (inOrder.length === 0 || compare(inOrder.at(-1)!, row) < 0);
    (isNext ? inOrder : others).push(row);
  }
  others.sort(compare);
  const order: number[] = [];
  for (let own = 0, other = 0; own < inOrder.length || other < others.length;) {
    if (order.length % STEP === 0) yield;
    const isOwn = other === others.length || (own < inOrder.length && compare(inOrder[own]!, others[other]!) < 0);
    order.push(isOwn ? inOrder[own++]! : others[other++]!);
  }
  return order;
}

export const KINDS: readonly InstructionSort[] = ['plain', 'conditional', 'branch', 'conditional-branch'];

interface Uncounted {
  /** Straight runs whose beginning or end is unknown, those without a row, and those that no image explains. */
  readonly lost?: number;
  readonly left?: number;
  readonly unexplained?: number;
  readonly unpaired?: number;
}

function notesOf({ lost = 0, left = 0, unexplained = 0, unpaired = 0 }: Uncounted): readonly string[] {
  const runs = (count: number, one: string, many: string): string =>
    count === 1 ? `A straight run ${one}` : `${group(count)} straight runs ${many}`;
  return [
    ...(lost > 0
      ? [`${runs(lost, 'has', 'have')} an unknown beginning or end, as at gaps: instructions may have run more often.`]
      : []),
    ...(unexplained > 0
      ? [`${runs(unexplained, 'is', 'are')} not in the images: their instructions are not counted.`]
      : []),
    ...(unpaired > 0
      ? [
          `${unpaired === 1 ? 'A message names' : `${group(unpaired)} messages name`} an instruction that does not branch, and no image proves that the one after it did: that one may have run more often.`,
        ]
      : []),
    ...(left > 0 ? [`${group(left)} straight runs are omitted, because there are too many different ones.`] : []),
  ];
}
