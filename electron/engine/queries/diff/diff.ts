/** Where two runs part or compute other values, and what each of them executed. */
import { setImmediate as breathe } from 'node:timers/promises';
import { FLAG, NO_CPU } from '../../../../shared/records/batch.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Diff, DiffArguments, DiffPair } from '../../../../shared/requests/diff.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { instructionsIn } from '../../flow/path/path-chunks.ts';
import { ENDS } from '../../flow/path/record-chunks.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { diffAcross, isAcross } from './across/across.ts';
import { alignPaths } from './paths/align-paths.ts';
import { equalChunks } from './paths/chunk-symbols.ts';
import { compareValues } from './values/compare-values.ts';
import { comparedBy, comparedParts, differences, valuesPair, type Rules } from './differences.ts';
import { chosenSides } from './numbered-sides.ts';
import { confirmed } from './paths/confirm.ts';
import { createReader, isSame, type Executed } from './paths/executed.ts';
import { createPartQueue, endedQueue, type OpenPartQueue } from './paths/part-queue.ts';
import { addPart, placeOfChunk, recordOf, regionsOf, type PathPart, type Place } from './paths/path-parts.ts';
import { chunkShift, type Side } from './paths/side.ts';
import { sidesOf } from './paths/sides.ts';

export const MOST_REGIONS = 1000;

