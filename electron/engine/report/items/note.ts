/** Report part with a note, the records around it, and the registers, memory and call stack after its last record took effect. */
import { noteName } from '../../../../present/text/part-names.ts';
import { toHex, type Hex, type RecordNumber } from '../../../../shared/base/units.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import type { ReportPart } from '../../../../shared/report/plan.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { KNOWN } from '../../../../shared/requests/requests.ts';
import { annotate } from '../../queries/records/annotate.ts';
import { between } from '../../queries/calls/between.ts';
import { callStack } from '../../queries/calls/call-stack.ts';
import { memory } from '../../queries/memory/memory.ts';
import { records } from '../../queries/records/records.ts';
import { registers } from '../../queries/memory/registers.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import type { Item, MemoryData, NoteData, ReportNote, Source } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { line } from '../words.ts';

export type NotePart = Extract<ReportPart, { readonly kind: 'note' }>;

const AROUND = 5;
/** Number of records shown at each end of a long range. */
const SHOWN = 20;
const TITLE = 160;
/** Maximum number of instructions shown per run between two messages. The last ones are kept. */
const MOST_RUN = 8;
const MEMORY_ROW = 16n;
/** Maximum number of bytes shown. */
const MEMORY_MOST = 256n;

export async function makeNote(trace: Trace, note: ReportNote, part: NotePart, task: Task): Promise<Result<Item>> {
  const { n } = note.place;
  const all = trace.blocks.records;
  const from = Math.min(n, all);
  const to = Math.max(from, Math.min(note.place.to ?? n + 1, all));
  const title = line(noteName(note), TITLE);
  if (to === from) {
    // The trace was longer when the note was made, so the last remaining records are unrelated to the note.
    const data: NoteData = { note, records: [], from, to, registers: [] };
    return ok({ kind: 'note', title, sources: [], data });
  }
  const context = await contextOf(trace, from, to, part.around ?? AROUND, withoutProgress(task));
  if (!context.ok) return context;
  const { records: found, runs, sources } = context.value;
  const content = { note, records: found, ...(runs.length === 0 ? {} : { runs }), from, to };
  const state = await stateOf(trace, to - 1, found.find((record) => record.n === to - 1)?.cpu, note, task);
  if (!state.ok) return state;
  const { sources: more, ...its } = state.value;
  return ok({ kind: 'note', title, sources: [...sources, ...more], data: { ...content, ...its } });
}

type Runs = NonNullable<NoteData['runs']>;

interface Context {
  readonly records: readonly RecordView[];
  readonly runs: Runs;
  readonly sources: readonly Source[];
}

async function contextOf(
  trace: Trace,
  from: RecordNumber,
  to: RecordNumber,
  around: number,
  task: Task,
): Promise<Result<Context>> {
  const start = Math.max(0, from - around);
  const end = Math.min(trace.blocks.records, to + around);
  const isLong = to - from > 2 * SHOWN;
  const stretches = isLong
    ? [
        [start, from + SHOWN],
        [to - SHOWN, end],
      ]
    : [[start, end]];
  const found: RecordView[] = [];
  const runs: Runs[number][] = [];
  const sources: Source[] = [];
  for (const [first = 0, last = 0] of stretches) {
    if (last <= first) continue;
    const args = { from: first, count: last - first };
    const read = await annotate(trace, records(trace, args));
    if (!read.ok) return read;
    const source = sourceOf(trace, 'records', args, { from: first, to: last });
    if (!source.ok) return source;
    found.push(...read.value.records);
    sources.push(source.value);
    const ran = await between(trace, args, task);
    if (!ran.ok) return ran;
    if (ran.value.runs.length === 0) continue;
    const runSource = sourceOf(trace, 'between', args, { from: first, to: last });
    if (!runSource.ok) return runSource;
    runs.push(...ran.value.runs.map(shortened));
    sources.push(runSource.value);
  }
  return ok({ records: found, runs, sources });
}

function shortened({ n, instructions, left = 0, unknown }: Runs[number]): Runs[number] {
  const more = left + Math.max(0, instructions.length - MOST_RUN);
  return {
    n,
    instructions: instructions.slice(-MOST_RUN),
    ...(more === 0 ? {} : { left: more }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

type State = Pick<NoteData, 'registers' | 'memory' | 'stack'> & { readonly sources: readonly Source[] };

async function stateOf(
  trace: Trace,
  at: RecordNumber,
  cpu: number | undefined,
  { place }: ReportNote,
  task: Task,
): Promise<Result<State>> {
  const whose = cpu === undefined ? {} : { cpu };
  const files = registers(trace, { at, ...whose });
  if (!files.ok) return files;
  const known = files.value.files.filter((file) => file.registers.length > 0);
  const span = place.address === undefined ? undefined : memorySpan(place.address, Math.max(1, place.length ?? 1));
  const silent = withoutProgress(task);
  const held = span === undefined ? undefined : await memory(trace, { at, ...span }, silent);
  if (held !== undefined && !held.ok) return held;
  const hasFlow = trace.reader.decoder.flow !== undefined;
  const stack = hasFlow ? await callStack(trace, { at, ...whose }, silent) : undefined;
  if (stack !== undefined && !stack.ok) return stack;

  const queries: readonly (readonly [call: string, args: Source['arguments']])[] = [
    ...(known.length > 0 ? [['registers', { at, ...whose }] as const] : []),
    ...(span === undefined ? [] : [['memory', { at, ...span }] as const]),
    ...(stack === undefined ? [] : [['stack', { at, ...whose }] as const]),
  ];
  const sources: Source[] = [];
  for (const [call, args] of queries) {
    // The caller of the outermost function is only known from a later return, so the call stack depends on the whole trace.
    const source = sourceOf(trace, call, args, call === 'stack' ? {} : { to: at + 1 });
    if (!source.ok) return source;
    sources.push(source.value);
  }
  return ok({
    registers: known,
    ...(held === undefined ? {} : { memory: memoryData(held.value) }),
    ...(stack === undefined ? {} : { stack: stackData(stack.value) }),
    sources,
  });
}

/** Returns the whole rows that contain the span, up to the maximum size. */
function memorySpan(address: Hex, length: number): { readonly address: Hex; readonly length: number } {
  const low = BigInt(address);
  const start = low - (low % MEMORY_ROW);
  const end = low + BigInt(length);
  const top = 1n << 64n;
  const wanted = end + ((MEMORY_ROW - (end % MEMORY_ROW)) % MEMORY_ROW);
  const most = start + MEMORY_MOST;
  const high = [wanted, most, top].reduce((least, each) => (each < least ? each : least));
  return { address: toHex(start), length: Number(high - start) };
}

function memoryData(view: {
  readonly address: Hex;
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly known: Uint8Array;
  readonly writers: Float64Array;
}): MemoryData {
  const { address, length, bytes, known, writers } = view;
  const digits = Array.from(bytes, (byte, i) => (known[i] === KNOWN.not ? '??' : byte.toString(16).padStart(2, '0')));
  return { address, length, bytes: digits.join(''), writers: Array.from(writers) };
}

function stackData({ cpu, frames, notes }: NonNullable<NoteData['stack']>): NonNullable<NoteData['stack']> {
  return { ...(cpu === undefined ? {} : { cpu }), frames, notes };
}
