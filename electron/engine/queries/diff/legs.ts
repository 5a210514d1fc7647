/** Aligns what lies between matched chunks, by its branches and its instructions. */
import { EVENT } from '../../../../shared/flow/events.ts';
import type { DiffRegion, RegionKind } from '../../../../shared/requests/diff.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { instructionsIn, walkLegs } from '../../flow/path/path-chunks.ts';
import type { Task } from '../../threads/task.ts';
import { EXACT } from './align.ts';
import { alignStretches, type Stretch } from './align-stretches.ts';
import { executedIn } from './executed.ts';
import type { Side } from './side.ts';

/** Chunks [from, to) of both sides. */
export interface ChunkRanges {
  readonly a: readonly [number, number];
  readonly b: readonly [number, number];
}

/** Longer gaps are not aligned. About 64 branches are in a chunk. */
const MOST_CHUNKS = 2048;

/** Aligns two gaps: short ones by their instructions, others by their branches first. */
export async function partsOf(
  sides: readonly [Side, Side],
  gap: ChunkRanges,
  task: Task<FlowProgress>,
): Promise<Result<readonly DiffRegion[]>> {
  const [one, other] = sides;
  const [long, wide] = [gap.a[1] - gap.a[0], gap.b[1] - gap.b[0]];
  if (long === 0) return ok([regionOf(sides, gap, 'b-only')]);
  if (wide === 0) return ok([regionOf(sides, gap, 'a-only')]);
  const whole = regionOf(sides, gap, 'not-aligned');
  if (isShort(whole)) return alignInstructions(sides, whole);
  if (long + wide > MOST_CHUNKS) return ok([whole]);
  const legsA = await legsOf(one, gap.a, task);
  if (!legsA.ok) return legsA;
  const legsB = await legsOf(other, gap.b, task);
  if (!legsB.ok) return legsB;
  const parts: DiffRegion[] = [];
  for (const part of withoutShort(alignStretches(legsA.value, legsB.value))) {
    const finer = isShort(part) ? alignInstructions(sides, part) : ok([part]);
    if (!finer.ok) return finer;
    parts.push(...finer.value);
  }
  return ok(parts);
}

/**
 * Joins parts around short equal ones, to be aligned by their instructions: the fewest different branches are not the fewest different
 * instructions.
 */
function withoutShort(parts: readonly DiffRegion[]): readonly DiffRegion[] {
  const result: DiffRegion[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const isFixed = part.kind === 'same' && part.instructionsA >= SHORT;
    const joined = last === undefined || last.kind === 'same' || isFixed ? undefined : pair(last, part);
    if (joined !== undefined && isShort(joined)) result[result.length - 1] = joined;
    else result.push(part.kind === 'same' ? part : { ...part, kind: 'not-aligned' });
  }
  return result;
}

/** Instructions of an equal part between branches that is kept. */
const SHORT = 1 << 12;

function pair(one: DiffRegion, other: DiffRegion): DiffRegion {
  return {
    kind: 'not-aligned',
    a: [one.a[0], other.a[1]],
    b: [one.b[0], other.b[1]],
    instructionsA: one.instructionsA + other.instructionsA,
    instructionsB: one.instructionsB + other.instructionsB,
  };
}

/** Instructions of both sides that are aligned one by one. */
export const MOST_INSTRUCTIONS = 1 << 18;

function isShort({ kind, instructionsA, instructionsB }: DiffRegion): boolean {
  return kind === 'not-aligned' && instructionsA + instructionsB <= MOST_INSTRUCTIONS;
}

/** Aligns a part by its instructions. */
function alignInstructions([one, other]: readonly [Side, Side], part: DiffRegion): Result<readonly DiffRegion[]> {
  const a = stretchOf(one, part.a);
  if (!a.ok) return a;
  const b = stretchOf(other, part.b);
  if (!b.ok) return b;
  return ok(alignStretches(a.value, b.value).flatMap((each) => (isExact(each) ? bothOnly(each) : [each])));
}

function stretchOf(side: Side, [from, to]: readonly [RecordNumber, RecordNumber]): Result<Stretch> {
  const read = executedIn(side, from, to);
  if (!read.ok) return read;
  const found = read.value;
  return ok({
    keys: found.map(({ address: its }) => its),
    record: [...found.map(({ record }, k) => (k === 0 ? from : record)), to],
    instructions: found.map(() => 1),
  });
}

/** Returns true if neither run has an instruction of the other here: the alignment was exact. */
function isExact({ kind, instructionsA, instructionsB }: DiffRegion): boolean {
  return kind === 'not-aligned' && instructionsA + instructionsB <= EXACT;
}

function bothOnly(part: DiffRegion): readonly DiffRegion[] {
  const { a, b } = part;
  return [
    { ...part, kind: 'a-only', b: [b[0], b[0]], instructionsB: 0 },
    { ...part, kind: 'b-only', a: [a[1], a[1]], instructionsA: 0 },
  ];
}

/** Returns chunks of both sides as one region. */
export function regionOf([one, other]: readonly [Side, Side], { a, b }: ChunkRanges, kind: RegionKind): DiffRegion {
  return {
    kind,
    a: [one.chunks.record[a[0]]!, one.chunks.record[a[1]]!],
    b: [other.chunks.record[b[0]]!, other.chunks.record[b[1]]!],
    instructionsA: instructionsIn(one.chunks, ...a),
    instructionsB: instructionsIn(other.chunks, ...b),
  };
}

async function legsOf(
  { trace, chunks, shift }: Side,
  [from, to]: readonly [number, number],
  task: Task<FlowProgress>,
): Promise<Result<Stretch>> {
  const start = chunks.record[from]!;
  const end = chunks.record[to]!;
  const legs = { keys: [] as string[], record: [start], instructions: [] as number[] };
  let before = address(chunks.startLow[from]!, chunks.startHigh[from]!) - shift;
  // The record of a branch is that of the instruction that it led to: the first of the next leg.
  const range = { from: start + 1, to: Math.min(end + 1, trace.blocks.records) };
  const walked = await walkLegs(trace, range, task, {
    leg(cpu, leg) {
      if (cpu !== chunks.cpu) return;
      const source = (leg.flags & EVENT.source) === 0 ? undefined : address(leg.sourceLow, leg.sourceHigh) - shift;
      const target = (leg.flags & EVENT.target) === 0 ? undefined : address(leg.targetLow, leg.targetHigh) - shift;
      legs.keys.push(`${before} ${source ?? '?'} ${target ?? '?'} ${leg.flags}`);
      legs.record.push(leg.record);
      legs.instructions.push(leg.instructions);
      before = target ?? source ?? before;
    },
  });
  return walked.ok ? ok(legs) : walked;
}

function address(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
