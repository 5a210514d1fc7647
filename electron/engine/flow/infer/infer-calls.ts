/**
 * Which branches are calls, returns and jumps, where only their ends are known? A return goes to 2 to 7 bytes behind its call: the
 * length of an x86 call. That alone is true of many jumps as well (a loop's exit lies behind its last jump), so more is asked:
 *
 * - A call and a return always branch. What a straight run went past is neither: it is a conditional jump (mark-runs.ts).
 * - It comes out even: as often as something is called it is returned from, each return comes back behind a call that was made
 *   since, and what was called last is returned from first (weigh-calls.ts, nest-calls.ts).
 * - Something speaks for it beside: a return goes to several places, each behind a call; a call comes back from several returns;
 *   or it is as long as a direct call, and goes where nothing else leads as it would within a function. What belongs to such a
 *   return or call is one too (fit-calls.ts).
 *
 * An interrupt comes anywhere, and is returned from to where it came (fit-interrupts.ts). All else stays unknown.
 *
 * A Pentium names the instruction before a direct call in its place, where both run in one cycle: then it returns up to 15 bytes
 * behind what is named.
 */
import { EVENT, type Events } from '../../../../shared/flow/events.ts';
import { ABSENT, createAddressMap, type AddressMap } from '../../collections/address-map.ts';
import { fitBodies, type Body } from './fit-bodies.ts';
import { fitCalls } from './fit-calls.ts';
import { fitInterrupts } from './fit-interrupts.ts';
import { fitTails } from './fit-tails.ts';
import { guessCalls } from './guess-calls.ts';
import { markInner, markPassed } from '../classify/mark-runs.ts';
import { GAP, loneEdges, type Edge, type Marked, type Observed } from './observed.ts';

export interface InferredKinds {
  /**
   * By source: bytes from it to where its call returns, RETURNS or JUMPS; ABSENT where that is not known. Below 0: so many bytes, of
   * what may be a call or a software interrupt.
   */
  readonly bySource: AddressMap;
  /** Where interrupts go. */
  readonly handlers: AddressMap;
  /** Returns that were found to come back behind a call. */
  readonly matched: number;
  /** Where the calls go, as pairs of low and high halves. */
  readonly entered: readonly (readonly [low: number, high: number])[];
  /** Where the code of those is, as far as it is known; ascending. */
  readonly bodies: readonly Body[];
}

export const RETURNS = 0;
export const JUMPS = 1;

/** A straight run is not longer. */
const LONGEST_RUN = 1 << 16;
/** A stretch of the trace gives so many branches. */
const STRETCH_BRANCHES = 8192;
/** More than there are in all stretches. */
const MOST_SOURCES = 2 ** 24;

export interface Evidence {
  /** True once a stretch gave enough. */
  isFull(): boolean;
  /** Another stretch begins: right behind the one before, unless that was full. */
  begin(): void;
  add(events: Events): void;
  infer(): InferredKinds;
}

