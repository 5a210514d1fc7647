/**
 * How was what runs on a cpu entered? A shadow stack that keeps no more than that, to tell where what a return from an exception ends
 * had begun.
 */
export interface EntryStack {
  call(low: number, high: number, resumeLow: number, resumeHigh: number, indirect: boolean): void;
  /** Something else than a branch led to an address; `known`: what it would have gone on with is. */
  came(low: number, high: number, resumeLow: number, resumeHigh: number, known: boolean): void;
  /** To wherever a register says. */
  jump(low: number, high: number): void;
  /** A return that ends no exception. False where no call goes on at the address. */
  back(low: number, high: number): boolean;
  /** Such a return to an address. */
  lead(low: number, high: number): void;
  /** Such a return to somewhere. */
  leave(): void;
  /** One that does. Undefined where nothing tells what that is. */
  end(low: number, high: number): Ended | undefined;
  /** What happened before is not known. */
  clear(): void;
}

/** Where what ended may have begun. */
export interface Ended {
  readonly lows: readonly number[];
  readonly highs: readonly number[];
  /** Something else than a branch had led there. */
  readonly certain: boolean;
  /** It ended where it does if an interrupt had. */
  readonly fits: boolean;
}

/** What led to an entry: a direct call, an indirect one, something else than a branch; within the function a jump, or a return to where no call goes on. */
const [CALLED, BY_VALUE, CAME, JUMPED, RETURNED] = [0, 1, 2, 3, 4] as const;
/** Deeper ones lose their outer half; and so many places that one function was led to are kept. */
const MOST = 4096;
const MOST_LED = 64;
/** What an interrupt kept from running may be executed again from its beginning. */
const NEAR = 16;

export function createEntryStack(): EntryStack {
  const kinds = new Uint8Array(MOST);
  const lows = new Uint32Array(MOST);
  const highs = new Uint32Array(MOST);
  const resumeLows = new Uint32Array(MOST);
  const resumeHighs = new Uint32Array(MOST);
  /** 1 where the resume columns are known. */
  const knowns = new Uint8Array(MOST);
  let count = 0;
  return {
    call(low, high, resumeLow, resumeHigh, indirect) {
      push(indirect ? BY_VALUE : CALLED, low, high, resumeLow, resumeHigh, 1);
    },
    came(low, high, resumeLow, resumeHigh, known) {
      push(CAME, low, high, resumeLow, resumeHigh, Number(known));
    },
    jump(low, high) {
      lead(JUMPED, low, high);
    },
    back: returned,
    lead(low, high) {
      lead(RETURNED, low, high);
    },
    leave() {
      const base = baseOf();
      if (base >= 0 && kinds[base] !== CAME) count = base;
    },
    end,
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

  /** Within the function, or what took its place. */
  function lead(kind: number, low: number, high: number): void {
    const first = baseOf() + 1;
    for (let at = count - 1; at >= first; at--)
      if (lows[at] === low && highs[at] === high && kinds[at] === kind) return;
    if (count - first >= MOST_LED) {
      for (const column of [kinds, lows, highs, resumeLows, resumeHighs, knowns])
        column.copyWithin(first, first + 1, count);
      count--;
    }
    push(kind, low, high, 0, 0, 0);
  }

  /** The entry of the function that runs; -1 where that lies before all that is known. */
  function baseOf(): number {
    let at = count - 1;
    while (at >= 0 && kinds[at]! >= JUMPED) at--;
    return at;
  }

  /** To where the innermost call goes on that does so there. */
  function returned(low: number, high: number): boolean {
    for (let at = count - 1; at >= 0; at--) {
      if (kinds[at]! > BY_VALUE || !goesOnAt(at, low, high)) continue;
      count = at;
      return true;
    }
    return false;
  }

  function goesOnAt(at: number, low: number, high: number): boolean {
    return knowns[at] === 1 && resumeLows[at] === low && resumeHighs[at] === high;
  }

  function end(low: number, high: number): Ended | undefined {
    const base = baseOf();
    if (base >= 0 && kinds[base] === CAME) {
      const ended = { lows: [lows[base]!], highs: [highs[base]!], certain: true, fits: true };
      const isNear = knowns[base] === 1 && resumeHighs[base] === high && Math.abs(resumeLows[base]! - low) <= NEAR;
      count = base;
      // It may have been interrupted itself then.
      if (!isNear) lead(RETURNED, low, high);
      return ended;
    }
    const hasEntry = base >= 0 && kinds[base] === BY_VALUE;
    const first = hasEntry ? base : base + 1;
    const goesBack = base >= 0 && goesOnAt(base, low, high);
    if (first === count || (hasEntry && count === base + 1 && goesBack)) {
      // Nothing that may have been an interrupt; or a call behind PUSHF.
      if (!returned(low, high)) lead(RETURNED, low, high);
      return undefined;
    }
    const last = kinds[count - 1]!;
    const ended = {
      lows: Array.from(lows.subarray(first, count)),
      highs: Array.from(highs.subarray(first, count)),
      certain: false,
      fits: last === BY_VALUE || last === JUMPED || goesBack,
    };
    if (goesBack) count = base;
    else {
      count = base + 1;
      if (hasEntry) kinds[base] = CALLED;
    }
    return ended;
  }
}
