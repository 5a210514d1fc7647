/** Reads and definitions of the general registers of AArch64. An instruction on 32 bits clears the upper half of its result. */
import { compute, computeFrom, copy, extend, register, setConstant, type Draft } from '../draft.ts';
import type { Place } from '../effects.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { SP, ZERO, vector } from './a64-registers.ts';

/** Returns a register as a list of sources: the zero register is none. */
export function source(n: number, bytes: number): readonly RegisterSpan[] {
  return n === ZERO ? [] : [span(8 * n, bytes)];
}

/** Returns a register where number 31 is the stack pointer. */
export function sourceOrStack(n: number, bytes: number): readonly RegisterSpan[] {
  return n === ZERO ? [span(SP.low, bytes)] : [span(8 * n, bytes)];
}

function clearUpper(draft: Draft, low: number, bytes: number): void {
  if (bytes < 8) setConstant(draft, span(low + bytes, 8 - bytes));
}

/** Defines a general register by others; results for the zero register are dropped. */
export function result(draft: Draft, n: number, bytes: number, from: readonly RegisterSpan[]): void {
  if (n === ZERO) return;
  compute(draft, span(8 * n, bytes), from);
  clearUpper(draft, 8 * n, bytes);
}

export function resultOrStack(draft: Draft, n: number, bytes: number, from: readonly RegisterSpan[]): void {
  compute(draft, span(8 * n, bytes), from);
  clearUpper(draft, 8 * n, bytes);
}

/** Copies a register of the same width. */
export function copyResult(draft: Draft, n: number, from: RegisterSpan): void {
  copy(draft, register(span(8 * n, from.bytes)), register(from));
  clearUpper(draft, 8 * n, from.bytes);
}

/** Defines a general register by a narrower value, which is extended to `width` bytes; the bytes above are cleared. */
export function extendResult(
  draft: Draft,
  n: number,
  width: number,
  from: Place,
  bytes: number,
  signed: boolean,
): void {
  if (n === ZERO) return;
  extend(draft, span(8 * n, width), from, bytes, signed);
  clearUpper(draft, 8 * n, width);
}

/** Copies a value to the low bytes of a vector register and clears those above. */
export function copyVector(draft: Draft, n: number, from: Place, bytes: number): void {
  extend(draft, vector(n), from, bytes, false);
}

/** Defines the low bytes of a vector register and clears those above. */
export function vectorResult(draft: Draft, n: number, bytes: number, from: readonly Place[]): void {
  const { low } = vector(n);
  computeFrom(draft, register(span(low, bytes)), from);
  if (bytes < 16) setConstant(draft, span(low + bytes, 16 - bytes));
}
