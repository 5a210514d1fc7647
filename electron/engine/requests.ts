/** THE LIST of implementations: runs each request on the engine thread. */
import { setTimeout as delay } from 'node:timers/promises';
import type {
  Answer,
  Arguments,
  RequestEvent,
  RequestName,
  FormatSummary,
  IndexReport,
  Opened,
  Progress,
  TraceId,
} from '../../shared/requests/requests.ts';
import type { FlowProgress } from '../../shared/requests/flow.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import { ok, type Result } from '../../shared/base/result.ts';
import type { Desk } from './open/open-traces.ts';
import { detect } from './open/detect.ts';
import { captureFlow } from './flow/captures/capture-flow.ts';
import { captures } from './flow/captures/list.ts';
import { openImages } from './image/images.ts';
import { changeNotebook, exportNotes, importNotes, notebook, watchNotebook } from './notebook/requests.ts';
import { peakMemory } from './platform/peak-memory.ts';
import { preview } from './open/preview.ts';
import { access } from './queries/access/access.ts';
import { annotate, annotated } from './queries/records/annotate.ts';
import { bands } from './queries/heat/bands.ts';
import { between, hasMessages } from './queries/calls/between.ts';
import { branchEvents } from './queries/calls/branch-events.ts';
import { knownCalls } from './flow/calls.ts';
import { followedOf } from './flow/events/image-flows.ts';
import { branches } from './queries/calls/branches.ts';
import { calls } from './queries/calls/calls.ts';
import { callTree } from './queries/calls/call-tree.ts';
import { callStack } from './queries/calls/call-stack.ts';
import { callSpans } from './queries/calls/call-spans.ts';
import { depths } from './queries/calls/depths.ts';
import { diagnostics } from './queries/info/diagnostics.ts';
import { exportPart } from './queries/records/export-part.ts';
import { find } from './queries/find/find.ts';
import { findAll } from './queries/find/find-all.ts';
import { heat, tally } from './queries/heat/heat.ts';
import { info } from './queries/info/info.ts';
import { memory } from './queries/memory/memory.ts';
import { nextCall } from './queries/calls/next-call.ts';
import { names } from './queries/info/names.ts';
import { overview } from './queries/heat/overview.ts';
import { pages } from './queries/heat/pages.ts';
import { bytes, recordAt, recordAtTime, records, recordsAt } from './queries/records/records.ts';
import { registers } from './queries/memory/registers.ts';
import { step } from './queries/calls/step.ts';
import { symbols, symbolsNamed } from './queries/info/symbols.ts';
import type { Task } from './threads/task.ts';
import { reachOf, stillTheSame, type Trace } from './trace.ts';

type Implementation<N extends RequestName> = (
  desk: Desk,
  args: Arguments<N>,
  task: Task<RequestEvent<N>>,
) => Result<Answer<N>> | Promise<Result<Answer<N>>>;

const PROGRESS_MS = 100;

