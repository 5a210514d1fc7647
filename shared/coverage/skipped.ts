/** Conditional instructions that are no branches, where the trace shows whether they were skipped. */
import type { InstructionCounts } from '../requests/answers/coverage.ts';
import { COUNTED, hasPart } from './parts.ts';

/** Returns true for a conditional instruction that is no branch, if the trace shows whether it was skipped, and if it counts. */
export function showsSkips(instructions: InstructionCounts, row: number): boolean {
  const { kinds, skipped } = instructions;
  return kinds[row] === 'conditional' && skipped[row] !== null && hasPart(instructions, row, COUNTED.instruction);
}

/** Returns true for an instruction that control reached, but that was skipped each time. A branch that was not taken is none. */
export function isAlwaysSkipped({ kinds, counts, skipped }: InstructionCounts, row: number): boolean {
  return kinds[row] !== 'conditional-branch' && counts[row]! > 0 && counts[row] === skipped[row];
}
