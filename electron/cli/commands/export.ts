/** `export`: records for other tools. The file is written completely or not at all. */
import { open } from 'node:fs/promises';
import type { ExportForm } from '../../../shared/requests/requests.ts';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import { EXPORT_FORMS } from '../../../shared/requests/requests.ts';
import type { Kind } from '../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { resultPlace, writeWholeFile } from '../../result-file.ts';
import { command, type Context } from '../command.ts';
import { bytes, group } from '../../../shared/base/numbers.ts';
import { kinds, path, recordNumber, type Option } from '../options/options.ts';
import { exportParquet, PARQUET_OPTIONS } from '../export/parquet.ts';
import { exportSlice } from '../export/slice.ts';
import { exportVcd, VCD_OPTIONS } from '../export/vcd.ts';
import { filesRead, withTrace, type OpenTrace } from '../trace.ts';

/** Forms of the request exportPart, Parquet (a folder of files), signals for viewers of waveforms, and records in the format of the trace. */
const TO_FORMS = [...EXPORT_FORMS, 'parquet', 'vcd', 'slice'] as const;
type ToForm = (typeof TO_FORMS)[number];

const FORMS = TO_FORMS.join(', ');

export const exportRecords = command({
  name: 'export',
  text: 'Records and other tables for other tools: CSV, JSON Lines, Parquet or a Dinero trace',
  notes: `--to FORM (${FORMS}) chooses the form, --to N the end. din writes the label and address of reads, writes and fetches
(of instructions, if there are no fetches); --kinds chooses other kinds that have a Dinero label. In csv, hidden characters stand by
name ([U+001B]), and a cell that a spreadsheet would take for a formula begins with an apostrophe; numbers such as -5 stay.
parquet writes a table (--what) of the whole trace into the folder of -o, with statements for DuckDB, Spark and Trino beside it. Jobs
that know nothing of each other can write a part each: --part 2/8 is the second of eight, and the eight together are the whole.
vcd writes registers, memory (--address) and call depth for GTKWave: all registers and the depth, or those that are chosen. At time n,
a signal has its value after record n.
slice writes the records --from to --to in the format of the trace, after its header, and the registers and memory that are known before
them to FILE.state.json. A QEMU4V trace of one CPU also gets lines that set the registers. Trace buffers of XScale have no slices.`,
  trace: 'needed',
  options: {
    to: formAndEnd(),
    from: recordNumber('the first record, 0 by default'),
    kinds: kinds('only records of these kinds'),
    output: path('FILE', 'the file to write, or the folder for parquet; required', 'o'),
    ...PARQUET_OPTIONS,
    ...VCD_OPTIONS,
  },
  async run(context, { to = {}, from = 0, kinds, output, ...given }) {
    const { form, end } = to;
    if (form === undefined) return fail('usage', `export: choose the form with --to (${FORMS})`);
    if (output === undefined) return fail('usage', 'export: name the output file with -o FILE');
    const own = form === 'parquet' ? PARQUET_OPTIONS : form === 'vcd' ? VCD_OPTIONS : {};
    const other = (Object.keys(given) as (keyof typeof given)[]).find(
      (name) => given[name] !== undefined && !(name in own),
    );
    if (other !== undefined)
      return fail('usage', `export: --${other} is only for --to ${other in PARQUET_OPTIONS ? 'parquet' : 'vcd'}`);
    if (form === 'parquet') {
      if (from > 0 || end !== undefined || kinds !== undefined)
        return fail(
          'usage',
          'export: parquet writes whole tables; leave out --from, --to N and --kinds, and choose rows in SQL',
        );
      return exportParquet(context, output, given);
    }
    if (end !== undefined && from >= end) return fail('usage', '--from must be less than the record of --to');
    if (form === 'vcd') {
      if (kinds !== undefined)
        return fail('usage', 'export: vcd has the values of signals, not records; leave out --kinds');
      return exportVcd(context, output, { from, to: end }, given);
    }
    if (form === 'slice') {
      if (kinds !== undefined) return fail('usage', 'export: a slice has all records of its range; leave out --kinds');
      return exportSlice(context, output, { from, to: end });
    }
    // An output that cannot be written fails before a long trace is indexed.
    const place = await resultPlace(output, filesRead(context));
    if (!place.ok) return place;
    return withTrace(context, async (trace) => {
      // The kinds of a Dinero trace depend on the whole trace.
      const part = end !== undefined && (form !== 'din' || kinds !== undefined) ? { records: end } : {};
      const indexed = await trace.index(part);
      if (!indexed.ok) return indexed;
      const last = Math.max(from, Math.min(end ?? indexed.value.records, indexed.value.records));
      const wanted: Wanted = { form, from, to: last, kinds };
      const written = await writeWholeFile(output, (file) => write(context, trace, wanted, file), filesRead(context));
      if (!written.ok) return written;
      const answer = { path: output, rows: written.value.rows, bytes: written.value.bytes };
      await (context.common.json
        ? context.out.json(answer)
        : context.out.write(`${output}: ${group(answer.rows)} rows, ${bytes(answer.bytes)}\n`));
      return ok(undefined);
    });
  },
});

interface Wanted {
  readonly form: ExportForm;
  readonly from: number;
  readonly to: number;
  readonly kinds: readonly Kind[] | undefined;
}

interface Written {
  readonly rows: number;
  readonly bytes: number;
}

async function write(context: Context, trace: OpenTrace, wanted: Wanted, path: string): Promise<Result<Written>> {
  const { form: as, from, to, kinds } = wanted;
  const request = (next: number): ReturnType<typeof trace.request<'exportPart'>> =>
    trace.request('exportPart', { trace: trace.id, as, from: next, to, head: next === from, ...(kinds && { kinds }) });
  const { bytes: totalBytes } = trace.opened.file;
  const started = performance.now();
  const file = await open(path, 'wx');
  let rows = 0;
  let bytes = 0;
  try {
    let requested = request(from);
    for (;;) {
      const part = await requested;
      if (!part.ok) return part;
      if (context.signal.aborted) return fail(CANCELLED, 'the export was interrupted');
      const { next } = part.value;
      // The engine prepares the next part while this one is written.
      if (next !== null) requested = request(next);
      for (let at = 0; at < part.value.bytes.length;) at += (await file.write(part.value.bytes, at)).bytesWritten;
      rows += part.value.rows;
      bytes += part.value.bytes.length;
      if (next === null) return ok({ rows, bytes });
      const share = (next - from) / (to - from);
      const bytesPerSecond = (1000 * share * totalBytes) / (performance.now() - started);
      context.progress.update(
        {
          bytes: share * totalBytes,
          totalBytes,
          records: next,
          bytesPerSecond,
          secondsLeft: bytesPerSecond > 0 ? ((1 - share) * totalBytes) / bytesPerSecond : null,
        },
        'exporting',
      );
    }
  } finally {
    context.progress.clear();
    await file.close();
  }
}

interface FormAndEnd {
  readonly form?: ToForm;
  readonly end?: number;
}

/** `--to csv --to 1000`: the form, and the end. */
function formAndEnd(): Option<FormAndEnd> {
  const end = recordNumber('');
  return {
    value: 'FORM|N',
    text: `the form: ${FORMS}; required; and the record after the last one, all by default`,
    repeatable: true,
    read(text, before = {}) {
      const form = TO_FORMS.find((one) => one === text);
      if (form !== undefined) return before.form === undefined ? { ...before, form } : undefined;
      const number = end.read(text, undefined);
      return number === undefined || before.end !== undefined ? undefined : { ...before, end: number };
    },
    must: `${FORMS}, or a record number such as 1000, each once`,
  };
}
