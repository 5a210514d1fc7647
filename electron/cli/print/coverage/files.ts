/** The code by source file: its lines with their conditional branches, and its functions. */
import type { Coverage, Share } from '../../../../shared/requests/answers/coverage.ts';
import { COUNTED, hasPart } from '../../../../shared/coverage/parts.ts';
import { isAlwaysSkipped, showsSkips } from '../../../../shared/coverage/skipped.ts';
import type { Written } from './document.ts';

export interface FileCode {
  readonly path: string;
  /** By number. */
  readonly lines: readonly LineCode[];
  /** Rows of the functions that begin in the file, by address. */
  readonly functions: readonly number[];
}

export interface LineCode {
  /** Row in the lines of the coverage. */
  readonly row: number;
  readonly line: number;
  readonly count: number;
  readonly branches: readonly BranchCode[];
  /** Other conditional instructions, where the trace shows whether they were skipped. */
  readonly conditions: readonly ConditionCode[];
  /** Control reached the line, but all instructions that it reached were skipped each time. */
  readonly isSkipped: boolean;
}

/** How often control reached a conditional instruction, and how often it was skipped there. */
export interface ConditionCode {
  readonly count: number;
  readonly skipped: number;
}

/** A conditional branch. A way that another run went is absent. */
export interface BranchCode {
  /** Row of the instruction. */
  readonly row: number;
  /** Control came to it. */
  readonly ran: boolean;
  readonly taken?: number;
  readonly notTaken?: number;
}

/** Files are in the order of their first lines. Lines and functions that another run executed are left out. */
export function filesOf({ instructions, lines, functions }: Coverage, { count, pathOf }: Written): readonly FileCode[] {
  const branchesOf = new Map<number, BranchCode[]>();
  const conditionsOf = new Map<number, ConditionCode[]>();
  /** Lines with an instruction that was executed. */
  const executed = new Set<number>();
  const { kinds, counts, skipped, taken, notTaken, lines: lineOf } = instructions;
  for (let row = 0; row < kinds.length; row++) {
    if (lineOf[row]! < 0) continue;
    const its = { sort: kinds[row]!, count: counts[row]!, skipped: skipped[row] };
    if (its.count > 0 && !isAlwaysSkipped(its)) executed.add(lineOf[row]!);
    if (showsSkips(instructions, row))
      pushTo(conditionsOf, lineOf[row]!, { count: counts[row]!, skipped: skipped[row]! });
    if (kinds[row] !== 'conditional-branch') continue;
    const branch = {
      row,
      ran: counts[row]! > 0 || taken[row]! > 0 || notTaken[row]! > 0,
      ...(hasPart(instructions, row, COUNTED.taken) && { taken: taken[row]! }),
      ...(hasPart(instructions, row, COUNTED.notTaken) && { notTaken: notTaken[row]! }),
    };
    pushTo(branchesOf, lineOf[row]!, branch);
  }
  const files = new Map<string, { lines: LineCode[]; functions: number[] }>();
  const fileAt = (path: string) => {
    let file = files.get(path);
    if (file === undefined) files.set(path, (file = { lines: [], functions: [] }));
    return file;
  };
  lines.forEach((line, row) => {
    if (line.left === true) return;
    const branches = branchesOf.get(row) ?? [];
    const conditions = conditionsOf.get(row) ?? [];
    const isSkipped = line.most > 0 && !executed.has(row);
    fileAt(pathOf(line.file)).lines.push({ row, line: line.line, count: line[count], branches, conditions, isSkipped });
  });
  functions.forEach(({ file, instructions: { total } }, row) => {
    if (file !== undefined && total > 0) fileAt(pathOf(file)).functions.push(row);
  });
  return [...files].map(([path, file]) => ({ path, ...file }));
}

function pushTo<T>(lists: Map<number, T[]>, key: number, entry: T): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [entry]);
  else known.push(entry);
}

export function linesShare(lines: readonly LineCode[]): Share {
  return { covered: lines.filter(({ count }) => count > 0).length, total: lines.length };
}

/** Ways out of the conditional branches of lines. */
export function branchesShare(lines: readonly Pick<LineCode, 'branches'>[]): Share {
  const ways = lines.flatMap(({ branches }) =>
    branches.flatMap(({ taken, notTaken }) => [taken, notTaken].filter((times) => times !== undefined)),
  );
  return { covered: ways.filter((times) => times > 0).length, total: ways.length };
}
