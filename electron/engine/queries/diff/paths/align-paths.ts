/**
 * Aligns the paths of two runs. Chunks that each run has once are landmarks. What lies between landmarks is read from the index as straight
 * runs, and aligned by its instructions.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import type { RegionKind } from '../../../../../shared/requests/diff.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { cachePer } from '../../../collections/cache-per.ts';
import { instructionsIn, type PathChunks } from '../../../flow/path/path-chunks.ts';
import type { Task } from '../../../threads/task.ts';
import { align, alignLandmarks } from './align.ts';
import { createLegAligner } from './align-legs.ts';
import { sharedSymbols } from './chunk-symbols.ts';
import { createElementNumbers } from './element-numbers.ts';
import type { Match, Part } from './match.ts';
import { addPart, placeOfChunk, type PathPart } from './path-parts.ts';
import { chunkShift, type Side } from './side.ts';
import { recordLegsOf } from './record-legs.ts';
import { legsOf, type ChunkRange, type Legs } from '../runs/legs.ts';
import { createRunLists, SINGLE, type RunContents } from '../runs/run-lists.ts';
import { createStraightRuns } from '../runs/straight-runs.ts';

/** Instructions of both sides up to which what lies between landmarks is aligned as a whole, across landmarks that are short. */
const WHOLE = 1 << 17;
/** Fewest instructions of a landmark that is never left out. */
const LONG = 1 << 14;
/** Gaps with more instructions are divided by equal chunks that are no landmarks, or stay unaligned. */
const MOST_IN_GAP = 1 << 23;
/** Instructions that are read at a time. */
const MOST_AT_ONCE = 1 << 21;

/** Chunks of both sides between two matches, and the match after them. */
interface Gap extends Part {
  readonly match: Match;
}

/** Returns the parts of both paths, in order. Calls `put` now and then with the parts so far, of which only the last one can still grow. */
export async function alignPaths(
  sides: readonly [Side, Side],
  task: Task<FlowProgress>,
  put?: (parts: readonly PathPart[]) => void,
): Promise<Result<readonly PathPart[]>> {
  const [{ chunks }, { chunks: others, shift }] = sides;
  const latest = latestParts(chunks);
  if (latest.others === others && latest.shift === shift) return ok(latest.parts);
  const { contents, legsIn } = createLegReader(sides, task);
  const alignLegs = createLegAligner(contents);
  const parts: PathPart[] = [];
  const gaps = gapsOf(sides);
  for (let at = 0; at < gaps.length;) {
    let end = at;
    for (let size = 0; end < gaps.length && size < MOST_AT_ONCE; end++) size += sizeOf(sides, gaps[end]!);
    const some = gaps.slice(at, end);
    const read = some.filter((gap) => isRead(sides, gap));
    const rangesA = read.map(({ a, aEnd }): ChunkRange => [a, aEnd]);
    const one = await legsIn(sides[0], rangesA);
    if (!one.ok) return one;
    const rangesB = read.map(({ b, bEnd }): ChunkRange => [b, bEnd]);
    const other = await legsIn(sides[1], rangesB);
    if (!other.ok) return other;
    for (const gap of some) {
      const place = read.indexOf(gap);
      if (place < 0) addPart(parts, partOf(sides, gap, kindOf(gap)));
      else alignLegs(one.value[place]!, other.value[place]!, (part) => addPart(parts, part));
      const { a, b, length } = gap.match;
      addPart(parts, partOf(sides, { a, aEnd: a + length, b, bEnd: b + length }, 'same'));
      put?.(parts);
      await breathe();
      if (task.cancelled()) return task.cancel();
    }
    at = end;
  }
  Object.assign(latest, { others, shift, parts });
  return ok(parts);
}

/** The parts that were aligned last, by the chunks of the first path: first the paths are asked for, and then values. */
const latestParts = cachePer(
  (): { readonly others?: PathChunks; readonly shift?: bigint; readonly parts: readonly PathPart[] } => ({ parts: [] }),
);

interface LegReader {
  readonly contents: RunContents;
  readonly legsIn: (side: Side, ranges: readonly ChunkRange[]) => Promise<Result<readonly Legs[]>>;
}

/** Returns the reader of what lies between landmarks: straight runs, or records that are elements of the path. */
function createLegReader(sides: readonly [Side, Side], task: Task<FlowProgress>): LegReader {
  const [one, other] = sides;
  if (one.elements === 'instructions') {
    const lists = createRunLists();
    const runs = createStraightRuns(lists, one);
    // Sides that are compared by their addresses have the same runs.
    const others = other.numbers === undefined ? runs : createStraightRuns(lists, other);
    return {
      contents: one.numbers === undefined ? lists : SINGLE,
      legsIn: (side, ranges) => legsOf(side, ranges, side === one ? runs : others, task),
    };
  }
  const numbersOf = createElementNumbers(sides);
  return { contents: SINGLE, legsIn: (side, ranges) => recordLegsOf(side, ranges, numbersOf(side), task) };
}

