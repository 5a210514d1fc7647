/**
 * A shadow stack of one CPU that keeps only how each open function was entered. It answers one question: what did a return from an
 * exception end, and at which address may that have begun?
 */
export interface EntryStack {
  pushCall(low: number, high: number, resumeLow: number, resumeHigh: number, indirect: boolean): void;
  /** Something other than a branch led to an address. `known`: the resume address is known. */
  pushInterrupt(low: number, high: number, resumeLow: number, resumeHigh: number, known: boolean): void;
  /** Notes an indirect jump. */
  noteJump(low: number, high: number): void;
  /** Ends the innermost call that returns to the address; returns false if there is none. */
  returnTo(low: number, high: number): boolean;
  /** Notes a return to an address that no open call returns to. */
  noteReturn(low: number, high: number): void;
  /** Ends the current function, which returned to an unknown address. */
  leave(): void;
  /** Ends what a return from an exception ends, and returns it; undefined if that is not known. */
  endInterrupt(low: number, high: number): Ended | undefined;
  /** Forgets everything, as branches are missing. */
  clear(): void;
}

/** Addresses at which the code that ended may have begun. */
export interface Ended {
  readonly lows: readonly number[];
  readonly highs: readonly number[];
  /** Something other than a branch had led there. */
  readonly certain: boolean;
  /** It ended at an address that an interrupt would have returned to. */
  readonly fits: boolean;
}

/**
 * How an entry was reached: by a direct call, an indirect call, or something other than a branch. Within a function: by an indirect
 * jump, or a return to an address that no open call returns to.
 */
const [DIRECT, INDIRECT, INTERRUPT, JUMPED, RETURNED] = [0, 1, 2, 3, 4] as const;
/** A deeper stack loses its outer half. */
const MOST = 4096;
/** Addresses that are kept of the jumps and returns within one function. */
const MOST_WITHIN = 64;
/** Bytes around the interrupted instruction: it may be executed again from its beginning. */
const NEAR = 16;

export function createEntryStack(): EntryStack {
  const kinds = new Uint8Array(MOST);
  const lows = new Uint32Array(MOST);
  const highs = new Uint32Array(MOST);
  const resumeLows = new Uint32Array(MOST);
  const resumeHighs = new Uint32Array(MOST);
  /** 1 if the resume columns are known. */
  const knowns = new Uint8Array(MOST);
  let count = 0;
  return {
    pushCall(low, high, resumeLow, resumeHigh, indirect) {
      push(indirect ? INDIRECT : DIRECT, low, high, resumeLow, resumeHigh, 1);
    },
    pushInterrupt(low, high, resumeLow, resumeHigh, known) {
      push(INTERRUPT, low, high, resumeLow, resumeHigh, Number(known));
    },
    noteJump(low, high) {
      noteWithin(JUMPED, low, high);
    },
    returnTo,
    noteReturn(low, high) {
      noteWithin(RETURNED, low, high);
    },
    leave() {
      const base = baseOf();
      if (base >= 0 && kinds[base] !== INTERRUPT) count = base;
    },
    endInterrupt,
    clear() {
      count = 0;
    },
  };

  function push(kind: number, low: number, high: number, resumeLow: number, resumeHigh: number, known: number): void {
    if (count === MOST) {
      for (const column of [kinds, lows, highs, resumeLows, resumeHighs, knowns]) column.copyWithin(0, MOST >> 1);
      count = MOST >> 1;
    }
    kinds[count] = kind;
    lows[count] = low;
    highs[count] = high;
    resumeLows[count] = resumeLow;
    resumeHighs[count] = resumeHigh;
    knowns[count] = known;
    count++;
  }

  /** Notes an address in the current function, or in one that took its place. */
  function noteWithin(kind: number, low: number, high: number): void {
    const first = baseOf() + 1;
    for (let at = count - 1; at >= first; at--)
      if (lows[at] === low && highs[at] === high && kinds[at] === kind) return;
    if (count - first >= MOST_WITHIN) {
      for (const column of [kinds, lows, highs, resumeLows, resumeHighs, knowns])
        column.copyWithin(first, first + 1, count);
      count--;
    }
    push(kind, low, high, 0, 0, 0);
  }

  /** Returns the entry of the current function; -1 if that was entered before everything that is known. */
  function baseOf(): number {
    let at = count - 1;
    while (at >= 0 && kinds[at]! >= JUMPED) at--;
    return at;
  }

  function returnTo(low: number, high: number): boolean {
    for (let at = count - 1; at >= 0; at--) {
      if (kinds[at]! > INDIRECT || !resumesAt(at, low, high)) continue;
      count = at;
      return true;
    }
    return false;
  }

  function resumesAt(at: number, low: number, high: number): boolean {
    return knowns[at] === 1 && resumeLows[at] === low && resumeHighs[at] === high;
  }

  function endInterrupt(low: number, high: number): Ended | undefined {
    const base = baseOf();
    if (base >= 0 && kinds[base] === INTERRUPT) {
      const ended = { lows: [lows[base]!], highs: [highs[base]!], certain: true, fits: true };
      const isNear = knowns[base] === 1 && resumeHighs[base] === high && Math.abs(resumeLows[base]! - low) <= NEAR;
      count = base;
      // Else another interrupt may have come right after it.
      if (!isNear) noteWithin(RETURNED, low, high);
      return ended;
    }
    const hasEntry = base >= 0 && kinds[base] === INDIRECT;
    const first = hasEntry ? base : base + 1;
    const goesBack = base >= 0 && resumesAt(base, low, high);
    if (first === count || (hasEntry && count === base + 1 && goesBack)) {
      // Nothing here may have been an interrupt, or a call right after PUSHF ends.
      if (!returnTo(low, high)) noteWithin(RETURNED, low, high);
      return undefined;
    }
    const last = kinds[count - 1]!;
    const ended = {
      lows: Array.from(lows.subarray(first, count)),
      highs: Array.from(highs.subarray(first, count)),
      certain: false,
      fits: last === INDIRECT || last === JUMPED || goesBack,
    };
    if (goesBack) count = base;
    else {
      count = base + 1;
      if (hasEntry) kinds[base] = DIRECT;
    }
    return ended;
  }
}
