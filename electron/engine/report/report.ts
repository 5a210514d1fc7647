/** Makes a report of a trace, from its plan to its files. */
import { basename } from 'node:path';
import type { Note } from '../../../shared/requests/notes.ts';
import { comparesRuns, parsePlan } from '../../../shared/report/plan.ts';
import type { ReportArguments, ReportFiles, ReportProgress } from '../../../shared/requests/reports.ts';
import type { ReportPlan } from '../../../shared/report/plan.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { notebook } from '../notebook/requests.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { defaultPlan } from './default-plan.ts';
import type { FullPlan, ReportDocument, ReportNote } from './document.ts';
import { makeDocument, noSuchNote } from './make-document.ts';
import { PROGRAM } from './program.ts';
import { fileText, piecesOf } from './render.ts';

/** Fails with `plan`, `no-such-note`, `not-indexed`, the failure of a query, or `form` for PDF, which a browser makes from HTML. */
export async function report(
  trace: Trace,
  { plan: wanted, as, name = 'report' }: Omit<ReportArguments, 'trace'>,
  task: Task<ReportProgress>,
  other?: Trace,
): Promise<Result<ReportFiles>> {
  if (as === 'pdf') return fail('form', 'a PDF is made from the HTML report; request HTML instead');
  const checked = wanted === undefined ? await defaultPlan(trace, other !== undefined, task) : parsePlan(wanted);
  if (!checked.ok) return checked;
  const plan = fullPlan(checked.value);
  const notes = await notesOf(trace, plan);
  if (!notes.ok) return notes;
  const document = await makeDocument(
    trace,
    {
      plan,
      notes: notes.value,
      program: PROGRAM,
      name,
      traceName: basename(trace.file.path),
      // Without a part that compares, the report is not about the other trace.
      ...(other !== undefined && comparesRuns(plan) && { other: { trace: other, name: basename(other.file.path) } }),
    },
    task,
  );
  return document.ok ? ok({ files: filesOf(document.value, as) }) : document;
}

function fullPlan(plan: ReportPlan): FullPlan {
  return { made: new Date().toISOString().replace(/\.\d+Z$/, 'Z'), sha256: true, ...plan };
}

/** Returns the notes that the plan names, as the notebook contains them at present. */
async function notesOf(trace: Trace, plan: FullPlan): Promise<Result<readonly ReportNote[]>> {
  const wanted = new Set(plan.parts.flatMap((part) => (part.kind === 'note' ? [part.note] : [])));
  if (wanted.size === 0) return ok([]);
  const held = await notebook(trace);
  if (!held.ok) return held;
  const found = held.value.notes.filter(({ id }) => wanted.delete(id));
  const [missing] = wanted;
  return missing === undefined ? ok(found.map(reportNote)) : noSuchNote(missing);
}

function reportNote({ id, title, text, colour, tags, place, created, changed }: Note): ReportNote {
  return { id, title, text, colour, tags, place, created, changed };
}

function filesOf(document: ReportDocument, as: 'html' | 'md' | 'json'): ReportFiles['files'] {
  const encoder = new TextEncoder();
  const drawings = as === 'json' ? [] : piecesOf(document, as).drawings;
  return [
    { name: `${document.name}.${as}`, bytes: encoder.encode(fileText(document, as)) },
    ...drawings.map(({ name, text }) => ({ name, bytes: encoder.encode(text) })),
  ];
}
