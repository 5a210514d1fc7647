/**
 * Aligns two lists of straight runs by their instructions. Stretches of equal runs divide what is too long or too different to be searched as
 * a whole for the fewest different instructions.
 */
import type { RegionKind } from '../../../../../shared/requests/diff.ts';
import { align } from './align.ts';
import { createSearch } from './fewest-differences.ts';
import type { Legs } from '../runs/legs.ts';
import { inFewPieces } from './pieces.ts';
import type { Part } from './match.ts';
import type { PathPart, Place } from './path-parts.ts';
import type { RunContents } from '../runs/run-lists.ts';

/** Instructions of both sides that are aligned one by one. */
const MOST_INSTRUCTIONS = 1 << 20;
/** Steps of the search for the fewest different instructions, before equal runs divide them. */
const FEW_STEPS = 1 << 16;

/** Equal or different runs of both sides. */
interface Section extends Part {
  readonly kind: 'same' | 'apart';
}

/** One side. */
interface Runs extends Legs {
  /** Instructions before each run, and in all of them. */
  readonly before: Int32Array;
}

/** Returns a function that hands on the parts of two lists of straight runs in order. */
export function createLegAligner(runs: RunContents): (a: Legs, b: Legs, take: (part: PathPart) => void) => void {
  /** Memory for the instructions of both sides. */
  const rooms: [Int32Array, Int32Array] = [new Int32Array(0), new Int32Array(0)];
  return (a, b, take) => alignLegs(a, b, runs, rooms, take);
}

function alignLegs(
  a: Legs,
  b: Legs,
  runs: RunContents,
  rooms: [Int32Array, Int32Array],
  take: (part: PathPart) => void,
): void {
  const [one, other] = [withCounts(a, runs), withCounts(b, runs)];
  const sections = sectionsOf(one, other);
  const todo: (readonly [from: number, to: number])[] = [[0, sections.length]];
  for (let range = todo.pop(); range !== undefined; range = todo.pop()) {
    const [from, to] = range;
    if (from === to) continue;
    const [first, last] = [sections[from]!, sections[to - 1]!];
    const whole: Part = { a: first.a, aEnd: last.aEnd, b: first.b, bEnd: last.bEnd };
    const longest = longestSame(sections, from, to, one);
    if (to - from === 1 && first.kind === 'same') takeWhole('same', whole);
    else if (whole.b === whole.bEnd) takeWhole('a-only', whole);
    else if (whole.a === whole.aEnd) takeWhole('b-only', whole);
    else if (takeAligned(whole, longest === undefined)) continue;
    else if (longest === undefined) takeWhole('not-aligned', whole);
    else todo.push([longest + 1, to], [longest, longest + 1], [from, longest]);
  }

  function takeWhole(kind: RegionKind, part: Part): void {
    const [fromA, fromB] = [one.before[part.a]!, other.before[part.b]!];
    takePart(kind, fromA, fromB, one.before[part.aEnd]! - fromA, other.before[part.bEnd]! - fromB);
  }

  /** Takes a part that begins with these instructions of the legs. */
  function takePart(kind: RegionKind, fromA: number, fromB: number, lengthA: number, lengthB: number): void {
    if (lengthA === 0 && lengthB === 0) return;
    take({ kind, a: placeOf(one, fromA), b: placeOf(other, fromB), instructionsA: lengthA, instructionsB: lengthB });
  }

  /** Returns false, with nothing taken, if the runs have too many instructions, or too many that differ. `isLast`: nothing divides them. */
  function takeAligned(part: Part, isLast: boolean): boolean {
    const [fromA, fromB] = [one.before[part.a]!, other.before[part.b]!];
    const [lengthA, lengthB] = [one.before[part.aEnd]! - fromA, other.before[part.bEnd]! - fromB];
    if (lengthA + lengthB > MOST_INSTRUCTIONS) return false;
    const its = instructionsOf(one, part.a, part.aEnd, 0);
    const others = instructionsOf(other, part.b, part.bEnd, 1);
    const all = { a: 0, aEnd: lengthA, b: 0, bEnd: lengthB };
    const fewest = createSearch(its, others)(all, FEW_STEPS);
    if (fewest === undefined && !isLast) return false;
    const { matches, unaligned } = fewest === undefined ? align(its, others) : { matches: fewest, unaligned: [] };
    const tooDifferent = new Set(unaligned.map(({ a: at }) => at));
    let [nextA, nextB] = [0, 0];
    for (const match of [...inFewPieces(matches, its, others), { a: lengthA, b: lengthB, length: 0 }]) {
      const [onlyA, onlyB] = [match.a - nextA, match.b - nextB];
      if (onlyA > 0 && onlyB > 0 && tooDifferent.has(nextA))
        takePart('not-aligned', fromA + nextA, fromB + nextB, onlyA, onlyB);
      else {
        takePart('a-only', fromA + nextA, fromB + nextB, onlyA, 0);
        takePart('b-only', fromA + match.a, fromB + nextB, 0, onlyB);
      }
      takePart('same', fromA + match.a, fromB + match.b, match.length, match.length);
      [nextA, nextB] = [match.a + match.length, match.b + match.length];
    }
    return true;
  }

  /** Returns the instructions of the runs [from, to). They hold until the next call for the same side. */
  function instructionsOf({ run, before }: Runs, from: number, to: number, side: 0 | 1): Int32Array {
    const start = before[from]!;
    const length = before[to]! - start;
    if (rooms[side].length < length) rooms[side] = new Int32Array(length + (length >> 1));
    const room = rooms[side];
    for (let k = from; k < to; k++) runs.copy(run[k]!, room, before[k]! - start);
    return room.subarray(0, length);
  }
}

function withCounts(legs: Legs, runs: RunContents): Runs {
  const before = new Int32Array(legs.count + 1);
  for (let k = 0; k < legs.count; k++) before[k + 1] = before[k]! + runs.lengthOf(legs.run[k]!);
  return { ...legs, before };
}

/** Aligns the runs, and returns the stretches of equal runs and what is between them. */
function sectionsOf(a: Legs, b: Legs): readonly Section[] {
  const { matches } = align(a.run.subarray(0, a.count), b.run.subarray(0, b.count));
  const sections: Section[] = [];
  const add = (section: Section): void => {
    if (section.a < section.aEnd || section.b < section.bEnd) sections.push(section);
  };
  let [nextA, nextB] = [0, 0];
  for (const match of matches) {
    const [aEnd, bEnd] = [match.a + match.length, match.b + match.length];
    add({ kind: 'apart', a: nextA, aEnd: match.a, b: nextB, bEnd: match.b });
    add({ kind: 'same', a: match.a, aEnd, b: match.b, bEnd });
    [nextA, nextB] = [aEnd, bEnd];
  }
  add({ kind: 'apart', a: nextA, aEnd: a.count, b: nextB, bEnd: b.count });
  return sections;
}

/** Returns the section with most equal instructions; undefined if there is none. */
function longestSame(sections: readonly Section[], from: number, to: number, { before }: Runs): number | undefined {
  let longest: number | undefined;
  let most = 0;
  for (let at = from; at < to; at++) {
    const { kind, a, aEnd } = sections[at]!;
    const length = before[aEnd]! - before[a]!;
    if (kind !== 'same' || length <= most) continue;
    [longest, most] = [at, length];
  }
  return longest;
}

/** Returns the place before which the legs have so many instructions. */
function placeOf({ before, record, skip, count, end }: Runs, instructions: number): Place {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (before[middle]! <= instructions) low = middle;
    else high = middle - 1;
  }
  return low === count ? end : { record: record[low]!, skip: skip[low]! + instructions - before[low]! };
}
