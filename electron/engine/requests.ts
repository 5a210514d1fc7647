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
import { FORMATS } from '../../shared/formats/index.ts';
import { ok, type Result } from '../../shared/base/result.ts';
import type { OpenTraces } from './open/open-traces.ts';
import { detect } from './open/detect.ts';
import { folder } from './open/folder.ts';
import { markSliceOpened } from './bundle/old-slices.ts';
import { sliceFacts } from './bundle/slice-facts.ts';
import { captureFlow } from './flow/captures/capture-flow.ts';
import { captures } from './flow/captures/list.ts';
import { openImages } from './image/read-images.ts';
import { changeNotebook, exportNotes, importNotes, notebook, watchNotebook } from './notebook/requests.ts';
import { forgetTrace, keepSettings, keepTrace, kept, keptSettings } from './kept/kept.ts';
import { makeSample } from './kept/make-sample.ts';
import { peakMemory } from './platform/peak-memory.ts';
import { preview } from './open/preview.ts';
import { access } from './queries/access/access.ts';
import { imageMatches } from './queries/images/image-matches.ts';
import { imagesBeside } from './queries/images/images-beside.ts';
import { annotate, annotated } from './queries/records/annotate.ts';
import { bands } from './queries/heat/bands.ts';
import { countsAhead } from './queries/heat/counts-ahead.ts';
import { firstContents } from './open/first-contents.ts';
import { between, hasMessages } from './queries/calls/between.ts';
import { branchEvents } from './queries/calls/branch-events.ts';
import { knownCalls } from './flow/calls.ts';
import { branches } from './queries/calls/branches.ts';
import { calls } from './queries/calls/calls.ts';
import { callTree } from './queries/calls/call-tree.ts';
import { functionTimeline } from './queries/time/timeline.ts';
import { callStack } from './queries/calls/call-stack.ts';
import { callSpans } from './queries/time/call-spans.ts';
import { depths } from './queries/calls/depths.ts';
import { diagnostics } from './queries/info/diagnostics.ts';
import { exportPart } from './queries/records/export-part.ts';
import { find } from './queries/find/find.ts';
import { findAll } from './queries/find/find-all.ts';
import { heat, tally } from './queries/heat/heat.ts';
import { hottest } from './queries/heat/hottest.ts';
import { info } from './queries/info/info.ts';
import { loops } from './queries/calls/loops.ts';
import { memory } from './queries/memory/memory.ts';
import { nextCall } from './queries/calls/next-call.ts';
import { names } from './queries/info/names.ts';
import { profile } from './queries/calls/profile.ts';
import { knownAnswer } from './queries/known-answers.ts';
import { overview } from './queries/heat/overview.ts';
import { pages } from './queries/heat/pages.ts';
import { bytes, recordAt, recordAtTime, records, recordsAt } from './queries/records/records.ts';
import { values } from './queries/memory/values.ts';
import { registers } from './queries/memory/registers.ts';
import { inlinedAt } from './queries/source/scopes.ts';
import { sourceAt } from './queries/source/source-at.ts';
import { sourceFile } from './queries/source/source-file.ts';
import { step } from './queries/calls/step.ts';
import { symbols, symbolsAt, symbolsNamed } from './queries/info/symbols.ts';
import { variable, variables } from './queries/images/variables.ts';
import { watchPlot } from './queries/watches/plot.ts';
import { watchImage } from './queries/watches/image-contents.ts';
import { watchChange, watchHistory, watchValues } from './queries/watches/watches.ts';
import { stopWhy } from './queries/why/stopping.ts';
import { neighbourName } from './index/neighbour.ts';
import type { Task } from './threads/task.ts';
import { reachOf, stillTheSame, type Trace } from './trace.ts';

/** Requests about an open trace. */
type TraceRequest = { [N in RequestName]: Arguments<N> extends { readonly trace: TraceId } ? N : never }[RequestName];

type Implementation<N extends RequestName> = (
  traces: OpenTraces,
  args: Arguments<N>,
  task: Task<RequestEvent<N>>,
) => Result<Answer<N>> | Promise<Result<Answer<N>>>;

