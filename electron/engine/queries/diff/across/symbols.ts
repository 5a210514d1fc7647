/** The ends of branches that two traces both show, as symbols of an alignment, and which pairs of branches agree. */
import { createAddressMap, ABSENT } from '../../../collections/address-map.ts';
import { halvesOf, highWithout, lowWithout } from '../runs/address-shift.ts';
import { CUT, type Symbols } from './align-cuts.ts';
import { MARK, type ProvedBranches } from './proved-branches.ts';

export interface BranchSide {
  readonly branches: ProvedBranches;
  /** Its addresses minus those of the first trace. */
  readonly shift: bigint;
  /** The instruction before a direct branch may be reported instead of the branch, as a Pentium does if it runs both at once. */
  readonly reportsPairs: boolean;
}

/** The end of branches that decides whether two of them correspond: what most branches of both traces show. */
export type DecidingEnd = 'sources' | 'targets';

/** Returns the end that most branches of both traces show; undefined if there is none. Targets are preferred. */
export function decidingEnd(one: ProvedBranches, other: ProvedBranches): DecidingEnd | undefined {
  const share = (end: DecidingEnd): number =>
    Math.min(...[one, other].map((each) => each[end] / Math.max(1, each.sources, each.targets)));
  const [sources, targets] = [share('sources'), share('targets')];
  if (Math.max(sources, targets) === 0) return undefined;
  return targets >= ALMOST_ALL || targets >= sources ? 'targets' : 'sources';
}

/** Returns a side without its targets if only some of them are known: those are concluded from what runs next, which may be wrong. */
export function withoutSomeTargets(side: BranchSide): BranchSide {
  const { branches } = side;
  if (branches.targets >= ALMOST_ALL * Math.max(branches.sources, branches.targets)) return side;
  const marks = branches.marks.map((bits) => ((bits & MARK.source) === 0 ? bits : bits & ~MARK.target));
  return { ...side, branches: { ...branches, marks, targets: 0 } };
}

/** Share of branches; the few others become cuts. */
const ALMOST_ALL = 0.95;

/** Returns the symbols of both sides. Branches with the same deciding end have the same symbol, and a branch without it is a cut. */
export function symbolsOf(sides: readonly [BranchSide, BranchSide], end: DecidingEnd): readonly [Symbols, Symbols] {
  const numbers = createAddressMap(1 << 12);
  const [one, other] = sides;
  return [numbered(one), numbered(other)];

  function numbered({ branches, shift: by }: BranchSide): Symbols {
    const shift = halvesOf(by);
    const bit = end === 'targets' ? MARK.target : MARK.source;
    const [lows, highs] =
      end === 'targets' ? [branches.targetLow, branches.targetHigh] : [branches.sourceLow, branches.sourceHigh];
    const symbols = new Int32Array(branches.count);
    for (let k = 0; k < branches.count; k++) {
      if ((branches.marks[k]! & bit) === 0) {
        symbols[k] = CUT;
        continue;
      }
      const low = lowWithout(lows[k]!, shift);
      const high = highWithout(lows[k]!, highs[k]!, shift);
      let number = numbers.get(low, high);
      if (number === ABSENT) {
        number = numbers.size;
        numbers.set(low, high, number);
      }
      symbols[k] = number;
    }
    return symbols;
  }
}

/** Bytes of the longest x86 instruction. */
export const LONGEST_INSTRUCTION = 15;

