/** `verify`: recomputes a report, or what a bundle holds, from the trace and lists the differences. */
import { open, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Verified, VerifyArguments } from '../../../shared/requests/reports.ts';
import { openReport, readingOf } from '../../../shared/report/embedded-data.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { comparedOptions, withCompared } from '../against/options.ts';
import { command, type Context } from '../command.ts';
import { counted, group } from '../../../shared/base/numbers.ts';
import { showProgress } from './report.ts';
import { withTrace, type OpenTrace } from '../trace.ts';
import { isArchive } from '../bundle/archive-file.ts';
import type { Settings } from '../../../shared/format/format.ts';

export const verify = command({
  name: 'verify',
  text: 'Check a report or a bundle: recompute everything in it from the trace',
  notes: `Exit code 1 if anything differs. Format and options are those of the report, unless --format or --option override them;
give the images of the report with --image, in the same order. A report that compares two runs needs the other trace as --against.
A bundle is compared with its trace byte by byte. Without a trace, only whether the bundle is as it was written is checked.`,
  trace: 'optional',
  operands: ['REPORT', '[TRACE]'],
  options: comparedOptions,
  async run(context, compared) {
    if (isArchive(reportOf(context))) return verifyBundle(context);
    if (context.trace === '') return fail('usage', 'verify: name a trace file, from which the report is recomputed');
    const read = await readText(reportOf(context));
    if (!read.ok) return read;
    const report = read.value;
    const opened = openReport(report);
    if (!opened.ok) return fail(opened.error.code, `${reportOf(context)}: ${opened.error.message}`);
    const { form, data } = opened.value;
    const files = form === 'md' ? await filesBeside(reportOf(context), report) : [];
    const { format, options } = readingOf(data);
    const common = readAs(context, format, options);
    let verified: Verified | undefined;
    const done = await withCompared({ ...context, common }, compared, async (trace, other) => {
      const found = await check(context, trace, other, { report, files });
      if (found.ok) verified = found.value;
      return found.ok ? ok(undefined) : found;
    });
    if (verified === undefined || !done.ok) return done;
    return notify(context, verified, {
      matches: `the report matches the trace: ${counted(verified.checked, 'part was', 'parts were')} recomputed\n`,
      source: 'the trace',
    });
  },
});

/** Longer files are not read. */
const MOST_BYTES = 256 * 1024 * 1024;

async function readText(file: string): Promise<Result<string>> {
  try {
    const { size } = await stat(file);
    if (size > MOST_BYTES) return fail('not-a-report', `${file}: this file is too long to be a report`);
    return ok(await readFile(file, 'utf8'));
  } catch (error) {
    return fail(
      'unreadable',
      `${file}: the report cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

/** Returns the figures that the report refers to, if their files exist. */
async function filesBeside(report: string, text: string): Promise<NonNullable<VerifyArguments['files']>> {
  const names = new Set(Array.from(text.matchAll(/\]\(<([^<>/\\]+\.svg)>\)/g), ([, name = '']) => decoded(name)));
  const found: { readonly name: string; readonly text: string }[] = [];
  for (const name of names) {
    if (basename(name) !== name) continue;
    const content = await contentOf(join(dirname(report), name));
    if (content !== undefined) found.push({ name, text: content });
  }
  return found;
}

function decoded(name: string): string {
  try {
    return decodeURI(name);
  } catch (error) {
    if (error instanceof URIError) return name;
    throw error;
  }
}

/** Returns undefined for a missing file, which the engine reports as a difference. */
async function contentOf(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file);
    try {
      return (await handle.stat()).size > MOST_BYTES ? undefined : await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

function reportOf({ operands }: Context): string {
  return operands['REPORT'] ?? '';
}

async function check(
  context: Context,
  trace: OpenTrace,
  other: OpenTrace | undefined,
  { report, files }: { readonly report: string; readonly files: NonNullable<VerifyArguments['files']> },
): Promise<Result<Verified>> {
  const found = await trace.request(
    'verify',
    { trace: trace.id, report, ...(other && { other: other.id }), ...(files.length > 0 ? { files } : {}) },
    { onEvent: (event) => showProgress(context, event, trace, 'checking the report') },
  );
  context.progress.clear();
  return found;
}

async function verifyBundle(context: Context): Promise<Result<void>> {
  const file = reportOf(context);
  const bundle = await context.client.request('readBundle', { path: file }, { signal: context.signal });
  if (!bundle.ok) return bundle;
  const { problems, manifest } = bundle.value;
  if (context.trace === '') {
    const differing = problems.map((how) => ({ part: 0, what: 'the archive', how }));
    const verified = { checked: manifest.members.length + 1, differing };
    return notify(context, verified, {
      matches: `the bundle is as it was written; name ${manifest.trace.name} to compare it with the trace\n`,
      source: 'what was written',
    });
  }
  let verified: Verified | undefined;
  const { format } = manifest.trace;
  const done = await withTrace({ ...context, common: readAs(context, format.id, format.options) }, async (trace) => {
    const indexed = await trace.index();
    if (!indexed.ok) return indexed;
    const found = await trace.request(
      'verifyBundle',
      { trace: trace.id, path: file },
      { onEvent: (event) => showProgress(context, event, trace, 'checking the bundle') },
    );
    context.progress.clear();
    if (found.ok) verified = found.value;
    return found.ok ? ok(undefined) : found;
  });
  if (verified === undefined || !done.ok) return done;
  return notify(context, verified, {
    matches: `the bundle matches the trace: ${counted(verified.checked, 'part was', 'parts were')} compared\n`,
    source: 'the trace',
  });
}

/** Returns the options of the command line, with the format and settings of the checked file unless they are given. */
function readAs({ common }: Context, format: string | undefined, options: Settings | undefined): Context['common'] {
  return {
    ...common,
    ...(common.format === undefined && format !== undefined ? { format } : {}),
    ...(common.option === undefined && options !== undefined ? { option: options } : {}),
  };
}

/** @param source what it differs from, if it does */
async function notify(
  context: Context,
  { checked, differing }: Verified,
  { matches, source }: { readonly matches: string; readonly source: string },
): Promise<Result<void>> {
  const { common, out } = context;
  if (common.json) await out.json({ checked, differing });
  else {
    const lines = differing.map(
      ({ part, what, how }) => `${part === 0 ? '' : `part ${group(part)}, `}${what}: ${how}\n`,
    );
    await out.write(`${lines.join('')}${differing.length === 0 ? matches : ''}`);
  }
  if (differing.length === 0) return ok(undefined);
  const number = differing.length === 1 ? 'one part differs' : `${group(differing.length)} parts differ`;
  const file = isArchive(reportOf(context)) ? 'bundle' : 'report';
  return fail('differs', `${reportOf(context)}: ${number} from ${source}; do not rely on this ${file}`);
}
