/** The trace of a command: opens it, indexes it as far as the command needs, closes it. */
import { resolve } from 'node:path';
import { INDEX_DAMAGED } from '../../shared/requests/failures.ts';
import {
  REQUESTS,
  WRONG_IMAGES,
  type Answer,
  type Arguments,
  type ImagePlace,
  type IndexReport,
  type Opened,
  type Progress,
  type RequestName,
  type RequestOptions,
} from '../../shared/requests/requests.ts';
import { imagePlaceText } from '../../shared/requests/places/image-place.ts';
import { problemOf } from '../../shared/requests/schema.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { visible } from '../../shared/base/visible.ts';
import type { RecordNumber } from '../../shared/base/units.ts';
import type { FileRead } from '../result-file.ts';
import type { Context } from './command.ts';
import { isAboutTrace } from './failures.ts';
import { imagesOf, isAutomatic } from './options/common.ts';
import { group } from '../../shared/base/numbers.ts';

export interface OpenTrace {
  readonly id: string;
  readonly opened: Opened;
  /** Indexes the whole trace, or at least its first `records`, and shows progress. */
  index(settings?: { readonly records?: RecordNumber; readonly rebuild?: boolean }): Promise<Result<IndexReport>>;
  request<N extends RequestName>(name: N, args: Arguments<N>, options?: RequestOptions<N>): Promise<Result<Answer<N>>>;
}

/** The files that every answer about the trace is based on. No output may replace them. */
export function filesRead({ trace, common }: Context): readonly FileRead[] {
  const images = (common.image ?? []).map(({ path }) => ({ path, what: 'an image' }));
  return [{ path: trace, what: 'the trace itself' }, ...images];
}

/** Runs `work` on the trace of the command line. Failures name the file; `--strict` is checked at the end. */
export async function withTrace(
  context: Context,
  work: (trace: OpenTrace) => Promise<Result<void>>,
  more: Pick<Arguments<'open'>, 'notebook'> = {},
): Promise<Result<void>> {
  const { common, client, signal, progress } = context;
  const args = {
    path: context.trace,
    ...(common.format !== undefined && { format: common.format }),
    ...(common.option && { options: common.option }),
    ...more,
  };
  const open = async (images: readonly ImagePlace[]): Promise<Result<Opened>> => {
    const given = { ...args, ...(images.length > 0 && { images }) };
    const answer = await client.request('open', given, { signal, onEvent: (event) => progress.update(event) });
    progress.clear();
    return answer;
  };
  const given = imagesOf(common) ?? [];
  const isAuto = given.some(isAutomatic);
  const images = given.filter((place) => !isAutomatic(place));
  let opened = await open(images);
  if (!opened.ok) return named(context, opened);
  if (isAuto) {
    const beside = await client.request(
      'imagesBeside',
      { trace: opened.value.trace },
      { signal, onEvent: (event) => progress.update(event) },
    );
    progress.clear();
    if (!beside.ok) return named(context, beside);
    const { chosen, text } = beside.value;
    context.notify(chosen === undefined ? `--image auto: ${text}` : `--image ${imagePlaceText(chosen)}: ${text}`);
    if (chosen !== undefined) {
      images.push({ ...chosen, ...(common['raw-names'] === true && { rawNames: true }) });
      await client.request('close', { trace: opened.value.trace });
      opened = await open(images);
      if (!opened.ok) return named(context, opened);
    }
  }
  for (const notice of opened.value.notices) context.notify(`${context.trace}: ${notice}`);

  const trace = openTrace(context, opened.value);
  const done = await work(trace);
  if (done.ok) await warnOfImages(context, trace, images);
  const outcome = done.ok && common.strict ? await strict(trace) : done;
  await client.request('close', { trace: trace.id });
  return named(context, outcome);
}