const PROGRESS_MS = 100;

/** Loaded with the first bundle. */
const bundles = () => import('./bundle/bundles.ts');

/** Loaded with the first question about code: it counts what ran. */
const sourceQueries = () => import('./queries/source/queries.ts');

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
  folder: (_traces, { path }) => folder(path),
  detect: (_traces, { path }) => detect(path),
  preview: (_traces, args) => preview(args),
  images: async (_traces, { images }, task) => {
    const opened = await openImages(images, task);
    return opened.ok ? ok({ images: opened.value.facts() }) : opened;
  },
  open: async (traces, args, task) => {
    const opened = await traces.open(args, task);
    return opened.ok ? ok(openedAnswer(opened.value)) : opened;
  },
  close: (traces, { trace }) => {
    traces.close(trace);
    return ok({});
  },
  index,
  info: (traces, args) => withTrace(traces, args, (trace) => info(trace, args)),
  diagnostics: (traces, args) => withTrace(traces, args, diagnostics),
  imageMatches: (traces, args, task) => withTrace(traces, args, (trace) => imageMatches(trace, args, task)),
  imagesBeside: (traces, args, task) => withTrace(traces, args, (trace) => imagesBeside(trace, task)),
  pages: (traces, args) => withTrace(traces, args, (trace) => pages(trace, args)),
  records: (traces, args) => withTrace(traces, args, (trace) => annotate(trace, records(trace, args))),
  bytes: (traces, args) => withTrace(traces, args, (trace) => bytes(trace, args)),
  recordAt: (traces, args) => withTrace(traces, args, (trace) => recordAt(trace, args)),
  recordAtTime: (traces, args) => withTrace(traces, args, (trace) => recordAtTime(trace, args)),
  bands: (traces, args) => withTrace(traces, args, (trace) => bands(trace, args)),
  names: (traces, args) => withTrace(traces, args, (trace) => names(trace, args)),
  symbols: (traces, args, task) => withTrace(traces, args, (trace) => symbols(trace, args, task)),
  symbolsNamed: (traces, args, task) => withTrace(traces, args, (trace) => symbolsNamed(trace, args, task)),
  symbolsAt: (traces, args) => withTrace(traces, args, (trace) => symbolsAt(trace, args)),
  heat: (traces, args, task) => withTrace(traces, args, (trace) => heat(trace, args, task)),
  tally: keeping('tally', tally),
  hottest: keeping('hottest', hottest),
  overview: keeping('overview', overview),
  exportPart: (traces, args) => withTrace(traces, args, (trace) => exportPart(trace, args)),
  exportPlan: (traces, args) =>
    withTrace(traces, args, async (trace) => (await import('./export/export.ts')).exportPlan(trace, args)),
  exportGroup: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await import('./export/export.ts')).exportGroup(trace, args, task)),
  find: (traces, args, task) =>
    withTrace(traces, args, async (trace) => annotate(trace, await find(trace, args, task))),
  findAll: keeping('findAll', findAll),
  recordsAt: (traces, args, task) =>
    withTrace(traces, args, async (trace) => annotate(trace, await recordsAt(trace, args, task))),
  registers: (traces, args) => withTrace(traces, args, (trace) => registers(trace, args)),
  memory: (traces, args, task) => withTrace(traces, args, (trace) => memory(trace, args, task)),
  values: keeping('values', values),
  access: (traces, args, task) =>
    withTrace(traces, args, async (trace) => {
      const found = await access(trace, args, task);
      if (!found.ok || found.value.record === null) return found;
      const [record = null] = await annotated(trace.images, trace.reader.decoder, [found.value.record]);
      return ok({ ...found.value, record });
    }),
  prepareFlow: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await import('./queries/prepare-flow.ts')).prepareFlow(trace, task)),
  branches: keeping('branches', branches),
  branchEvents: keeping('branchEvents', branchEvents),
  captures: (traces, args, task) => withTrace(traces, args, (trace) => captures(trace, args, task)),
  captureFlow: (traces, args, task) => withTrace(traces, args, (trace) => captureFlow(trace, args, task)),
  calls: keeping('calls', calls),
  tree: keeping('tree', callTree),
  profile: keeping('profile', profile),
  loops: keeping('loops', loops),
  // Loaded with the first such question: few people want it.
  coverage: (traces, args, task) =>
    withTrace(traces, args, async (trace) =>
      (await import('./queries/coverage/coverage.ts')).coverage(trace, args, task),
    ),
  sourceAt: (traces, args, task) => withTrace(traces, args, (trace) => sourceAt(trace, args, task)),
  sourceFile: (traces, args, task) => withTrace(traces, args, (trace) => sourceFile(trace, args, task)),
  inlinedAt: (traces, args, task) => withTrace(traces, args, (trace) => inlinedAt(trace, args, task)),
  sourceLines: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await sourceQueries()).sourceLines(trace, args, task)),
  lineInstructions: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await sourceQueries()).lineInstructions(trace, args, task)),
  lineExecution: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await sourceQueries()).lineExecution(trace, args, task)),
  lineStep: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await sourceQueries()).lineStep(trace, args, task)),
  code: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await sourceQueries()).code(trace, args, task)),
  coverageFiles: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await sourceQueries()).coverageFiles(trace, args, task)),
  codeCosts: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await sourceQueries()).codeCosts(trace, args, task)),
  codeDifference: (traces, args, task) =>
    withTraces(traces, args, async (a, b) => (await sourceQueries()).codeDifference(a, b, task)),
  codeTimes: keeping('codeTimes', async (trace, args, task) => (await sourceQueries()).codeTimes(trace, args, task)),
  spans: keeping('spans', callSpans),
  timeline: keeping('timeline', functionTimeline),
  stack: (traces, args, task) => withTrace(traces, args, (trace) => callStack(trace, args, task)),
  step: (traces, args, task) => withTrace(traces, args, (trace) => step(trace, args, task)),
  depths: (traces, args, task) => withTrace(traces, args, (trace) => depths(trace, args, task)),
  between: (traces, args, task) => withTrace(traces, args, (trace) => between(trace, args, task)),
  nextCall: (traces, args, task) => withTrace(traces, args, (trace) => nextCall(trace, args, task)),
  notebook: (traces, args) => withTrace(traces, args, notebook),
  changeNotebook: (traces, args) => withTrace(traces, args, (trace) => changeNotebook(trace, args)),
  watchNotebook: (traces, args, task) => watchNotebook((id) => traces.get(id), args, task),
  importNotes: (traces, args) => withTrace(traces, args, (trace) => importNotes(trace, args)),
  exportNotes: (traces, args) => withTrace(traces, args, exportNotes),
  figure: (traces, args, task) =>
    withOther(traces, { ...args, ...(args.against && { other: args.against.trace }) }, async (trace, other) =>
      // Loads the drawing libraries only when a figure is requested.
      (await import('./figures/figure.ts')).figure(trace, args, task, other),
    ),
  reportPlan: (traces, args, task) =>
    withTrace(traces, args, async (trace) =>
      (await import('./report/default-plan.ts')).defaultPlan(trace, args.other !== undefined, task),
    ),
  report: (traces, args, task) =>
    withOther(traces, args, async (trace, other) =>
      (await import('./report/report.ts')).report(trace, args, task, other),
    ),
  kept: async ({ stateDirectory }, { path, settingsOnly = false }) =>
    ok(settingsOnly ? await keptSettings(stateDirectory) : await kept(stateDirectory, path)),
  keepTrace: ({ stateDirectory }, args) => keepTrace(stateDirectory, args),
  forgetTrace: ({ stateDirectory }, { path }) => forgetTrace(stateDirectory, path),
  makeSample: ({ indexDirectory }, { sample }) => makeSample(indexDirectory, sample),
  keepSettings: ({ stateDirectory }, args) => keepSettings(stateDirectory, args),
  verify: (traces, args, task) =>
    withOther(traces, args, async (trace, other) =>
      (await import('./report/verify.ts')).verify(trace, args, task, other),
    ),
  variables: (traces, args, task) => withTrace(traces, args, (trace) => variables(trace, args, task)),
  variable: (traces, args, task) => withTrace(traces, args, (trace) => variable(trace, args, task)),
  watchValues: (traces, args, task) => withTrace(traces, args, (trace) => watchValues(trace, args, task)),
  watchImage: (traces, args, task) => withTrace(traces, args, (trace) => watchImage(trace, args, task)),
  watchChange: keeping('watchChange', watchChange),
  watchHistory: keeping('watchHistory', watchHistory),
  watchPlot: keeping('watchPlot', watchPlot),
  slice: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await import('./export/slice.ts')).slice(trace, args, task)),
  bundle: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await bundles()).makeBundle(trace, args, traces.stateDirectory, task)),
  readBundle: async (_traces, { path }) => (await bundles()).readBundle(path),
  bundleText: async (_traces, { path, member }) => (await bundles()).bundleText(path, member),
  bundleSlice: async ({ indexDirectory }, { path, member }) =>
    (await bundles()).bundleSlice(indexDirectory, path, member),
  importBundle: (traces, args) => withTrace(traces, args, async (trace) => (await bundles()).importBundle(trace, args)),
  mergeBundles: async (_traces, { path, second }) => (await bundles()).mergeBundles(path, second),
  verifyBundle: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await bundles()).verifyBundle(trace, args.path, task)),
  sql: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await import('./queries/sql/sql.ts')).sql(trace, args, task)),
  // Loaded with the first such question, because the code for ten instruction sets is large.
  why: (traces, args, task) =>
    withTrace(traces, args, async (trace) => (await import('./queries/why/why.ts')).why(trace, args, task)),
  stopWhy: (traces, args) => withTrace(traces, args, (trace) => stopWhy(trace, args)),
  diff: (traces, args, task) =>
    withTraces(traces, args, async (a, b) =>
      (await import('./queries/diff/rows/alignment.ts')).knownDiff(a, b, args, task),
    ),
  shift: (traces, args, task) =>
    withTraces(traces, args, async (a, b) => (await import('./queries/diff/paths/shift.ts')).shiftBetween(a, b, task)),
  alignedRows: (traces, args, task) =>
    withTraces(traces, args, async (a, b) =>
      (await import('./queries/diff/rows/aligned-rows.ts')).alignedRows(a, b, args, task),
    ),
  counterpart: (traces, args, task) =>
    withTraces(traces, args, async (a, b) =>
      (await import('./queries/diff/rows/aligned-rows.ts')).counterpart(a, b, args, task),
    ),
  stateDifference: (traces, args, task) =>
    withTraces(traces, args, async (a, b) =>
      (await import('./queries/diff/rows/state-difference.ts')).stateDifference(a, b, args, task),
    ),
};

