/**
 * Divides a timeline into phases: stretches of columns with the same mix of functions. The distance of two stretches is the share of
 * their time that they do not have in common, 0 to 1. Neighbouring phases have at most half of their time in common, and a phase is
 * not shorter than 1/64 of all columns.
 */
import { folded, type Timeline } from './timeline.ts';

/** Phases as they are shown: in at most PHASE_COLUMNS columns, each with at most MOST_NAMES functions. */
export interface Phases {
  readonly columns: number;
  readonly phases: readonly Phase[];
}

export interface Phase {
  /** Columns [first, end). */
  readonly first: number;
  readonly end: number;
  /** Records of the functions, the most first. */
  readonly functions: readonly { readonly fn: number; readonly records: number }[];
}

interface Stretch {
  readonly first: number;
  readonly end: number;
  /** Records by function, and of all. */
  readonly records: ReadonlyMap<number, number>;
  readonly all: number;
}

/** Phases are found in at most so many columns. */
const PHASE_COLUMNS = 256;
/** Functions that name a phase: at most so many, each with at least this share of its records, except the first. */
const MOST_NAMES = 3;
const LEAST_SHARE = 0.1;
const LEAST_DISTANCE = 0.5;
const MOST_PHASES = 64;

export function mainPhases(timeline: Timeline): Phases {
  const coarse = folded(timeline, PHASE_COLUMNS);
  const phases = phasesOf(coarse).map(({ first, end, functions }) => {
    return { first, end, functions: functions.slice(0, MOST_NAMES) };
  });
  return { columns: coarse.columns, phases };
}

/** Returns the functions that name a phase of `all` records. */
export function namingFunctions({ functions }: Phase, all: number): Phase['functions'] {
  return functions.slice(0, MOST_NAMES).filter(({ records }, at) => at === 0 || records >= LEAST_SHARE * all);
}

export function phasesOf({ columns, starts, fn, records }: Timeline): readonly Phase[] {
  let stretches = Array.from({ length: columns }, (_, column): Stretch => {
    const own = new Map<number, number>();
    let all = 0;
    for (let row = starts[column]!; row < starts[column + 1]!; row++) {
      own.set(fn[row]!, records[row]!);
      all += records[row]!;
    }
    return { first: column, end: column + 1, records: own, all };
  });
  const shortest = Math.floor(columns / MOST_PHASES);
  for (;;) {
    stretches = joinAlike(stretches);
    const short = stretches.reduce((least, one) => (lengthOf(one) < lengthOf(least) ? one : least));
    if (stretches.length === 1 || lengthOf(short) >= shortest) break;
    const at = stretches.indexOf(short);
    const before = at > 0 ? distance(stretches[at - 1]!, short) : Number.POSITIVE_INFINITY;
    const after = at + 1 < stretches.length ? distance(short, stretches[at + 1]!) : Number.POSITIVE_INFINITY;
    joinAt(stretches, before <= after ? at - 1 : at);
  }
  return stretches.map(({ first, end, records: own }) => ({
    first,
    end,
    functions: [...own]
      .map(([id, its]) => ({ fn: id, records: its }))
      .sort((a, b) => b.records - a.records || a.fn - b.fn),
  }));
}

/** Joins the two most similar neighbours again and again, until all neighbours differ. */
function joinAlike(given: readonly Stretch[]): Stretch[] {
  const stretches = [...given];
  /** Distance of each stretch from the next one. */
  const distances = stretches.slice(1).map((next, at) => distance(stretches[at]!, next));
  for (;;) {
    let at = -1;
    for (let i = 0; i < distances.length; i++) if (at < 0 || distances[i]! < distances[at]!) at = i;
    if (at < 0 || distances[at]! >= LEAST_DISTANCE) return stretches;
    joinAt(stretches, at);
    distances.splice(at, 1);
    if (at > 0) distances[at - 1] = distance(stretches[at - 1]!, stretches[at]!);
    if (at < distances.length) distances[at] = distance(stretches[at]!, stretches[at + 1]!);
  }
}

/** Joins a stretch and the next one. */
function joinAt(stretches: Stretch[], at: number): void {
  const [one, next] = [stretches[at]!, stretches[at + 1]!];
  const records = new Map(one.records);
  for (const [fn, its] of next.records) records.set(fn, (records.get(fn) ?? 0) + its);
  stretches.splice(at, 2, { first: one.first, end: next.end, records, all: one.all + next.all });
}

function lengthOf({ first, end }: Stretch): number {
  return end - first;
}

function distance(one: Stretch, other: Stretch): number {
  if (one.all === 0 || other.all === 0) return one.all === other.all ? 0 : 1;
  let common = 0;
  for (const [fn, its] of one.records) common += Math.min(its / one.all, (other.records.get(fn) ?? 0) / other.all);
  return 1 - common;
}
