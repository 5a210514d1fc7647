/** Returns how often each instruction, line and function of the images ran in a range. */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Coverage, InstructionSort } from '../../../../shared/requests/answers/coverage.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { NO_FLOW, NO_IMAGE_CODE } from '../../../../shared/requests/failures.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { derived } from '../../../../shared/coverage/derive.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, toHex } from '../../../../shared/base/units.ts';
import { knownCalls } from '../../flow/calls.ts';
import { createImageCode, type ImageCode } from '../../flow/classify/image-code.ts';
import type { ExecutedRuns } from '../../flow/loops/executed-runs.ts';
import { loopRuns, rangeRuns } from '../../flow/loops/loop-runs.ts';
import type { Images } from '../../image/images.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import type { Edges } from '../calls/branch-edges.ts';
import { edgesOf } from '../calls/branches.ts';
import { rangeOf } from '../find/find.ts';
import { executedCode } from './executed-code.ts';
import { programCode, SORT, type ProgramCode } from './program-code.ts';
import { placesOf } from './places.ts';

/** Fails with NO_IMAGE_CODE without an image that has code. */
export async function coverage(
  trace: Trace,
  args: Omit<Arguments<'coverage'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Coverage>> {
  const { images } = trace;
  if (!images.list.some(({ segments }) => segments.length > 0))
    return fail(NO_IMAGE_CODE, "coverage needs the program's image; give an ELF file with --image");
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
  const code = createImageCode(images, await loadDisassembler());
  const work = answerOf({ trace, code, runs: runs.value, edges: edges.value, messages, hasTexts: args.texts === true });
  return answerInSlices(work, task);
}

interface Ran {
  readonly trace: Trace;
  readonly code: ImageCode;
  readonly runs: ExecutedRuns;
  readonly edges: Edges;
  readonly messages: boolean;
  readonly hasTexts: boolean;
}

/** Disassembling a large program takes seconds. */
const codeOf = new WeakMap<Images, ProgramCode>();

function* answerOf(ran: Ran): Generator<undefined, Result<Coverage>, undefined> {
  const { trace, runs, edges, messages, hasTexts } = ran;
  const { images } = trace;
  const texts: string[] | undefined = hasTexts ? [] : undefined;
  const kept = hasTexts ? undefined : codeOf.get(images);
  const code = kept ?? (yield* programCode(images, ran.code, texts));
  if (!hasTexts) codeOf.set(images, code);
  const { counts, passed, taken, unexplained } = yield* executedCode(code, runs, edges, messages);
  const { low, high, size, sort } = code.columns;
  // Code outside of functions counts only if it ran: earlier questions may have added more, also while this one is answered.
  const order = Array.from(counts.keys()).filter(
    (row) => row < code.ofFunctions || counts[row]! > 0 || taken[row]! > 0,
  );
  order.sort((a, b) => high[a]! - high[b]! || low[a]! - low[b]!);
  const addresses = order.map((row) => joinAddress(low[row]!, high[row]!));
  const ofBranches = (column: Float64Array): readonly (number | null)[] =>
    order.map((row) => (sort[row]! >= SORT.branch ? column[row]! : null));
  const { places, rows } = yield* placesOf(images, addresses);
  const counted = {
    addresses: addresses.map(toHex),
    sizes: order.map((row) => size[row]!),
    counts: order.map((row) => counts[row]!),
    kinds: order.map((row) => KINDS[sort[row]!]!),
    taken: ofBranches(taken),
    notTaken: ofBranches(passed),
    ...rows,
    ...(texts && { texts: order.map((row) => texts[row]!) }),
  };
  const notes = notesOf(runs.lost, runs.left, unexplained);
  return ok({ ...derived(counted, places), notes, reach: reachOf(trace) });
}

const KINDS: readonly InstructionSort[] = ['plain', 'conditional', 'branch', 'conditional-branch'];

function notesOf(lost: number, left: number, unexplained: number): readonly string[] {
  const runs = (count: number, one: string, many: string): string =>
    count === 1 ? `A straight run ${one}` : `${group(count)} straight runs ${many}`;
  return [
    ...(lost > 0
      ? [`${runs(lost, 'has', 'have')} an unknown beginning or end, as at gaps: instructions may have run more often.`]
      : []),
    ...(unexplained > 0
      ? [`${runs(unexplained, 'is', 'are')} not in the images: their instructions are not counted.`]
      : []),
    ...(left > 0 ? [`${group(left)} straight runs are omitted, because there are too many different ones.`] : []),
  ];
}
