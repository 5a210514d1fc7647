/** A note about the row of the comparison: what each run does there, at the record of the first one. */
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { group } from '../../../shared/base/numbers.ts';
import { LONGEST, type RecordAt } from '../../../shared/records/attach.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { namesSet } from '../../../shared/records/registers.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { asCode, branchNoteWords, type NoteWords } from './branches/branch-note.ts';
import type { Comparison } from './comparison.svelte.ts';
import { kindAt } from './differences.ts';
import { effectPairs, isIgnored, type EffectPair } from './effects-apart.ts';
import type { RowKind } from './words.ts';

/** Facts about both runs at a row. A run without an instruction in the row has its next one here; undefined if it has ended. */
export interface DifferenceFacts {
  readonly kind: Exclude<RowKind, 'same'>;
  /** The row is the first one of its difference. */
  readonly isFirst: boolean;
  readonly a: RecordView | undefined;
  readonly b: RecordView | undefined;
  /** Effects that differ. */
  readonly apart: readonly EffectPair[];
  /** Name of the first trace, which keeps the note, and path and size of the second one. */
  readonly names: readonly [a: string, b: string];
  /** Addresses of the second program minus those of the first. */
  readonly shift: bigint;
}

/** Keeps a note about the row of the cursor. If there is nothing to note, or a request fails, says why. */
export async function keepDifference(trace: Trace, comparison: Comparison): Promise<void> {
  if (comparison.found?.byProvedBranches) {
    await keepBranches(trace, comparison);
    return;
  }
  const facts = await factsOfRow(trace, comparison);
  if (!facts.ok) {
    trace.say(facts.error.message);
    return;
  }
  const { title, text } = differenceWords(facts.value);
  await trace.notes.keep(title.slice(0, MOST_TITLE), 'compare', { n: facts.value.a?.n ?? trace.last }, text);
}

/** Keeps a note about a row of proved branches. If A has none there, the note is at its next branch. */
async function keepBranches(trace: Trace, comparison: Comparison): Promise<void> {
  const { row, alignment, other, pair: shared } = comparison;
  const pair = row === null ? undefined : comparison.pairAt(row);
  const kind = row === null || !alignment ? undefined : kindAt(alignment, row);
  const words = other && pair && branchNoteWords(pair, [trace.name, fileOf(other)]);
  if (!words || !shared || kind === undefined) trace.say('The rows are still being read. Try again.');
  else if (kind === 'same' || kind === 'not-compared')
    trace.say('No branch differs in this row. Go to a difference first.');
  else {
    const nearest = pair.a < 0 ? await trace.client.request('counterpart', { ...shared, at: pair.b, side: 'b' }) : null;
    if (nearest?.ok === false) trace.say(nearest.error.message);
    else {
      const n = nearest === null ? pair.a : (nearest.value.after ?? trace.last);
      await trace.notes.keep(words.title.slice(0, MOST_TITLE), 'compare', { n }, words.text);
    }
  }
}

const MOST_TITLE = 200;

/** Returns the path of a trace and the size of its content, by which a person finds the file again. */
function fileOf({ opened: { file } }: Trace): string {
  return `${file.path}, ${group(file.bytes)} bytes`;
}

export function differenceWords({ kind, isFirst, a, b, apart, names, shift }: DifferenceFacts): NoteWords {
  const sides = [sideWords('A', a), sideWords('B', b)].join(', ');
  return { title: titleOf(), text: [lineOf('A', names[0], a), lineOf('B', names[1], b)].join('\n') };

  function titleOf(): string {
    if (kind === 'values') {
      const [first] = apart;
      return first ? `Other value here: ${valuesOf(first)}` : `Other effects here: ${sides}`;
    }
    if (kind === 'not-aligned') return `${isFirst ? 'Not aligned from here' : 'Not aligned here'}: ${sides}`;
    // A loop that one run repeats more often begins with the same instruction in both.
    if (isFirst && !isSamePlace(a, b, shift)) return `Runs part here: ${sides}`;
    return kind === 'a-only' ? `Only A executes ${placeOf(a)} here` : `Only B executes ${placeOf(b)} here`;
  }
}

