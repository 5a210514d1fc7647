/**
 * Marks places of an executed path by its content: two runs that take the same branches have the same places there, however they got
 * there. A place depends on the last few branches only, so a block can find its places without the blocks before it.
 */
import { EVENT } from '../../../../../shared/flow/events.ts';

const SOURCE = EVENT.source;
const TARGET = EVENT.target;
/** Branches that decide whether the place after the last of them is marked. */
const DECIDING = 4;
/** Unmarked branches before a marked place. They keep tight loops, each of whose windows may fit, from being full of places. */
const APART = 3;
/** Number of branches after which a place depends on nothing before them: also the first one's distance from the branch before it counts. */
export const BRANCHES_TO_LOCAL = DECIDING + APART + 1;
/** One in so many branches fits. A power of two. */
const MEAN = 64;
/** Longest stretch without a marked place that is cut. */
export const LONGEST = 8 * MEAN;

export interface PathPlaces {
  /**
   * Takes the next branch. Returns true if the place after it is marked. `flags`: EVENT bits for known ends and gaps, no others. Addresses
   * are unsigned, in halves of 32 bits.
   */
  next(flags: number, sourceLow: number, sourceHigh: number, targetLow: number, targetHigh: number): boolean;
  /** Returns a number of 32 bits for the last branch: of the lengths of the straight run before it and of the branch itself. */
  mixed(): number;
  /** Returns true if the last DECIDING branches are rounds of a loop of up to APART branches. Its first marked place may be in any round. */
  isInLoop(): boolean;
  /** Returns the address that the last branch led to. */
  low(): number;
  high(): number;
}

/** The path of one CPU that begins at an address. */
export function createPathPlaces(firstLow: number, firstHigh: number): PathPlaces {
  // As signed numbers: V8 would allocate memory for each unsigned one that is kept between calls.
  let fromLow = firstLow | 0;
  let fromHigh = firstHigh | 0;
  let mixed = 0;
  // The mixed numbers of the branches before, the latest first.
  let one = 0;
  let two = 0;
  let three = 0;
  let branches = 0;
  /** Branches since the last that fitted, at most APART. */
  let since = APART;
  return {
    next(flags, sourceLow, sourceHigh, targetLow, targetHigh) {
      three = two;
      two = one;
      one = mixed;
      const hasSource = (flags & SOURCE) !== 0;
      const hasTarget = (flags & TARGET) !== 0;
      let a = flags;
      let b = 0;
      if (hasSource) {
        a = Math.imul(a, 0x85ebca6b) + ((sourceLow - fromLow) | 0);
        b = highOf(sourceLow, sourceHigh, fromLow, fromHigh);
      }
      if (hasTarget) {
        a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) + ((targetLow - fromLow) | 0);
        b = Math.imul(b, 0x9e3779b1) + highOf(targetLow, targetHigh, fromLow, fromHigh);
        fromLow = targetLow | 0;
        fromHigh = targetHigh | 0;
      } else if (hasSource) {
        fromLow = sourceLow | 0;
        fromHigh = sourceHigh | 0;
      }
      mixed = Math.imul(a ^ (a >>> 13), 0x297a2d39) ^ Math.imul(b, 0x165667b1);
      branches++;
      const fits = branches >= DECIDING && windowFits(mixed, one, two, three);
      const isPlace = fits && since >= APART;
      since = fits ? 0 : Math.min(APART, since + 1);
      return isPlace;
    },
    mixed: () => mixed,
    isInLoop: () => mixed === three || (mixed === two && one === three),
    low: () => fromLow >>> 0,
    high: () => fromHigh >>> 0,
  };
}

function windowFits(mixed: number, one: number, two: number, three: number): boolean {
  let sum = mixed + Math.imul(one, 0x9e3779b1) + Math.imul(two, 0x85ebca6b) + Math.imul(three, 0xc2b2ae35);
  sum = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return ((sum >>> 20) & (MEAN - 1)) === 0;
}

/** Returns the high half of a difference. */
function highOf(low: number, high: number, fromLow: number, fromHigh: number): number {
  return (high - fromHigh - (low >>> 0 < fromLow >>> 0 ? 1 : 0)) | 0;
}

/** One round of MurmurHash3 (public domain). */
export function mix(hash: number, value: number): number {
  let k = Math.imul(value, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const mixed = hash ^ k;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}
