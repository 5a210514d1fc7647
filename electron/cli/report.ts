/** `report`: the annotated report as a file, with what lies beside it. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { CANCELLED } from '../../shared/api.ts';
import { parsePlan } from '../../shared/report-plan.ts';
import {
  REPORT_FORMS,
  type FigureFile,
  type ReportForm,
  type ReportPart,
  type ReportPlan,
} from '../../shared/report.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import { resultPlace, writeWholeFile } from '../engine/whole-file.ts';
import { command, type Context } from './command.ts';
import { bytes } from './numbers.ts';
import { flag, oneOfList, path, word } from './options.ts';
import { withTrace, type OpenTrace } from './trace.ts';

const KINDS = [
  'text',
  'summary',
  'diagnostics',
  'note',
  'figure',
  'table',
] as const satisfies readonly ReportPart['kind'][];

export const report = command({
  name: 'report',
  text: 'The annotated report: what the trace is, notes with their context, figures, tables',
  notes: `-o FILE says what it becomes: .html (one file that needs nothing else), .md (with its figures as .svg files beside it) or .json.
\`tracebench verify\` computes everything in it again.`,
  trace: 'needed',
  options: {
    output: path('FILE', 'write it there: .html, .md or .json', 'o'),
    title: word('TEXT', 'its title; the name of the trace by default', 'a title'),
    plan: path('FILE', 'what it has, in which order: JSON as docs/report.md describes it'),
    parts: oneOfList('K,K', 'only these parts of what it has by default', KINDS),
    'no-sha256': flag('do without the SHA-256 of the trace, for which all of it is read'),
  },
  async run(context, { output, title, plan: planFile, parts, 'no-sha256': plain }) {
    if (output === undefined) return fail('usage', 'report: name the file with -o');
    const ending = extname(output).slice(1).toLowerCase();
    const form = REPORT_FORMS.find((one) => one === ending);
    if (form === undefined) return fail('usage', `--output must end in .html, .md or .json, not '${output}'`);
    // A place that cannot be written is told before a long trace is indexed.
    const place = await resultPlace(output, context.trace);
    if (!place.ok) return place;
    const given = planFile === undefined ? ok(undefined) : await readPlan(planFile);
    if (!given.ok) return given;
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const usual = given.value === undefined ? await trace.call('reportPlan', { trace: trace.id }) : ok(given.value);
      if (!usual.ok) return usual;
      const plan: ReportPlan = {
        ...usual.value,
        ...(title === undefined ? {} : { title }),
        ...(plain === true ? { sha256: false } : {}),
        ...(parts === undefined ? {} : { parts: usual.value.parts.filter(({ kind }) => parts.includes(kind)) }),
      };
      const files = await make(context, trace, plan, form, output);
      return files.ok ? write(context, files.value, output) : files;
    });
  },
});

async function readPlan(file: string): Promise<Result<ReportPlan>> {
  try {
    return parsePlan(JSON.parse(await readFile(file, 'utf8')) as unknown);
  } catch (error) {
    if (error instanceof SyntaxError)
      return fail('usage', `${file}: this is no JSON; see docs/report.md for what a plan is`);
    return fail(
      'usage',
      `${file}: the plan cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

async function make(
  context: Context,
  trace: OpenTrace,
  plan: ReportPlan,
  as: ReportForm,
  output: string,
): Promise<Result<readonly FigureFile[]>> {
  const name = basename(output, extname(output));
  const made = await trace.call(
    'report',
    { trace: trace.id, plan, as, name },
    { onEvent: ({ done, of, what }) => showProgress(context, done / Math.max(1, of), trace, what) },
  );
  context.progress.clear();
  return made.ok ? ok(made.value.files) : made;
}

/** As a share of the trace, which is what the progress line speaks of. */
export function showProgress(context: Context, share: number, trace: OpenTrace, what: string): void {
  const { bytes: totalBytes } = trace.opened.file;
  context.progress.update(
    { bytes: share * totalBytes, totalBytes, records: 0, bytesPerSecond: 0, secondsLeft: null },
    what.slice(0, 60),
  );
}

/** What it refers to comes first, so that there is no report without it. */
async function write(context: Context, files: readonly FigureFile[], output: string): Promise<Result<void>> {
  const [main, ...beside] = files;
  if (main === undefined) return ok(undefined);
  const places = [
    ...beside.map((file) => [join(dirname(output), file.name), file.bytes] as const),
    [output, main.bytes] as const,
  ];
  for (const [place, content] of places) {
    const made = async (unfinished: string): Promise<Result<void>> => {
      await writeFile(unfinished, content, { flag: 'wx' });
      return context.signal.aborted ? fail(CANCELLED, 'interrupted') : ok(undefined);
    };
    const written = await writeWholeFile(place, made, context.trace);
    if (!written.ok) return written;
  }
  const besides = beside.map(({ name }) => name);
  const answer = { path: output, bytes: main.bytes.length, ...(beside.length > 0 ? { beside: besides } : {}) };
  const more = beside.length > 0 ? `, with ${besides.join(', ')} beside it` : '';
  await (context.common.json
    ? context.out.json(answer)
    : context.out.write(`${output}: ${bytes(main.bytes.length)}${more}\n`));
  return ok(undefined);
}
