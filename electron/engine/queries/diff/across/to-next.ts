/**
 * Branches to the next instruction. Messages report such branches and serialising instructions, but in a trace of instructions they look
 * like an instruction that did not branch. Both sides leave them out. Sizes of instructions are those that the trace of instructions shows.
 */
import { kindBits } from '../../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { highHalf, joinAddress, lowHalf } from '../../../../../shared/base/units.ts';
import { ABSENT, createAddressMap, type AddressMap } from '../../../collections/address-map.ts';
import { blocksNotSkipped, nodesReady } from '../../../index/pyramid.ts';
import type { Trace } from '../../../trace.ts';
import { visitColumns } from '../../records/block-reader.ts';
import { mayTouch, spanOf } from '../../records/span.ts';
import { isOnPath } from '../paths/executed.ts';
import { halvesOf, highWithout, lowWithout } from '../runs/address-shift.ts';
import { chosenEntries, MARK, type ProvedBranches } from './proved-branches.ts';
import { LONGEST_INSTRUCTION, type BranchSide } from './symbols.ts';

const INSTRUCTIONS = kindBits(['instruction', 'skipped']);

/** Facts that a trace of instructions shows. Addresses are without the shift of the trace. */
export interface KnownCode {
  /** Returns the size of an instruction: 0 if the trace does not contain it, and NEVER if it was not executed. */
  sizeOf(low: number, high: number): Result<number>;
  /** Returns true for instructions that branched. */
  isSource(low: number, high: number): boolean;
  /** The same for branches to a target; takes the low halves. */
  isBranch(source: number, target: number): boolean;
}

/**
 * Returns the branches of a side without those to the next instruction. One of which the size is not known becomes a cut. A message without
 * a target can be such a branch if the instruction was executed, and never branched in the trace of instructions. Where an instruction is
 * reported in place of the next one, which branches, the source becomes that of the branch.
 */
export function withoutBranchesToNext(
  { branches, shift, reportsPairs }: BranchSide,
  { sizeOf, isSource, isBranch }: KnownCode,
): Result<ProvedBranches> {
  const { marks, sourceHigh, targetLow, targetHigh, count } = branches;
  const sourceLow = branches.sourceLow.slice();
  const moved = halvesOf(shift);
  const keeps = new Uint8Array(count).fill(KEEP.all);
  for (let k = 0; k < count; k++) {
    if ((marks[k]! & MARK.source) === 0) continue;
    const distance =
      (marks[k]! & MARK.target) !== 0 && targetHigh[k] === sourceHigh[k] ? targetLow[k]! - sourceLow[k]! : 0;
    const isNear = distance > 0 && distance <= LONGEST_INSTRUCTION;
    const [low, high] = [lowWithout(sourceLow[k]!, moved), highWithout(sourceLow[k]!, sourceHigh[k]!, moved)];
    const mayPair = reportsPairs && !isSource(low, high);
    const hasNoTarget = (marks[k]! & MARK.target) === 0;
    if (!isNear && !mayPair && (!hasNoTarget || isSource(low, high))) continue;
    const size = sizeOf(low, high);
    if (!size.ok) return size;
    if (isNear && size.value === distance) keeps[k] = KEEP.none;
    else if (isNear && size.value === 0) keeps[k] = KEEP.cut;
    else if (
      mayPair &&
      size.value > 0 &&
      (hasNoTarget ? isSource(low + size.value, high) : isBranch(low + size.value, lowWithout(targetLow[k]!, moved)))
    )
      sourceLow[k]! += size.value;
    else if (hasNoTarget && size.value !== NEVER) keeps[k] = KEEP.none;
  }
  return ok(chosenEntries({ ...branches, sourceLow }, keeps));
}

/** Ways to treat an entry. */
export const KEEP = { all: 0, none: 1, cut: 2 } as const;

/** Returns a function that returns the sizes of instructions, which it reads from the trace. */
export function instructionSizes(trace: Trace, shift: bigint): KnownCode['sizeOf'] {
  const { blocks, index, ingest } = trace;
  const sizes: AddressMap = createAddressMap(1 << 10);
  const read = new Set<number>();
  const ready = (level: number): number => nodesReady(level, blocks.length, ingest.complete);
  return (low: number, high: number): Result<number> => {
    const address = BigInt.asUintN(64, joinAddress(low, high) + shift);
    const [ownLow, ownHigh] = [lowHalf(address), highHalf(address)];
    const span = spanOf(address, address);
    const known = sizes.get(ownLow, ownHigh);
    if (known !== ABSENT) return ok(known);
    for (const block of blocksNotSkipped(
      0,
      blocks.length,
      ready,
      (level, node) => !mayTouch(index, level, node, span, INSTRUCTIONS),
    )) {
      if (read.has(block)) continue;
      read.add(block);
      const learnt = visitColumns(trace, block, 0, ({ batch }) => {
        for (let k = 0; k < batch.count; k++)
          if (isOnPath(batch.kind[k]!)) sizes.set(batch.addressLow[k]!, batch.addressHigh[k]!, batch.size[k]!);
        return true;
      });
      if (!learnt.ok) return learnt;
      const size = sizes.get(ownLow, ownHigh);
      if (size !== ABSENT) return ok(size);
    }
    sizes.set(ownLow, ownHigh, NEVER);
    return ok(NEVER);
  };
}

/** Size of an instruction that was not executed. */
const NEVER = -1;
