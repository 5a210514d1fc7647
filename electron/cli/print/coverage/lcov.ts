/**
 * Coverage as a tracefile of lcov, which genhtml and editors read: geninfo(1), section FILES.
 *
 * Each branch instruction is a block of its line with two ways: branch 0 is taken, branch 1 is the fall-through. `-` says that the branch
 * never ran.
 */
import type { Coverage, CoveredFunction } from '../../../../shared/requests/answers/coverage.ts';
import { COUNTED, hasPart } from '../../../../shared/coverage/parts.ts';
import type { Written } from './document.ts';

export function lcovOf({ instructions, lines, functions }: Coverage, { count, pathOf }: Written): string {
  const byFile = new Map<string, number[]>();
  lines.forEach(({ file, left }, row) => {
    if (left === true) return;
    const path = pathOf(file);
    const rows = byFile.get(path);
    if (rows === undefined) byFile.set(path, [row]);
    else rows.push(row);
  });
  const branchesOf = new Map<number, number[]>();
  instructions.kinds.forEach((kind, at) => {
    const line = instructions.lines[at]!;
    if (kind !== 'conditional-branch' || line < 0) return;
    const known = branchesOf.get(line);
    if (known === undefined) branchesOf.set(line, [at]);
    else known.push(at);
  });
  const out: string[] = [];
  for (const [path, rows] of byFile) {
    out.push('TN:', `SF:${path}`, ...functionLines(functionsIn(functions, path, pathOf)));
    let [found, hit] = [0, 0];
    for (const row of rows) {
      for (const [block, at] of (branchesOf.get(row) ?? []).entries()) {
        const ways = [instructions.taken[at]!, instructions.notTaken[at]!];
        const ran = instructions.counts[at]! > 0 || ways.some((times) => times > 0);
        for (const [way, times] of ways.entries()) {
          if (!hasPart(instructions, at, way === 0 ? COUNTED.taken : COUNTED.notTaken)) continue;
          out.push(`BRDA:${lines[row]!.line},${block},${way},${ran ? times : '-'}`);
          found++;
          if (times > 0) hit++;
        }
      }
    }
    out.push(`BRF:${found}`, `BRH:${hit}`);
    for (const row of rows) out.push(`DA:${lines[row]!.line},${lines[row]![count]}`);
    out.push(`LF:${rows.length}`, `LH:${rows.filter((row) => lines[row]![count] > 0).length}`, 'end_of_record');
  }
  return `${out.join('\n')}\n`;
}

function functionsIn(
  functions: readonly CoveredFunction[],
  path: string,
  pathOf: (file: string) => string,
): readonly CoveredFunction[] {
  return functions.filter(
    ({ file, instructions: { total } }) => file !== undefined && total > 0 && pathOf(file) === path,
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
