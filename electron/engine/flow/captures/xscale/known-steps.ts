/**
 * Steps: the outcome of an entry at an address, as rows of numbers. Programs loop and images do not change, so most steps are found in a
 * hash table by their address and by the properties of the entry that matter.
 */

export interface KnownSteps {
  /** The step with number n has its columns (see STEP) at rows[n]. `add` may replace the array. */
  readonly rows: Float64Array;
  /** Step numbers stay valid as long as this does not change. */
  readonly age: number;
  /** Empties a full table. The caller holds no step numbers. */
  tidy(): void;
  /** Returns the number of the step of an entry at `pc`, or -1 if it is not known. `how`: the properties of the entry that matter. */
  find(pc: number, how: number): number;
  /** Adds a step and returns its number. The caller fills in the columns after `pc` and `how`. `find` returns it later if it is `kept`. */
  add(pc: number, how: number, kept: boolean): number;
}

export const STEP = {
  pc: 0,
  how: 1,
  /** Next address, or a sentinel of `followEntry`. */
  next: 2,
  /** Ends of the branch; -1 if not known. The target of an indirect branch is in the entry; here is the only one that the image allows. */
  source: 3,
  target: 4,
  resume: 5,
  /** Position in BRANCH_KINDS; NO_KIND if nothing is known beyond the entry. */
  kind: 6,
  /** Number of executed instructions, starting at `pc`. From bit 8: instruction sets that the core can be in afterwards, 0 for no change. */
  ran: 7,
} as const;
export const STEP_WORDS = 8;

/** Steps in a full table, about four megabytes. */
const MOST = 1 << 16;

export function createKnownSteps(): KnownSteps {
  let slots = new Int32Array(2048).fill(-1);
  let count = 0;
  const known = { rows: new Float64Array(1024 * STEP_WORDS), age: 0, tidy, find, add };
  return known;

  function tidy(): void {
    if (count < MOST) return;
    known.age++;
    count = 0;
    slots.fill(-1);
  }

  function find(pc: number, how: number): number {
    return slots[slotOf(pc, how)]!;
  }

  function slotOf(pc: number, how: number): number {
    const { rows } = known;
    const mask = slots.length - 1;
    const hash = Math.imul(pc ^ (how << 20), 0x9e3779b1);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let at = slots[slot]!; at >= 0 && (rows[at] !== pc || rows[at + STEP.how] !== how); at = slots[slot]!)
      slot = (slot + 1) & mask;
    return slot;
  }

  function add(pc: number, how: number, kept: boolean): number {
    if (count * 2 === slots.length) grow();
    const at = count++ * STEP_WORDS;
    known.rows[at + STEP.pc] = pc;
    known.rows[at + STEP.how] = kept ? how : -1;
    if (kept) slots[slotOf(pc, how)] = at;
    return at;
  }

  function grow(): void {
    const rows = new Float64Array(2 * known.rows.length);
    rows.set(known.rows);
    known.rows = rows;
    slots = new Int32Array(2 * slots.length).fill(-1);
    for (let at = 0; at < count * STEP_WORDS; at += STEP_WORDS) {
      const how = rows[at + STEP.how]!;
      if (how >= 0) slots[slotOf(rows[at]!, how)] = at;
    }
  }
}
