/**
 * `export --to slice`: records of a trace in its own format, as a file that opens again, and the state before them in FILE.state.json.
 *
 * The records are the bytes of the trace, unchanged. Before them are the bytes that precede its first record (a header), and, where the
 * format has a line for it, the registers that are known at that point. Contents of memory have no such line: a line of a read would be
 * an access that never happened. They are in the state file, with all registers.
 */
import { open } from 'node:fs/promises';
import { bytes as sizeText, counted, group } from '../../../shared/base/numbers.ts';
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex, type Hex } from '../../../shared/base/units.ts';
import type { Format } from '../../../shared/format/format.ts';
import { formatById } from '../../../shared/formats/index.ts';
import { MOVES, KIND, type RecordView } from '../../../shared/records/record.ts';
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
    const never = formatOf(trace).slices?.never;
    if (never !== undefined) return fail('usage', `export: ${never}, so a slice of it would not open`);
    const bounds = await boundsOf(trace, { from, to: end });
    if (!bounds.ok) return bounds;
    const state = await stateBefore(context, trace, { from, to: end });
    if (!state.ok) return state;
    const lines = registerLines(trace, state.value, bounds.value.first);
    const unfinished = createUnfinishedFiles();
    try {
      const { header, start, stop } = bounds.value;
      const temporary = unfinished.begin(output);
      const written = await copy(context, trace, temporary, [
        { from: 0, to: header },
        lines,
        { from: start, to: stop },
      ]);
      if (!written.ok) return written;
      await unfinished.write(stateFile, `${JSON.stringify(state.value, undefined, 2)}\n`);
      const stateRecords = lines === '' ? 0 : lines.trimEnd().split('\n').length;
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

interface Bounds {
  /** Bytes of the file before its first record. */
  readonly header: number;
  readonly start: number;
  readonly stop: number;
  readonly first: RecordView;
}

async function boundsOf(trace: OpenTrace, { from, to }: Range): Promise<Result<Bounds>> {
  const at = async (n: number): Promise<Result<RecordView | undefined>> => {
    const answer = await trace.request('records', { trace: trace.id, from: n, count: 1 });
    return answer.ok ? ok(answer.value.records[0]) : answer;
  };
  const [zero, before, first, last, after] = [
    await at(0),
    await at(Math.max(0, from - 1)),
    await at(from),
    await at(to - 1),
    await at(to),
  ];
  if (!zero.ok) return zero;
  if (!before.ok) return before;
  if (!first.ok) return first;
  if (!last.ok) return last;
  if (!after.ok) return after;
  assert(zero.value !== undefined && first.value !== undefined && last.value !== undefined, 'the range has records');
  const decoder = formatOf(trace).open(trace.opened.format.options);
  if (!decoder.ok) return decoder;
  const { framing } = decoder.value;
  const haveParts = framing.kind === 'lines' && framing.parts === true;
  // Several records may share a line, which has one beginning.
  const shares = async (a: RecordView | undefined, b: RecordView | undefined): Promise<boolean> => {
    if (!haveParts || a === undefined || b === undefined || b.n <= a.n) return false;
    const bytes = await trace.request('bytes', { trace: trace.id, offset: a.offset, length: b.offset - a.offset });
    return bytes.ok && !bytes.value.bytes.includes(LF);
  };
  if ((await shares(before.value, first.value)) || (await shares(last.value, after.value)))
    return fail(
      'usage',
      'export: the slice would begin or end inside a line; choose --from and --to at the first record of lines',
    );
  return ok({
    header: zero.value.offset,
    start: first.value.offset,
    stop: last.value.offset + last.value.bytes,
    first: first.value,
  });
}

const LF = 10;

interface State {
  readonly of: string;
  readonly format: string;
  readonly options: Readonly<Record<string, string>>;
  readonly from: number;
  readonly to: number;
  readonly registers: readonly { readonly cpu?: number; readonly values: Readonly<Record<string, Hex>> }[];
  /** Known bytes of the pages that the records access: two hexadecimal digits a byte. */
  readonly memory: readonly { readonly address: Hex; readonly bytes: string }[];
  readonly notes: readonly string[];
}

const PAGE = 4096n;
/** Pages of memory whose state is looked up. */
const MOST_PAGES = 4096;

async function stateBefore(context: Context, trace: OpenTrace, { from, to }: Range): Promise<Result<State>> {
  const { format, file } = trace.opened;
  const notes: string[] = [];
  const memory: { address: Hex; bytes: string }[] = [];
  const registers: { cpu?: number; values: Record<string, Hex> }[] = [];
  if (from > 0) {
    const known = await trace.request('registers', { trace: trace.id, at: from - 1 });
    if (!known.ok) return known;
    for (const { cpu, registers: values } of known.value.files)
      registers.push({
        ...(cpu !== undefined && { cpu }),
        values: Object.fromEntries(values.map(({ name, value }) => [name, value])),
      });
    const pages = new Set<bigint>();
    for (let next = from; next < to && pages.size <= MOST_PAGES; next += COUNT) {
      if (context.signal.aborted) return fail(CANCELLED, 'the export was interrupted');
      const part = await trace.request('records', { trace: trace.id, from: next, count: Math.min(COUNT, to - next) });
      if (!part.ok) return part;
      for (const { kind, address, size = 1 } of part.value.records) {
        if (MOVES[KIND[kind]] === 0 || address === undefined) continue;
        const low = BigInt(address) / PAGE;
        const high = (BigInt(address) + BigInt(size) - 1n) / PAGE;
        for (let page = low; page <= high && page < 2n ** 52n; page++) pages.add(page);
      }
    }
    if (pages.size > MOST_PAGES)
      notes.push(`The records access more than ${String(MOST_PAGES)} pages; the contents of the first ones are here.`);
    for (const page of [...pages].slice(0, MOST_PAGES).sort((a, b) => (a < b ? -1 : 1))) {
      const view = await trace.request('memory', {
        trace: trace.id,
        at: from - 1,
        address: toHex(page * PAGE),
        length: Number(PAGE),
      });
      if (!view.ok) return view;
      memory.push(...knownRuns(page * PAGE, view.value.bytes, view.value.known));
    }
  }
  return ok({
    of: file.path,
    format: format.id,
    options: format.options,
    from,
    to,
    registers,
    memory,
    notes,
  });
}

const COUNT = 10_000;

function knownRuns(base: bigint, bytes: Uint8Array, known: Uint8Array): { address: Hex; bytes: string }[] {
  const runs: { address: Hex; bytes: string }[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if (known[at] === 0) continue;
    const start = at;
    while (at < bytes.length && known[at] !== 0) at++;
    const run = Buffer.from(bytes.subarray(start, at)).toString('hex');
    runs.push({ address: toHex(base + BigInt(start)), bytes: run });
  }
  return runs;
}

/** Returns lines that set the known registers of a trace with one CPU, where its format has lines that are certain to be read so. */
function registerLines(trace: OpenTrace, { registers }: State, { time }: RecordView): string {
  const [file] = registers;
  if (registers.length !== 1 || file === undefined || time === undefined) return '';
  const { slices } = formatOf(trace);
  const { options } = trace.opened.format;
  const lines = Object.entries(file.values).map(([name, value]) => slices?.registerLine?.(options, name, value, time));
  return lines.filter((line) => line !== undefined).join('');
}

function formatOf({ opened }: OpenTrace): Format {
  const format = formatById(opened.format.id);
  assert(format !== undefined, 'an open trace has a format of the list');
  return format;
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
