/** Moves between general registers and coprocessors of AArch32, which A32 and T32 encode alike below the condition. */
import { bit, bits } from '../bits.ts';
import { compute, type Draft } from '../draft.ts';
import { ARM_REGISTERS, NZCV, PC, general } from './arm-registers.ts';

/**
 * MCR and MRC. A register of a coprocessor has a name of its own, such as `p15_0_c1_c0_0`. Returns false for other instructions and for
 * floating point.
 */
export function transferCoprocessor(draft: Draft, word: number): boolean {
  const number = bits(word, 8, 4);
  if (number === 10 || number === 11 || !bit(word, 4)) return false;
  const inside = ARM_REGISTERS.system(
    `p${number}_${bits(word, 21, 3)}_c${bits(word, 16, 4)}_c${bits(word, 0, 4)}_${bits(word, 5, 3)}`,
  );
  const rt = bits(word, 12, 4);
  if (!bit(word, 20)) {
    compute(draft, inside, [general(rt)]);
    return rt !== PC;
  }
  compute(draft, rt === PC ? NZCV : general(rt), [inside]);
  return true;
}
