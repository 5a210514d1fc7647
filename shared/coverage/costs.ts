/** The lines and instructions of a program by how often they ran. */
import type { Coverage } from '../requests/answers/coverage.ts';
import type { Hex } from '../base/units.ts';

export interface LineCost {
  readonly file: string;
  readonly line: number;
  /** Number of its instructions that ran, and how often control came to the one that ran most. */
  readonly self: number;
  readonly count: number;
}

export interface InstructionCost {
  readonly address: Hex;
  readonly count: number;
  readonly text: string;
  readonly function?: string;
  readonly file?: string;
  readonly line?: number;
}

/** Returns the lines that ran, the most expensive first. */
export function lineCosts({ lines }: Pick<Coverage, 'lines'>): readonly LineCost[] {
  return lines
    .filter(({ sum }) => sum > 0)
    .map(({ file, line, sum, most }) => ({ file, line, self: sum, count: most }))
    .sort((a, b) => b.self - a.self);
}

/**
 * Returns the instructions that ran, the most frequent first.
 * @param textOf disassembly of a row, by default that of the answer
 */
export function instructionCosts(
  { instructions, lines, functions }: Pick<Coverage, 'instructions' | 'lines' | 'functions'>,
  most = Number.MAX_SAFE_INTEGER,
  textOf: (row: number) => string | undefined = (row) => instructions.texts?.[row],
): readonly InstructionCost[] {
  const { addresses, counts, lines: lineOf, functions: functionOf } = instructions;
  return [...addresses.keys()]
    .filter((row) => counts[row]! > 0)
    .sort((a, b) => counts[b]! - counts[a]!)
    .slice(0, most)
    .map((row) => {
      const line = lines[lineOf[row]!];
      const owner = functions[functionOf[row]!];
      return {
        address: addresses[row]!,
        count: counts[row]!,
        text: (textOf(row) ?? '').replaceAll(/\s+/g, ' '),
        ...(owner && { function: owner.name }),
        ...(line && { file: line.file, line: line.line }),
      };
    });
}
