/** `report`: writes the annotated report, and the files that belong to it. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import { NOTEBOOK_UNREADABLE } from '../../../shared/requests/failures.ts';
import { parsePlan, REPORT_CHANGES, REPORT_TABLES } from '../../../shared/report/plan.ts';
import {
  REPORT_FORMS,
  type FigureFile,
  type ReportArguments,
  type ReportForm,
  type ReportProgress,
} from '../../../shared/requests/reports.ts';
import type { ReportPart, ReportPlan, ReportTable } from '../../../shared/report/plan.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { resultPlace, writeWholeFile, type FileRead } from '../../result-file.ts';
import { comparedOptions, withCompared } from '../against/options.ts';
import { command, type Context } from '../command.ts';
import { findBrowser } from '../find-browser.ts';
import { NOTEBOOK } from './notes.ts';
import { bytes } from '../../../shared/base/numbers.ts';
import { flag, oneOfList, path, word, type Option } from '../options/options.ts';
import { PAPERS, printPdf, type Paper } from '../print-pdf.ts';
import { filesRead, type OpenTrace } from '../trace.ts';

const KINDS = [
  'text',
  'summary',
  'diagnostics',
  'note',
  'figure',
  'table',
  'why',
  'diff',
  'query',
  'change',
] as const satisfies readonly ReportPart['kind'][];

export const report = command({
  name: 'report',
  text: 'The annotated report: facts about the trace, notes with their context, figures, tables',
  notes: `The extension of -o FILE chooses the form: .html (one self-contained file), .md (with figures as .svg files next to it), .json, or .pdf,
which needs a Chromium, Chrome or Edge on this machine, or named in TRACEBENCH_BROWSER.
\`tracebench verify\` recomputes everything in a report.`,
  trace: 'needed',
  options: {
    notebook: NOTEBOOK,
    output: path('FILE', 'the file to write: .html, .md, .json or .pdf; required', 'o'),
    title: word('TEXT', 'title of the report; the name of the trace by default', 'a title'),
    plan: path('FILE', 'a plan: which parts, in which order; JSON as described in docs/report.md'),
    parts: oneOfList('K,K', `only these kinds of parts: ${KINDS.join(', ')}`, KINDS),
    tables: oneOfList('T,T', `also these tables: ${REPORT_TABLES.join(', ')}`, REPORT_TABLES),
    changes: oneOfList(
      'C,C',
      `also these changes to the trace of --against: ${REPORT_CHANGES.join(', ')}`,
      REPORT_CHANGES,
    ),
    paper: paper(),
    'no-sha256': flag('leave out the SHA-256 of the trace, which requires a read of the whole file'),
    ...comparedOptions,
  },
  async run(
    context,
    {
      notebook,
      output,
      title,
      plan: planFile,
      parts,
      tables = [],
      changes = [],
      paper = 'A4',
      'no-sha256': plain,
      ...compared
    },
  ) {
    if (changes.length > 0 && compared.against === undefined) return fail('usage', 'report: --changes needs --against');
    if (output === undefined) return fail('usage', 'report: name the output file with -o FILE');
    const ending = extname(output).slice(1).toLowerCase();
    const form = REPORT_FORMS.find((one) => one === ending);
    if (form === undefined) return fail('usage', `--output must end in .html, .md, .json or .pdf, not '${output}'`);
    const from = [...filesRead(context), ...(planFile === undefined ? [] : [{ path: planFile, what: 'the plan' }])];
    // An output that cannot be written fails before a long trace is indexed.
    const place = await resultPlace(output, from);
    if (!place.ok) return place;
    const given = planFile === undefined ? ok(undefined) : await readPlan(planFile);
    if (!given.ok) return given;
    if (form === 'pdf') {
      const browser = findBrowser();
      if (!browser.ok) return browser;
    }
    const work = async (trace: OpenTrace, other?: OpenTrace): Promise<Result<void>> => {
      const pair = { trace: trace.id, ...(other && { other: other.id }) };
      const held = await isReadable(context, trace, notebook);
      if (!held.ok) return held;
      const usual = given.value === undefined ? await trace.request('reportPlan', pair) : ok(given.value);
      if (!usual.ok) return usual;
      const plan: ReportPlan = {
        ...usual.value,
        ...(title === undefined ? {} : { title }),
        ...(plain === true ? { sha256: false } : {}),
        parts: [
          ...withTables(
            parts === undefined ? usual.value.parts : usual.value.parts.filter(({ kind }) => parts.includes(kind)),
            tables,
          ),
          ...changes.map((of): ReportPart => ({ kind: 'change', of })),
        ],
      };
      return writeReport(context, trace, { ...pair, plan }, { form, paper, output }, from);
    };
    return withCompared(context, compared, work, notebook === undefined ? {} : { notebook });
  },
});

/** Adds tables that are not in the plan yet. */
function withTables(parts: readonly ReportPart[], tables: readonly ReportTable[]): readonly ReportPart[] {
  const known = new Set(parts.flatMap((part) => (part.kind === 'table' ? [part.table] : [])));
  const more = tables.filter((table) => !known.has(table)).map((table): ReportPart => ({ kind: 'table', table }));
  return [...parts, ...more];
}

