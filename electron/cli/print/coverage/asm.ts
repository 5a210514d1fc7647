/**
 * Coverage as annotated disassembly, in the manner of GNATcoverage: a mark for each function and each instruction.
 *
 * `+` ran, a conditional branch both ways; `-` never ran; `>` always branched; `v` never branched; `s` always skipped, because its condition
 * failed; `!` partly: of a function some instructions, of a conditional branch neither way is known.
 */
import type { Coverage } from '../../../../shared/requests/answers/coverage.ts';
import { COUNTED, hasPart } from '../../../../shared/coverage/parts.ts';
import { isAlwaysSkipped } from '../../../../shared/coverage/skipped.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { percent, totalsText } from './tables.ts';

const LEGEND = `Marks: + ran, a conditional branch both ways; - never ran; > always branched; v never branched; s always skipped;
! partly: of a function some instructions, of a conditional branch neither way is known.`;

/** @param pathOf returns the path of a source file where the reader has it */
export function asmOf(coverage: Coverage, pathOf: (file: string) => string): string {
  const { instructions, functions, lines } = coverage;
  const { addresses, sizes, counts, skipped, kinds, taken, notTaken, texts } = instructions;
  const rows = [...addresses.keys()].filter((row) => hasPart(instructions, row, COUNTED.instruction));
  const width = rows.reduce((most, row) => Math.max(most, group(counts[row]!).length), 1);
  const digits = rows.reduce((most, row) => Math.max(most, addresses[row]!.length), 0);
  const out = [`${totalsText(coverage)}.`, LEGEND];
  for (let at = 0; at < rows.length;) {
    const owner = instructions.functions[rows[at]!]!;
    let end = at;
    while (end < rows.length && instructions.functions[rows[end]!] === owner) end++;
    const own = rows.slice(at, end);
    at = end;
    const ran = own.filter((row) => counts[row]! > 0).length;
    const mark = ran === 0 ? '-' : ran === own.length ? '+' : '!';
    const [low, last] = [addresses[own[0]!]!, own.at(-1)!];
    const high = toHex(BigInt(addresses[last]!) + BigInt(sizes[last]! - 1));
    const name = functions[owner]?.name ?? '(no function)';
    out.push('', `${name} ${mark}: ${low}-${high} ${percent(ran, own.length)} of ${group(own.length)}`);
    let line = -1;
    for (const row of own) {
      const isBranch = kinds[row] === 'conditional-branch';
      const ways = isBranch
        ? `  ; taken ${group(taken[row]!)}, not taken ${group(notTaken[row]!)}`
        : (skipped[row] ?? 0) > 0
          ? `  ; executed ${group(counts[row]! - skipped[row]!)}, skipped ${group(skipped[row]!)}`
          : '';
      if (instructions.lines[row] !== line) {
        line = instructions.lines[row]!;
        const place = lines[line];
        if (place !== undefined) out.push(`; ${pathOf(place.file)}:${place.line}`);
      }
      const start = `${addresses[row]!.padStart(digits)} ${markOf(row)}: ${group(counts[row]!).padStart(width)}`;
      out.push(`${start}  ${(texts?.[row] ?? '').replaceAll(/\s+/g, ' ')}${ways}`);
    }
  }
  return `${out.join('\n')}\n`;

  function markOf(row: number): string {
    const its = { sort: kinds[row]!, count: counts[row]!, skipped: instructions.skipped[row] };
    if (its.sort !== 'conditional-branch') return its.count === 0 ? '-' : isAlwaysSkipped(its) ? 's' : '+';
    const [did, didNot] = [taken[row]! > 0, notTaken[row]! > 0];
    if (did && didNot) return '+';
    if (did || didNot) return did ? '>' : 'v';
    return counts[row]! > 0 ? '!' : '-';
  }
}