/** An implementation that keeps its answers. */
function keeping<N extends TraceRequest>(
  name: N,
  answer: (trace: Trace, args: Arguments<N>, task: Task<RequestEvent<N>>) => Promise<Result<Answer<N>>>,
): Implementation<N> {
  return (traces, args, task) =>
    withTrace(traces, args, (trace) => knownAnswer(trace, name, args, () => answer(trace, args, task)));
}

function withTrace<T>(
  traces: OpenTraces,
  args: { readonly trace: string },
  answer: (trace: Trace) => Result<T> | Promise<Result<T>>,
): Result<T> | Promise<Result<T>> {
  const trace = traces.get(args.trace);
  return trace.ok ? answer(trace.value) : trace;
}

/** Answers a request that may be about a second trace. */
function withOther<T>(
  traces: OpenTraces,
  args: { readonly trace: string; readonly other?: string },
  answer: (trace: Trace, other: Trace | undefined) => Promise<Result<T>>,
): Result<T> | Promise<Result<T>> {
  return withTrace(traces, args, (trace) => {
    const other = args.other === undefined ? ok(undefined) : traces.get(args.other);
    return other.ok ? answer(trace, other.value) : other;
  });
}

/** Answers a request about two traces. */
function withTraces<T>(
  traces: OpenTraces,
  args: { readonly trace: string; readonly other: string },
  answer: (a: Trace, b: Trace) => Promise<Result<T>>,
): Result<T> | Promise<Result<T>> {
  return withTrace(traces, args, (a) => withTrace(traces, { trace: args.other }, (b) => answer(a, b)));
}

