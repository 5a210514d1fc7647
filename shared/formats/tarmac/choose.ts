/** Which dialect does the evidence speak for, and what speaks for it? */
import type { Dialect } from './line/dialect.ts';
import type { Evidence } from './evidence.ts';

export interface Choice {
  readonly dialect: Dialect;
  /** Completes `because ...`. */
  readonly reason: string;
}

export function chooseDialect(seen: Evidence): Choice {
  if (seen.bareCpu > 0 && seen.bareCpu * 2 > seen.instructions) {
    return { dialect: 'qemu4v', reason: 'instruction lines have a bare cpu number after the time unit' };
  }
  if (seen.es > 0 && seen.es >= seen.rtl) {
    return { dialect: 'es', reason: 'instruction lines are ES lines with address and opcode in brackets' };
  }
  if (seen.rtl > 0 && seen.rtl >= seen.fastModels) {
    return { dialect: 'rtl', reason: 'instruction or access lines have the forms of hardware simulations' };
  }
  if (seen.instructions > 0) return chooseNumbered(seen);
  if (seen.fastModels > 0)
    return { dialect: 'fastmodels', reason: 'lines name their cpu, physical addresses or events' };
  if (seen.timed === 0) return { dialect: 'es', reason: 'it starts with the header of a Tarmac text trace' };
  return { dialect: 'qemu4v', reason: 'no instruction line is among them' };
}

/** Instruction lines with numbers and no bare cpu: Fast Models numbers its time, gem5 counts ticks. */
function chooseNumbered({ instructions, ticks, round, padded, unit }: Evidence): Choice {
  if (unit === 'clk' && ticks * 2 > instructions && (padded * 2 > instructions || round * 10 > instructions * 9)) {
    return { dialect: 'gem5', reason: 'instruction lines count ticks beside their numbers' };
  }
  return { dialect: 'fastmodels', reason: 'instruction lines have a number in brackets and no bare cpu number' };
}
