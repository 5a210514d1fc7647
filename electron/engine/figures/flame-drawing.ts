/** Queries for the figure of a flame graph: the calling-context tree, or calls in time. */
import { bottomUp, frameAt, framesOf, type Frames } from '../../../present/flame/call-frames.ts';
import { foldRecursion } from '../../../present/flame/fold-recursion.ts';
import { flameFigure, FLAME_WIDTH, type FlameFigureData } from '../../../present/flame/flame-figure.ts';
import { columnsFor, createHues, frameBoxes, spanBoxes } from '../../../present/flame/flame.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { FigureRequest } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { callSpans } from '../queries/time/call-spans.ts';
import { callTree } from '../queries/calls/call-tree.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { Drawing } from './drawing.ts';
import { recordsOf, walkTask } from './range.ts';

type FlameRequest = Extract<FigureRequest, { readonly figure: 'flame' }>;

export async function flameDrawing(
  trace: Trace,
  request: FlameRequest,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  const range = recordsOf(trace, request);
  const about = { name, order: request.order ?? 'left-heavy', ...range } as const;
  const found =
    about.order === 'time' ? await inTime(trace, request, range, task) : await byWeight(trace, request, range, task);
  if (!found.ok) return found;
  const data = { ...about, ...found.value };
  return ok({ ...range, draw: (look) => flameFigure(data, look) });
}

type Found = Pick<FlameFigureData, 'boxes' | 'unit' | 'whole' | 'only' | 'nested' | 'heaviest' | 'notes'>;
type Range = ReturnType<typeof recordsOf>;

async function byWeight(
  trace: Trace,
  { order, path = [], folded = false }: FlameRequest,
  range: Range,
  task: Task<ReportProgress>,
): Promise<Result<Found>> {
  const tree = await callTree(trace, range, walkTask(task, 'following calls'));
  if (!tree.ok) return tree;
  const { roots, unit, prominent, notes, reach } = tree.value;
  const upright = folded ? foldRecursion(framesOf(roots)) : framesOf(roots);
  const isUpright = order !== 'bottom-up';
  const frames = isUpright ? upright : bottomUp(upright);
  const focus = path.length === 0 ? -1 : frameAt(frames, path);
  const whole = focus < 0 ? frames.whole : frames.total[focus]!;
  const names = focus < 0 ? undefined : namesTo(frames, focus);
  return ok({
    boxes: frameBoxes(frames, focus, FLAME_WIDTH, createHues(prominent)),
    unit,
    whole,
    only: isUpright ? names?.toReversed() : names,
    nested: isUpright ? nestedIn(upright, focus) : undefined,
    // In a bottom-up tree, a root holds the self cost of one function.
    heaviest: isUpright || names === undefined ? heaviestOf(upright, focus) : [{ name: names[0] ?? '', self: whole }],
    notes: [...(folded ? [FOLDED] : []), ...notes, ...soFar(reach)],
  });
}

const FOLDED =
  'Recursion is folded: what a function costs when it is called again below itself counts for its outermost frame.';

async function inTime(
  trace: Trace,
  { cpu }: FlameRequest,
  range: Range,
  task: Task<ReportProgress>,
): Promise<Result<Found>> {
  const query = { ...range, columns: columnsFor(FLAME_WIDTH), ...(cpu !== undefined && { cpu }) };
  const found = await callSpans(trace, query, walkTask(task, 'following calls'));
  if (!found.ok) return found;
  const { spans, coarse, cpus, prominent, notes, reach, cpu: shown } = found.value;
  return ok({
    boxes: spanBoxes(spans, range.from, range.to, FLAME_WIDTH, createHues(prominent)),
    unit: 'records',
    whole: range.to - range.from,
    nested: coarse || spans.length === 0 ? undefined : spans.reduce((most, { depth }) => Math.max(most, depth), 0),
    heaviest: [],
    notes: [
      ...(cpus.length > 1 && shown !== undefined ? [`Calls of CPU ${shown}, one of ${cpus.length}.`] : []),
      ...(coarse ? [AGGREGATED] : []),
      ...notes,
      ...soFar(reach),
    ],
  });
}

const AGGREGATED =
  'Short calls share a bar: it has the function that was open longest at that depth, and its filled part is the share of time.';

function soFar({ complete, records }: { readonly complete: boolean; readonly records: number }): readonly string[] {
  return complete
    ? []
    : [`The trace is indexed up to record ${String(records)}; later records are not in this figure.`];
}

function namesTo(frames: Frames, focus: number): readonly string[] {
  const names: string[] = [];
  for (let at = focus; at >= 0; at = frames.parent[at]!) names.unshift(frames.functions[frames.fn[at]!]!.name);
  return names;
}

/** Returns the range of frames of a focused frame and its callees; all frames without a focus. */
function framesIn({ count, end }: Frames, focus: number): { readonly first: number; readonly end: number } {
  return focus < 0 ? { first: 0, end: count } : { first: focus, end: end[focus]! };
}

/** Returns the greatest depth; undefined if deeper calls were merged. */
function nestedIn(frames: Frames, focus: number): number | undefined {
  const { first, end } = framesIn(frames, focus);
  let most = 0;
  for (let frame = first; frame < end; frame += 1) {
    if (frames.functions[frames.fn[frame]!]!.id === 'deeper') return undefined;
    most = Math.max(most, frames.depth[frame]!);
  }
  return most;
}

/** Returns the self cost of each function over its frames below a focus, highest first. */
function heaviestOf(frames: Frames, focus: number): Found['heaviest'] {
  const { first, end } = framesIn(frames, focus);
  const self = new Float64Array(frames.functions.length);
  for (let frame = first; frame < end; frame += 1) {
    const fn = frames.fn[frame]!;
    self[fn] = self[fn]! + frames.self[frame]!;
  }
  return frames.functions
    .map(({ name }, fn) => ({ name, self: self[fn]! }))
    .filter((one) => one.self > 0)
    .sort((a, b) => b.self - a.self);
}
