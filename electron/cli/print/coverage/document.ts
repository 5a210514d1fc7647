/** Coverage as the document of --json. */
import type { Coverage } from '../../../../shared/requests/answers/coverage.ts';
import { COUNTED, hasPart } from '../../../../shared/coverage/parts.ts';
import type { LineCount } from './line-counts.ts';

export interface Written {
  readonly count: LineCount;
  /** Returns the path of a source file where the reader has it. */
  readonly pathOf: (file: string) => string;
}

/**
 * If another run is left out, a conditional branch that it executed is marked `left` and has only the way that it did not go.
 */
export function documentOf(
  { instructions, lines, functions, totals, notes }: Coverage,
  { count, pathOf }: Written,
  more: Readonly<Record<string, unknown>> = {},
) {
  const { kinds, taken, notTaken } = instructions;
  const has = (row: number, part: number): boolean => hasPart(instructions, row, part);
  return {
    ...more,
    instructions: instructions.addresses.map((address, row) => ({
      address,
      size: instructions.sizes[row],
      count: instructions.counts[row],
      ...(instructions.skipped[row] !== null && { skipped: instructions.skipped[row] }),
      ...(taken[row] !== null && has(row, partOf(kinds[row]!, COUNTED.taken)) && { taken: taken[row] }),
      ...(notTaken[row] !== null && has(row, partOf(kinds[row]!, COUNTED.notTaken)) && { notTaken: notTaken[row] }),
      ...(!has(row, COUNTED.instruction) && { left: true }),
    })),
    lines: lines
      .filter(({ left }) => left !== true)
      .map((line) => ({ file: pathOf(line.file), line: line.line, count: line[count] })),
    functions: functions
      .filter(({ instructions: { total }, branches }) => total > 0 || branches.total > 0)
      .map(({ file, ...one }) => ({ ...one, ...(file !== undefined && { file: pathOf(file) }) })),
    totals,
    notes,
  };
}

/** A branch without a condition has no ways that count: both columns belong to the instruction. */
function partOf(kind: string, way: number): number {
  return kind === 'conditional-branch' ? way : COUNTED.instruction;
}
