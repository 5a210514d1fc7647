/**
 * Rule: an interrupt is a branch that is undone. It comes at any instruction, and the IRET that ends it goes back to just that
 * instruction, which then runs as what it is.
 *
 * Example: branches lead 0x1020 -> 0x9000, 0x9040 -> 0x1020, 0x1020 -> 0x1100 and later 0x1350 -> 0x9000, 0x9040 -> 0x1350. The
 * branch at 0x9040 goes back to two sources, and no call explains that: it ends interrupts. 0x9000 is left so from two places:
 * it is a handler.
 */
import { ABSENT } from '../../collections/address-map.ts';
import { GAP, type Observed } from './evidence.ts';
import type { Marked } from './passed-branches.ts';

/** Places that a handler was entered from, or that an IRET went back to. */
const FEWEST = 2;
/** Share of all observations that must fit. */
const SHARE = 0.8;
/** Bytes of x86 calls. */
const SHORTEST_CALL = 2;
const LONGEST_CALL = 7;

/** Returns which edges are interrupts and which sources end them. `passed`: by source, 1 if a straight run passes it. */
export function inferInterrupts(
  { lows, sources, edges, taken }: Observed,
  passed: Uint8Array,
): Pick<Marked, 'interrupts' | 'ends'> {
  /** By edge: the source at its target; -1 if there is none. */
  const sourceAtTarget = Int32Array.from(edges, ({ low, high }) => Math.max(-1, sources.get(low, high)));
  /** By edge: sources that may be calls which return to its target. */
  const callers = edges.map(({ low, high }) => callersBefore(low, high));

  const times = new Float64Array(edges.length);
  /** By edge: how often it was undone. */
  const undone = new Float64Array(edges.length);
  /** By source: how often it undid an edge although no call explains that, and how often it was taken. */
  const undoes = new Float64Array(lows.length);
  const all = new Float64Array(lows.length);
  const undoneBy = new Map<number, Set<number>>();
  /** By source: the edge last taken from it. It is pending while `leftIn` is the stretch that is replayed. */
  const left = new Int32Array(lows.length);
  const leftIn = new Int32Array(lows.length);
  /** By source: the stretch in which it may have called without a return so far; 0 if there is none. */
  const calledIn = new Int32Array(lows.length);
  let stretch = 0;
  for (const list of taken.values()) replay(list, undefined);

  const ends = new Uint8Array(lows.length);
  for (const [source, places] of undoneBy) {
    ends[source] = Number(places.size >= FEWEST && undoes[source]! >= SHARE * all[source]!);
  }
  undone.fill(0);
  for (const list of taken.values()) replay(list, ends);

  /** By target: how often it was reached, how often that was undone, and from how many edges. */
  const handlers = new Map<string, { all: number; undone: number; places: number }>();
  edges.forEach(({ low, high }, edge) => {
    const key = `${low} ${high}`;
    const handler = handlers.get(key) ?? { all: 0, undone: 0, places: 0 };
    handler.all += times[edge]!;
    handler.undone += undone[edge]!;
    handler.places += Number(undone[edge]! > 0);
    handlers.set(key, handler);
  });
  const isHandler = ({ low, high }: { low: number; high: number }): boolean => {
    const handler = handlers.get(`${low} ${high}`)!;
    return handler.places >= FEWEST && handler.undone >= SHARE * handler.all;
  };
  const interrupts = Uint8Array.from(edges, (edge) => Number(isHandler(edge)));
  return { interrupts, ends };

  /** `iret`: sources that end interrupts; undefined in the first pass, when any branch may. */
  function replay(list: readonly number[], iret: Uint8Array | undefined): void {
    stretch++;
    list.forEach((edge, i) => {
      if (edge === GAP) {
        stretch++;
        return;
      }
      const { source } = edges[edge]!;
      const place = sourceAtTarget[edge]!;
      const pending = place < 0 || leftIn[place] !== stretch ? GAP : left[place]!;
      const isCallReturn = returnTo(callers[edge]!);
      if (iret === undefined) {
        times[edge]!++;
        all[source]!++;
      }
      // The instruction that was interrupted runs next, and takes another edge.
      const isUndone = pending !== GAP && list[i + 1] !== pending;
      if (isUndone && (iret === undefined ? !isCallReturn : iret[source] === 1)) {
        leftIn[place] = 0;
        undone[pending]!++;
        if (iret === undefined) {
          undoes[source]!++;
          const places = undoneBy.get(source) ?? new Set();
          undoneBy.set(source, places.add(place));
        }
      }
      left[source] = edge;
      leftIn[source] = stretch;
      if (passed[source] === 0) calledIn[source] = stretch;
    });
  }

  /** Ends the pending calls among these sources; returns true if there were any. */
  function returnTo(those: readonly number[]): boolean {
    let any = false;
    for (const source of those) {
      if (calledIn[source] !== stretch) continue;
      calledIn[source] = 0;
      any = true;
    }
    return any;
  }

  function callersBefore(low: number, high: number): readonly number[] {
    const found: number[] = [];
    for (let length = SHORTEST_CALL; length <= LONGEST_CALL && length <= low; length++) {
      const source = sources.get(low - length, high);
      if (source !== ABSENT) found.push(source);
    }
    return found;
  }
}