function sliceOf({ file }: Trace): Pick<Opened, 'slice'> {
  const slice = sliceFacts(file.path);
  if (slice === undefined) return {};
  markSliceOpened(file.path);
  return { slice };
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
    ...firstContents(trace.reader),
    ...sliceOf(trace),
    reach: reachOf(trace),
    notices: trace.notices,
  };
}

async function index(traces: OpenTraces, args: Arguments<'index'>, task: Task<Progress>): Promise<Result<IndexReport>> {
  if (args.rebuild === true) {
    const rest = { ...args, rebuild: false };
    const opened = await rebuilt(traces, args.trace);
    return opened.ok ? traces.guarded(rest, () => index(traces, rest, task)) : opened;
  }
  const opened = traces.get(args.trace);
  if (!opened.ok) return opened;
  let trace = opened.value;
  const built = !trace.ingest.complete;
  const until = args.until?.records ?? Number.POSITIVE_INFINITY;
  /** The build may reopen the trace with another index. */
  const current = (): Trace => {
    const now = traces.get(args.trace);
    if (now.ok) trace = now.value;
    return trace;
  };
  const isWanted = (): boolean => !task.cancelled() && trace.blocks.records < until;
  const ended = { yet: false };
  const building = traces.build(trace, isWanted).finally(() => {
    ended.yet = true;
  });
  const start = { time: performance.now(), bytes: trace.blocks.bytes };
  for (;;) {
    await Promise.race([building, delay(PROGRESS_MS, undefined, { ref: false })]);
    if (ended.yet) break;
    task.report(progress(current(), start));
  }
  const done = await building;
  if (!done.ok) return done;
  if (task.cancelled()) return task.cancel();
  const same = stillTheSame(current());
  if (!same.ok || !trace.ingest.complete) return same.ok ? ok(report(trace, built)) : same;
  if (args.ahead === true) traces.ahead(trace, (own) => answersAhead(trace, own));
  return ok(report(trace, built));
}

