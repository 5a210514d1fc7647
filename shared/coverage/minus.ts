/** Leaves out the code that other runs executed: the rest shows what a run adds. */
import type { Coverage } from '../requests/answers/coverage.ts';
import { COUNTED } from './parts.ts';
import { derived } from './derive.ts';
import { rowsOf } from './join.ts';

/**
 * Leaves out the instructions that the other run executed, the lines of which it executed an instruction, and the ways of conditional
 * branches that it went. Counts stay those of this run. Totals are over the code that is left.
 */
export function minus(own: Coverage, other: Coverage): Coverage {
  const { instructions } = own;
  const kept: number[] = [];
  const parts: number[] = [];
  const left = new Set<number>();
  for (const { own: row, its } of rowsOf(instructions.addresses, other.instructions.addresses)) {
    if (row < 0) continue;
    const { counts, taken, notTaken } = other.instructions;
    const ran = its >= 0 && counts[its]! > 0;
    if (ran) left.add(instructions.lines[row]!);
    const isBranch = instructions.kinds[row] === 'conditional-branch';
    const went = (way: readonly (number | null)[]): boolean => its >= 0 && way[its]! > 0;
    const part =
      (ran ? 0 : COUNTED.instruction) +
      (!isBranch || went(taken) ? 0 : COUNTED.taken) +
      (!isBranch || went(notTaken) ? 0 : COUNTED.notTaken);
    if (part === 0) continue;
    kept.push(row);
    parts.push(part);
  }
  const of = <T>(column: readonly T[]): readonly T[] => kept.map((row) => column[row]!);
  const rows = {
    addresses: of(instructions.addresses),
    sizes: of(instructions.sizes),
    counts: of(instructions.counts),
    skipped: of(instructions.skipped),
    kinds: of(instructions.kinds),
    taken: of(instructions.taken),
    notTaken: of(instructions.notTaken),
    lines: of(instructions.lines),
    functions: of(instructions.functions),
    parts,
    ...(instructions.texts && { texts: of(instructions.texts) }),
  };
  const places = {
    lines: own.lines.map(({ file, line }, at) => ({ file, line, ...(left.has(at) && { left: true as const }) })),
    functions: own.functions,
  };
  return { ...own, ...derived(rows, places) };
}