export function createEvidence(): Evidence {
  const sources = createAddressMap();
  const lows: number[] = [];
  const highs: number[] = [];
  const edges: Edge[] = [];
  /** By source and target: the edge. */
  const edgeOf = new Map<string, number>();
  /** Edges in the order in which they were taken; GAP where nothing before counts. By cpu. */
  const taken = new Map<number, number[]>();
  const runs = new Map<number, readonly [edge: number, source: number]>();
  let count = 0;
  /** Of events that are alike: by number their edge, ABSENT where nobody asked yet. */
  let each: Events | undefined;
  let edgeOfEach = new Int32Array(0);

  return {
    isFull: () => count >= STRETCH_BRANCHES,
    begin() {
      if (count >= STRETCH_BRANCHES) taken.forEach(breakOff);
      count = 0;
    },
    add(events) {
      const { alike } = events;
      const those = alike?.each ?? events;
      if (alike !== undefined && those !== each) edgeOfEach = new Int32Array(those.count).fill(ABSENT);
      each = alike?.each;
      for (let i = 0; i < events.count && count < STRETCH_BRANCHES; i++) {
        const at = alike === undefined ? i : alike.numbers[i]!;
        const flags = those.flags[at]!;
        const list = takenBy(those.cpu[at]!);
        if (
          (flags & (EVENT.source | EVENT.target)) !== (EVENT.source | EVENT.target) ||
          (flags & EVENT.granular) !== 0
        ) {
          breakOff(list);
          continue;
        }
        if ((flags & EVENT.gap) !== 0) breakOff(list);
        const edge = alike === undefined ? numberOf(those, at) : knownNumberOf(those, at);
        const before = list.at(-1) ?? GAP;
        if (before !== GAP && !ran(before, edges[edge]!.source)) breakOff(list);
        list.push(edge);
        count++;
      }
    },
    infer: () => inferKinds({ lows, highs, sources, edges, edgeOf, taken, runs }),
  };

  function takenBy(cpu: number): number[] {
    const known = taken.get(cpu);
    if (known !== undefined) return known;
    const list: number[] = [];
    taken.set(cpu, list);
    return list;
  }

  function knownNumberOf(events: Events, number: number): number {
    if (edgeOfEach[number] === ABSENT) edgeOfEach[number] = numberOf(events, number);
    return edgeOfEach[number]!;
  }

  function numberOf(events: Events, i: number): number {
    const [low, high] = [events.sourceLow[i]!, events.sourceHigh[i]!];
    let source = sources.get(low, high);
    if (source === ABSENT) {
      source = lows.length;
      sources.set(low, high, source);
      lows.push(low);
      highs.push(high);
    }
    const key = `${source} ${events.targetLow[i]!} ${events.targetHigh[i]!}`;
    const known = edgeOf.get(key);
    if (known !== undefined) return known;
    edgeOf.set(key, edges.length);
    edges.push({ source, low: events.targetLow[i]!, high: events.targetHigh[i]! });
    return edges.length - 1;
  }

  /** Notes the straight run from where an edge goes to a source; false where there cannot be one. */
  function ran(edge: number, source: number): boolean {
    const { low, high } = edges[edge]!;
    const length = lows[source]! - low;
    if (highs[source] !== high || length < 0 || length >= LONGEST_RUN) return false;
    const key = edge * MOST_SOURCES + source;
    if (!runs.has(key)) runs.set(key, [edge, source]);
    return true;
  }
}

/** Several gaps are as one: in a trace whose messages lack an end they would be all that is kept, one for each. */
function breakOff(list: number[]): void {
  if (list.length > 0 && list.at(-1) !== GAP) list.push(GAP);
}

function inferKinds(observed: Observed): InferredKinds {
  const { lows, highs, edges } = observed;
  const noInterrupts = new Uint8Array(edges.length);
  const interruptions = fitInterrupts(observed, markPassed(observed, loneEdges(observed, noInterrupts)));
  const { interrupts, ends } = interruptions;
  const lone = loneEdges(observed, interrupts);
  const passed = markPassed(observed, lone);
  const marked: Marked = { ...observed, ...interruptions, lone, passed, inner: markInner(observed, passed) };
  const fit = fitCalls(marked, guessCalls(marked));
  const { lengths, unsure, returns, jumps, matched } = fit;
  const bodies = fitBodies(marked, fit);
  const tails = fitTails(marked, fit, bodies);
  const bySource = createAddressMap();
  for (let id = 0; id < lows.length; id++) {
    const put = (value: number): void => {
      bySource.set(lows[id]!, highs[id]!, value);
    };
    if (returns[id] === 1 || ends[id] === 1) put(RETURNS);
    else if (lengths[id]! > 0) put(unsure[id] === 1 ? -lengths[id]! : lengths[id]!);
    else if (jumps[id] === 1 || tails[id] === 1) put(JUMPS);
  }
  const handlers = createAddressMap();
  edges.forEach(({ low, high }, edge) => {
    if (interrupts[edge] === 1) handlers.set(low, high, 1);
  });
  const entered = edges
    .filter(({ source }, edge) => lengths[source]! > 0 && interrupts[edge] === 0)
    .map(({ low, high }) => [low, high] as const);
  return { bySource, handlers, matched, entered, bodies };
}
