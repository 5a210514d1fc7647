/** Multiplications and extensions of AArch32, the same for the encodings A32, T32 and T16. */
import { compute, extend, register, registers, type Draft } from '../draft.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { Q, general } from './arm-registers.ts';

/** The saturation flag is set or stays as it is. */
export function saturate(draft: Draft, from: readonly RegisterSpan[]): void {
  draft.definitions.push({
    to: register(Q),
    from: [...registers(from), register(Q)],
    how: 'computed',
    conditional: true,
  });
}

/** Returns the lower or the upper half of a register. */
function halfOf(at: RegisterSpan, top: boolean): RegisterSpan {
  return span(at.low + 2 * Number(top), 2);
}

export interface HalfMultiply {
  readonly kind: 'add' | 'word-add' | 'word' | 'long-add' | 'plain';
  readonly rd: number;
  /** Register that is added, or the low half of a long result. */
  readonly ra: number;
  readonly rn: number;
  readonly rm: number;
  readonly topN: boolean;
  readonly topM: boolean;
}

/** SMLAxy, SMLAWy, SMULWy, SMLALxy and SMULxy: multiplications of halves of registers. */
export function multiplyHalves(draft: Draft, { kind, rd, ra, rn, rm, topN, topM }: HalfMultiply): void {
  const isWord = kind === 'word' || kind === 'word-add';
  const factors = [isWord ? general(rn) : halfOf(general(rn), topN), halfOf(general(rm), topM)];
  if (kind === 'long-add') {
    const from = [...factors, general(ra), general(rd)];
    compute(draft, general(ra), from);
    compute(draft, general(rd), from);
    return;
  }
  const adds = kind === 'add' || kind === 'word-add';
  const from = adds ? [...factors, general(ra)] : factors;
  compute(draft, general(rd), from);
  if (adds) saturate(draft, from);
}

export interface Extension {
  readonly rd: number;
  readonly rm: number;
  /** Rotation to the right in bytes. */
  readonly rotation: number;
  readonly addend: number | undefined;
  readonly signed: boolean;
  /** `bytes`: two bytes to two halves. */
  readonly kind: 'byte' | 'half' | 'bytes';
}

/** SXTB, UXTH and their kin, with a rotation and an addition. */
export function extendRegister(draft: Draft, { rd, rm, rotation, addend, signed, kind }: Extension): void {
  const bytes = kind === 'byte' ? 1 : 2;
  const wraps = rotation + bytes > 4;
  if (addend !== undefined || kind === 'bytes' || wraps)
    compute(draft, general(rd), [...(addend === undefined ? [] : [general(addend)]), general(rm)]);
  else extend(draft, general(rd), register(span(general(rm).low + rotation, bytes)), bytes, signed);
}
