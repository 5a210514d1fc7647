/** Finds loops from executed back edges, and counts what was executed in their bodies. */
import type { ExecutedRuns, RunTables } from './executed-runs.ts';
import { countsOf } from './pairs.ts';

/**
 * A loop: its header is the target of its back edges, its body the code from the header to the highest source of these edges. Addresses
 * have the same upper half.
 */
export interface FoundLoop {
  readonly high: number;
  readonly header: number;
  end: number;
  backEdges: number;
  /** How often a back edge was taken. */
  iterations: number;
  /** How often control came to the header otherwise: by another branch, or by a straight run from before the header. */
  entries: number;
  /** The lowest record at which a straight run began that came to the header; Infinity if none did. */
  first: number;
  /** True if a CPU was in the body before the range, and its iterations or instructions there come before its first entry. */
  begunBefore: boolean;
  /**
   * Bounds of the instructions that ran in the body. They differ if straight runs are partly outside of it, and how many of their
   * instructions are within it was never seen.
   */
  least: number;
  most: number;
  /** True if a branch to the header is inferred, or that its back edges are within one function. */
  inferred: boolean;
  /** Number of loops whose bodies contain this one, and the place of the innermost of them in the list; -1 without one. */
  depth: number;
  parent: number;
}

/**
 * Returns the loops in ascending order of their headers. Bodies and nesting are those of the whole trace, so that a loop is the same in
 * every range; `ran` is what the range counts.
 */
export function findLoops(whole: ExecutedRuns, ran = whole): readonly FoundLoop[] {
  const { backs, arrivals, runs } = ran;
  const loops = loopsOf(whole.backs);
  /** By place: the highest end of the loops up to it with the same upper half. */
  const ends = new Float64Array(loops.length);
  for (const [place, { high, end }] of loops.entries())
    ends[place] = Math.max(end, loops[place - 1]?.high === high ? ends[place - 1]! : 0);

  for (const [place, loop] of loops.entries()) {
    for (let outer = place - 1; outer >= 0 && isNear(outer, loop.high, loop.end); outer--) {
      if (loops[outer]!.end < loop.end) continue;
      loop.parent = outer;
      loop.depth = loops[outer]!.depth + 1;
      break;
    }
  }
  for (let row = 0; row < backs.count; row++) {
    const { high, to, times, first } = backs.columns;
    const place = placeOf(high[row]!, to[row]!);
    if (place < 0) continue;
    const loop = loops[place]!;
    loop.iterations += times[row]!;
    loop.first = Math.min(loop.first, first[row]!);
  }
  for (let row = 0; row < arrivals.count; row++) {
    const { high, to, times, first, inferred } = arrivals.columns;
    const place = placeOf(high[row]!, to[row]!);
    if (place >= 0) enter(place, times[row]!, first[row]!, inferred[row] === 1);
  }
  const countBetween = countsOf(whole.runs);
  for (let row = 0; row < runs.count; row++) {
    const { high, from, to, times, units, first } = runs.columns;
    const [low, last] = [from[row]!, to[row]!];
    for (const place of placesBetween(high[row]!, low, last)) {
      const loop = loops[place]!;
      if (loop.header > low) enter(place, times[row]!, first[row]!, false);
      const isWithin = loop.header <= low && last <= loop.end;
      const part = isWithin ? -1 : countBetween(high[row]!, Math.max(low, loop.header), Math.min(last, loop.end));
      const known = isWithin ? units[row]! : part < 0 ? 0 : part * times[row]!;
      loop.least += known;
      loop.most += isWithin || part >= 0 ? known : units[row]!;
    }
  }
  for (const { before, ...tables } of ran.begun) {
    const { entered, inside } = firstsIn(tables);
    for (const { low, high } of before)
      for (const place of placesBetween(high, low, low))
        if (inside[place]! < entered[place]!) loops[place]!.begunBefore = true;
  }
  return loops;

  /** By place of the loop: the lowest record of a straight run that led to an entry, or ran within the body without one. */
  function firstsIn({ backs: own, arrivals: others, runs: straight }: RunTables) {
    const entered = new Float64Array(loops.length).fill(Number.POSITIVE_INFINITY);
    const inside = entered.slice();
    const note = (into: Float64Array, place: number, first: number): void => {
      if (place >= 0 && first < into[place]!) into[place] = first;
    };
    for (let row = 0; row < own.count; row++) {
      const { high, to, first } = own.columns;
      note(inside, placeOf(high[row]!, to[row]!), first[row]!);
    }
    for (let row = 0; row < others.count; row++) {
      const { high, to, first } = others.columns;
      note(entered, placeOf(high[row]!, to[row]!), first[row]!);
    }
    for (let row = 0; row < straight.count; row++) {
      const { high, from, to, first } = straight.columns;
      for (const place of placesBetween(high[row]!, from[row]!, to[row]!)) {
        const { header } = loops[place]!;
        if (header !== from[row]) note(header > from[row]! ? entered : inside, place, first[row]!);
      }
    }
    return { entered, inside };
  }

  function enter(place: number, times: number, first: number, inferred: boolean): void {
    const loop = loops[place]!;
    loop.entries += times;
    loop.first = Math.min(loop.first, first);
    loop.inferred ||= inferred;
  }

  /** Yields the places of the loops whose bodies contain one of the addresses, the innermost first. */
  function* placesBetween(high: number, low: number, last: number): Iterable<number> {
    for (let place = lastUpTo(high, last); place >= 0 && isNear(place, high, low); place--)
      if (loops[place]!.end >= low) yield place;
  }

  /** Returns the place of the loop with this header; -1 without one. */
  function placeOf(high: number, header: number): number {
    const place = lastUpTo(high, header);
    return place >= 0 && loops[place]!.high === high && loops[place]!.header === header ? place : -1;
  }

  /** Returns the place of the last loop whose header is not above the address; -1 without one. */
  function lastUpTo(high: number, low: number): number {
    let [from, to] = [0, loops.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const loop = loops[middle]!;
      if (loop.high < high || (loop.high === high && loop.header <= low)) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }

  /** Returns true if a loop up to the place may reach the address. */
  function isNear(place: number, high: number, low: number): boolean {
    return loops[place]!.high === high && ends[place]! >= low;
  }
}

/** Returns a loop for each target of back edges, with nothing counted. */
function loopsOf({ count, columns }: ExecutedRuns['backs']): readonly FoundLoop[] {
  const byHeader = new Map<string, FoundLoop>();
  for (let row = 0; row < count; row++) {
    const [high, header, source] = [columns.high[row]!, columns.to[row]!, columns.from[row]!];
    const key = `${high} ${header}`;
    let loop = byHeader.get(key);
    if (loop === undefined) {
      const counts = { iterations: 0, entries: 0, first: Number.POSITIVE_INFINITY, least: 0, most: 0 };
      const marks = { inferred: false, begunBefore: false };
      byHeader.set(
        key,
        (loop = { high, header, end: source, backEdges: 0, depth: 0, parent: -1, ...counts, ...marks }),
      );
    }
    loop.end = Math.max(loop.end, source);
    loop.backEdges++;
    loop.inferred ||= columns.inferred[row] === 1;
  }
  return [...byHeader.values()].sort((a, b) => a.high - b.high || a.header - b.header);
}
