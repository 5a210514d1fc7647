/**
 * Rules: which candidates are calls, which sources return, and which ones jump. A candidate that balances (call-candidates.ts) is
 * only taken for a call if something else speaks for it:
 *
 * - A call through a register goes to several targets, and several returns lead to its return address.
 * - A call from one place to one place has the length of a direct call (5 bytes), and no run or conditional jump leads to its target.
 *   Example: 0x1010 goes to 0x2000 only, and 0x2020 goes to 0x1015. So 0x1010 calls.
 * - A return goes to the return address of a known call, and a call returns through a known return. Example: 0x2020 also goes to
 *   0x1032, two bytes past 0x1030. So 0x1030 calls too.
 *
 * A jump is a source that a straight run passed, or a branch to one place for which nothing suggests a call or a return.
 */
import {
  balance,
  DIRECT_CALL,
  findCandidates,
  LONGEST_CALL,
  nest,
  SHORTEST_CALL,
  type Candidate,
} from './call-candidates.ts';
import { GAP } from './evidence.ts';
import { SEVERAL, type Marked } from './passed-branches.ts';

export interface InferredCalls {
  /** By source: bytes from it to where its call returns; 0 if it is not known to call. */
  readonly lengths: Uint8Array;
  /** By source: 1 if its call may be a software interrupt. */
  readonly unsure: Uint8Array;
  /** By source: 1 if it returns. */
  readonly returns: Uint8Array;
  /** By source: 1 if it jumps. */
  readonly jumps: Uint8Array;
  /** Number of returns that were matched with a call. */
  readonly matched: number;
}

const SHORT = SHORTEST_CALL;
/** Bytes that a short jump reaches. */
const SHORT_REACH = 128;
/** Bytes of a conditional jump that reaches far. */
const FAR_CONDITION = 6;
/** Observations after which a call would have been seen to return. */
const MANY = 10;

export function inferCalls(marked: Marked): InferredCalls {
  const { lows, edges, taken, interrupts, lone, passed, inner } = marked;
  const candidates = findCandidates(marked);
  const { all, bySource, returnedTo } = candidates;
  const balanced = balance(marked, candidates);
  const { holds, returns: mayReturn } = balanced;
  const { returned, hit, returnsOf, callsOf } = nest(marked, candidates, balanced);
  const isCall = new Uint8Array(all.length);
  const returns = new Uint8Array(lows.length);

  all.forEach(({ source }, candidate) => {
    if (holds[candidate] === 1 && lone[source] === SEVERAL && returnsOf[candidate]!.size > 1) isCall[candidate] = 1;
  });
  all.forEach((candidate, number) => {
    if (holds[number] === 1 && isLoneCall(candidate, returned[number]!)) isCall[number] = 1;
  });
  spread();

  const lengths = new Uint8Array(lows.length);
  const most = new Float64Array(lows.length);
  all.forEach(({ source, length }, candidate) => {
    if (isCall[candidate] === 0 || returned[candidate]! < most[source]!) return;
    most[source] = returned[candidate]!;
    lengths[source] = length;
  });
  let matched = 0;
  for (let id = 0; id < lows.length; id++) {
    if (lengths[id]! > 0) returns[id] = 0;
    if (returns[id] === 1) matched += hit[id]!;
  }
  return { lengths, unsure: unsureOf(lengths), returns, jumps: jumpsAmong(lengths), matched };

  /** A known return returns to calls, and what returns to a known call is a return. */
  function spread(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (let candidate = 0; candidate < all.length; candidate++) {
        if (isCall[candidate] === 1 || holds[candidate] === 0 || !some(returnsOf[candidate]!, returns)) continue;
        isCall[candidate] = 1;
        changed = true;
      }
      for (let id = 0; id < lows.length; id++) {
        if (returns[id] === 1 || mayReturn[id] === 0 || !some(callsOf[id]!, isCall)) continue;
        returns[id] = 1;
        changed = true;
      }
    }
  }

  /**
   * Returns true if a candidate is a call from one place to one place: it has the length of a direct call, or was seen to return
   * twice, and its target is not a place inside a function.
   */
  function isLoneCall({ source, length }: Candidate, times: number): boolean {
    const only = lone[source]!;
    if (times === 0 || only < 0 || inner[only] === 1) return false;
    if (length === DIRECT_CALL) return true;
    return times > 1 && length !== FAR_CONDITION && length <= LONGEST_CALL;
  }

  function isNear(source: number): boolean {
    const { low, high } = edges[lone[source]!]!;
    return high === marked.highs[source] && Math.abs(low - lows[source]! - SHORT) <= SHORT_REACH;
  }

  /** A call of two bytes to one place that nothing else calls may be INT as well as a call through a register. */
  function unsureOf(calls: Uint8Array): Uint8Array {
    const sure = new Set<string>();
    edges.forEach(({ source, low, high }, edge) => {
      const isSure =
        interrupts[edge] === 0 && (calls[source]! > SHORT || (calls[source] === SHORT && lone[source] === SEVERAL));
      if (isSure) sure.add(`${low} ${high}`);
    });
    return calls.map((length, id) => {
      if (length !== SHORT || lone[id]! < 0) return 0;
      const { low, high } = edges[lone[id]!]!;
      return Number(!sure.has(`${low} ${high}`));
    });
  }

  /** A jump goes to one place that no call enters. Nothing ever returned to it, nor did it return to anything. */
  function jumpsAmong(calls: Uint8Array): Uint8Array {
    const entered = new Set<string>();
    for (const { source, low, high } of edges) if (calls[source]! > 0) entered.add(`${low} ${high}`);
    const times = new Float64Array(lows.length);
    for (const list of taken.values())
      for (const edge of list) if (edge !== GAP && interrupts[edge] === 0) times[edges[edge]!.source]!++;
    return passed.map((mark, id) => {
      const only = lone[id]!;
      if (only < 0 || returns[id] === 1 || calls[id]! > 0) return 0;
      if (mark === 1) return 1;
      const { low, high } = edges[only]!;
      if (entered.has(`${low} ${high}`) || (mayReturn[id] === 1 && hit[id]! > 0)) return 0;
      if (bySource[id]!.some((candidate) => holds[candidate] === 1)) return 0;
      // Its target lies inside a function, so that no call enters it and no return goes there.
      if (inner[only] === 1) return 1;
      const isClear = bySource[id]!.length === 0 && returnedTo[only]!.length === 0;
      return Number(times[id]! >= MANY && (isClear || isNear(id)));
    });
  }
}

function some(numbers: ReadonlySet<number>, marks: Uint8Array): boolean {
  for (const number of numbers) if (marks[number] === 1) return true;
  return false;
}