/** Fails if a notebook that was named cannot be read. Problems with the trace's own notebook are only reported. */
async function isReadable(context: Context, trace: OpenTrace, file: string | undefined): Promise<Result<undefined>> {
  const held = await trace.request('notebook', { trace: trace.id });
  if (!held.ok) return held;
  const { exists, problem, notes } = held.value;
  if (file !== undefined && !exists) {
    return fail('notebook-missing', `${file}: there is no such notebook; check the path`);
  }
  if (file !== undefined && problem !== undefined && notes.length === 0) return fail(NOTEBOOK_UNREADABLE, problem);
  if (exists && problem !== undefined) context.notify(problem);
  return ok(undefined);
}

function paper(): Option<Paper> {
  return {
    value: 'SIZE',
    text: 'paper of a PDF: A4 or letter; A4 by default',
    read: (text) => PAPERS.find((one) => one.toLowerCase() === text.toLowerCase()),
    must: 'A4 or letter',
  };
}

export async function readPlan(file: string): Promise<Result<ReportPlan>> {
  try {
    return parsePlan(JSON.parse(await readFile(file, 'utf8')) as unknown);
  } catch (error) {
    if (error instanceof SyntaxError) return fail('usage', `${file}: this is not JSON; docs/report.md describes plans`);
    return fail(
      'usage',
      `${file}: the plan cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

/** Makes a report and writes it with the files that belong to it. */
export async function writeReport(
  context: Context,
  trace: OpenTrace,
  about: Pick<ReportArguments, 'trace' | 'other' | 'plan'>,
  wanted: { readonly form: ReportForm; readonly paper: Paper; readonly output: string },
  from: readonly FileRead[],
): Promise<Result<void>> {
  const files = await make(context, trace, about, wanted);
  return files.ok ? write(context, files.value, wanted.output, from) : files;
}

async function make(
  context: Context,
  trace: OpenTrace,
  about: Pick<ReportArguments, 'trace' | 'other' | 'plan'>,
  { form, paper, output }: { readonly form: ReportForm; readonly paper: Paper; readonly output: string },
): Promise<Result<readonly FigureFile[]>> {
  const name = basename(output, extname(output));
  const made = await trace.request(
    'report',
    { ...about, as: form === 'pdf' ? 'html' : form, name },
    { onEvent: (event) => showProgress(context, event, trace, 'making the report') },
  );
  context.progress.clear();
  if (!made.ok) return made;
  const [page] = made.value.files;
  if (form !== 'pdf' || page === undefined) return ok(made.value.files);
  const pdf = await printPdf(page.bytes, paper, context.signal);
  return pdf.ok ? ok([{ name: `${name}.pdf`, bytes: pdf.value }]) : pdf;
}

/** Shows progress as a share of the bytes of the trace. */
export function showProgress(
  context: Context,
  { done, of, what }: ReportProgress,
  trace: OpenTrace,
  doing: string,
): void {
  const share = done / Math.max(1, of);
  const { bytes: totalBytes } = trace.opened.file;
  context.progress.update(
    { bytes: share * totalBytes, totalBytes, records: 0, bytesPerSecond: 0, secondsLeft: null },
    what.startsWith('SHA-256') ? what : doing,
  );
}

async function write(
  context: Context,
  files: readonly FigureFile[],
  output: string,
  from: readonly FileRead[],
): Promise<Result<void>> {
  const [main, ...beside] = files;
  if (main === undefined) return ok(undefined);
  const places = beside.map(({ name, bytes }): Place => ({ path: join(dirname(output), name), bytes }));
  const written = await writeAll(context, [{ path: output, bytes: main.bytes }, ...places], from);
  if (!written.ok) return written;
  const besides = beside.map(({ name }) => name);
  const answer = { path: output, bytes: main.bytes.length, ...(beside.length > 0 ? { beside: besides } : {}) };
  const more = beside.length > 0 ? `; its figures are ${besides.join(', ')}` : '';
  await (context.common.json
    ? context.out.json(answer)
    : context.out.write(`${output}: ${bytes(main.bytes.length)}${more}\n`));
  return ok(undefined);
}

interface Place {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Writes all files or none: each file is renamed into place after the files that follow it, so the report is last. */
function writeAll(
  context: Context,
  [first, ...others]: readonly Place[],
  from: readonly FileRead[],
): Promise<Result<void>> {
  if (first === undefined) return Promise.resolve(ok(undefined));
  const made = async (unfinished: string): Promise<Result<void>> => {
    await writeFile(unfinished, first.bytes, { flag: 'wx' });
    return context.signal.aborted ? fail(CANCELLED, 'interrupted') : writeAll(context, others, from);
  };
  return writeWholeFile(first.path, made, from);
}
