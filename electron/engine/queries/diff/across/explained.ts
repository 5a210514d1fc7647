/**
 * Branches that only one trace has, although both can be of the same run. A trace of instructions does not show the target of a branch if an
 * interrupt came before its first instruction, and nothing shows the target of a fast message.
 */
import type { Part } from '../paths/match.ts';
import { MARK } from './proved-branches.ts';
import { addressOf, LONGEST_INSTRUCTION, type BranchSide } from './symbols.ts';

/** Most branches that are explained together: a few interrupts, and branches that were gone over. */
const MOST = 8;

/** Where interrupts of either trace led. */
export interface Handlers {
  /** True if there are any, or if a trace does not show which branches are interrupts. */
  readonly isAny: boolean;
  /** Returns true for a branch that can have led to a handler. */
  isReachedBy(side: BranchSide, k: number): boolean;
}

export function handlersOf(sides: readonly [BranchSide, BranchSide]): Handlers {
  const handlers = new Set<bigint>();
  let isAny = false;
  for (const side of sides)
    for (let k = 0; k < side.branches.count; k++) {
      isAny ||= has(side, k, MARK.loose);
      if (has(side, k, MARK.interrupt) && has(side, k, MARK.target)) handlers.add(targetOf(side, k)!);
    }
  return {
    isAny,
    isReachedBy: (side, k) => has(side, k, MARK.interrupt) || handlers.has(targetOf(side, k) ?? -1n),
  };
}

/**
 * Returns true if what is between two matches, which has no cut, need not be a difference.
 * @param onlySources sources are all that is compared: interrupts can explain few differences wherever they are
 */
export function isExplained(
  [one, other]: readonly [BranchSide, BranchSide],
  { a, aEnd, b, bEnd }: Part,
  handlers: Handlers,
  onlySources: boolean,
): boolean {
  if (aEnd - a + bEnd - b > MOST) return false;
  if (onlySources && handlers.isAny) return true;
  let [i, j] = [a, b];
  while (i < aEnd || j < bEnd) {
    const hasBoth = i < aEnd && j < bEnd;
    if (hasBoth && (isInterrupted(one, i, other, j) || isInterrupted(other, j, one, i))) {
      i++;
      j++;
    } else if (j < bEnd && isUnseen(other, j, one, i, handlers)) j++;
    else if (i < aEnd && isUnseen(one, i, other, j, handlers)) i++;
    else return false;
  }
  return true;
}

/** True if the other side, at entry `at`, can have taken branch `k` without showing it. */
function isUnseen(side: BranchSide, k: number, less: BranchSide, at: number, handlers: Handlers): boolean {
  if (!has(side, k, MARK.source)) return false;
  // An interrupt comes before the first instruction at its target: the other side has a branch from here to the handler.
  if (agreesKnown(sourceOf(less, at), sourceOf(side, k)) && isReached(side, k + 1)) return true;
  if (isReached(side, k) && isReached(side, k - 1) && agreesKnown(sourceOf(less, at), sourceOf(side, k - 1)))
    return true;
  // The other trace ends before the interrupt.
  const endsHere = has(less, at + 1, MARK.cut) && handlers.isReachedBy(side, k);
  if (endsHere && agreesKnown(sourceOf(less, at), sourceOf(side, k))) return true;
  if (!has(less, at - 1, MARK.target)) return false;
  // The same, and the branch before it is the one to the handler.
  if (isReached(side, k) && (agrees(targetOf(side, k), targetOf(less, at - 1)) || isReached(side, k + 1))) return true;
  if (!isOpen(side, k) && !isOpen(side, k - 1)) return false;
  // Where an unknown target is concerned, the other run may have gone over the instruction, or to the handler.
  if (isOpen(side, k - 1) && has(less, at - 1, MARK.loose)) return true;
  const source = sourceOf(side, k)!;
  const [start, end] = [targetOf(less, at - 1)!, sourceOf(less, at)];
  return isOpen(side, k) && source >= start && (end === undefined || source <= end);
}

/** True if a branch comes from the first instruction at the target of the branch before it. */
function isReached(side: BranchSide, k: number): boolean {
  return agreesKnown(targetOf(side, k - 1), sourceOf(side, k));
}

/** True for a branch whose target is not known. */
function isOpen(side: BranchSide, k: number): boolean {
  return has(side, k, MARK.source) && !has(side, k, MARK.target);
}

function agreesKnown(one: bigint | undefined, other: bigint | undefined): boolean {
  return one !== undefined && one === other;
}

/** True if two branches can be one interrupt: one side reports the last executed instruction, and the other one the next. */
function isInterrupted(before: BranchSide, i: number, after: BranchSide, j: number): boolean {
  if (!has(before, i, MARK.loose) || !has(before, i, MARK.source) || !has(after, j, MARK.source)) return false;
  const distance = sourceOf(after, j)! - sourceOf(before, i)!;
  return distance > 0n && distance <= LONGEST_INSTRUCTION && agrees(targetOf(before, i), targetOf(after, j));
}

function agrees(one: bigint | undefined, other: bigint | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function has({ branches }: BranchSide, k: number, mark: number): boolean {
  return ((branches.marks[k] ?? MARK.cut) & mark) !== 0;
}

function sourceOf(side: BranchSide, k: number): bigint | undefined {
  return has(side, k, MARK.source) ? addressOf(side, k, 'source') : undefined;
}

function targetOf(side: BranchSide, k: number): bigint | undefined {
  return has(side, k, MARK.target) ? addressOf(side, k, 'target') : undefined;
}
