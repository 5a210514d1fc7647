/** `export --to slice`: records of a trace in its own format, as a file that opens again, and the state before them in FILE.state.json. */
import { open } from 'node:fs/promises';
import { bytes as sizeText, counted, group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import { resultPlace, unwritable } from '../../result-file.ts';
import type { Context } from '../command.ts';
import { filesRead, withTrace, type OpenTrace } from '../trace.ts';
import { createUnfinishedFiles } from './unfinished-files.ts';

interface Range {
  readonly from: number;
  readonly to: number;
}

export async function exportSlice(
  context: Context,
  output: string,
  { from, to }: { readonly from: number; readonly to: number | undefined },
): Promise<Result<void>> {
  const stateFile = `${output}.state.json`;
  for (const file of [output, stateFile]) {
    const place = await resultPlace(file, filesRead(context));
    if (!place.ok) return place;
  }
  return withTrace(context, async (trace) => {
    const indexed = await trace.index();
    if (!indexed.ok) return indexed;
    const end = Math.min(to ?? indexed.value.records, indexed.value.records);
    if (from >= end) return fail('usage', `export: the trace has no records from ${group(from)} on to export`);
    const slice = await trace.request('slice', { trace: trace.id, from, to: end });
    if (!slice.ok) return slice.error.code === 'slice' ? fail('usage', `export: ${slice.error.message}`) : slice;
    const { header, start, stop, lines, stateRecords, state } = slice.value;
    const unfinished = createUnfinishedFiles();
    try {
      const temporary = unfinished.begin(output);
      const written = await copy(context, trace, temporary, [
        { from: 0, to: header },
        lines,
        { from: start, to: stop },
      ]);
      if (!written.ok) return written;
      const described = { of: trace.opened.file.path, ...state };
      await unfinished.write(stateFile, `${JSON.stringify(described, undefined, 2)}\n`);
      const checked = await check(context, temporary, trace, { from, to: end }, stateRecords);
      if (!checked.ok) return checked;
      await unfinished.publish();
      const answer = {
        path: output,
        state: stateFile,
        records: end - from,
        stateRecords,
        bytes: written.value,
        format: trace.opened.format.id,
        options: trace.opened.format.options,
        differing: checked.value,
      };
      if (checked.value > 0)
        context.notify(
          `${output}: ${counted(checked.value, 'record')} near the start of the slice read differently without the records before`,
        );
      await (context.common.json
        ? context.out.json(answer)
        : context.out.write(
            `${output}: ${group(answer.records)} records, ${sizeText(answer.bytes)}; the state before them is in ${stateFile}\n`,
          ));
      return ok(undefined);
    } catch (error) {
      return fail('unwritable', `${output}: ${unwritable(error)}`);
    } finally {
      await unfinished.discard();
    }
  });
}

type Piece = string | Range;

const COPIED = 65_536;

async function copy(
  context: Context,
  trace: OpenTrace,
  file: string,
  pieces: readonly Piece[],
): Promise<Result<number>> {
  const out = await open(file, 'wx');
  let written = 0;
  const append = async (more: Uint8Array): Promise<void> => {
    for (let at = 0; at < more.length;) at += (await out.write(more, at)).bytesWritten;
    written += more.length;
  };
  try {
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        await append(Buffer.from(piece));
        continue;
      }
      for (let offset = piece.from; offset < piece.to;) {
        if (context.signal.aborted) return fail(CANCELLED, 'the export was interrupted');
        const length = Math.min(COPIED, piece.to - offset);
        const read = await trace.request('bytes', { trace: trace.id, offset, length });
        if (!read.ok) return read;
        await append(read.value.bytes);
        offset += read.value.bytes.length;
      }
    }
    return ok(written);
  } finally {
    await out.close();
  }
}

/** Records that are compared after writing: context from before the slice matters near its start. */
const CHECKED = 10_000;

/** Opens the slice and returns the number of its first records that read differently. Fails if it does not have all records. */
async function check(
  { client, signal }: Context,
  file: string,
  trace: OpenTrace,
  { from, to }: Range,
  stateRecords: number,
): Promise<Result<number>> {
  const { id: format, options } = trace.opened.format;
  const opened = await client.request('open', { path: file, format, options }, { signal });
  if (!opened.ok) return opened;
  const slice = opened.value.trace;
  try {
    const indexed = await client.request('index', { trace: slice }, { signal });
    if (!indexed.ok) return indexed;
    const count = Math.min(CHECKED, to - from);
    const [mine, theirs] = [
      await client.request('records', { trace: slice, from: stateRecords, count }, { signal }),
      await trace.request('records', { trace: trace.id, from, count }),
    ];
    if (!mine.ok) return mine;
    if (!theirs.ok) return theirs;
    if (indexed.value.records !== stateRecords + to - from) {
      const found = group(indexed.value.records - stateRecords);
      return fail(
        'slice',
        `the slice opens with ${found} records instead of ${group(to - from)}; choose another --from or --to`,
      );
    }
    return ok(theirs.value.records.filter((record, i) => essence(record) !== essence(mine.value.records[i])).length);
  } finally {
    await client.request('close', { trace: slice });
  }
}

/** Fields that depend on the place of the record in the file, or on images. */
const PLACED: ReadonlySet<string> = new Set(['n', 'offset', 'line', 'symbol', 'targetSymbol', 'sourceSymbol']);

function essence(record: RecordView | undefined): string {
  return JSON.stringify(Object.entries(record ?? {}).filter(([field]) => !PLACED.has(field)));
}
