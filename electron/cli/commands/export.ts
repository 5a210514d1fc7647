/** `export`: records for other tools, as a file that is there whole or not at all. */
import { open } from 'node:fs/promises';
import type { ExportForm } from '../../../shared/requests/requests.ts';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import { EXPORT_FORMS } from '../../../shared/requests/requests.ts';
import type { Kind } from '../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { resultPlace, writeWholeFile } from '../../result-file.ts';
import { command, type Context } from '../command.ts';
import { bytes, group } from '../print/numbers.ts';
import { kinds, path, recordNumber, type Option } from '../options.ts';
import { filesRead, withTrace, type OpenTrace } from '../trace.ts';

const FORMS = EXPORT_FORMS.join(', ');

export const exportRecords = command({
  name: 'export',
  text: 'Records for other tools: CSV, JSON Lines or a Dinero trace',
  notes: `--to FORM (${FORMS}) says what to write, --to N where to end. din writes label and address: fetches (where the trace has
none, instructions), reads and writes, or the --kinds asked for that Dinero has a label for.`,
  trace: 'needed',
  options: {
    to: formAndEnd(),
    from: recordNumber('the first record, 0 by default'),
    kinds: kinds('only records of these kinds'),
    output: path('FILE', 'write it there; needed', 'o'),
  },
  async run(context, { to = {}, from = 0, kinds, output }) {
    const { form, end } = to;
    if (form === undefined) return fail('usage', `export: say what to write with --to (${FORMS})`);
    if (output === undefined) return fail('usage', 'export: name the file with -o');
    if (end !== undefined && from >= end) return fail('usage', '--from must be less than the end that --to names');
    // A place that cannot be written is told before a long trace is indexed.
    const place = await resultPlace(output, filesRead(context));
    if (!place.ok) return place;
    return withTrace(context, async (trace) => {
      // Which kinds a Dinero trace takes depends on the whole trace.
      const part = end !== undefined && (form !== 'din' || kinds !== undefined) ? { records: end } : {};
      const indexed = await trace.index(part);
      if (!indexed.ok) return indexed;
      const last = Math.min(end ?? indexed.value.records, indexed.value.records);
      const asked: Asked = { form, from, to: last, kinds };
      const written = await writeWholeFile(output, (file) => write(context, trace, asked, file), filesRead(context));
      if (!written.ok) return written;
      const answer = { path: output, rows: written.value.rows, bytes: written.value.bytes };
      await (context.common.json
        ? context.out.json(answer)
        : context.out.write(`${output}: ${group(answer.rows)} rows, ${bytes(answer.bytes)}\n`));
      return ok(undefined);
    });
  },
});

interface Asked {
  readonly form: ExportForm;
  readonly from: number;
  readonly to: number;
  readonly kinds: readonly Kind[] | undefined;
}

interface Written {
  readonly rows: number;
  readonly bytes: number;
}

async function write(context: Context, trace: OpenTrace, asked: Asked, path: string): Promise<Result<Written>> {
  const { form: as, from, to, kinds } = asked;
  const ask = (next: number): ReturnType<typeof trace.request<'exportPart'>> =>
    trace.request('exportPart', { trace: trace.id, as, from: next, to, head: next === from, ...(kinds && { kinds }) });
  const { bytes: totalBytes } = trace.opened.file;
  const started = performance.now();
  const file = await open(path, 'wx');
  let rows = 0;
  let bytes = 0;
  try {
    let asking = ask(from);
    for (;;) {
      const part = await asking;
      if (!part.ok) return part;
      if (context.signal.aborted) return fail(CANCELLED, 'the export was not finished');
      const { next } = part.value;
      // The next part is made while this one is written.
      if (next !== null) asking = ask(next);
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
  readonly form?: ExportForm;
  readonly end?: number;
}

/** `--to csv --to 1000`: what to write, and where to end. */
function formAndEnd(): Option<FormAndEnd> {
  const end = recordNumber('');
  return {
    value: 'FORM|N',
    text: `what to write: ${FORMS}; needed; and the record after the last one, all by default`,
    repeatable: true,
    read(text, before = {}) {
      const form = EXPORT_FORMS.find((one) => one === text);
      if (form !== undefined) return before.form === undefined ? { ...before, form } : undefined;
      const number = end.read(text, undefined);
      return number === undefined || before.end !== undefined ? undefined : { ...before, end: number };
    },
    must: `${FORMS}, or a record number such as 1000, each once`,
  };
}
