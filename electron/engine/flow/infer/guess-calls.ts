/** Which sources may be calls that come back where branches go, by addresses alone. */
import { ABSENT } from '../../collections/address-map.ts';
import { SEVERAL, type Marked } from './observed.ts';

/** A guess: that a source calls, and is returned to so many bytes behind it. */
export interface Guess {
  readonly source: number;
  readonly length: number;
}

export interface Guesses {
  readonly all: readonly Guess[];
  /** By source. */
  readonly bySource: readonly (readonly number[])[];
  /** By edge: the guesses that it may come back for. */
  readonly behind: readonly (readonly number[])[];
}

const SHORTEST_CALL = 2;
export const LONGEST_CALL = 7;
/** With the instruction before a direct call, which a Pentium may name in its place. */
const LONGEST_PAIR = 15;
export const DIRECT_CALL = 5;

export function guessCalls(marked: Marked): Guesses {
  const { lows, highs, sources, edges, edgeOf, interrupts, ends, lone, passed } = marked;
  const all: Guess[] = [];
  const bySource: number[][] = lows.map(() => []);
  const starts = new Set(lows.map((low, id) => `${low} ${highs[id]!}`));
  for (const { low, high } of edges) starts.add(`${low} ${high}`);
  const known = new Map<string, readonly number[]>();
  const behind = edges.map(({ source, low, high }, edge) => {
    if (passed[source] === 1 || interrupts[edge] === 1 || ends[source] === 1) return [];
    const key = `${low} ${high}`;
    const found = known.get(key) ?? guessesAt(low, high);
    known.set(key, found);
    return found;
  });
  return { all, bySource, behind };

  /** What calls may return to this address. */
  function guessesAt(low: number, high: number): readonly number[] {
    const found: number[] = [];
    const direct = low >= DIRECT_CALL ? sources.get(low - DIRECT_CALL, high) : ABSENT;
    for (let length = SHORTEST_CALL; length <= LONGEST_PAIR && length <= low; length++) {
      const source = sources.get(low - length, high);
      const isOther = length > DIRECT_CALL && direct !== ABSENT && !isSame(source, direct);
      if (source !== ABSENT && !isOther && mayCall(source, length) && !edgeOf.has(`${source} ${low} ${high}`)) {
        bySource[source]!.push(all.length);
        found.push(all.length);
        all.push({ source, length });
      }
      // An instruction begins here, so that no longer one ends at the address; but a direct call runs beside the one before it.
      if (length !== DIRECT_CALL && starts.has(`${low - length} ${high}`)) break;
    }
    return found;
  }

  /** What runs beside a direct call goes where that goes. */
  function isSame(source: number, direct: number): boolean {
    const [a, b] = [edges[lone[source]!], edges[lone[direct]!]];
    return a !== undefined && b !== undefined && a.low === b.low && a.high === b.high;
  }

  function mayCall(source: number, length: number): boolean {
    if (passed[source] === 1 || ends[source] === 1) return false;
    return lone[source]! >= 0 || (lone[source] === SEVERAL && length <= LONGEST_CALL);
  }
}