/** Aligns the chunks, and returns what is between matches. */
function gapsOf(sides: readonly [Side, Side]): readonly Gap[] {
  const [{ chunks: chunksA }, { chunks: chunksB }] = sides;
  const [a, b] = sharedSymbols(chunksA, chunksB, chunkShift(sides));
  const landmarks = withoutShort(
    alignLandmarks(a, b, (match) => hasMark(match, chunksA, chunksB)).matches,
    chunksA,
    chunksB,
  );
  const long = gapsBetween(landmarks, a.length, b.length);
  return long.flatMap((gap) => {
    if (kindOf(gap) !== 'not-aligned' || isRead(sides, gap)) return [gap];
    const { matches } = align(a.subarray(gap.a, gap.aEnd), b.subarray(gap.b, gap.bEnd));
    const moved = matches.map((match) => ({ ...match, a: gap.a + match.a, b: gap.b + match.b }));
    return gapsBetween([...moved, gap.match], gap.aEnd, gap.bEnd, gap);
  });
}

/** Returns true if a chunk of a match begins or ends at a marked place. Others are rounds of a loop, and could be any of its rounds. */
function hasMark({ a, b, length }: Match, { marked: ofA }: PathChunks, { marked: ofB }: PathChunks): boolean {
  for (let k = 0; k <= length; k++) if (ofA[a + k] === 1 && ofB[b + k] === 1) return true;
  return false;
}

/** Returns the gap before each match; of the last one also that after it, with a match without chunks. */
function gapsBetween(matches: readonly Match[], aEnd: number, bEnd: number, start = { a: 0, b: 0 }): readonly Gap[] {
  let { a, b } = start;
  const gaps: Gap[] = [];
  for (const match of matches) {
    gaps.push({ a, aEnd: match.a, b, bEnd: match.b, match });
    [a, b] = [match.a + match.length, match.b + match.length];
  }
  if (a < aEnd || b < bEnd) gaps.push({ a, aEnd, b, bEnd, match: { a: aEnd, b: bEnd, length: 0 } });
  return gaps;
}

function sizeOf([{ chunks: one }, { chunks: other }]: readonly [Side, Side], { a, aEnd, b, bEnd }: Part): number {
  return instructionsIn(one, a, aEnd) + instructionsIn(other, b, bEnd);
}

/** Returns true if the straight runs of a gap are read. */
function isRead(sides: readonly [Side, Side], gap: Gap): boolean {
  return kindOf(gap) === 'not-aligned' && sizeOf(sides, gap) <= MOST_IN_GAP;
}

function kindOf({ a, aEnd, b, bEnd }: Part): RegionKind {
  return b === bEnd ? 'a-only' : a === aEnd ? 'b-only' : 'not-aligned';
}

function partOf([one, other]: readonly [Side, Side], { a, aEnd, b, bEnd }: Part, kind: RegionKind): PathPart {
  return {
    kind,
    a: placeOfChunk(one.chunks, a),
    b: placeOfChunk(other.chunks, b),
    instructionsA: instructionsIn(one.chunks, a, aEnd),
    instructionsB: instructionsIn(other.chunks, b, bEnd),
  };
}

/**
 * Leaves out short landmarks. The fewest different chunks are not the fewest different instructions, so what is between long landmarks is
 * aligned as a whole. If that has too many instructions, it is divided at the longest landmark in it.
 */
function withoutShort(matches: readonly Match[], chunksA: PathChunks, chunksB: PathChunks): readonly Match[] {
  const kept: Match[] = [];
  let pending: readonly Match[] = [];
  const length = ({ a, length: count }: Match): number => instructionsIn(chunksA, a, a + count);
  for (const match of matches) {
    const [endA, endB] = [match.a + match.length, match.b + match.length];
    const isAtEnd = (match.a === 0 && match.b === 0) || (endA === chunksA.count && endB === chunksB.count);
    if (isAtEnd || length(match) >= LONG) {
      kept.push(match);
      pending = [];
      continue;
    }
    pending = [...pending, match];
    for (;;) {
      const last = kept.at(-1) ?? { a: 0, b: 0, length: 0 };
      const ofA = instructionsIn(chunksA, last.a + last.length, endA);
      const ofB = instructionsIn(chunksB, last.b + last.length, endB);
      if (pending.length === 0 || ofA + ofB <= WHOLE) break;
      const longest = pending.reduce((best, each) => (each.length > best.length ? each : best));
      kept.push(longest);
      pending = pending.slice(pending.indexOf(longest) + 1);
    }
  }
  return kept;
}