/** Returns functions that return true if an instruction branched, and if it did to a target. Addresses are without the shift of the trace. */
export function branchTests(side: BranchSide) {
  const { branches, shift: by } = side;
  const { count, marks, sourceLow, sourceHigh, targetLow } = branches;
  const known = createAddressMap(1 << 10);
  const pairs = createAddressMap(1 << 10);
  const shift = halvesOf(by);
  /** Low halves of where interrupts led: what leads there need not be a branch. */
  const handlers = new Set<number>();
  for (let k = 0; k < count; k++) if ((marks[k]! & MARK.interrupt) !== 0) handlers.add(targetLow[k]!);
  for (let k = 0; k < count; k++) {
    if ((marks[k]! & MARK.source) === 0 || handlers.has(targetLow[k]!)) continue;
    const low = lowWithout(sourceLow[k]!, shift);
    known.set(low, highWithout(sourceLow[k]!, sourceHigh[k]!, shift), 1);
    if ((marks[k]! & MARK.target) !== 0) pairs.set(low, lowWithout(targetLow[k]!, shift), 1);
  }
  return {
    isSource: (low: number, high: number): boolean => known.get(low, high) !== ABSENT,
    /** Takes the low halves. */
    isBranch: (source: number, target: number): boolean => pairs.get(source, target) !== ABSENT,
  };
}

/** Returns a function that returns true if branch `i` of A and branch `j` of B, whose deciding ends are equal, can be the same branch. */
export function agreement([one, other]: readonly [BranchSide, BranchSide]): (i: number, j: number) => boolean {
  const [a, b] = [one.branches, other.branches];
  const isPentium = one.reportsPairs || other.reportsPairs;
  return (i, j) => {
    const [marksA, marksB] = [a.marks[i]!, b.marks[j]!];
    const both = marksA & marksB;
    if ((both & MARK.target) !== 0 && addressOf(one, i, 'target') !== addressOf(other, j, 'target'))
      return continues(one, i, other, j) || continues(other, j, one, i);
    if ((both & MARK.source) === 0) return true;
    const [its, others] = [addressOf(one, i, 'source'), addressOf(other, j, 'source')];
    if ((both & MARK.placed) !== 0) return its === others;
    if (((marksA | marksB) & MARK.loose) !== 0) return true;
    if (its === others || comesFrom(one, i, others) || comesFrom(other, j, its)) return true;
    if (!isPentium) return false;
    const later = (one.reportsPairs ? others : its) - (one.reportsPairs ? its : others);
    if (one.reportsPairs && other.reportsPairs) return (later < 0n ? -later : later) <= LONGEST_INSTRUCTION;
    return later > 0n && later <= LONGEST_INSTRUCTION;
  };
}

/** True if branch `k` is an interrupt before the first instruction at the target of a branch from `source`, or of interrupts after it. */
function comesFrom(side: BranchSide, k: number, source: bigint): boolean {
  const both = MARK.source | MARK.target;
  for (let at = k - 1; at >= k - MOST_NESTED; at--) {
    if (((side.branches.marks[at] ?? MARK.cut) & both) !== both) return false;
    if (addressOf(side, at, 'target') !== addressOf(side, at + 1, 'source')) return false;
    if (addressOf(side, at, 'source') === source) return true;
  }
  return false;
}

/** Interrupts before the first instruction of one another. */
const MOST_NESTED = 4;

/** True if an interrupt hid the target of branch `k`, and the other side shows a branch from the same source to the handler. */
function continues(side: BranchSide, k: number, other: BranchSide, at: number): boolean {
  const marks = side.branches.marks[k + 1] ?? MARK.cut;
  if ((marks & MARK.source) === 0 || addressOf(side, k + 1, 'source') !== addressOf(side, k, 'target')) return false;
  return (marks & MARK.target) === 0 || addressOf(side, k + 1, 'target') === addressOf(other, at, 'target');
}

/** Returns an end of a branch, without the shift of its trace. */
export function addressOf({ branches, shift }: BranchSide, k: number, end: 'source' | 'target'): bigint {
  const [low, high] =
    end === 'source'
      ? [branches.sourceLow[k]!, branches.sourceHigh[k]!]
      : [branches.targetLow[k]!, branches.targetHigh[k]!];
  return BigInt.asUintN(64, ((BigInt(high) << 32n) | BigInt(low)) - shift);
}
