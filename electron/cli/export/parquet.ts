/** `export --to parquet`: its options, and one export from the plan to the files. */
import path from 'node:path';
import { bytes, counted, group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { EXPORT_TABLES, fileRecords as fileRecordsSchema } from '../../../shared/requests/tables/export.ts';
import type { Context } from '../command.ts';
import { flag, number, oneOf, word, type Option, type Values } from '../options/options.ts';
import { withTrace } from '../trace.ts';
import { writeParquet } from './parquet-folder.ts';

export const PARQUET_OPTIONS = {
  what: oneOf('TABLE', `parquet: ${EXPORT_TABLES.join(', ')}; records by default`, EXPORT_TABLES),
  part: partOfAll(),
  signed: flag(
    'parquet: write addresses and values as signed integers with the same 64 bits, for engines without unsigned ones',
  ),
  name: word(
    'NAME',
    'parquet: the name of this trace in its folder; the file name by default',
    'a name without / and =',
  ),
  'file-records': number(
    'N',
    fileRecordsSchema,
    'parquet: records a file; 4,000,000 by default, the same for all parts',
  ),
};

export async function exportParquet(
  context: Context,
  folder: string,
  values: Values<typeof PARQUET_OPTIONS>,
): Promise<Result<void>> {
  const { what: table = 'records', part: { part, parts } = { part: 1, parts: 1 }, signed = false } = values;
  const name = values.name ?? path.basename(context.trace).replace(UNSAFE, '_');
  if (/[/=\\]/.test(name) || name === '' || name.startsWith('.'))
    return fail('usage', '--name must be a name without / and =');
  const fileRecords = values['file-records'];
  return withTrace(context, async (trace) => {
    const indexed = await trace.index();
    if (!indexed.ok) return indexed;
    const plan = await trace.request('exportPlan', {
      trace: trace.id,
      table,
      part,
      parts,
      ...(fileRecords !== undefined && { fileRecords }),
    });
    if (!plan.ok) return plan;
    const { files, ofAll } = plan.value;
    const all = { from: files[0]?.from ?? 0, to: files.at(-1)?.to ?? 0 };
    const started = performance.now();
    const totalBytes = trace.opened.file.bytes;
    const written = await writeParquet(
      { folder, name, table, part, parts, signed, plan: plan.value },
      {
        signal: context.signal,
        rows: (range) => trace.request('exportGroup', { trace: trace.id, table, ...range, signed, all }),
        reached: (record) => {
          const share = (record - all.from) / Math.max(1, all.to - all.from);
          const bytesPerSecond = (1000 * share * totalBytes) / (performance.now() - started);
          const secondsLeft = bytesPerSecond > 0 ? ((1 - share) * totalBytes) / bytesPerSecond : null;
          const progress = { bytes: share * totalBytes, totalBytes, records: record, bytesPerSecond, secondsLeft };
          context.progress.update(progress, 'exporting');
        },
      },
    );
    context.progress.clear();
    if (!written.ok) return written;
    const { rows } = written.value;
    const sizes = { files: written.value.files, filesOfAll: ofAll, rows, bytes: written.value.bytes };
    const answer = { path: folder, table, part, parts, ...sizes };
    const what =
      answer.files > 0
        ? `${counted(answer.files, 'file')}, ${group(rows)} rows, ${bytes(answer.bytes)}`
        : `part ${String(part)} of ${String(parts)} has no files, because the table has ${counted(ofAll, 'file')} in all`;
    await (context.common.json ? context.out.json(answer) : context.out.write(`${folder}: ${what}\n`));
    return ok(undefined);
  });
}

/** Characters that engines or shells read as more than a name. */
const UNSAFE = /[^\w.+-]/g;

interface Part {
  readonly part: number;
  readonly parts: number;
}

function partOfAll(): Option<Part> {
  return {
    value: 'I/N',
    text: 'parquet: write part I of N; all by default',
    read(text) {
      const [, part, parts] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
      if (part === undefined || parts === undefined || part < 1 || part > parts) return undefined;
      return { part, parts };
    },
    must: 'a part such as 1/8 or 8/8',
  };
}