export const IMPLEMENTATIONS: { readonly [N in RequestName]: Implementation<N> } = {
  formats: () =>
    ok(
      FORMATS.map(({ id, name, dialects, extensions, options }): FormatSummary => ({
        id,
        name,
        dialects,
        extensions,
        options,
      })),
    ),
  detect: (_desk, { path }) => detect(path),
  preview: (_desk, args) => preview(args),
  images: (_desk, { images }) => {
    const opened = openImages(images);
    return opened.ok ? ok({ images: opened.value.facts() }) : opened;
  },
  open: async (desk, args, task) => {
    const opened = await desk.open(args, task);
    return opened.ok ? ok(openedAnswer(opened.value)) : opened;
  },
  close: (desk, { trace }) => {
    desk.close(trace);
    return ok({});
  },
  index,
  info: (desk, args) => withTrace(desk, args, info),
  diagnostics: (desk, args) => withTrace(desk, args, diagnostics),
  pages: (desk, args) => withTrace(desk, args, (trace) => pages(trace, args)),
  records: (desk, args) => withTrace(desk, args, (trace) => annotate(trace, records(trace, args))),
  bytes: (desk, args) => withTrace(desk, args, (trace) => bytes(trace, args)),
  recordAt: (desk, args) => withTrace(desk, args, (trace) => recordAt(trace, args)),
  recordAtTime: (desk, args) => withTrace(desk, args, (trace) => recordAtTime(trace, args)),
  bands: (desk, args) => withTrace(desk, args, (trace) => bands(trace, args)),
  names: (desk, args) => withTrace(desk, args, (trace) => names(trace, args)),
  symbols: (desk, args) => withTrace(desk, args, (trace) => symbols(trace, args)),
  symbolsNamed: (desk, args) => withTrace(desk, args, (trace) => symbolsNamed(trace, args)),
  heat: (desk, args, task) => withTrace(desk, args, (trace) => heat(trace, args, task)),
  tally: (desk, args, task) => withTrace(desk, args, (trace) => tally(trace, args, task)),
  overview: (desk, args, task) => withTrace(desk, args, (trace) => overview(trace, args, task)),
  exportPart: (desk, args) => withTrace(desk, args, (trace) => exportPart(trace, args)),
  find: (desk, args, task) => withTrace(desk, args, async (trace) => annotate(trace, await find(trace, args, task))),
  findAll: (desk, args, task) => withTrace(desk, args, (trace) => findAll(trace, args, task)),
  recordsAt: (desk, args, task) =>
    withTrace(desk, args, async (trace) => annotate(trace, await recordsAt(trace, args, task))),
  registers: (desk, args) => withTrace(desk, args, (trace) => registers(trace, args)),
  memory: (desk, args, task) => withTrace(desk, args, (trace) => memory(trace, args, task)),
  access: (desk, args, task) =>
    withTrace(desk, args, async (trace) => {
      const found = await access(trace, args, task);
      if (!found.ok || found.value.record === null) return found;
      const [record = null] = await annotated(trace.images, trace.reader.decoder, [found.value.record]);
      return ok({ ...found.value, record });
    }),
  branches: (desk, args, task) => withTrace(desk, args, (trace) => branches(trace, args, task)),
  branchEvents: (desk, args, task) => withTrace(desk, args, (trace) => branchEvents(trace, args, task)),
  captures: (desk, args, task) => withTrace(desk, args, (trace) => captures(trace, args, task)),
  captureFlow: (desk, args, task) => withTrace(desk, args, (trace) => captureFlow(trace, args, task)),
  calls: (desk, args, task) => withTrace(desk, args, (trace) => calls(trace, args, task)),
  tree: (desk, args, task) => withTrace(desk, args, (trace) => callTree(trace, args, task)),
  spans: (desk, args, task) => withTrace(desk, args, (trace) => callSpans(trace, args, task)),
  stack: (desk, args, task) => withTrace(desk, args, (trace) => callStack(trace, args, task)),
  step: (desk, args, task) => withTrace(desk, args, (trace) => step(trace, args, task)),
  depths: (desk, args, task) => withTrace(desk, args, (trace) => depths(trace, args, task)),
  between: (desk, args, task) => withTrace(desk, args, (trace) => between(trace, args, task)),
  nextCall: (desk, args, task) => withTrace(desk, args, (trace) => nextCall(trace, args, task)),
  notebook: (desk, args) => withTrace(desk, args, notebook),
  changeNotebook: (desk, args) => withTrace(desk, args, (trace) => changeNotebook(trace, args)),
  watchNotebook: (desk, args, task) => watchNotebook((id) => desk.trace(id), args, task),
  importNotes: (desk, args) => withTrace(desk, args, (trace) => importNotes(trace, args)),
  exportNotes: (desk, args) => withTrace(desk, args, exportNotes),
  figure: (desk, args, task) =>
    withTrace(desk, args, async (trace) => {
      // Drawing brings libraries that nothing else here needs.
      const { figure } = await import('./figures/figure.ts');
      return figure(trace, args, task);
    }),
  reportPlan: (desk, args, task) =>
    withTrace(desk, args, async (trace) => (await import('./report/default-plan.ts')).defaultPlan(trace, task)),
  report: (desk, args, task) =>
    withTrace(desk, args, async (trace) => (await import('./report/report.ts')).report(trace, args, task)),
  verify: (desk, args, task) =>
    withTrace(desk, args, async (trace) => (await import('./report/verify.ts')).verify(trace, args, task)),
};

function withTrace<T>(
  desk: Desk,
  args: { readonly trace: string },
  ask: (trace: Trace) => Result<T> | Promise<Result<T>>,
): Result<T> | Promise<Result<T>> {
  const trace = desk.trace(args.trace);
  return trace.ok ? ask(trace.value) : trace;
}

