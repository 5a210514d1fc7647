/**
 * Aligns the executed paths of two traces. Chunks with equal fingerprints are aligned first. What lies between them is aligned by its
 * instructions, and if it is very long, by its branches before.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { NO_CPU } from '../../../../shared/records/batch.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { BEYOND_INDEX } from '../../../../shared/requests/failures.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Diff, DiffArguments, DiffPair, DiffRegion } from '../../../../shared/requests/diff.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { instructionsIn, pathOf, type Path, type PathChunks } from '../../flow/path/path-chunks.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { align, type Match } from './align.ts';
import { commonShift, sharedSymbols } from './chunk-symbols.ts';
import { createReader, type Executed } from './executed.ts';
import { MOST_INSTRUCTIONS, partsOf, regionOf } from './legs.ts';
import type { Side } from './side.ts';

const MOST_REGIONS = 1000;

export async function diff(
  a: Trace,
  b: Trace,
  { cpu, shift: given, most = MOST_REGIONS }: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Diff>> {
  if (a.format.id !== b.format.id)
    return fail('usage', `${a.format.id} and ${b.format.id} traces cannot be compared; convert one of them first`);
  for (const trace of [a, b]) {
    const usable = isComparable(trace);
    if (!usable.ok) return usable;
  }
  const paths = [await pathOf(a, task), await pathOf(b, task)] as const;
  const [one, other] = paths;
  if (!one.ok) return one;
  if (!other.ok) return other;
  const chosen = [chunksOf(one.value, cpu, a), chunksOf(other.value, cpu, b)] as const;
  const [chunksA, chunksB] = chosen;
  if (!chunksA.ok) return chunksA;
  if (!chunksB.ok) return chunksB;
  const shift = given === undefined ? commonShift(chunksA.value, chunksB.value) : BigInt(given);
  const sides: readonly [Side, Side] = [
    { trace: a, chunks: chunksA.value, shift: 0n },
    { trace: b, chunks: chunksB.value, shift },
  ];
  const symbols = sharedSymbols(chunksA.value, chunksB.value, shift);
  const matches = withoutShort(align(...symbols), chunksA.value, chunksB.value);
  const parts = await partsBetween(sides, matches, task);
  if (!parts.ok) return parts;
  const regions = joined(parts.value);
  const apart = regions.findIndex(({ kind }) => kind !== 'same');
  const first = apart < 0 ? ok(null) : firstDifference(sides, regions[apart]!);
  if (!first.ok) return first;
  const sum = (of: (region: DiffRegion) => number): number => regions.reduce((all, region) => all + of(region), 0);
  const [instructionsA, instructionsB] = [sum((region) => region.instructionsA), sum((region) => region.instructionsB)];
  const matched = sum(({ kind, instructionsA: its, instructionsB: others }) => (kind === 'same' ? its + others : 0));
  return ok({
    same: apart < 0,
    by: 'path',
    first: { path: first.value, values: null },
    regions: regions.slice(0, most),
    left: Math.max(0, regions.length - most),
    functions: [],
    functionsLeft: 0,
    notCompared: 0,
    matched: instructionsA + instructionsB === 0 ? 1 : matched / (instructionsA + instructionsB),
    shift: shift.toString(),
    cpu: chunksA.value.cpu === NO_CPU ? null : chunksA.value.cpu,
    instructionsA,
    instructionsB,
  });
}

function isComparable({ file, ingest }: Trace): Result<void> {
  if (!ingest.complete) return fail(BEYOND_INDEX, `${file.path}: the index is not complete yet`);
  if ((ingest.totals.kinds[KIND.instruction] ?? 0) > 0) return ok(undefined);
  return fail('no-instructions', `${file.path}: the trace has no records of executed instructions to compare`);
}

function chunksOf({ cpus }: Path, cpu: number | undefined, { file }: Trace): Result<PathChunks> {
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

/**
 * Leaves out short matches between others. The fewest different chunks are not the fewest different instructions: in a loop, an edit can look
 * like an iteration more here and one less there. What is left out is aligned again with what is around it.
 */
function withoutShort(matches: readonly Match[], chunksA: PathChunks, chunksB: PathChunks): readonly Match[] {
  const kept: Match[] = [];
  /** Ends of the last match that is kept. */
  let [a, b] = [0, 0];
  let gap = 0;
  for (const match of matches) {
    const [endA, endB] = [match.a + match.length, match.b + match.length];
    gap += instructionsIn(chunksA, a, endA) + instructionsIn(chunksB, b, endB);
    [a, b] = [endA, endB];
    const isBetween = (match.a > 0 || match.b > 0) && (endA < chunksA.count || endB < chunksB.count);
    const isShort = instructionsIn(chunksA, match.a, endA) < SHORT;
    if (isBetween && isShort && gap <= MOST_INSTRUCTIONS) continue;
    kept.push(match);
    gap = 0;
  }
  return kept;
}

/** Fewest instructions of a match that is never left out. */
const SHORT = 1 << 14;

/** Returns the parts in order: those of matched chunks, and what is between them. */
async function partsBetween(
  sides: readonly [Side, Side],
  matches: readonly Match[],
  task: Task<FlowProgress>,
): Promise<Result<readonly DiffRegion[]>> {
  const [{ chunks: chunksA }, { chunks: chunksB }] = sides;
  const parts: DiffRegion[] = [];
  let [a, b] = [0, 0];
  for (const match of [...matches, { a: chunksA.count, b: chunksB.count, length: 0 }]) {
    if (match.a > a || match.b > b) {
      const between = await partsOf(sides, { a: [a, match.a], b: [b, match.b] }, task);
      if (!between.ok) return between;
      parts.push(...between.value);
      await breathe();
      if (task.cancelled()) return task.cancel();
    }
    [a, b] = [match.a + match.length, match.b + match.length];
    if (match.length > 0) parts.push(regionOf(sides, { a: [match.a, a], b: [match.b, b] }, 'same'));
  }
  return ok(parts);
}

/** Joins adjacent parts of a kind. */
function joined(parts: readonly DiffRegion[]): readonly DiffRegion[] {
  const regions: DiffRegion[] = [];
  for (const part of parts) {
    const last = regions.at(-1);
    if (last === undefined || last.kind !== part.kind) {
      regions.push(part);
      continue;
    }
    regions[regions.length - 1] = {
      kind: last.kind,
      a: [last.a[0], part.a[1]],
      b: [last.b[0], part.b[1]],
      instructionsA: last.instructionsA + part.instructionsA,
      instructionsB: last.instructionsB + part.instructionsB,
    };
  }
  return regions;
}

/** Follows both runs from the beginning of a region to the first instructions that differ. */
function firstDifference(sides: readonly [Side, Side], { a, b }: DiffRegion): Result<DiffPair> {
  const [one, other] = sides;
  const [left, right] = [createReader(one, a[0]), createReader(other, b[0])];
  for (;;) {
    const [its, others] = [left.next(), right.next()];
    if (!its.ok) return its;
    if (!others.ok) return others;
    if (its.value === undefined || its.value.address !== others.value?.address)
      return ok(pairOf(sides, its.value, others.value));
  }
}

function pairOf([one, other]: readonly [Side, Side], a: Executed | undefined, b: Executed | undefined): DiffPair {
  const named = ({ trace }: Side, address: bigint): string => {
    const symbol = trace.images.symbolAt(address);
    return symbol === undefined ? toHex(address) : `${toHex(address)} ${symbolText(symbol)}`;
  };
  const said = (name: string, side: Side, executed: Executed | undefined): string =>
    executed === undefined ? `${name} has ended` : `${name} is at ${named(side, executed.address + side.shift)}`;
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
