/** `bundle`: writes what of a trace travels without it, or joins two such files. */
import { writeFile } from 'node:fs/promises';
import { bytes as sizeText, counted, group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { visible } from '../../../shared/base/visible.ts';
import {
  CITED_RECORDS,
  CITED_RECORDS_MOST,
  CONTEXT,
  CONTEXT_MOST,
  SLICE_BYTES,
  SLICE_BYTES_MOST,
} from '../../../shared/requests/bundle/limits.ts';
import type { BundleFile, MergedBundle } from '../../../shared/requests/bundle/bundles.ts';
import type { Taken } from '../../../shared/requests/notes.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { resultPlace, writeWholeFile, type FileRead } from '../../result-file.ts';
import { command, type Context } from '../command.ts';
import { flag, number, path } from '../options/options.ts';
import { filesRead, withTrace } from '../trace.ts';
import { NOTEBOOK } from './notes.ts';
import { readPlan, showProgress } from './report.ts';

export const bundle = command({
  name: 'bundle',
  text: 'An evidence bundle: notes, views, reports and the cited records in one file that opens without the trace',
  notes: `The bundle is a ZIP archive, described in docs/bundles.md. It holds the notebook, the report with its figures, the composed report if
there is one, how the workbench was left, and the records that these cite, in the format of the trace and with the state before them.
\`tracebench serve BUNDLE\` opens it, \`tracebench verify BUNDLE TRACE\` compares it with its trace.
With --merge, TRACE and OTHER are two bundles of one trace; the result does not depend on their order.`,
  trace: 'needed',
  operands: ['TRACE', '[OTHER]'],
  options: {
    output: path('FILE', 'the file to write, such as finding.zip; required', 'o'),
    merge: flag('join two bundles: bundle --merge A B -o C'),
    notebook: NOTEBOOK,
    plan: path('FILE', 'a plan of a report, in place of the usual reports; JSON as described in docs/report.md'),
    'no-reports': flag('leave out reports'),
    'no-sha256': flag('leave out the SHA-256 of the trace, which requires a read of the whole file'),
    context: number('N', whole(0, CONTEXT_MOST), `records before and after a cited one, ${String(CONTEXT)} by default`),
    'cited-records': number(
      'N',
      whole(1, CITED_RECORDS_MOST),
      `records of one citation at most, ${group(CITED_RECORDS)} by default`,
    ),
    'slice-bytes': number(
      'B',
      whole(0, SLICE_BYTES_MOST),
      `bytes of all cited records at most, ${group(SLICE_BYTES)} by default`,
    ),
  },
  async run(context, { output, merge = false, ...given }) {
    if (output === undefined) return fail('usage', 'bundle: name the output file with -o FILE');
    const { OTHER: other } = context.operands;
    if (merge) {
      const [unused] = Object.keys(given);
      if (unused !== undefined) return fail('usage', `bundle: --${unused} is not for --merge`);
      if (other === undefined) return fail('usage', 'bundle: name two bundles: bundle --merge A B -o C');
      return mergeInto(context, other, output);
    }
    if (other !== undefined)
      return fail('usage', `bundle: '${other}' is one argument too many, unless --merge is given`);
    return write(context, output, given);
  },
});

interface Given {
  readonly notebook?: string;
  readonly plan?: string;
  readonly 'no-reports'?: boolean;
  readonly 'no-sha256'?: boolean;
  readonly context?: number;
  readonly 'cited-records'?: number;
  readonly 'slice-bytes'?: number;
}

async function write(context: Context, output: string, given: Given): Promise<Result<void>> {
  const { notebook, plan: planFile } = given;
  if (planFile !== undefined && given['no-reports'] === true)
    return fail('usage', 'bundle: give either --plan or --no-reports');
  const from = [...filesRead(context), ...(planFile === undefined ? [] : [{ path: planFile, what: 'the plan' }])];
  // An output that cannot be written fails before a long trace is indexed.
  const place = await resultPlace(output, from);
  if (!place.ok) return place;
  const plan = planFile === undefined ? ok(undefined) : await readPlan(planFile);
  if (!plan.ok) return plan;
  const plans = plan.value === undefined ? (given['no-reports'] === true ? [] : undefined) : [plan.value];
  return withTrace(
    context,
    async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const held = await trace.request('notebook', { trace: trace.id });
      if (!held.ok) return held;
      if (notebook !== undefined && !held.value.exists)
        return fail('notebook-missing', `${notebook}: there is no such notebook; check the path`);
      for (const notice of held.value.notices ?? []) context.notify(notice);
      const made = await trace.request(
        'bundle',
        {
          trace: trace.id,
          ...(plans !== undefined && { plans }),
          ...(given['no-sha256'] === true && { noSha256: true }),
          ...(given.context !== undefined && { context: given.context }),
          ...(given['cited-records'] !== undefined && { citedRecords: given['cited-records'] }),
          ...(given['slice-bytes'] !== undefined && { sliceBytes: given['slice-bytes'] }),
        },
        { onEvent: (event) => showProgress(context, event, trace, 'making the bundle') },
      );
      context.progress.clear();
      if (!made.ok) return made;
      const written = await save(output, made.value, from);
      if (!written.ok) return written;
      const { bytes, contents } = made.value;
      if (context.common.json) await context.out.json({ path: output, bytes: bytes.length, ...contents });
      else await context.out.write(`${output}: ${contentsText(made.value)}\n`);
      for (const sentence of contents.leftOut) context.notify(visible(sentence));
      return ok(undefined);
    },
    notebook === undefined ? {} : { notebook },
  );
}

async function mergeInto(context: Context, other: string, output: string): Promise<Result<void>> {
  const from = [
    { path: context.trace, what: 'a bundle to merge' },
    { path: other, what: 'a bundle to merge' },
  ];
  const merged = await context.client.request(
    'mergeBundles',
    { path: context.trace, second: other },
    { signal: context.signal },
  );
  if (!merged.ok) return merged;
  const written = await save(output, merged.value, from);
  if (!written.ok) return written;
  const { bytes, contents, notes, views } = merged.value;
  if (context.common.json)
    await context.out.json({ path: output, bytes: bytes.length, ...contents, merged: { notes, views } });
  else await context.out.write(`${output}: ${contentsText(merged.value)}\n${mergedText(merged.value)}`);
  return ok(undefined);
}

function save(output: string, { bytes }: BundleFile, from: readonly FileRead[]): Promise<Result<undefined>> {
  return writeWholeFile(
    output,
    async (unfinished) => {
      await writeFile(unfinished, bytes, { flag: 'wx' });
      return ok(undefined);
    },
    from,
  );
}

function contentsText({ bytes, contents: { notes, views, reports, slices, records } }: BundleFile): string {
  return [
    counted(notes, 'note'),
    counted(views, 'view'),
    counted(reports, 'report'),
    `${counted(slices, 'slice')} with ${counted(records, 'record')}`,
    sizeText(bytes.length),
  ].join(', ');
}

function mergedText({ notes, views }: MergedBundle): string {
  const conflicts = notes.conflicts + views.conflicts;
  const resolve =
    conflicts === 0
      ? ''
      : 'earlier versions are kept as conflicts: import the bundle into the notebook, where the notes pane and `notes list` show them\n';
  return `notes: ${takenText(notes)}\nviews: ${takenText(views)}\n${resolve}`;
}

function takenText({ added, updated, same, conflicts }: Taken): string {
  return `${group(added)} added, ${group(updated)} changed, ${group(same)} in the first bundle already, ${counted(conflicts, 'conflict')}`;
}