export async function diff(
  a: Trace,
  b: Trace,
  args: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Diff>> {
  const across = await isAcross(a, b, task);
  if (!across.ok) return across;
  const compared = across.value
    ? await diffAcross(a, b, args, args.most ?? MOST_REGIONS, task)
    : await diffPaths(a, b, args, task);
  return compared.ok ? ok(compared.value.found) : compared;
}

/** A comparison, and the sides with the elements that count in it. */
export interface ComparedPaths {
  readonly found: Diff;
  readonly sides: readonly [Side, Side];
}

/** Compares two traces by all elements of their paths. */
export async function diffPaths(
  a: Trace,
  b: Trace,
  args: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<ComparedPaths>> {
  const { cpu, shift: given, by: wanted, only, confirm = false, most = MOST_REGIONS } = args;
  // Equal stretches of two builds show no shift of a whole program.
  const shift = given ?? (wanted === 'symbol' ? '0' : undefined);
  const pair = await sidesOf(a, b, { cpu, shift }, task);
  if (!pair.ok) return pair;
  const by = comparedBy(pair.value, wanted);
  if (!by.ok) return by;
  const chosen = await chosenSides(pair.value, by.value, args, task);
  if (!chosen.ok) return chosen;
  const { sides, ...chosenFacts } = chosen.value;
  const [one, other] = sides;
  const isShort = sides.every(({ chunks }) => instructionsIn(chunks, 0, chunks.count) < SHORT);
  const { registers = [] } = chosenFacts.ignored ?? {};
  const rules = {
    by: by.value,
    ignored: registers,
    most,
    decodes: confirm || isShort,
    withFunctions: only !== 'regions',
  };
  const find = only === 'first' ? firstOf : only === 'start' ? startOf : alignedOf;
  const found = await find(sides, rules, task);
  if (!found.ok) return found;
  const ends = one.ends === FLAG.target ? 'targets' : 'sources';
  const whole: Diff = {
    ...found.value,
    ...chosenFacts,
    by: by.value,
    confirmed: rules.decodes ? 'decoded' : 'fingerprints',
    of: one.elements,
    ...(one.elements === 'branches' && one.ends !== ENDS && { ends }),
    shift: other.shift.toString(),
    cpu: one.chunks.cpu === NO_CPU ? null : one.chunks.cpu,
    instructionsA: instructionsIn(one.chunks, 0, one.chunks.count),
    instructionsB: instructionsIn(other.chunks, 0, other.chunks.count),
  };
  return ok({ found: whole, sides });
}

type Found = Omit<
  Diff,
  'by' | 'confirmed' | 'of' | 'ends' | 'shift' | 'cpu' | 'instructionsA' | 'instructionsB' | 'ignored' | 'withoutSymbol'
>;

/** Traces with fewer instructions are compared without trust in fingerprints. */
const SHORT = 1 << 15;
/** Compared pairs between two looks whether the request was cancelled. */
const SLICE = 4096;

/** The first differences, without aligning more than they need. */
async function firstOf(
  sides: readonly [Side, Side],
  { by, ignored, decodes }: Rules,
  task: Task<FlowProgress>,
): Promise<Result<Found>> {
  const [one, other] = sides;
  const path = await firstApart(sides, decodes, task);
  if (!path.ok) return path;
  const { pair, before } = path.value;
  const found = (values: DiffPair | null, notCompared: number): Result<Found> =>
    ok({
      same: pair === null && values === null,
      first: { path: pair, values },
      regions: [],
      left: 0,
      functions: [],
      functionsLeft: 0,
      notCompared,
    });
  if (by !== 'values') return found(null, 0);
  const [a, b] = sides.map(({ chunks }): Place => ({ record: chunks.record[0]!, skip: 0 })) as [Place, Place];
  const wanted = { ignored, firstOnly: true, most: 1, decodes };
  const start: PathPart = { kind: 'same', a, b, instructionsA: before, instructionsB: before };
  // The rest is not compared, but fingerprints are trusted only if the parts are the whole paths.
  const rest: PathPart = {
    kind: 'not-aligned',
    a: { ...a, skip: before },
    b: { ...b, skip: before },
    instructionsA: instructionsIn(one.chunks, 0, one.chunks.count) - before,
    instructionsB: instructionsIn(other.chunks, 0, other.chunks.count) - before,
  };
  const early = await compareValues(sides, endedQueue([start, rest]), wanted, task);
  if (!early.ok) return early;
  const { first, notCompared } = early.value;
  if (first !== undefined || pair === null)
    return found(first === undefined ? null : valuesPair(sides, first), notCompared);
  const aligned = await alignedParts(sides, decodes, task);
  if (!aligned.ok) return aligned;
  const late = await compareValues(sides, endedQueue(aligned.value), wanted, task);
  if (!late.ok) return late;
  return found(late.value.first === undefined ? null : valuesPair(sides, late.value.first), late.value.notCompared);
}

/** The paths up to where they part, which takes a fraction of the time of aligning them. */
async function startOf(
  sides: readonly [Side, Side],
  { decodes }: Rules,
  task: Task<FlowProgress>,
): Promise<Result<Found>> {
  const path = await firstApart(sides, decodes, task);
  if (!path.ok) return path;
  const { pair, before } = path.value;
  const [leftA, leftB] = sides.map(({ chunks }) => instructionsIn(chunks, 0, chunks.count) - before) as [
    number,
    number,
  ];
  const at = (record: RecordNumber): Place => ({ record, skip: 0 });
  const [startA, startB] = sides.map(({ chunks }) => at(chunks.record[0]!)) as [Place, Place];
  const [endA, endB] = sides.map(({ chunks }) => chunks.record[chunks.count]!) as [RecordNumber, RecordNumber];
  const parts: PathPart[] = [];
  addPart(parts, { kind: 'same', a: startA, b: startB, instructionsA: before, instructionsB: before });
  addPart(parts, {
    kind: leftA === 0 ? 'b-only' : leftB === 0 ? 'a-only' : 'not-aligned',
    a: at(pair?.a ?? endA),
    b: at(pair?.b ?? endB),
    instructionsA: leftA,
    instructionsB: leftB,
  });
  const regions = regionsOf(sides, parts, parts.length);
  if (!regions.ok) return regions;
  return ok({
    same: pair === null,
    first: { path: pair, values: null },
    regions: regions.value,
    left: 0,
    functions: [],
    functionsLeft: 0,
    notCompared: 0,
  });
}

async function alignedParts(
  sides: readonly [Side, Side],
  decodes: boolean,
  task: Task<FlowProgress>,
  queue?: OpenPartQueue,
): Promise<Result<readonly PathPart[]>> {
  const aligned = await alignPaths(sides, task, decodes ? undefined : queue?.put);
  return decodes && aligned.ok ? confirmed(sides, aligned.value, task) : aligned;
}

/**
 * Compares chunks until they differ, and from there on instructions; `decodes`: instructions only. `before`: equal instructions before the
 * pair.
 */
async function firstApart(
  sides: readonly [Side, Side],
  decodes: boolean,
  task: Task<FlowProgress>,
): Promise<Result<{ readonly pair: DiffPair | null; readonly before: number }>> {
  const [{ chunks: a }, { chunks: b }] = sides;
  const shift = chunkShift(sides);
  const [endA, endB] = [a.record[a.count]!, b.record[b.count]!];
  if (decodes) {
    const first = await firstDifference(sides, [a.record[0]!, endA], [b.record[0]!, endB], task);
    return first.ok ? ok({ pair: first.value.pair, before: first.value.equal }) : first;
  }
  for (let k = 0; ; k++) {
    k = equalChunks(a, b, shift, k);
    const isLast = k >= a.count || k >= b.count;
    const ranges = sides.map((side) => chunkRecords(side, k, isLast));
    const [rangeA, rangeB] = ranges as [(typeof ranges)[number], (typeof ranges)[number]];
    if (!rangeA.ok) return rangeA;
    if (!rangeB.ok) return rangeB;
    // Chunks differ as well if the same instructions were interrupted elsewhere.
    let first = await firstDifference(sides, rangeA.value, rangeB.value, task);
    if (!isLast && first.ok && first.value.pair === null) continue;
    if (!isLast && first.ok)
      first = await firstDifference(sides, [rangeA.value[0], endA], [rangeB.value[0], endB], task);
    if (!first.ok) return first;
    const { pair, equal } = first.value;
    return ok({ pair, before: instructionsIn(a, 0, Math.min(k, a.count)) + equal });
  }
}

/** Returns the records [from, to) of a chunk of a side; up to the end of all if it is the last that is compared. */
function chunkRecords(side: Side, chunk: number, isLast: boolean): Result<readonly [RecordNumber, RecordNumber]> {
  const { chunks } = side;
  const from = recordOf(side, placeOfChunk(chunks, Math.min(chunk, chunks.count)));
  if (!from.ok) return from;
  const to = recordOf(side, placeOfChunk(chunks, isLast ? chunks.count : chunk + 1));
  return to.ok ? ok([from.value, to.value]) : to;
}

async function alignedOf(sides: readonly [Side, Side], rules: Rules, task: Task<FlowProgress>): Promise<Result<Found>> {
  const queue = createPartQueue();
  // Threads of the pool compare the first parts while this one aligns the next.
  const comparing = rules.by === 'values' && !rules.decodes ? comparedParts(sides, queue, rules, task) : undefined;
  const aligned = await alignedParts(sides, rules.decodes, task, queue);
  queue.end(aligned.ok ? aligned.value : []);
  const compared = rules.by !== 'values' ? undefined : (comparing ?? comparedParts(sides, queue, rules, task));
  const found = aligned.ok ? await foundIn(sides, aligned.value, compared, rules, task) : aligned;
  await compared;
  return found;
}

async function foundIn(
  sides: readonly [Side, Side],
  parts: readonly PathPart[],
  compared: ReturnType<typeof comparedParts> | undefined,
  rules: Rules,
  task: Task<FlowProgress>,
): Promise<Result<Found>> {
  const apart = parts.find(({ kind }) => kind !== 'same');
  // It begins where the runs part, or at an earlier place where they could.
  const begin = apart === undefined ? ok([]) : regionsOf(sides, [apart], 1);
  if (!begin.ok) return begin;
  const [region] = begin.value;
  const ends = sides.map(({ chunks }) => chunks.record[chunks.count]!);
  const first =
    region === undefined
      ? ok({ pair: null })
      : await firstDifference(sides, [region.a[0], ends[0]!], [region.b[0], ends[1]!], task);
  if (!first.ok) return first;
  const rest = await differences(sides, parts, compared, rules, task);
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

/** Returns the first instructions of these records that differ, null if none do, and how many are equal before. */
async function firstDifference(
  sides: readonly [Side, Side],
  a: readonly [from: RecordNumber, to: RecordNumber],
  b: readonly [from: RecordNumber, to: RecordNumber],
  task: Task<FlowProgress>,
): Promise<Result<{ readonly pair: DiffPair | null; readonly equal: number }>> {
  const [one, other] = sides;
  const [left, right] = [createReader(one, ...a), createReader(other, ...b)];
  for (let equal = 0; ; equal++) {
    const [its, others] = [left.next(), right.next()];
    if (!its.ok) return its;
    if (!others.ok) return others;
    if (its.value === undefined && others.value === undefined) return ok({ pair: null, equal });
    if (!isSame(its.value, others.value)) return ok({ pair: pairOf(sides, its.value, others.value), equal });
    if (equal % SLICE !== SLICE - 1) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
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
    what: `${said('A', one, a)}, ${said('B', other, b)}${isReportedElsewhere([one, other], a, b) ? MAY_BE_ONE : ''}`,
  };
}

const MAY_BE_ONE =
  ': it may be one branch, because this processor can report the instruction before a branch as its source';

/** Returns true for branches to one place whose sources a processor may have reported in two ways. */
function isReportedElsewhere(sides: readonly [Side, Side], a: Executed | undefined, b: Executed | undefined): boolean {
  return (
    sides.every(({ trace }) => trace.reader.decoder.format.branches?.pentium === true) &&
    a?.isPlaced === true &&
    b?.isPlaced === true &&
    a.words === b.words &&
    a.address !== b.address
  );
}

function happens({ words }: Executed): string {
  return words === '' ? 'is at' : `has a ${words}`;
}
