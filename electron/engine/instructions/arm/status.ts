/** Writes of the status registers of AArch32. */
import { compute, copy, register, type Draft } from '../draft.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { CONTROL, GE, NZCV, Q, SPSR } from './arm-registers.ts';

/** Parts of CPSR by the bits of the mask of MSR: control, extension, status, flags. */
const CPSR_FIELDS: readonly (readonly RegisterSpan[])[] = [
  [span(CONTROL.low, 1)],
  [span(CONTROL.low + 1, 1)],
  [span(CONTROL.low + 2, 1), GE],
  [NZCV, Q],
];

/** MSR: `from` is undefined for an immediate. */
export function writeStatus(draft: Draft, saved: boolean, mask: number, from: RegisterSpan | undefined): void {
  for (let k = 0; k < 4; k++) {
    if (((mask >> k) & 1) === 0) continue;
    if (!saved) for (const to of CPSR_FIELDS[k]!) compute(draft, to, from === undefined ? [] : [from]);
    else if (from === undefined) compute(draft, span(SPSR.low + k, 1), []);
    else copy(draft, register(span(SPSR.low + k, 1)), register(span(from.low + k, 1)));
  }
}
