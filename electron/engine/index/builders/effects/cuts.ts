/** Finds the places of a block where fingerprints of effects are cut: where chunks of the path may end, whatever blocks come before. */
import { EVENT, type Events, type FlowStretch } from '../../../../../shared/flow/events.ts';
import { BRANCHES_TO_LOCAL, createPathPlaces, LONGEST, type PathPlaces } from './path-places.ts';

/** The path of one CPU in the block. */
interface Walk {
  readonly places: PathPlaces;
  branches: number;
  /** Branches since the last marked place; NaN before the first one. */
  since: number;
  readonly cuts: number[];
}

/**
 * Returns, by CPU, the records before which fingerprints are cut, ascending. Records count from the block's start.
 * @param starts by CPU: its first instructions, where branches lead that begin in an earlier block
 */
export function cutsOf(
  stretch: FlowStretch | undefined,
  starts: ReadonlyMap<number, readonly number[]>,
): ReadonlyMap<number, readonly number[]> {
  const walks = new Map<number, Walk>();
  if (stretch !== undefined) follow(stretch.events, walks);
  return new Map(
    [...starts].map(([cpu, first]) => [
      cpu,
      [...new Set([...first, ...(walks.get(cpu)?.cuts ?? [])])].sort((a, b) => a - b),
    ]),
  );
}

function follow(events: Events, walks: Map<number, Walk>): void {
  const { count, record, cpu, flags, sourceLow, sourceHigh, targetLow, targetHigh } = events;
  let current = Number.NaN;
  let own: Walk | undefined;
  for (let k = 0; k < count; k++) {
    if (own === undefined || cpu[k]! !== current) {
      current = cpu[k]!;
      own = walks.get(current) ?? { places: createPathPlaces(0, 0), branches: 0, since: Number.NaN, cuts: [] };
      walks.set(current, own);
    }
    const isPlace = own.places.next(
      flags[k]! & PATH_FLAGS,
      sourceLow[k]!,
      sourceHigh[k]!,
      targetLow[k]!,
      targetHigh[k]!,
    );
    own.branches++;
    own.since++;
    if (own.branches < BRANCHES_TO_LOCAL) own.cuts.push(record[k]!);
    else if (isPlace || own.since >= LONGEST) {
      own.since = 0;
      own.cuts.push(record[k]!);
    }
  }
}

/** Flags that belong to a path: which ends of a branch are known, and whether records are missing before it. */
export const PATH_FLAGS = EVENT.source | EVENT.target | EVENT.gap;