function openedAnswer(trace: Trace): Opened {
  const { decoder } = trace.reader;
  const unit = decoder.timeUnit ?? decoder.format.timeUnit;
  return {
    trace: trace.id,
    file: trace.file,
    format: trace.format,
    ...(unit === undefined ? {} : { timeUnit: unit }),
    ...(hasMessages(decoder.format) ? { messages: true } : {}),
    reach: reachOf(trace),
    notices: trace.notices,
  };
}

async function index(
  desk: Desk,
  args: Arguments<'index'>,
  task: Task<Progress | FlowProgress>,
): Promise<Result<IndexReport>> {
  const opened = args.rebuild === true ? await rebuilt(desk, args.trace) : desk.trace(args.trace);
  if (!opened.ok) return opened;
  const trace = opened.value;
  const { ingest, blocks } = trace;
  const built = !ingest.complete;
  const until = args.until?.records ?? Number.POSITIVE_INFINITY;
  const wish = (): boolean => !task.cancelled() && blocks.records < until;
  const ended = { yet: false };
  const building = desk.build(trace, wish).finally(() => {
    ended.yet = true;
  });
  const start = { time: performance.now(), bytes: blocks.bytes };
  for (;;) {
    await Promise.race([building, delay(PROGRESS_MS, undefined, { ref: false })]);
    if (ended.yet) break;
    task.report(progress(trace, start));
  }
  const done = await building;
  if (!done.ok) return done;
  if (task.cancelled()) return task.cancel();
  const same = stillTheSame(trace);
  if (!same.ok || !ingest.complete) return same.ok ? ok(report(trace, built)) : same;
  if (args.ahead === true) desk.ahead(trace, (own) => flowAhead(trace, own));
  if (args.flow !== true || !isWalkedLong(trace)) return ok(report(trace, built));
  const walkStart = performance.now();
  const known = await knownCalls(trace, task);
  const flowSeconds = Math.round(performance.now() - walkStart) / 1000;
  if (known.ok) return ok({ ...report(trace, built), flowSeconds });
  // The index is there all the same: what does not work will be told to who asks for calls.
  return task.cancelled() ? task.cancel() : ok(report(trace, built));
}

/** An index that nothing was put into yet need not be thrown away. */
function rebuilt(desk: Desk, id: TraceId): Result<Trace> | Promise<Result<Trace>> {
  const known = desk.trace(id);
  const isNew = known.ok && known.value.blocks.bytes === 0 && !known.value.ingest.complete;
  return isNew ? known : desk.rebuild(id);
}

/**
 * Messages that do not tell what the branches are take longest: a second or two for a gigabyte, a fifth of the time that indexing does;
 * and records whose instructions are followed in an image. Of executed instructions the first question about calls takes less than a
 * second anyway.
 */
function isWalkedLong(trace: Trace): boolean {
  const { decoder } = trace.reader;
  if (followedOf(trace) !== undefined) return true;
  return decoder.flow !== undefined && decoder.format.branches?.unclassified === true;
}

/** What both find is kept; what does not work will be told to who asks. */
async function flowAhead(trace: Trace, task: Task<unknown>): Promise<void> {
  const known = await knownCalls(trace, task);
  if (known.ok) await branches(trace, {}, task);
}

function progress(trace: Trace, start: { readonly time: number; readonly bytes: number }): Progress {
  const { bytes, records } = trace.blocks;
  const seconds = (performance.now() - start.time) / 1000;
  const bytesPerSecond = seconds > 0 ? (bytes - start.bytes) / seconds : 0;
  return {
    bytes,
    totalBytes: trace.file.bytes,
    records,
    bytesPerSecond,
    secondsLeft: bytesPerSecond > 0 ? (trace.file.bytes - bytes) / bytesPerSecond : null,
  };
}

function report(trace: Trace, built: boolean): IndexReport {
  const { ingest, blocks, pool, index: file, reader } = trace;
  const bytesDone = ingest.complete ? trace.file.bytes : blocks.bytes;
  return {
    records: blocks.records,
    bytes: bytesDone,
    seconds: Math.round(ingest.seconds * 1000) / 1000,
    bytesPerSecond: ingest.seconds > 0 ? Math.round(bytesDone / ingest.seconds) : 0,
    indexBytes: file.bytes(),
    peakRssBytes: peakMemory(),
    jobs: pool.jobs,
    reader: reader.source.reader,
    complete: ingest.complete,
    built,
  };
}
