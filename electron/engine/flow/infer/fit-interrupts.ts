/**
 * Which branches, of which only the ends are known, are interrupts? One comes at any instruction, and what ends it goes back to just
 * that instruction, which then runs as what it is. Asked for is a handler that several instructions were left for, and an IRET that
 * went back to several of them, though no call explains that it did.
 */
import { ABSENT } from '../../collections/address-map.ts';
import { GAP, type Marked, type Observed } from './observed.ts';

const FEWEST = 2;
/** At least so much of what was seen of them must fit. */
const SHARE = 0.8;
const SHORTEST_CALL = 2;
const LONGEST_CALL = 7;

/** `passed`, by source: 1 where a straight run went past, which no call would have let it. */
export function fitInterrupts(
  { lows, sources, edges, taken }: Observed,
  passed: Uint8Array,
): Pick<Marked, 'interrupts' | 'ends'> {
  /** By edge: the source that its target is, -1 where none. */
  const back = Int32Array.from(edges, ({ low, high }) => Math.max(-1, sources.get(low, high)));
  /** By edge: the sources that may be calls which return to its target. */
  const callers = edges.map(({ low, high }) => callersBefore(low, high));

  const times = new Float64Array(edges.length);
  /** By edge: how often it was undone; by source: how often it undid one, without a call that explains it, and how often it was taken. */
  const undone = new Float64Array(edges.length);
  const undoes = new Float64Array(lows.length);
  const all = new Float64Array(lows.length);
  const undoneBy = new Map<number, Set<number>>();
  /** By source: the edge last taken from there. It counts if nothing came back yet, which is so where `leftIn` is the stretch that is replayed. */
  const left = new Int32Array(lows.length);
  const leftIn = new Int32Array(lows.length);
  /** By source: the stretch in which it may have called, if nothing came back behind it yet; 0 where it did. */
  const calledIn = new Int32Array(lows.length);
  let stretch = 0;
  for (const list of taken.values()) replay(list, undefined);

  const ends = new Uint8Array(lows.length);
  for (const [source, places] of undoneBy) {
    ends[source] = Number(places.size >= FEWEST && undoes[source]! >= SHARE * all[source]!);
  }
  undone.fill(0);
  for (const list of taken.values()) replay(list, ends);

  /** By target: how often it was reached, how often that was undone, and from how many places. */
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

  /** `by`: what ends interrupts; where that is not known yet whatever may. */
  function replay(list: readonly number[], by: Uint8Array | undefined): void {
    stretch++;
    list.forEach((edge, i) => {
      if (edge === GAP) {
        stretch++;
        return;
      }
      const { source } = edges[edge]!;
      const place = back[edge]!;
      const from = place < 0 || leftIn[place] !== stretch ? GAP : left[place]!;
      const isBehindCall = comeBack(callers[edge]!);
      if (by === undefined) {
        times[edge]!++;
        all[source]!++;
      }
      // What was interrupted runs then.
      const goesOn = from !== GAP && list[i + 1] !== from;
      if (goesOn && (by === undefined ? !isBehindCall : by[source] === 1)) {
        leftIn[place] = 0;
        undone[from]!++;
        if (by === undefined) {
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

  /** Whether one of these calls, which are over then, explains what is gone on with. */
  function comeBack(those: readonly number[]): boolean {
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
