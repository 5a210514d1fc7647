/** Finds the stretches of aligned parts whose effects can differ, from the fingerprints in the index. */
import { areEqual } from '../../../index/builders/effects/fingerprint.ts';
import { effectsBetween, isKnownBefore } from '../../../flow/path/effects-before.ts';
import type { PathChunks } from '../../../flow/path/path-chunks.ts';
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
}

/** A place in the chunks of one path, which is followed from part to part. */
interface ChunkWalk {
  readonly chunks: PathChunks;
  /** The next chunk, and the instructions before it. */
  next: number;
  instructions: number;
}

/** A place of a part. `chunks`: the chunks that begin there in both paths, if the fingerprints of all effects before them are known. */
interface Cut {
  readonly at: number;
  readonly a: Place;
  readonly b: Place;
  readonly chunks?: readonly [number, number];
}

export interface StretchFinder {
  /**
   * Yields the stretches of the next part in order. Outside of them, fingerprints say that the effects are the same. Parts must come in
   * the order of both paths.
   * @param before instructions of each path before the part
   */
  next(part: AlignedPart, before: readonly [number, number]): Generator<UnequalStretch, undefined>;
}

export function createStretchFinder(a: PathChunks, b: PathChunks): StretchFinder {
  const walks = [createWalk(a), createWalk(b)] as const;

  function areEqualBetween(from: Cut, to: Cut): boolean {
    if (from.chunks === undefined || to.chunks === undefined) return false;
    return areEqual(
      effectsBetween(a.effects, from.chunks[0], to.chunks[0]),
      effectsBetween(b.effects, from.chunks[1], to.chunks[1]),
    );
  }

  return {
    *next(part, before) {
      let previous: Cut = { at: 0, a: part.a, b: part.b };
      /** Where the current unequal stretch begins. */
      let open: Cut | undefined;
      for (const cut of cutsOf(walks, part, before)) {
        if (cut.at > previous.at) {
          if (!areEqualBetween(previous, cut)) open ??= previous;
          else if (open !== undefined) {
            yield { from: open.at, to: previous.at, a: open.a, b: open.b };
            open = undefined;
          }
        }
        previous = cut;
      }
      if (open !== undefined) yield { from: open.at, to: previous.at, a: open.a, b: open.b };
      return undefined;
    },
  };
}

/** Yields the places where chunks begin in both paths, and the end of the part. */
function* cutsOf(
  [one, other]: readonly [ChunkWalk, ChunkWalk],
  { instructions, a, b }: AlignedPart,
  [beforeA, beforeB]: readonly [number, number],
): Generator<Cut, undefined> {
  while (!isAtEnd(one) && one.instructions < beforeA) step(one);
  while (!isAtEnd(other) && other.instructions < beforeB) step(other);
  let last = -1;
  while (!isAtEnd(one) && !isAtEnd(other)) {
    const [inA, inB] = [one.instructions - beforeA, other.instructions - beforeB];
    if (inA > instructions || inB > instructions) break;
    if (inA === inB && isKnownBefore(one.chunks.effects, one.next) && isKnownBefore(other.chunks.effects, other.next)) {
      yield {
        at: inA,
        a: { record: one.chunks.record[one.next]!, skip: 0 },
        b: { record: other.chunks.record[other.next]!, skip: 0 },
        chunks: [one.next, other.next],
      };
      last = inA;
    }
    // The next part can begin with the chunk that ends this one.
    if (inA === instructions && inB === instructions) break;
    if (inA <= inB) step(one);
    if (inB <= inA) step(other);
  }
  if (last < instructions) yield { at: instructions, a, b };
  return undefined;
}

function createWalk(chunks: PathChunks): ChunkWalk {
  return { chunks, next: 0, instructions: 0 };
}

function isAtEnd({ chunks, next }: ChunkWalk): boolean {
  return next > chunks.count;
}

function step(walk: ChunkWalk): void {
  walk.instructions += walk.chunks.instructions[walk.next] ?? 0;
  walk.next++;
}
