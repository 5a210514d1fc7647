/** Runs the queries for all parts of a plan. */
import { basename } from 'node:path';
import type { ReportPart } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { Image } from '../image/image.ts';
import { withoutProgress, type Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { traceDigest } from './digest.ts';
import {
  LAYOUT,
  type FullPlan,
  type ImageIdentity,
  type Item,
  type OtherIdentity,
  type ReportDocument,
  type ReportNote,
} from './document.ts';
import { makeChange } from './items/change.ts';
import { makeDiff } from './items/diff.ts';
import { makeDiagnostics } from './items/diagnostics.ts';
import { makeFigure } from './items/figure.ts';
import { makeNote } from './items/note.ts';
import { makeQuery } from './items/query.ts';
import { makeSummary } from './items/summary.ts';
import { makeTable } from './items/table.ts';
import { textItem } from './items/text.ts';
import { makeWhy } from './items/why.ts';
import { line } from './words.ts';

export interface ReportRequest {
  readonly plan: FullPlan;
  readonly notes: readonly ReportNote[];
  /** See ReportDocument. */
  readonly program: string;
  readonly name: string;
  /** Name of the trace file without its folder. */
  readonly traceName: string;
  /** The trace of the other run and its name without its folder, if parts compare both. */
  readonly other?: { readonly trace: Trace; readonly name: string } | undefined;
}

/** Fails with the failure of the first failed query, or with `not-indexed`. */
export async function makeDocument(
  trace: Trace,
  request: ReportRequest,
  task: Task<ReportProgress>,
): Promise<Result<ReportDocument>> {
  const identity = await identityOf(trace, request, task);
  if (!identity.ok) return identity;
  const items: Item[] = [];
  for (const [i, part] of request.plan.parts.entries()) {
    if (task.cancelled()) return task.cancel();
    const item = await makeItem(trace, request, part, task);
    if (!item.ok) return item;
    items.push(item.value);
    task.report({ done: i + 1, of: request.plan.parts.length, what: item.value.title });
  }
  return ok({ ...identity.value, items });
}

export type Identity = Omit<ReportDocument, 'items'>;

/** Returns the document without its items. */
export async function identityOf(
  trace: Trace,
  { plan, notes, program, name, traceName, other }: ReportRequest,
  task: Task<ReportProgress>,
): Promise<Result<Identity>> {
  const its = await traceIdentity(trace, traceName, plan, task);
  if (!its.ok) return its;
  const others = other === undefined ? ok(undefined) : await traceIdentity(other.trace, other.name, plan, task);
  if (!others.ok) return others;
  return ok({
    report: 'tracebench',
    layout: LAYOUT,
    program,
    made: plan.made,
    name,
    ...its.value,
    ...(others.value !== undefined && { other: others.value }),
    plan,
    notes,
  });
}

async function traceIdentity(
  trace: Trace,
  name: string,
  plan: FullPlan,
  task: Task<ReportProgress>,
): Promise<Result<OtherIdentity>> {
  const { file, format, blocks, ingest } = trace;
  if (!ingest.complete) {
    return fail('not-indexed', `${file.path}: a report requires the complete index; wait until indexing has finished`);
  }
  const digest = plan.sha256 ? await traceDigest(trace, task, progressOf(task)) : ok(undefined);
  if (!digest.ok) return digest;
  return ok({
    trace: {
      name,
      bytes: file.bytes,
      ...(file.compressed === undefined
        ? {}
        : { compressed: { as: file.compressed.as, bytes: file.compressed.bytes } }),
      ...(digest.value === undefined ? {} : { sha256: digest.value }),
      records: blocks.records,
      format,
    },
    images: trace.images.list.map(imageIdentity),
  });
}

/** Returns a callback that reports progress in percent. */
function progressOf(task: Task<ReportProgress>): (done: number, of: number) => void {
  let last = -1;
  return (done, of) => {
    const share = Math.floor((100 * done) / of);
    if (share === last) return;
    last = share;
    task.report({ done: share, of: 100, what: 'SHA-256 of the trace' });
  };
}

function imageIdentity({ path, form, size, digest, shift, segments, debug, rawNames }: Image): ImageIdentity {
  const [raw] = form === 'raw' ? segments : [];
  return {
    name: basename(path),
    form,
    bytes: size,
    sha256: digest(),
    ...(rawNames === true && { rawNames }),
    ...(shift === 0n ? {} : { shift: toHex(shift) }),
    ...(raw === undefined ? {} : { base: toHex(raw.address) }),
    ...(debug === undefined ? {} : { debug: { name: basename(debug.path), sha256: debug.digest() } }),
  };
}

/** Makes one part with fresh queries. */
export async function makeItem(
  trace: Trace,
  request: Pick<ReportRequest, 'notes' | 'traceName' | 'other'>,
  part: ReportPart,
  task: Task<ReportProgress>,
): Promise<Result<Item>> {
  const silent = withoutProgress(task);
  switch (part.kind) {
    case 'text':
      return ok(textItem(part.text));
    case 'summary':
      return makeSummary(trace);
    case 'diagnostics':
      return makeDiagnostics(trace);
    case 'table':
      return makeTable(trace, part, silent);
    case 'note': {
      const note = request.notes.find(({ id }) => id === part.note);
      return note === undefined ? noSuchNote(part.note) : makeNote(trace, note, part, silent);
    }
    case 'figure':
      return makeFigure(trace, part, request.traceName, silent);
    case 'why':
      return makeWhy(trace, part, silent);
    case 'diff':
      return makeDiff(trace, request.other?.trace, part, silent);
    case 'query':
      return makeQuery(trace, part, silent);
    case 'change':
      return makeChange(trace, request.other?.trace, part, silent);
  }
}

export function noSuchNote(id: string): Result<never> {
  return fail('no-such-note', `there is no note ${line(id, 64)} in the notebook; remove it from the plan`);
}
