/** `verify`: whether what a report says of a trace is so. */
import { open, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Verified, VerifyArguments } from '../../../shared/requests/reports.ts';
import { openReport, readingOf } from '../../../shared/report/embedded-data.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { command, type Context } from '../command.ts';
import { group } from '../print/numbers.ts';
import { showProgress } from './report.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

export const verify = command({
  name: 'verify',
  text: 'Whether what a report says of a trace is so: computes all of it again',
  notes: `Exit code 1 if anything differs. The trace is read as it was for the report, unless --format or --option say otherwise;
name the images that it was made with, in their order, with --image.`,
  trace: 'needed',
  operands: ['REPORT', 'TRACE'],
  options: {},
  async run(context) {
    const read = await readText(reportOf(context));
    if (!read.ok) return read;
    const report = read.value;
    const opened = openReport(report);
    if (!opened.ok) return fail(opened.error.code, `${reportOf(context)}: ${opened.error.message}`);
    const { form, data } = opened.value;
    const files = form === 'md' ? await filesBeside(reportOf(context), report) : [];
    const { format, options } = readingOf(data);
    const common = {
      ...context.common,
      ...(context.common.format === undefined && format !== undefined ? { format } : {}),
      ...(context.common.option === undefined && options !== undefined ? { option: options } : {}),
    };
    let verified: Verified | undefined;
    const done = await withTrace({ ...context, common }, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const found = await check(context, trace, report, files);
      if (found.ok) verified = found.value;
      return found.ok ? ok(undefined) : found;
    });
    return verified === undefined || !done.ok ? done : tell(context, verified);
  },
});

/** Longer texts are no reports. */
const MOST_BYTES = 256 * 1024 * 1024;

async function readText(file: string): Promise<Result<string>> {
  try {
    const { size } = await stat(file);
    if (size > MOST_BYTES) return fail('not-a-report', `${file}: this is too long to be a report; name one`);
    return ok(await readFile(file, 'utf8'));
  } catch (error) {
    return fail(
      'unreadable',
      `${file}: the report cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

/** The drawings that the report shows, as far as they are there. */
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

/** Undefined for what is not there: `verify` tells that of each. */
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
  report: string,
  files: NonNullable<VerifyArguments['files']>,
): Promise<Result<Verified>> {
  const found = await trace.request(
    'verify',
    { trace: trace.id, report, ...(files.length > 0 ? { files } : {}) },
    { onEvent: (event) => showProgress(context, event, trace, 'checking the report') },
  );
  context.progress.clear();
  return found;
}

async function tell(context: Context, { checked, differing }: Verified): Promise<Result<void>> {
  const { common, out } = context;
  if (common.json) await out.json({ checked, differing });
  else {
    const lines = differing.map(
      ({ part, what, how }) => `${part === 0 ? '' : `part ${group(part)}, `}${what}: ${how}\n`,
    );
    const end = differing.length === 0 ? `all is as the trace gives it: ${group(checked)} parts were made anew\n` : '';
    await out.write(`${lines.join('')}${end}`);
  }
  if (differing.length === 0) return ok(undefined);
  const number = differing.length === 1 ? 'one thing differs' : `${group(differing.length)} things differ`;
  return fail('differs', `${reportOf(context)}: ${number} from what the trace gives; do not rely on this report`);
}
