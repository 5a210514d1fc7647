/** Where the executed paths of two traces part, and what each of them executed. */
import { FLAG, NO_CPU } from '../../../../shared/records/batch.ts';
import { BEYOND_INDEX } from '../../../../shared/requests/failures.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Diff, DiffArguments, DiffPair, PathElements } from '../../../../shared/requests/diff.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { instructionsIn, pathOf, type Path, type PathChunks } from '../../flow/path/path-chunks.ts';
import { elementsOf, ENDS, recordPathOf, type RecordElements } from '../../flow/path/record-chunks.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { alignPaths } from './align-paths.ts';
import { commonShift, equalChunks } from './chunk-symbols.ts';
import { compareValues } from './compare-values.ts';
import { comparedBy, differences, valuesPair, type Rules } from './differences.ts';
import { createReader, type Executed } from './executed.ts';
import { regionsOf, type PathPart, type Place } from './path-parts.ts';
import type { Side } from './side.ts';

export const MOST_REGIONS = 1000;

export async function diff(
  a: Trace,
  b: Trace,
  {
    cpu,
    shift: given,
    by: wanted,
    ignoreRegisters = [],
    only,
    most = MOST_REGIONS,
  }: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Diff>> {
  if (a.format.id !== b.format.id)
    return fail('usage', `${a.format.id} and ${b.format.id} traces cannot be compared; convert one of them first`);
  const its = elementsIn(a);
  if (!its.ok) return its;
  const others = elementsIn(b);
  if (!others.ok) return others;
  const elements = its.value;
  if (others.value !== elements)
    return fail('usage', `one trace shows ${elements} and the other ${others.value}, so they cannot be compared`);
  const paths =
    elements === 'instructions' ? await executedPaths([a, b], task) : await recordPaths([a, b], elements, task);
  if (!paths.ok) return paths;
  const [one, other] = paths.value.paths;
  const { ends } = paths.value;
  const chosen = [chunksOf(one, cpu, a), chunksOf(other, cpu, b)] as const;
  const [chunksA, chunksB] = chosen;
  if (!chunksA.ok) return chunksA;
  if (!chunksB.ok) return chunksB;
  const shift = given === undefined ? commonShift(chunksA.value, chunksB.value) : BigInt(given);
  const sides: readonly [Side, Side] = [
    { trace: a, chunks: chunksA.value, elements, ends, shift: 0n },
    { trace: b, chunks: chunksB.value, elements, ends, shift },
  ];
  const by = comparedBy(sides, wanted);
  if (!by.ok) return by;
  const rules = { by: by.value, ignored: ignoreRegisters, most };
  const found = only === 'first' ? await firstOf(sides, rules, task) : await alignedOf(sides, rules, task);
  if (!found.ok) return found;
  return ok({
    ...found.value,
    by: by.value,
    of: elements,
    ...(elements === 'branches' && ends !== ENDS && { ends: ends === FLAG.target ? 'targets' : 'sources' }),
    shift: shift.toString(),
    cpu: chunksA.value.cpu === NO_CPU ? null : chunksA.value.cpu,
    instructionsA: instructionsIn(chunksA.value, 0, chunksA.value.count),
    instructionsB: instructionsIn(chunksB.value, 0, chunksB.value.count),
  });
}

interface Paths {
  readonly paths: readonly [Path, Path];
  readonly ends: number;
}

async function executedPaths([a, b]: readonly [Trace, Trace], task: Task<FlowProgress>): Promise<Result<Paths>> {
  const one = await pathOf(a, task);
  if (!one.ok) return one;
  const other = await pathOf(b, task);
  return other.ok ? ok({ paths: [one.value, other.value], ends: ENDS }) : other;
}

/** Returns the paths by what both traces show: a capture may show only the sources of branches. */
async function recordPaths(
  [a, b]: readonly [Trace, Trace],
  elements: RecordElements,
  task: Task<FlowProgress>,
): Promise<Result<Paths>> {
  let ends = ENDS;
  for (;;) {
    const one = await recordPathOf(a, elements, ends, task);
    if (!one.ok) return one;
    const other = await recordPathOf(b, elements, ends, task);
    if (!other.ok) return other;
    const shared = one.value.ends & other.value.ends;
    if (elements === 'accesses' || shared === ends) return ok({ paths: [one.value, other.value], ends });
    if (shared === 0)
      return fail('usage', 'one trace shows sources of branches and the other targets, or neither shows any');
    ends = shared;
  }
}

type Found = Omit<Diff, 'by' | 'of' | 'ends' | 'shift' | 'cpu' | 'instructionsA' | 'instructionsB'>;

/** The first differences, without aligning more than they need. */
async function firstOf(
  sides: readonly [Side, Side],
  { by, ignored }: Rules,
  task: Task<FlowProgress>,
): Promise<Result<Found>> {
  const path = firstApart(sides);
  if (!path.ok) return path;
  const { pair, before } = path.value;
  const found = (values: DiffPair | null, notCompared: number): Result<Found> =>
    ok({
      same: pair === null && values === null,
      first: { path: pair, values },
      ...{ regions: [], left: 0, functions: [], functionsLeft: 0, notCompared },
    });
  if (by === 'path') return found(null, 0);
  const [a, b] = sides.map(({ chunks }): Place => ({ record: chunks.record[0]!, skip: 0 })) as [Place, Place];
  const wanted = { ignored, firstOnly: true, most: 1 };
  const start: PathPart = { kind: 'same', a, b, instructionsA: before, instructionsB: before };
  const early = await compareValues(sides, [start], wanted, task);
  if (!early.ok) return early;
  const { first, notCompared } = early.value;
  if (first !== undefined || pair === null)
    return found(first === undefined ? null : valuesPair(sides, first), notCompared);
  const aligned = await alignPaths(sides, task);
  if (!aligned.ok) return aligned;
  const late = await compareValues(sides, aligned.value, wanted, task);
  if (!late.ok) return late;
  return found(late.value.first === undefined ? null : valuesPair(sides, late.value.first), late.value.notCompared);
}

/** Compares chunks until they differ, and from there on instructions. `before`: equal instructions before the pair. */
function firstApart(sides: readonly [Side, Side]): Result<{ readonly pair: DiffPair | null; readonly before: number }> {
  const [{ chunks: a }, { chunks: b, shift }] = sides;
  const [endA, endB] = [a.record[a.count]!, b.record[b.count]!];
  for (let k = 0; ; k++) {
    k = equalChunks(a, b, shift, k);
    const isLast = k >= a.count || k >= b.count;
    const [fromA, fromB] = [a.record[Math.min(k, a.count)]!, b.record[Math.min(k, b.count)]!];
    // Chunks differ as well if the same instructions were interrupted elsewhere.
    let first = firstDifference(
      sides,
      [fromA, isLast ? endA : a.record[k + 1]!],
      [fromB, isLast ? endB : b.record[k + 1]!],
    );
    if (!isLast && first.ok && first.value.pair === null) continue;
    if (!isLast && first.ok) first = firstDifference(sides, [fromA, endA], [fromB, endB]);
    if (!first.ok) return first;
    const { pair, equal } = first.value;
    return ok({ pair, before: instructionsIn(a, 0, Math.min(k, a.count)) + equal });
  }
}

async function alignedOf(
  sides: readonly [Side, Side],
  { by, ignored, most }: Rules,
  task: Task<FlowProgress>,
): Promise<Result<Found>> {
  const aligned = await alignPaths(sides, task);
  if (!aligned.ok) return aligned;
  const parts = aligned.value;
  const apart = parts.find(({ kind }) => kind !== 'same');
  // It begins where the runs part, or at an earlier place where they could.
  const begin = apart === undefined ? ok([]) : regionsOf(sides, [apart], 1);
  if (!begin.ok) return begin;
  const [region] = begin.value;
  const ends = sides.map(({ chunks }) => chunks.record[chunks.count]!);
  const first =
    region === undefined
      ? ok({ pair: null })
      : firstDifference(sides, [region.a[0], ends[0]!], [region.b[0], ends[1]!]);
  if (!first.ok) return first;
  const rest = await differences(sides, parts, { by, ignored, most }, task);
  if (!rest.ok) return rest;
  const { values, ...found } = rest.value;
  const sum = (of: (part: PathPart) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const all = sum((part) => part.instructionsA + part.instructionsB);
  const same = sum(({ kind, instructionsA, instructionsB }) => (kind === 'same' ? instructionsA + instructionsB : 0));
  return ok({
    ...found,
    same: apart === undefined && values === null,
    first: { path: first.value.pair, values },
    matched: all === 0 ? 1 : same / all,
  });
}

function elementsIn(trace: Trace): Result<PathElements> {
  const { file, ingest } = trace;
  if (!ingest.complete) return fail(BEYOND_INDEX, `${file.path}: the index is not complete yet`);
  const elements = elementsOf(trace);
  return elements === undefined
    ? fail('no-path', `${file.path}: the trace has no records of instructions, branches or accesses to compare`)
    : ok(elements);
}

export function chunksOf({ cpus }: Path, cpu: number | undefined, { file }: Trace): Result<PathChunks> {
  if (cpus.length === 0) return fail('usage', `${file.path}: no instructions or branches are known in this trace`);
  const named = cpus.filter((each) => each.cpu !== NO_CPU);
  const known = named.length > 0 ? named : cpus;
  const found = cpu === undefined ? known : known.filter((each) => each.cpu === cpu);
  if (found.length === 1) return ok(found[0]!);
  const names = named.map((each) => String(each.cpu)).join(', ');
  return fail(
    'usage',
    found.length === 0
      ? `${file.path}: there is no CPU ${String(cpu)}; the trace has ${names === '' ? 'none' : names}`
      : `${file.path}: the trace has several CPUs: give one with --cpu: ${names}`,
  );
}

/** Returns the first instructions of these records that differ, null if none do, and how many are equal before. */
function firstDifference(
  sides: readonly [Side, Side],
  a: readonly [from: RecordNumber, to: RecordNumber],
  b: readonly [from: RecordNumber, to: RecordNumber],
): Result<{ readonly pair: DiffPair | null; readonly equal: number }> {
  const [one, other] = sides;
  const [left, right] = [createReader(one, ...a), createReader(other, ...b)];
  for (let equal = 0; ; equal++) {
    const [its, others] = [left.next(), right.next()];
    if (!its.ok) return its;
    if (!others.ok) return others;
    if (its.value === undefined && others.value === undefined) return ok({ pair: null, equal });
    if (its.value?.address !== others.value?.address || its.value?.words !== others.value?.words)
      return ok({ pair: pairOf(sides, its.value, others.value), equal });
  }
}

function pairOf([one, other]: readonly [Side, Side], a: Executed | undefined, b: Executed | undefined): DiffPair {
  const placeOf = ({ trace, shift }: Side, executed: Executed): string => {
    if (!executed.isPlaced) return '';
    const address = executed.address + shift;
    const symbol = trace.images.symbolAt(address);
    return ` ${toHex(address)}${symbol === undefined ? '' : ` ${symbolText(symbol)}`}`;
  };
  const said = (name: string, side: Side, executed: Executed | undefined): string =>
    executed === undefined ? `${name} has ended` : `${name} ${happens(executed)}${placeOf(side, executed)}`;
  const address = a?.address ?? b?.address ?? 0n;
  const symbol = one.trace.images.symbolAt(address);
  return {
    a: a?.record ?? null,
    b: b?.record ?? null,
    address: toHex(address),
    ...(symbol !== undefined && { symbol: symbolText(symbol) }),
    what: `${said('A', one, a)}, ${said('B', other, b)}`,
  };
}

function happens({ words }: Executed): string {
  return words === '' ? 'is at' : `has a ${words}`;
}
