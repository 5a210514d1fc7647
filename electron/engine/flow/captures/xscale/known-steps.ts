/**
 * What comes of an entry at a place, as rows of numbers. Programs go the same ways again and again, and what an image tells stays
 * the same: most steps are found by where they begin and by what matters of the entry, in a hash table.
 */

export interface KnownSteps {
  /** A step begins in it where its number says; see STEP. Another array once `add` was called. */
  readonly rows: Float64Array;
  /** Numbers are good as long as this is the same. */
  readonly age: number;
  /** All steps may be forgotten, as nobody has their numbers any more. */
  tidy(): void;
  /** The number of the step of an entry that follows the instruction before `pc`; -1 where it is not known. `how`: all that matters of the entry. */
  find(pc: number, how: number): number;
  /** A new step, to be filled in behind `pc` and `how`: its number. It is found from now on where it is `kept`. */
  add(pc: number, how: number, kept: boolean): number;
}

export const STEP = {
  pc: 0,
  how: 1,
  /** Where it leads, or what `followEntry` answers instead. */
  next: 2,
  /** Of the branch; -1 where they are not known. Indirect branches have their target in the entry: here is the one that they must have. */
  source: 3,
  target: 4,
  resume: 5,
  /** Position in BRANCH_KINDS; NO_KIND where nothing is known beyond what the entry says. */
  kind: 6,
  /** Instructions that ran, from `pc` on; and from bit 8 the instruction sets that the core can be in then, 0 for those before. */
  ran: 7,
} as const;
export const STEP_WORDS = 8;

/** Some four megabytes. */
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
