/** Default content of a report: the findings, which are its notes, then a summary of the trace, its activity, and the flow of calls. */
import { basename } from 'node:path';
import { counted } from '../../../shared/base/numbers.ts';
import type { FunctionId } from '../../../shared/requests/flow.ts';
import type { Note } from '../../../shared/requests/notes.ts';
import type { ReportPart, ReportPlan } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { notebook } from '../notebook/requests.ts';
import { callStack } from '../queries/calls/call-stack.ts';
import { calls } from '../queries/calls/calls.ts';
import { withoutProgress, type Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { line } from './words.ts';

/** Maximum number of call graphs around noted functions. */
const MOST_GRAPHS = 3;
/** Default limit of notes, for readability. A plan may name more. */
const MOST_NOTES = 500;
const TITLE = 200;

/** @param isComparison the report is about two runs */
export async function defaultPlan(
  trace: Trace,
  isComparison: boolean,
  task: Task<ReportProgress>,
): Promise<Result<ReportPlan>> {
  const held = await notebook(trace);
  if (!held.ok) return held;
  const { notes } = held.value;
  const flow = await flowParts(trace, notes, withoutProgress(task));
  if (!flow.ok) return flow;
  const { totals } = trace.ingest;
  const hasAddresses = totals.lowest !== undefined;
  const parts: ReportPart[] = [
    ...notes.slice(0, MOST_NOTES).map(({ id }): ReportPart => ({ kind: 'note', note: id })),
    ...leftOut(notes.length - MOST_NOTES),
    ...(isComparison ? [{ kind: 'diff', question: {} } as const] : []),
    { kind: 'summary' },
    { kind: 'figure', figure: { figure: 'overview' } },
    ...(hasAddresses ? [{ kind: 'figure', figure: { figure: 'heat' } } as const] : []),
    ...flow.value,
    ...(hasAddresses ? [{ kind: 'table', table: 'pages' } as const] : []),
    { kind: 'diagnostics' },
  ];
  return ok({ title: line(basename(trace.file.path), TITLE), parts });
}

function leftOut(more: number): readonly ReportPart[] {
  if (more <= 0) return [];
  return [{ kind: 'text', text: `The notebook has ${counted(more, 'more note')}, which this report leaves out.` }];
}

async function flowParts(trace: Trace, notes: readonly Note[], task: Task): Promise<Result<readonly ReportPart[]>> {
  if (trace.reader.decoder.flow === undefined || !trace.ingest.complete) return ok([]);
  const graph = await calls(trace, {}, task);
  if (!graph.ok) return graph;
  const known = new Set(graph.value.functions.flatMap(({ id, address }) => (address === undefined ? [] : [id])));
  const noted = await notedFunctions(trace, notes, known, task);
  if (!noted.ok) return noted;
  const branches: ReportPart = { kind: 'table', table: 'branches' };
  if (known.size === 0) return ok([branches]);
  const centres = noted.value.length > 0 ? noted.value : [undefined];
  return ok([
    ...centres.map((centre): ReportPart => ({
      kind: 'figure',
      figure: { figure: 'graph', ...(centre === undefined ? {} : { centre }) },
    })),
    { kind: 'figure', figure: { figure: 'flame' } },
    { kind: 'table', table: 'functions' },
    branches,
  ]);
}

/** Returns the functions that contain notes, in the order of the notes. */
async function notedFunctions(
  trace: Trace,
  notes: readonly Note[],
  known: ReadonlySet<FunctionId>,
  task: Task,
): Promise<Result<readonly FunctionId[]>> {
  const found = new Set<FunctionId>();
  for (const { place } of notes) {
    if (found.size === MOST_GRAPHS) break;
    if (place.n >= trace.blocks.records) continue;
    const stack = await callStack(trace, { at: place.n }, task);
    if (!stack.ok) return stack;
    const id = stack.value.frames[0]?.id;
    if (id !== undefined && known.has(id)) found.add(id);
  }
  return ok([...found]);
}
