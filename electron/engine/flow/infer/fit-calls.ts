/** Calls, returns and jumps among branches of which only the ends are known (see infer-calls.ts for what is asked of them). */
import { DIRECT_CALL, LONGEST_CALL, type Guess, type Guesses } from './guess-calls.ts';
import { nestCalls } from './nest-calls.ts';
import { GAP, SEVERAL, type Marked } from './observed.ts';
import { weighCalls } from './weigh-calls.ts';

export interface CallFit {
  /** By source: bytes to where its calls return; 0 where it is not known to call. */
  readonly lengths: Uint8Array;
  /** By source: 1 where it calls as software interrupts do too. */
  readonly unsure: Uint8Array;
  /** By source: 1 where it returns, or jumps. */
  readonly returns: Uint8Array;
  readonly jumps: Uint8Array;
  /** Returns that have their call. */
  readonly matched: number;
}

const SHORT = 2;
const SHORT_REACH = 128;
/** Of a conditional jump that reaches far; of a direct call with an instruction of one byte before it too. */
const FAR_CONDITION = 6;
/** With an instruction of at most six bytes before it. */
const LONGEST_PAIR = 11;
const ALIGNMENT = 16;
/** So often there was a chance to see it otherwise: that a loop begins where it comes back, or that it comes back at all. */
const SOME = 3;
const MANY = 10;
/** Of direct calls, known by what returns to several of them: so many for each that is named by the instruction before it. */
const PAIRED = 8;

export function fitCalls(marked: Marked, guesses: Guesses): CallFit {
  const { lows, edges, taken, interrupts, lone, passed, inner } = marked;
  const { all, bySource, behind } = guesses;
  const weighed = weighCalls(marked, guesses);
  const { holds, returns: mayReturn } = weighed;
  const { came, hit, returnsOf, callsOf } = nestCalls(marked, guesses, weighed);
  const isCall = new Uint8Array(all.length);
  const returns = new Uint8Array(lows.length);

  // What goes to several places, each behind a call, and what comes back to one place from several.
  for (let id = 0; id < lows.length; id++) {
    const firm = [...callsOf[id]!].filter((guess) => holds[guess] === 1 && !isShortJump(all[guess]!));
    if (mayReturn[id] === 1 && new Set(firm.map((guess) => returnsTo(all[guess]!))).size > 1) returns[id] = 1;
  }
  all.forEach(({ source }, guess) => {
    if (holds[guess] === 1 && lone[source] === SEVERAL && returnsOf[guess]!.size > 1) isCall[guess] = 1;
  });
  spread();
  const isPaired = hasPairs();
  all.forEach((guess, number) => {
    if (holds[number] === 1 && isLoneCall(guess, came[number]!, isPaired)) isCall[number] = 1;
  });
  spread();

  nameTwice();

  const lengths = new Uint8Array(lows.length);
  const most = new Float64Array(lows.length);
  all.forEach(({ source, length }, guess) => {
    if (isCall[guess] === 0 || came[guess]! < most[source]!) return;
    most[source] = came[guess]!;
    lengths[source] = length;
  });
  let matched = 0;
  for (let id = 0; id < lows.length; id++) {
    if (lengths[id]! > 0) returns[id] = 0;
    if (returns[id] === 1) matched += hit[id]!;
  }
  return { lengths, unsure: unsureOf(lengths), returns, jumps: jumpsAmong(lengths), matched };

  /** What a known return comes back to was called, and what comes back behind a known call returns. */
  function spread(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (let guess = 0; guess < all.length; guess++) {
        if (isCall[guess] === 1 || holds[guess] === 0 || !some(returnsOf[guess]!, returns)) continue;
        isCall[guess] = 1;
        changed = true;
      }
      for (let id = 0; id < lows.length; id++) {
        if (returns[id] === 1 || mayReturn[id] === 0 || !some(callsOf[id]!, isCall)) continue;
        returns[id] = 1;
        changed = true;
      }
    }
  }

  /** The same call by the instruction before it, or by itself: one goes where the other goes, and comes back where it does. */
  function nameTwice(): void {
    const known = new Set<string>();
    all.forEach((guess, number) => {
      if (isCall[number] === 1 && lone[guess.source]! >= 0) known.add(endsOf(guess));
    });
    all.forEach((guess, number) => {
      if (lone[guess.source]! >= 0 && known.has(endsOf(guess))) isCall[number] = 1;
    });
  }

  function endsOf(guess: Guess): string {
    const { low, high } = edges[lone[guess.source]!]!;
    return `${returnsTo(guess)} ${low} ${high}`;
  }

  function hasPairs(): boolean {
    const known = all.filter((_, guess) => isCall[guess] === 1);
    const named = known.filter(({ length }) => length > LONGEST_CALL).length;
    return named > known.filter(({ length }) => length === DIRECT_CALL).length / PAIRED;
  }

  /**
   * A call from one place to one place. Nothing leads there as it would within a function, and a jump is not as long, or would
   * come back where loops are aligned to begin.
   */
  function isLoneCall(guess: Guess, times: number, paired: boolean): boolean {
    const { source, length } = guess;
    const only = lone[source]!;
    if (times === 0 || only < 0 || inner[only] === 1 || isShortJump(guess)) return false;
    if (length === DIRECT_CALL) return times > SOME || (lows[source]! + length) % ALIGNMENT > 0;
    if (length === FAR_CONDITION || length > LONGEST_CALL) return paired && times > 1 && length <= LONGEST_PAIR;
    return times > 1;
  }

  function isShortJump({ source, length }: Guess): boolean {
    return length === SHORT && lone[source]! >= 0 && isNear(source);
  }

  function isNear(source: number): boolean {
    const { low, high } = edges[lone[source]!]!;
    return high === marked.highs[source] && Math.abs(low - lows[source]! - SHORT) <= SHORT_REACH;
  }

  function returnsTo({ source, length }: Guess): string {
    return `${lows[source]! + length} ${marked.highs[source]!}`;
  }

  /** Calls of two bytes that always go to one place, where nothing else calls, are software interrupts as well as calls through a register. */
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

  /** Nothing ever came back behind them, nor did they come back behind anything, and they go where no call does. */
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
      if (bySource[id]!.some((guess) => holds[guess] === 1)) return 0;
      // Straight runs and conditional jumps lead there too: no function begins there, and no call ends before.
      if (inner[only] === 1) return 1;
      const isClear = bySource[id]!.length === 0 && behind[only]!.length === 0;
      return Number(times[id]! >= MANY && (isClear || isNear(id)));
    });
  }
}

function some(numbers: ReadonlySet<number>, marks: Uint8Array): boolean {
  for (const number of numbers) if (marks[number] === 1) return true;
  return false;
}
