/**
 * Joins the copies of a loop. A user of adjacent bytes, which copies moved there side by side from adjacent bytes of memory that nothing
 * defined, gets one step for all of them.
 */
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Machine } from './definitions.ts';
import { connect, foldedSteps, withoutCopies, type Connected, type Folded, type FoldedStep, type Way } from './fold.ts';
import { endOf, type Location } from './locations.ts';
import type { Slice, Use } from './slice.ts';

/** Code of one loop, in bytes: copies of other code are not joined with it. */
const LOOP_BYTES = 256n;
/** A joined copy lets copies of its words be left out, which lets these be joined. */
const ROUNDS = 3;

/**
 * @param most steps of the answer; what does not fit is open
 * @param reasonOf returns why a source has no definition
 */
export function foldCopies(
  slice: Slice,
  most: number,
  machine: Machine,
  reasonOf: (use: Use) => string | undefined,
): Folded {
  let folded = withoutCopies(slice);
  for (let round = 0; round < ROUNDS; round++) {
    const { joined, isChanged } = joinCopies(connect(folded, machine), reasonOf);
    folded = { steps: foldedSteps(joined), origin: joined.origin.map(({ use }) => use), open: folded.open };
    if (!isChanged) break;
  }
  const { steps, origin, open } = folded;
  const left = steps.slice(most).flatMap(({ defined }) => defined.map(({ location }) => location));
  return { steps: steps.slice(0, most), origin, open: [...open, ...left] };
}

/** A way from memory to memory. */
interface LastWay extends Way {
  readonly use: Use & { readonly location: Location; readonly definer: RecordNumber };
  readonly end: Use & { readonly location: Location };
}

function joinCopies(
  connected: Connected,
  reasonOf: (use: Use) => string | undefined,
): { readonly joined: Connected; readonly isChanged: boolean } {
  const byRecord = new Map(connected.steps.map(({ step }) => [step.unit.record.n, step]));
  const users = usersOf(connected);
  const added: FoldedStep[] = [];
  const removed = new Set<RecordNumber>();

  const joinWays = (ways: readonly Way[]): readonly Way[] => {
    const places = new Map<Way, Way>();
    for (const run of runsOf(ways)) {
      const step = stepOf(run);
      if (step === undefined) continue;
      added.push(step);
      for (const { use } of run) removed.add(use.definer);
      const [{ location, bytes }] = step.defined as readonly [FoldedStep['defined'][number]];
      const whole = {
        use: { ...run[0]!.use, location, bytes, definer: step.unit.record.n },
        copies: [],
        end: undefined,
      };
      for (const way of run) places.set(way, whole);
    }
    return [...new Set(ways.map((way) => places.get(way) ?? way))];
  };

  /** Returns the ways that continue one another. */
  function runsOf(ways: readonly Way[]): readonly (readonly LastWay[])[] {
    const runs: LastWay[][] = [];
    const last = ways.filter(isLast).sort((a, b) => (a.use.location.low < b.use.location.low ? -1 : 1));
    for (const way of last) {
      const run = runs.at(-1);
      if (run !== undefined && continues(run.at(-1)!, way)) run.push(way);
      else runs.push([way]);
    }
    return runs;
  }

  function isLast(way: Way): way is LastWay {
    const { use, end } = way;
    return end?.location?.of === 'memory' && end.definer === undefined && use.location?.of === 'memory';
  }

  function continues(one: LastWay, other: LastWay): boolean {
    return (
      other.use.location.low === endOf(one.use.location) &&
      other.end.location.low === endOf(one.end.location) &&
      other.use.edge === one.use.edge &&
      other.use.inferred === one.use.inferred &&
      other.copies.length === one.copies.length &&
      reasonOf(other.end) === reasonOf(one.end)
    );
  }

  /** Returns the step that stands for a run; undefined if its copies are not those of one loop, or others use them too. */
  function stepOf(run: readonly LastWay[]): FoldedStep | undefined {
    const ends = new Map<RecordNumber, number>();
    for (const { use } of run) ends.set(use.definer, (ends.get(use.definer) ?? 0) + use.location.bytes);
    if (ends.size < 2) return undefined;
    for (const [n, bytes] of ends) {
      const { defined } = byRecord.get(n)!;
      if (users.get(n) !== 1 || defined.reduce((sum, { location }) => sum + location.bytes, 0) !== bytes)
        return undefined;
    }
    const levels = Array.from({ length: run[0]!.copies.length + 1 }, (_, level) =>
      run.map(({ use, copies }) => copies[level] ?? byRecord.get(use.definer)!),
    );
    if (!levels.every(isOneLoop)) return undefined;
    const copies = new Map(levels.flat().map((step) => [step.unit.record.n, step]));
    // A copy that also ends another chain stays a step of its own.
    if ([...copies.keys()].some((n) => byRecord.has(n) && !ends.has(n))) return undefined;
    const records = [...new Set([...copies.values()].flatMap((step) => [step.unit.record.n, ...step.copies]))];
    const [youngest = 0, ...others] = records.sort((a, b) => b - a);
    const { unit } = copies.get(youngest) ?? levels[0]![0]!;
    const to = joined(run.map(({ use }) => use.location));
    const from = joined(run.map(({ end }) => end.location));
    return {
      unit,
      defined: [
        {
          definition: {
            ...{ to, how: 'copy', from: [from], since: youngest },
            ...{ addresses: [], deciders: [], inferred: false },
          },
          location: to,
          bytes: run.flatMap(({ use }) => padded(use)),
        },
      ],
      uses: [{ ...run[0]!.end, location: from, bytes: run.flatMap(({ end }) => padded(end)) }],
      copies: unit.record.n === youngest ? others : records.filter((n) => n !== unit.record.n),
      moved: to.bytes,
    };
  }

  const origin = joinWays(connected.origin);
  const steps = connected.steps.map(({ step, ways }) => ({ step, ways: joinWays(ways) }));
  const all = [
    ...steps.filter(({ step }) => !removed.has(step.unit.record.n)),
    ...added.map((step) => ({ step, ways: step.uses.map((use): Way => ({ use, copies: [], end: undefined })) })),
  ];
  all.sort((a, b) => b.step.unit.record.n - a.step.unit.record.n);
  return { joined: { steps: all, origin }, isChanged: added.length > 0 };
}

/** Returns how many users each step has; the question is one. */
function usersOf({ steps, origin }: Connected): ReadonlyMap<RecordNumber, number> {
  const users = new Map<RecordNumber, number>();
  for (const ways of [origin, ...steps.map((each) => each.ways)])
    for (const n of new Set(ways.map(({ use }) => use.definer)))
      if (n !== undefined) users.set(n, (users.get(n) ?? 0) + 1);
  return users;
}

function isOneLoop(steps: readonly FoldedStep[]): boolean {
  const addresses = steps.map(({ unit: { record } }) => record.address).filter((address) => address !== undefined);
  if (addresses.length < steps.length) return false;
  const sorted = [...new Set(addresses)].map(BigInt).sort((a, b) => (a < b ? -1 : 1));
  return sorted.at(-1)! - sorted[0]! <= LOOP_BYTES;
}

function joined(locations: readonly Location[]): Location {
  return { ...locations[0]!, bytes: locations.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function padded({ location, bytes }: LastWay['use'] | LastWay['end']): Use['bytes'] {
  return Array.from({ length: location.bytes }, (_, k) => bytes[k]);
}
