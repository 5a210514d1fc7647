/** The lines and instructions of a program by how often they ran, for people and as documents. */
import type { Coverage } from '../../../../shared/requests/answers/coverage.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { createTable, type Column } from '../table.ts';

export interface LineCost {
  readonly file: string;
  readonly line: number;
  /** Number of its instructions that ran, and how often control came to the one that ran most. */
  readonly self: number;
  readonly count: number;
}

export interface InstructionCost {
  readonly address: string;
  readonly count: number;
  readonly text: string;
  readonly function?: string;
  readonly file?: string;
  readonly line?: number;
}

/** Returns the lines that ran, the most expensive first. */
export function lineCosts({ lines }: Coverage): readonly LineCost[] {
  return lines
    .filter(({ sum }) => sum > 0)
    .map(({ file, line, sum, most }) => ({ file, line, self: sum, count: most }))
    .sort((a, b) => b.self - a.self);
}

/** Returns the instructions that ran, the most frequent first. */
export function instructionCosts({ instructions, lines, functions }: Coverage): readonly InstructionCost[] {
  const { addresses, counts, texts, lines: lineOf, functions: functionOf } = instructions;
  return [...addresses.keys()]
    .filter((row) => counts[row]! > 0)
    .sort((a, b) => counts[b]! - counts[a]!)
    .map((row) => {
      const line = lines[lineOf[row]!];
      const owner = functions[functionOf[row]!];
      return {
        address: addresses[row]!,
        count: counts[row]!,
        text: (texts?.[row] ?? '').replaceAll(/\s+/g, ' '),
        ...(owner && { function: owner.name }),
        ...(line && { file: line.file, line: line.line }),
      };
    });
}

/** @param cost of all instructions: 100 % */
export function lineTable(rows: readonly LineCost[], cost: number, colour: boolean): string {
  const columns: readonly Column<LineCost>[] = [
    { title: 'self %', right: true, text: ({ self }) => share(self, cost) },
    { title: 'self', right: true, text: ({ self }) => group(self) },
    { title: 'count', right: true, text: ({ count }) => group(count) },
    { title: 'line', text: placeOf },
  ];
  return createTable(columns, colour).lines(rows);
}

export function instructionTable(rows: readonly InstructionCost[], cost: number, colour: boolean): string {
  const columns: readonly Column<InstructionCost>[] = [
    { title: 'self %', right: true, text: ({ count }) => share(count, cost) },
    { title: 'count', right: true, text: ({ count }) => group(count) },
    { title: 'address', right: true, text: ({ address }) => address },
    { title: 'instruction', text: ({ text }) => text },
    { title: 'function', text: (row) => row.function ?? '' },
    { title: 'line', text: placeOf },
  ];
  return createTable(columns, colour).lines(rows);
}

function placeOf({ file, line }: { readonly file?: string; readonly line?: number }): string {
  return file === undefined ? '' : `${file}:${line ?? 0}`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : ((100 * part) / whole).toFixed(1);
}
