/** Parts of an instruction that count in the code that another run left open. */
import type { InstructionCounts } from '../requests/answers/coverage.ts';

/** Only conditional branches have ways that count on their own. */
export const COUNTED = { instruction: 1, taken: 2, notTaken: 4 } as const;

/** Returns true unless another run executed this part of the instruction. */
export function hasPart({ parts }: Pick<InstructionCounts, 'parts'>, row: number, part: number): boolean {
  return parts === undefined || (parts[row]! & part) !== 0;
}
