/** Asks the trace for everything that a plan names. */
import { basename } from 'node:path';
import type { ReportPart } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { Image } from '../image/image.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { traceDigest } from './digest.ts';
import {
  LAYOUT,
  type FullPlan,
  type ImageIdentity,
  type Item,
  type ReportDocument,
  type ReportNote,
} from './document.ts';
import { askDiagnostics } from './items/diagnostics.ts';
import { askFigure } from './items/figure.ts';
import { askNote } from './items/note.ts';
import { askSummary } from './items/summary.ts';
import { askTable } from './items/table.ts';
import { textItem } from './items/text.ts';
import { line } from './words.ts';

export interface ReportRequest {
  readonly plan: FullPlan;
  readonly notes: readonly ReportNote[];
  /** See ReportDocument. */
  readonly program: string;
  readonly name: string;
  /** What the trace is called, without its folder. */
  readonly traceName: string;
}

/** Fails as the first question that fails, or with `not-indexed`. */
export async function makeDocument(
  trace: Trace,
  wish: ReportRequest,
  task: Task<ReportProgress>,
): Promise<Result<ReportDocument>> {
  const identity = await identityOf(trace, wish, task);
  if (!identity.ok) return identity;
  const items: Item[] = [];
  for (const [i, part] of wish.plan.parts.entries()) {
    if (task.cancelled()) return task.cancel();
    const item = await makeItem(trace, wish, part, task);
    if (!item.ok) return item;
    items.push(item.value);
    task.report({ done: i + 1, of: wish.plan.parts.length, what: item.value.title });
  }
  return ok({ ...identity.value, items });
}

export type Identity = Omit<ReportDocument, 'items'>;

/** All but the parts. */
export async function identityOf(
  trace: Trace,
  { plan, notes, program, name, traceName }: ReportRequest,
  task: Task<ReportProgress>,
): Promise<Result<Identity>> {
  const { file, format, blocks, ingest } = trace;
  if (!ingest.complete) {
    return fail(
      'not-indexed',
      `${file.path}: a report is about the whole trace, which is not indexed yet; wait until it is`,
    );
  }
  const digest = plan.sha256 ? await traceDigest(trace, task, progressOf(task)) : ok(undefined);
  if (!digest.ok) return digest;
  return ok({
    report: 'tracebench',
    layout: LAYOUT,
    program,
    made: plan.made,
    name,
    trace: {
      name: traceName,
      bytes: file.bytes,
      ...(file.compressed === undefined
        ? {}
        : { compressed: { as: file.compressed.as, bytes: file.compressed.bytes } }),
      ...(digest.value === undefined ? {} : { sha256: digest.value }),
      records: blocks.records,
      format,
    },
    images: trace.images.list.map(imageIdentity),
    plan,
    notes,
  });
}

/** In hundredths. */
function progressOf(task: Task<ReportProgress>): (done: number, of: number) => void {
  let last = -1;
  return (done, of) => {
    const share = Math.floor((100 * done) / of);
    if (share === last) return;
    last = share;
    task.report({ done: share, of: 100, what: 'SHA-256 of the trace' });
  };
}

function imageIdentity({ path, form, size, digest, shift, segments }: Image): ImageIdentity {
  const [raw] = form === 'raw' ? segments : [];
  return {
    name: basename(path),
    form,
    bytes: size,
    sha256: digest(),
    ...(shift === 0n ? {} : { shift: toHex(shift) }),
    ...(raw === undefined ? {} : { base: toHex(raw.address) }),
  };
}

/** One part, asked anew. */
export async function makeItem(
  trace: Trace,
  wish: Pick<ReportRequest, 'notes' | 'traceName'>,
  part: ReportPart,
  task: Task<ReportProgress>,
): Promise<Result<Item>> {
  const silent = { ...task, report: () => undefined };
  switch (part.kind) {
    case 'text':
      return ok(textItem(part.text));
    case 'summary':
      return askSummary(trace);
    case 'diagnostics':
      return askDiagnostics(trace);
    case 'table':
      return askTable(trace, part, silent);
    case 'note': {
      const note = wish.notes.find(({ id }) => id === part.note);
      return note === undefined ? noSuchNote(part.note) : askNote(trace, note, part, silent);
    }
    case 'figure':
      return askFigure(trace, part, wish.traceName, silent);
  }
}

export function noSuchNote(id: string): Result<never> {
  return fail('no-such-note', `there is no note ${line(id, 64)} in the notebook; take it out of the plan`);
}
