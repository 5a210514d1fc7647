/** Aligns two stretches of the path, given as branches or as instructions. */
import type { DiffRegion } from '../../../../shared/requests/diff.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { align, inFewPieces } from './align.ts';

/** Branches or instructions as columns. */
export interface Stretch {
  /** Equal ones have equal keys. */
  readonly keys: readonly (string | bigint)[];
  /** First record of each, and the end. */
  readonly record: readonly RecordNumber[];
  readonly instructions: readonly number[];
}

/** Returns the parts in order. Parts that both stretches have, but not alike, are `not-aligned`. */
export function alignStretches(a: Stretch, b: Stretch): readonly DiffRegion[] {
  const numbers = new Map<string | bigint, number>();
  const numbered = ({ keys }: Stretch): Int32Array =>
    Int32Array.from(keys, (key) => {
      const known = numbers.get(key) ?? numbers.size;
      numbers.set(key, known);
      return known;
    });
  const parts: DiffRegion[] = [];
  const add = (kind: DiffRegion['kind'], ofA: readonly [number, number], ofB: readonly [number, number]): void => {
    if (ofA[0] === ofA[1] && ofB[0] === ofB[1]) return;
    parts.push({
      kind,
      a: [a.record[ofA[0]]!, a.record[ofA[1]]!],
      b: [b.record[ofB[0]]!, b.record[ofB[1]]!],
      instructionsA: sum(a, ofA),
      instructionsB: sum(b, ofB),
    });
  };
  const [one, other] = [numbered(a), numbered(b)];
  let [nextA, nextB] = [0, 0];
  for (const match of [
    ...inFewPieces(align(one, other), one, other),
    { a: a.keys.length, b: b.keys.length, length: 0 },
  ]) {
    const kind = match.a === nextA ? 'b-only' : match.b === nextB ? 'a-only' : 'not-aligned';
    add(kind, [nextA, match.a], [nextB, match.b]);
    [nextA, nextB] = [match.a + match.length, match.b + match.length];
    add('same', [match.a, nextA], [match.b, nextB]);
  }
  return parts;
}

function sum({ instructions }: Stretch, [from, to]: readonly [number, number]): number {
  let all = 0;
  for (let k = from; k < to; k++) all += instructions[k]!;
  return all;
}
