/** Conditional instructions that are no branches, where the trace shows whether they were skipped. */
import type { InstructionCounts, InstructionSort } from '../requests/answers/coverage.ts';
import { COUNTED, hasPart } from './parts.ts';

/** Returns true for a conditional instruction that is no branch, if the trace shows whether it was skipped, and if it counts. */
export function showsSkips(instructions: InstructionCounts, row: number): boolean {
  const { kinds, skipped } = instructions;
  return kinds[row] === 'conditional' && skipped[row] !== null && hasPart(instructions, row, COUNTED.instruction);
}

/** Returns true for an instruction that control reached, but that was skipped each time. A branch that was not taken is none. */
export function isAlwaysSkipped({ sort, count, skipped }: Skippable): boolean {
  return sort !== 'conditional-branch' && count > 0 && count === skipped;
}

interface Skippable {
  readonly sort: InstructionSort;
  readonly count: number;
  readonly skipped?: number | null | undefined;
}
