/**
 * Coverage as a tracefile of lcov, which genhtml and editors read: geninfo(1), section FILES.
 *
 * Each branch instruction is a block of its line with two ways: branch 0 is taken, branch 1 is the fall-through. `-` says that the branch
 * never ran.
 */
import type { Coverage, CoveredFunction } from '../../../../shared/requests/answers/coverage.ts';
import type { Written } from './document.ts';
import { branchesShare, filesOf, linesShare, type LineCode } from './files.ts';

export function lcovOf(coverage: Coverage, written: Written): string {
  const out: string[] = [];
  for (const { path, lines, functions } of filesOf(coverage, written)) {
    const [ofLines, ofBranches] = [linesShare(lines), branchesShare(lines)];
    out.push(
      'TN:',
      `SF:${path}`,
      ...functionLines(functions.map((row) => coverage.functions[row]!)),
      ...lines.flatMap(branchLines),
      `BRF:${ofBranches.total}`,
      `BRH:${ofBranches.covered}`,
      ...lines.map(({ line, count }) => `DA:${line},${count}`),
      `LF:${ofLines.total}`,
      `LH:${ofLines.covered}`,
      'end_of_record',
    );
  }
  return `${out.join('\n')}\n`;
}

function branchLines({ line, branches }: LineCode): readonly string[] {
  return branches.flatMap(({ ran, taken, notTaken }, block) =>
    [taken, notTaken].flatMap((times, way) =>
      times === undefined ? [] : [`BRDA:${line},${block},${way},${ran ? times : '-'}`],
    ),
  );
}

function functionLines(functions: readonly CoveredFunction[]): readonly string[] {
  return [
    ...functions.map(({ line, name }) => `FN:${line ?? 0},${name}`),
    ...functions.map(({ count, name }) => `FNDA:${count},${name}`),
    `FNF:${functions.length}`,
    `FNH:${functions.filter(({ count }) => count > 0).length}`,
  ];
}