/** Reopens a trace with an empty index. Keeps an index that is still empty. */
function rebuilt(traces: OpenTraces, id: TraceId): Result<Trace> | Promise<Result<Trace>> {
  const known = traces.get(id);
  const isNew = known.ok && known.value.blocks.bytes === 0 && !known.value.ingest.complete;
  return isNew ? known : traces.rebuild(id);
}

/** Computes what later requests need and take from a cache. Ignores failures: those requests meet and report them. */
async function answersAhead(trace: Trace, task: Task<unknown>): Promise<void> {
  const known = await knownCalls(trace, task);
  if (known.ok) await branches(trace, {}, task);
  await (await import('./queries/coverage/known-program.ts')).programAhead(trace, task);
  await (await import('./queries/why/ahead.ts')).whyAhead(trace, task);
  await countsAhead(trace, task);
}

function progress(trace: Trace, start: { readonly time: number; readonly bytes: number }): Progress {
  const { bytes, records } = trace.blocks;
  const { neighbour } = trace.ingest;
  const seconds = (performance.now() - start.time) / 1000;
  const bytesPerSecond = seconds > 0 ? (bytes - start.bytes) / seconds : 0;
  return {
    bytes,
    totalBytes: trace.file.bytes,
    records,
    bytesPerSecond,
    secondsLeft: bytesPerSecond > 0 ? (trace.file.bytes - bytes) / bytesPerSecond : null,
    ...(neighbour === undefined ? {} : { waitsFor: neighbourName(neighbour.process) }),
  };
}

function report(trace: Trace, built: boolean): IndexReport {
  const { ingest, blocks, pool, index: file, reader } = trace;
  const { lowest, highest } = ingest.totals;
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
    ...(lowest === undefined || highest === undefined ? {} : { address: { lowest, highest } }),
  };
}
