/**
 * Data processing of AArch32, the same for the encodings A32, T32 and T16.
 *
 * Source: Arm Architecture Reference Manual for Armv7-A and Armv7-R (DDI 0406C), A8.8, the pseudocode of each instruction.
 */
import { compute, computeFrom, copy, extend, register, registers, setConstant, type Draft } from '../draft.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { C, CPSR, LR, NZ, NZCV, PC, SPSR, general } from './arm-registers.ts';

export type Operation =
  | 'and'
  | 'eor'
  | 'sub'
  | 'rsb'
  | 'add'
  | 'adc'
  | 'sbc'
  | 'rsc'
  | 'tst'
  | 'teq'
  | 'cmp'
  | 'cmn'
  | 'orr'
  | 'mov'
  | 'bic'
  | 'mvn'
  | 'orn';

/** Effect of the shifter on the carry flag; `maybe` computes it unless the amount is 0. */
export type ShifterCarry = 'kept' | 'constant' | 'computed' | 'maybe';

/** The second operand of a data-processing instruction. */
export interface Operand2 {
  /** Register, unless the operand is an immediate. The program counter counts as an immediate. */
  readonly register?: RegisterSpan;
  /** True if the register is used without a shift. */
  readonly plain: boolean;
  /** Further sources: a register with the amount of the shift, the carry flag of RRX. */
  readonly others: readonly RegisterSpan[];
  readonly carry: ShifterCarry;
  /** Bytes by which the register is shifted to the left, negative to the right, if the shift is logical and by whole bytes. */
  readonly bytes?: number;
  /** Value of an immediate without a rotation. */
  readonly value?: number;
}

export const IMMEDIATE: Operand2 = { plain: true, others: [], carry: 'kept' };

const LOGICAL: ReadonlySet<Operation> = new Set(['and', 'eor', 'tst', 'teq', 'orr', 'mov', 'bic', 'mvn', 'orn']);
const COMPARE: ReadonlySet<Operation> = new Set(['tst', 'teq', 'cmp', 'cmn']);
const WITH_CARRY: ReadonlySet<Operation> = new Set(['adc', 'sbc', 'rsc']);
const ONE_OPERAND: ReadonlySet<Operation> = new Set(['mov', 'mvn']);
/** Operations whose result is 0 if both operands are the same register. */
const CANCELLING: ReadonlySet<Operation> = new Set(['eor', 'sub', 'rsb', 'bic', 'teq', 'cmp']);

/** A register operand with an immediate shift, as the opcode encodes it: type 0 (LSL) to 3 (ROR, RRX if the amount is 0). */
export function shifted(n: number, type: number, amount: number): Operand2 {
  const at = n === PC ? {} : { register: general(n) };
  if (type === 0 && amount === 0) return { ...at, plain: true, others: [], carry: 'kept' };
  const carry = n === PC ? 'constant' : 'computed';
  const bytes = type < 2 && amount !== 0 && amount % 8 === 0 ? { bytes: type === 0 ? amount / 8 : -amount / 8 } : {};
  return { ...at, plain: false, others: type === 3 && amount === 0 ? [C] : [], carry, ...bytes };
}

export interface DataProcessing {
  readonly operation: Operation;
  readonly setsFlags: boolean;
  readonly rd: number;
  readonly rn: number;
  readonly second: Operand2;
}

/** Adds the definitions of the result and of the flags. */
export function processData(draft: Draft, { operation, setsFlags, rd, rn, second }: DataProcessing): void {
  const first = ONE_OPERAND.has(operation) || rn === PC ? [] : [general(rn)];
  const sources = [
    ...first,
    ...(second.register === undefined ? [] : [second.register]),
    ...second.others,
    ...(WITH_CARRY.has(operation) ? [C] : []),
  ];
  const cancels = CANCELLING.has(operation) && second.plain && first[0] !== undefined && first[0] === second.register;
  const from = cancels ? [] : sources;
  const returns = setsFlags && rd === PC && !COMPARE.has(operation);
  if (returns) computeFrom(draft, register(CPSR), [register(SPSR)]);
  else if (setsFlags) setFlags(draft, operation, from, second, cancels);
  if (COMPARE.has(operation)) return;
  if (rd !== PC) {
    defineResult(draft, general(rd), operation, second, from);
    return;
  }
  draft.flow =
    returns || (operation === 'mov' && second.plain && second.register === general(LR)) ? 'return' : 'branch';
  draft.decides = registers(from);
}

/** Defines the result. Moves of whole bytes are copies. */
function defineResult(
  draft: Draft,
  to: RegisterSpan,
  operation: Operation,
  second: Operand2,
  from: readonly RegisterSpan[],
): void {
  const moved = operation === 'mov' ? second.register : undefined;
  if (moved !== undefined && second.plain) copy(draft, register(to), register(moved));
  else if (moved !== undefined && second.bytes !== undefined) shiftBytes(draft, to, moved, second.bytes);
  else if (operation === 'and' && second.value === 0xff && from[0] !== undefined)
    extend(draft, to, register(span(from[0].low, 1)), 1, false);
  else compute(draft, to, from);
}

/** Copies the bytes of a register that a shift keeps, and clears the others. */
function shiftBytes(draft: Draft, to: RegisterSpan, from: RegisterSpan, left: number): void {
  const kept = 4 - Math.abs(left);
  if (left < 0) {
    extend(draft, to, register(span(from.low - left, kept)), kept, false);
    return;
  }
  copy(draft, register(span(to.low + left, kept)), register(span(from.low, kept)));
  setConstant(draft, span(to.low, left));
}

function setFlags(
  draft: Draft,
  operation: Operation,
  from: readonly RegisterSpan[],
  second: Operand2,
  cancels: boolean,
): void {
  if (!LOGICAL.has(operation)) {
    compute(draft, NZCV, from);
    return;
  }
  compute(draft, NZ, from);
  setShifterCarry(draft, second, cancels);
}

/** Defines the carry flag as the shifter does: logical operations leave it alone without a shift. */
function setShifterCarry(draft: Draft, second: Operand2, cancels: boolean): void {
  if (cancels || second.carry === 'kept') return;
  if (second.carry === 'constant') {
    setConstant(draft, C);
    return;
  }
  const sources = [...(second.register === undefined ? [] : [second.register]), ...shiftAmountOf(second)];
  if (second.carry === 'computed') compute(draft, C, sources);
  else
    draft.definitions.push({
      to: register(C),
      from: [...registers(sources), register(C)],
      how: 'computed',
      conditional: true,
    });
}

/** The carry of RRX is the lowest bit of the register, so that the old carry is no source of it. */
function shiftAmountOf({ others }: Operand2): readonly RegisterSpan[] {
  return others.filter((each) => each !== C);
}