function valuesOf({ register, a, b }: EffectPair): string {
  if (register !== undefined) {
    const valueIn = (record: RecordView): string =>
      namesSet(record).find(([name]) => name === register)?.[1] ?? 'unknown';
    return `${register} is ${valueIn(a)} in A, ${valueIn(b)} in B`;
  }
  const accessOf = ({ kind, address, value }: RecordView): string =>
    `${kind} of ${[value, address === undefined ? undefined : `at ${address}`].filter((part) => part !== undefined).join(' ')}`;
  return `${accessOf(a)} in A, ${accessOf(b)} in B`;
}

function isSamePlace(a: RecordView | undefined, b: RecordView | undefined, shift: bigint): boolean {
  if (a?.address === undefined || b?.address === undefined) return false;
  return BigInt(b.address) - BigInt(a.address) === shift;
}

function sideWords(name: string, record: RecordView | undefined): string {
  return record ? `${name} at ${placeOf(record)}` : `${name} has ended`;
}

/** Returns the address and the symbol of an instruction; its record if the trace has no address. */
function placeOf(record: RecordView | undefined): string {
  if (!record) return 'nothing';
  const parts = [record.address, record.symbol].filter((part) => part !== undefined);
  return parts.length === 0 ? `record ${group(record.n)}` : parts.join(' ');
}

function lineOf(name: string, file: string, record: RecordView | undefined): string {
  const own = record
    ? [`record ${group(record.n)}`, placeOf(record), record.text].filter((part) => part !== undefined).join(', ')
    : 'has ended';
  return `- ${name}, ${asCode(file)}: ${record ? asCode(own) : own}`;
}

async function factsOfRow(trace: Trace, comparison: Comparison): Promise<Result<DifferenceFacts>> {
  const { row, alignment, found, other, pair: shared } = comparison;
  const pair = row === null ? undefined : comparison.pairAt(row);
  if (row === null || !alignment || !found || !other || !shared || !pair)
    return fail('wait', 'The rows are still being read. Try again.');
  if (comparison.isOpening) return fail('wait', 'What follows is still being aligned. Try again.');
  const kind = kindAt(alignment, row);
  if (kind === 'same' || (kind === 'values' && !pair.differs))
    return fail('same', 'Nothing that both traces record about this row differs. Go to a difference first.');
  const shift = BigInt(found.shift);
  let { a, b } = pair;
  if (a < 0 || b < 0) {
    const side = a < 0 ? 'b' : 'a';
    const nearest = await trace.client.request('counterpart', { ...shared, at: Math.max(a, b), side });
    if (!nearest.ok) return nearest;
    const { after } = nearest.value;
    if (side === 'a') b = after ?? -1;
    else a = after ?? -1;
  }
  const [own, its] = await Promise.all([recordsFrom(trace, a), recordsFrom(other, b)]);
  if (!own.ok) return own;
  if (!its.ok) return its;
  const [atA, atB] = [own.value, its.value];
  const { registers: ignored = [] } = found.ignored ?? {};
  const counts = ({ differs, register }: EffectPair): boolean =>
    differs && (register === undefined || !isIgnored(register, ignored));
  return ok({
    kind,
    isFirst: alignment.starts.includes(row),
    a: atA(a),
    b: atB(b),
    apart: kind === 'values' ? effectPairs(a, b, atA, atB, shift).filter(counts) : [],
    names: [trace.name, fileOf(other)],
    shift,
  });
}

/** Reads an instruction with its effects; nothing if `n` is negative. */
async function recordsFrom({ client, id }: Trace, n: number): Promise<Result<RecordAt<RecordView>>> {
  if (n < 0) return ok(() => undefined);
  const read = await client.request('records', { trace: id, from: n, count: LONGEST + 1 });
  if (!read.ok) return read;
  const { records } = read.value;
  return ok((at) => records[at - n]);
}
