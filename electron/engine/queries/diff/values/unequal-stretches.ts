/** Finds the stretches of aligned parts whose effects can differ, from the fingerprints in the index. */
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { effectsBetween, type EffectCuts } from '../../../flow/path/effect-cuts.ts';
import { areEqual } from '../../../index/builders/effects/fingerprint.ts';
import type { Place } from '../paths/path-parts.ts';

/** Instructions that both runs executed. */
export interface AlignedPart {
  readonly a: Place;
  readonly b: Place;
  /** Number of each side. */
  readonly instructions: number;
}

/** Aligned instructions [from, to) of a part, counted from its beginning, and where the first of them is. */
export interface UnequalStretch {
  readonly from: number;
  readonly to: number;
  readonly a: Place;
  readonly b: Place;
  /** Records of both paths at or after the end. */
  readonly endA: RecordNumber;
  readonly endB: RecordNumber;
}

/** A place in the cuts of one path, which is followed from part to part. */
interface CutWalk {
  readonly cuts: EffectCuts;
  /** The next cut. */
  next: number;
}

/** A place of a part. `cuts`: the cuts of both paths there, if they have one. */
interface PartPlace {
  readonly at: number;
  readonly a: Place;
  readonly b: Place;
  readonly cuts?: readonly [number, number];
}

export interface StretchFinder {
  /**
   * Yields the stretches of the next part in order. Outside of them, fingerprints say that the effects are the same. Parts must come in
   * the order of both paths.
   * @param before instructions of each path before the part
   */
  next(part: AlignedPart, before: readonly [number, number]): Generator<UnequalStretch, undefined>;
}

/** Instructions of a stretch that ends at the next cut of both paths. */
const MOST_TOGETHER = 512;

export function createStretchFinder(a: EffectCuts, b: EffectCuts): StretchFinder {
  const walks: readonly [CutWalk, CutWalk] = [
    { cuts: a, next: 0 },
    { cuts: b, next: 0 },
  ];

  function areEqualBetween(from: PartPlace, to: PartPlace): boolean {
    if (from.cuts === undefined || to.cuts === undefined) return false;
    return areEqual(effectsBetween(a, from.cuts[0], to.cuts[0]), effectsBetween(b, from.cuts[1], to.cuts[1]));
  }

  return {
    *next(part, before) {
      let previous: PartPlace = { at: 0, a: part.a, b: part.b };
      /** Where the current unequal stretch begins. */
      let open: PartPlace | undefined;
      const stretch = (from: PartPlace, to: PartPlace): UnequalStretch => ({
        from: from.at,
        to: to.at,
        a: from.a,
        b: from.b,
        endA: recordAtOrAfter(walks[0], before[0] + to.at),
        endB: recordAtOrAfter(walks[1], before[1] + to.at),
      });
      for (const place of placesOf(walks, part, before)) {
        if (place.at > previous.at) {
          const isEqual = areEqualBetween(previous, place);
          if (open !== undefined && (isEqual || previous.at - open.at >= MOST_TOGETHER)) {
            yield stretch(open, previous);
            open = undefined;
          }
          if (!isEqual) open ??= previous;
        }
        previous = place;
      }
      if (open !== undefined) yield stretch(open, previous);
      return undefined;
    },
  };
}

/** Yields the places where both paths have cuts, and the end of the part. */
function* placesOf(
  [one, other]: readonly [CutWalk, CutWalk],
  { instructions, a, b }: AlignedPart,
  [beforeA, beforeB]: readonly [number, number],
): Generator<PartPlace, undefined> {
  while (!isAtEnd(one) && instructionsAt(one) < beforeA) one.next++;
  while (!isAtEnd(other) && instructionsAt(other) < beforeB) other.next++;
  let last = -1;
  while (!isAtEnd(one) && !isAtEnd(other)) {
    const [inA, inB] = [instructionsAt(one) - beforeA, instructionsAt(other) - beforeB];
    if (inA > instructions || inB > instructions) break;
    if (inA === inB) {
      yield {
        at: inA,
        a: { record: one.cuts.record[one.next]!, skip: 0 },
        b: { record: other.cuts.record[other.next]!, skip: 0 },
        cuts: [one.next, other.next],
      };
      last = inA;
    }
    // The next part can begin with the cut that ends this one.
    if (inA === instructions && inB === instructions) break;
    if (inA <= inB) one.next++;
    if (inB <= inA) other.next++;
  }
  if (last < instructions) yield { at: instructions, a, b };
  return undefined;
}

function isAtEnd({ cuts, next }: CutWalk): boolean {
  return next >= cuts.count;
}

function instructionsAt({ cuts, next }: CutWalk): number {
  return cuts.instructions[next]!;
}

/** Returns the record of the first cut with so many instructions before it, or more, near the place of the walk. */
function recordAtOrAfter({ cuts, next }: CutWalk, instructions: number): RecordNumber {
  let cut = Math.max(0, Math.min(next, cuts.count - 1));
  while (cut > 0 && cuts.instructions[cut - 1]! >= instructions) cut--;
  while (cut < cuts.count - 1 && cuts.instructions[cut]! < instructions) cut++;
  return cuts.record[cut]!;
}
