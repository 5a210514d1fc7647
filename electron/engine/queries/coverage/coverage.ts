/** Returns how often each instruction, line and function of the images ran in a range. */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Coverage, CoverageLevel } from '../../../../shared/requests/answers/coverage.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { NO_FLOW, NO_IMAGE_CODE } from '../../../../shared/requests/failures.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { sumsOf } from '../../../../shared/coverage/derive.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { knownCalls } from '../../flow/calls.ts';
import { loopRuns, rangeRuns } from '../../flow/loops/loop-runs.ts';
import { loadDisassembler, type Disassembler } from '../../image/disassembler.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { countsCode } from '../../index/block-scan.ts';
import { lacksFlowRecords } from '../calls/lacks-flow-records.ts';
import { edgesOf } from '../calls/branches.ts';
import { rangeOf } from '../find/find.ts';
import { countedCode } from './counted-code.ts';
import { countedIn, executedCode, type ExecutedCode } from './executed-code.ts';
import { programOf } from './known-program.ts';
import { instructionsOf, listedCode, NO_INSTRUCTIONS, textsOf, type ListedCode } from './listed-code.ts';
import type { ProgramCode } from './program-code.ts';

type Question = Omit<Arguments<'coverage'>, 'trace'>;

/** Fails with NO_IMAGE_CODE without an image that has code. */
export async function coverage(trace: Trace, args: Question, task: Task<FlowProgress>): Promise<Result<Coverage>> {
  const found = await coverageAndCode(trace, args, task);
  return found.ok ? ok(found.value.coverage) : found;
}

/** Does the same, with the instructions that were counted: those that the answer lists. */
export async function coverageAndCode(
  trace: Trace,
  args: Question,
  task: Task<FlowProgress>,
): Promise<Result<CoverageAndCode>> {
  const [executed, disassembler] = await Promise.all([executedIn(trace, args, task), loadDisassembler()]);
  if (!executed.ok) return executed;
  const { level = 'instruction', texts = false } = args;
  const work = answerOf({ trace, disassembler, executed: executed.value, level, hasTexts: texts });
  return answerInSlices(work, task);
}

export interface CoverageAndCode {
  readonly coverage: Coverage;
  readonly code: ListedCode;
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
  readonly disassembler: Disassembler;
  readonly executed: Executed;
  readonly level: CoverageLevel;
  readonly hasTexts: boolean;
}

function* answerOf(ran: Ran): Generator<undefined, Result<CoverageAndCode>, undefined> {
  const { trace, disassembler, executed, level, hasTexts } = ran;
  const { images } = trace;
  const program = yield* programOf(trace, disassembler);
  const notes: string[] = [];
  const listed = yield* listedCode(images, program, yield* executed(program.code, notes));
  const sums = yield* sumsOf(listed.rows, listed.places, level !== 'function');
  let instructions = NO_INSTRUCTIONS;
  if (level === 'instruction') {
    const texts = hasTexts ? yield* textsOf(images, disassembler, listed) : undefined;
    instructions = yield* instructionsOf(listed, texts);
  }
  return ok({ coverage: { instructions, ...sums, notes, reach: reachOf(trace) }, code: listed });
}

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