/** Warns of images that are probably not the program that ran, and names the options to leave out or to change. */
async function warnOfImages(context: Context, trace: OpenTrace, images: readonly ImagePlace[]): Promise<void> {
  const { common, signal } = context;
  if (images.length === 0 || common.quiet === true || signal.aborted) return;
  // A failure does not change the answer that the command has given.
  const answer = await trace.request('imageMatches', { trace: trace.id });
  if (!answer.ok) return;
  for (const [i, match] of answer.value.images.entries()) {
    if (!WRONG_IMAGES.has(match.verdict)) continue;
    const given = imagePlaceText(images[i]!);
    const advice = match.moved
      ? `Replace --image ${given} by --image ${imagePlaceText(match.moved.place)}`
      : `Leave out --image ${given} to work without it`;
    context.notify(`${match.text} ${advice}.`);
  }
}

function openTrace(context: Context, opened: Opened): OpenTrace {
  const { client, signal, progress, common } = context;
  const id = opened.trace;
  let part: { readonly until?: { readonly records: RecordNumber } } = {};
  return {
    id,
    opened,
    async index({ records, rebuild } = {}) {
      part = records !== undefined && !common.strict ? { until: { records } } : {};
      const report = await build(rebuild);
      return isDamaged(report) ? buildAgain() : report;
    },
    async request(name, args, options) {
      const problem = problemOf(REQUESTS[name].arguments, args);
      if (problem !== undefined) {
        const field = problem.path.findLast((key) => typeof key === 'string') ?? name;
        return fail('usage', `${context.command}: ${field} ${problem.must}`);
      }
      const answer = await client.request(name, args, { signal, ...options });
      if (!isDamaged(answer)) return answer;
      const rebuilt = await buildAgain();
      return rebuilt.ok ? client.request(name, args, { signal, ...options }) : rebuilt;
    },
  };

  async function build(rebuild = false): Promise<Result<IndexReport>> {
    const args = { trace: id, ...part, ...(rebuild && { rebuild }) };
    const waited = { ever: false };
    const onEvent = (event: Progress): void => {
      waited.ever ||= 'waitsFor' in event;
      progress.update(event);
    };
    const report = await client.request('index', args, { signal, onEvent });
    progress.clear();
    if (waited.ever && report.ok) await notifyOfNotices();
    return report;
  }

  /** Shows notices since the trace was opened: that this program went on without a stopped one. */
  async function notifyOfNotices(): Promise<void> {
    const info = await client.request('info', { trace: id }, { signal });
    if (!info.ok) return;
    for (const notice of info.value.notices)
      if (!opened.notices.includes(notice)) context.notify(`${context.trace}: ${notice}`);
  }

  /** The engine has deleted the damaged index, which can be rebuilt from the trace. */
  function buildAgain(): Promise<Result<IndexReport>> {
    context.notify(`${context.trace}: the index was damaged, so it is rebuilt`);
    return build();
  }
}

function isDamaged(answer: Result<unknown>): boolean {
  return !answer.ok && answer.error.code === INDEX_DAMAGED;
}

async function strict(trace: OpenTrace): Promise<Result<void>> {
  const indexed = await trace.index();
  if (!indexed.ok) return indexed;
  const info = await trace.request('info', { trace: trace.id });
  if (!info.ok) return info;
  const [first] = [...info.value.diagnostics].sort((a, b) => a.firstOffset - b.firstOffset);
  if (!first) return ok(undefined);
  const all = info.value.diagnostics.reduce((sum, { count }) => sum + count, 0);
  const number = all === 1 ? 'one place is' : `${group(all)} places are`;
  const where = `at byte ${first.firstOffset}: ${first.text.replace(/\.$/, '')}`;
  return fail(
    'strict',
    `${number} malformed, ${all === 1 ? '' : 'the first '}${where}; leave out --strict to continue`,
  );
}

/** Puts the name of the trace, as the person typed it, before a failure about the trace. */
function named(context: Context, outcome: Result<unknown>): Result<void> {
  if (outcome.ok) return ok(undefined);
  const { code, message } = outcome.error;
  if (!isAboutTrace(code)) return outcome;
  // The message is visible text already: hidden characters of the path stand in it by name.
  const names = [resolve(context.trace), context.trace].flatMap((name) => [`${name}: `, `${visible(name)}: `]);
  const found = names.find((name) => message.startsWith(name)) ?? '';
  return fail(code, `${context.trace}: ${message.slice(found.length)}`);
}
