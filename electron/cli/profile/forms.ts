/** The files of other profilers that a profile can be written as. */
import { basename } from 'node:path';
import type { CallTree, CostMeasure } from '../../../shared/requests/flow.ts';
import type { Coverage, CoverageLevel, CoveredFunction } from '../../../shared/requests/answers/coverage.ts';
import { NO_IMAGE_CODE, NO_TIME } from '../../../shared/requests/failures.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { VERSION } from '../../program.ts';
import type { Context } from '../command.ts';
import { callgrindOf, type Code } from '../print/profile/callgrind.ts';
import { pprofOf } from '../print/profile/pprof.ts';
import { speedscopeOf } from '../print/profile/speedscope.ts';
import type { OpenTrace } from '../trace.ts';

export const FORMS = ['callgrind', 'speedscope', 'pprof'] as const;
export type Form = (typeof FORMS)[number];

interface Wanted {
  readonly from?: number;
  readonly to?: number;
  readonly by?: CostMeasure;
}

type OnEvent = (event: { readonly at: number }) => void;

/** Returns the file of a form. Source lines come from the images, if these have the program's code. */
export async function writtenAs(
  form: Form,
  context: Context,
  trace: OpenTrace,
  { by, ...range }: Wanted,
  onEvent: OnEvent,
): Promise<Result<string | Uint8Array>> {
  const args = { trace: trace.id, ...range };
  const measured = { ...args, ...(by !== undefined && { by }) };
  const level = form === 'callgrind' ? 'instruction' : 'function';
  const covered = await codeOf(trace, { ...range, level }, onEvent);
  if (!covered.ok) return covered;
  const coverage = covered.value;
  if (form === 'callgrind') {
    const profile = await trace.request('profile', measured, { onEvent });
    if (!profile.ok) return profile;
    const image = context.common.image?.[0]?.path;
    const settings = { name: basename(context.trace), version: VERSION, image };
    // Branches are no instructions, so costs of both would not add up.
    let code: Code | undefined;
    const costs = by === 'time' ? await timesOf(trace, args, coverage, onEvent) : ok(coverage);
    if (!costs.ok) return costs;
    if (costs.value !== undefined && profile.value.unit !== 'branches') {
      const branches = await trace.request('branches', { ...args, kinds: ['call'] }, { onEvent });
      if (!branches.ok) return branches;
      code = { coverage: costs.value, calls: branches.value.edges };
    }
    notify(context, [...profile.value.notes, ...(code?.coverage.notes ?? [])]);
    return ok(callgrindOf(profile.value, code, settings));
  }
  const tree = await trace.request('tree', measured, { onEvent });
  if (!tree.ok) return tree;
  notify(context, tree.value.notes);
  return ok(stacksAs(form, tree.value, coverage, context.trace));
}

function stacksAs(
  form: Exclude<Form, 'callgrind'>,
  tree: CallTree,
  coverage: Coverage | undefined,
  trace: string,
): string | Uint8Array {
  const places = new Map<string, CoveredFunction>(coverage?.functions.map((one) => [one.address, one]));
  const settings = {
    name: basename(trace),
    version: VERSION,
    placeOf(id: string) {
      const { file, line } = places.get(id) ?? {};
      return { ...(file !== undefined && { file }), ...(line !== undefined && { line }) };
    },
  };
  return form === 'pprof' ? pprofOf(tree, settings) : speedscopeOf(tree, settings);
}

/** Returns the counts of instructions; undefined if no image has code. */
async function codeOf(
  trace: OpenTrace,
  range: Omit<Wanted, 'by'> & { readonly level: CoverageLevel },
  onEvent: OnEvent,
): Promise<Result<Coverage | undefined>> {
  const answer = await trace.request('coverage', { trace: trace.id, ...range }, { onEvent });
  return answer.ok || answer.error.code !== NO_IMAGE_CODE ? answer : ok(undefined);
}

/** Returns the code with times in place of counts; undefined if the trace has no times of instructions. */
async function timesOf(
  trace: OpenTrace,
  args: { readonly trace: string; readonly from?: number; readonly to?: number },
  coverage: Coverage | undefined,
  onEvent: OnEvent,
): Promise<Result<Coverage | undefined>> {
  if (coverage === undefined) return ok(undefined);
  const answer = await trace.request('codeTimes', args, { onEvent });
  if (!answer.ok) return answer.error.code === NO_TIME ? ok(undefined) : answer;
  const times = new Map(answer.value.instructions.map(({ address, time }) => [address, time]));
  const counts = coverage.instructions.addresses.map((address) => times.get(address) ?? 0);
  return ok({ ...coverage, instructions: { ...coverage.instructions, counts } });
}

function notify(context: Context, notes: readonly string[]): void {
  context.progress.clear();
  for (const note of new Set(notes)) context.notify(note);
}
