/**
 * Loads and stores of the A64 set.
 *
 * Source: Arm Architecture Reference Manual for A-profile (DDI 0487), C4.1.94 (encodings) and C6.2 (instructions).
 */
import { bit, bits } from '../bits.ts';
import { access, compute, computeFrom, conditionally, copy, partOf, receive, register, type Draft } from '../draft.ts';
import type { AddressFormula, MemoryPlace } from '../effects.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { ZERO, vectorPart } from './a64-registers.ts';
import { copyVector, extendResult, source, sourceOrStack, vectorResult } from './general.ts';

/** Each decoder returns true if it models the word. */
export function decodeTransfer(draft: Draft, word: number): boolean {
  const isVector = bit(word, 26);
  switch (bits(word, 27, 3)) {
    case 1:
      if (isVector) return !bit(word, 24) && !bit(word, 31) && decodeStructures(draft, word);
      return !bit(word, 24) && decodeExclusive(draft, word);
    case 3:
      return !bit(word, 24) && decodeLiteral(draft, word);
    case 5:
      return decodePair(draft, word);
    case 7:
      return decodeSingle(draft, word);
    default:
      return false;
  }
}

/** A register that is loaded or stored. */
interface Target {
  readonly n: number;
  readonly isVector: boolean;
  /** Bytes in memory. */
  readonly bytes: number;
  /** Bytes of a general register to which a load extends the value. */
  readonly width: number;
  readonly signed: boolean;
}

function loadTo(draft: Draft, { n, isVector, bytes, width, signed }: Target, place: MemoryPlace): void {
  if (isVector) copyVector(draft, n, place, bytes);
  else extendResult(draft, n, width, place, bytes, signed);
}

function storeFrom(draft: Draft, { n, isVector, bytes }: Target, place: MemoryPlace): void {
  if (isVector) copy(draft, place, register(vectorPart(n, bytes)));
  else if (n === ZERO) computeFrom(draft, place, []);
  else copy(draft, place, register(span(8 * n, bytes)));
}

function rtOf(word: number): number {
  return bits(word, 0, 5);
}

function baseOf(word: number): RegisterSpan {
  return sourceOrStack(bits(word, 5, 5), 8)[0]!;
}

function at(base: RegisterSpan, displacement: number): AddressFormula {
  return { base, scale: 1, displacement, bits: 64 };
}

function signedField(word: number, low: number, count: number): number {
  const value = bits(word, low, count);
  return value >= 2 ** (count - 1) ? value - 2 ** count : value;
}

function decodeLiteral(draft: Draft, word: number): boolean {
  const size = bits(word, 30, 2);
  const isVector = bit(word, 26);
  // PRFM.
  if (size === 3) return !isVector;
  const bytes = isVector ? 4 * 2 ** size : size === 1 ? 8 : 4;
  const counter = { ahead: 4 * signedField(word, 5, 19), multipleOf: 1 };
  const place = access(draft, 'read', bytes, [], { counter, scale: 1, displacement: 0, bits: 64 });
  loadTo(draft, { n: rtOf(word), isVector, bytes, width: size === 0 ? 4 : 8, signed: size === 2 }, place);
  return true;
}

function decodePair(draft: Draft, word: number): boolean {
  const size = bits(word, 30, 2);
  const isVector = bit(word, 26);
  const loads = bit(word, 22);
  const mode = bits(word, 23, 2);
  if (size === 3 || (!isVector && size === 1 && (!loads || mode === 0))) return false;
  const bytes = isVector ? 4 * 2 ** size : size === 2 ? 8 : 4;
  const base = baseOf(word);
  const offset = bytes * signedField(word, 15, 7);
  const place = access(draft, loads ? 'read' : 'write', 2 * bytes, [base], at(base, mode === 1 ? 0 : offset));
  const numbers = [rtOf(word), bits(word, 10, 5)];
  if (loads && numbers[0] === numbers[1]) return false;
  numbers.forEach((n, k) => {
    const target = { n, isVector, bytes, width: size === 0 ? 4 : 8, signed: size === 1 };
    const part = partOf(place, bytes * k, bytes);
    if (loads) loadTo(draft, target, part);
    else storeFrom(draft, target, part);
  });
  if (mode % 2 === 0) return true;
  compute(draft, base, [base]);
  return isVector || !isBase(word, numbers);
}

/** True if a register that is transferred is also the base, which is written back: what happens is not defined. */
function isBase(word: number, numbers: readonly number[]): boolean {
  const rn = bits(word, 5, 5);
  return rn !== ZERO && numbers.includes(rn);
}

function decodeSingle(draft: Draft, word: number): boolean {
  const target = targetOf(word);
  if (target === undefined) return false;
  if (target === 'prefetch') return bit(word, 24) || !bit(word, 21) || bits(word, 10, 2) === 2;
  const { bytes } = target;
  const base = baseOf(word);
  if (bit(word, 24)) return transfer(draft, word, target, [base], at(base, bytes * bits(word, 10, 12)));
  const kind = bits(word, 10, 2);
  if (!bit(word, 21)) {
    const offset = signedField(word, 12, 9);
    if (kind === 2 && target.isVector) return false;
    if (kind % 2 === 1 && !target.isVector && isBase(word, [target.n])) return false;
    transfer(draft, word, target, [base], at(base, kind === 1 ? 0 : offset));
    if (kind % 2 === 1) compute(draft, base, [base]);
    return true;
  }
  if (kind === 2) return decodeIndexed(draft, word, target, base);
  return kind === 0 && !target.isVector && decodeAtomic(draft, word, base);
}

/** Returns what is transferred; undefined for an encoding without a meaning. */
function targetOf(word: number): Target | 'prefetch' | undefined {
  const size = bits(word, 30, 2);
  const operation = bits(word, 22, 2);
  const n = rtOf(word);
  if (bit(word, 26)) {
    if (operation >= 2 && size !== 0) return undefined;
    return { n, isVector: true, bytes: operation >= 2 ? 16 : 2 ** size, width: 16, signed: false };
  }
  const isAtomic = !bit(word, 24) && bit(word, 21) && bits(word, 10, 2) === 0;
  if (operation >= 2 && !isAtomic) {
    if (size === 3) return operation === 2 ? 'prefetch' : undefined;
    if (size === 2 && operation === 3) return undefined;
  }
  const width = operation === 2 || (operation < 2 && size === 3) ? 8 : 4;
  return { n, isVector: false, bytes: 2 ** size, width, signed: operation >= 2 };
}

function transfer(
  draft: Draft,
  word: number,
  target: Target,
  address: readonly RegisterSpan[],
  formula: AddressFormula,
): boolean {
  const loads = target.isVector ? bit(word, 22) : bits(word, 22, 2) !== 0;
  const place = access(draft, loads ? 'read' : 'write', target.bytes, address, formula);
  if (loads) loadTo(draft, target, place);
  else storeFrom(draft, target, place);
  return true;
}

function decodeIndexed(draft: Draft, word: number, target: Target, base: RegisterSpan): boolean {
  const option = bits(word, 13, 3);
  if ((option & 2) === 0) return false;
  const [index] = source(bits(word, 16, 5), option % 4 === 3 ? 8 : 4);
  const scale = bit(word, 12) ? target.bytes : 1;
  if (index === undefined) return transfer(draft, word, target, [base], at(base, 0));
  const signedIndex = option >= 4;
  return transfer(draft, word, target, [base, index], { base, index, scale, signedIndex, displacement: 0, bits: 64 });
}

/** LDADD and its kin, SWP, LDAPR. */
function decodeAtomic(draft: Draft, word: number, base: RegisterSpan): boolean {
  const bytes = 2 ** bits(word, 30, 2);
  const rs = bits(word, 16, 5);
  const width = bytes === 8 ? 8 : 4;
  const operation = bits(word, 12, 4);
  if (operation === 12) {
    const read = access(draft, 'read', bytes, [base], at(base, 0));
    extendResult(draft, rtOf(word), width, read, bytes, false);
    return rs === ZERO && bits(word, 22, 2) === 2;
  }
  if (operation > 8) return false;
  const place = access(draft, 'both', bytes, [base], at(base, 0));
  const operand = source(rs, bytes).map(register);
  if (operation < 8) computeFrom(draft, place, [place, ...operand]);
  else if (operand[0] === undefined) computeFrom(draft, place, []);
  else copy(draft, place, operand[0]);
  extendResult(draft, rtOf(word), width, place, bytes, false);
  return true;
}

function decodeExclusive(draft: Draft, word: number): boolean {
  const size = bits(word, 30, 2);
  const bytes = 2 ** size;
  const base = baseOf(word);
  const loads = bit(word, 22);
  const rs = bits(word, 16, 5);
  const rt = rtOf(word);
  const width = size === 3 ? 8 : 4;
  const isOrdered = bit(word, 23);
  const isPair = bit(word, 21);
  if (isOrdered && isPair) return bits(word, 10, 5) === 31 && decodeCompareAndSwap(draft, word, base);
  if (isPair && size < 2) return false;
  const numbers = isPair ? [rt, bits(word, 10, 5)] : [rt];
  const place = access(draft, loads ? 'read' : 'write', bytes * numbers.length, [base], at(base, 0));
  if (loads && isPair && numbers[0] === numbers[1]) return false;
  numbers.forEach((n, k) => {
    const part = partOf(place, bytes * k, bytes);
    const target = { n, isVector: false, bytes, width, signed: false };
    if (loads) loadTo(draft, target, part);
    else storeFrom(draft, target, part);
  });
  if (loads || isOrdered) return true;
  // The monitor of the processor decides whether the store happens.
  draft.definitions = draft.definitions.map((each) => conditionally(each, []));
  if (rs !== ZERO) receive(draft, span(8 * rs, 8));
  return true;
}

/** CAS: memory keeps its value unless it equals the register, which receives the old value. */
function decodeCompareAndSwap(draft: Draft, word: number, base: RegisterSpan): boolean {
  const bytes = 2 ** bits(word, 30, 2);
  const rs = bits(word, 16, 5);
  const expected = source(rs, bytes).map(register);
  const stored = source(rtOf(word), bytes).map(register);
  const place = access(draft, 'both', bytes, [base], at(base, 0));
  draft.definitions.push({
    to: place,
    from: [...stored, place, ...expected],
    how: stored.length === 0 ? 'constant' : 'copy',
    conditional: true,
  });
  extendResult(draft, rs, bytes === 8 ? 8 : 4, place, bytes, false);
  return true;
}

/** Registers of LD1 and ST1 with whole registers, by the opcode. */
const WHOLE: Readonly<Record<number, number>> = { 7: 1, 10: 2, 6: 3, 2: 4 };
/** Registers of LD2 to LD4, whose elements take turns in memory. */
const INTERLEAVED: Readonly<Record<number, number>> = { 8: 2, 4: 3, 0: 4 };

function decodeStructures(draft: Draft, word: number): boolean {
  const operation = bits(word, 12, 4);
  const loads = bit(word, 22);
  const count = WHOLE[operation] ?? INTERLEAVED[operation];
  const rm = bits(word, 16, 5);
  const writesBack = bit(word, 23);
  if (count === undefined || bit(word, 21) || (!writesBack && rm !== 0)) return false;
  const bytes = bit(word, 30) ? 16 : 8;
  const base = baseOf(word);
  const place = access(draft, loads ? 'read' : 'write', bytes * count, [base], at(base, 0));
  const numbers = Array.from({ length: count }, (_, k) => (rtOf(word) + k) % 32);
  if (WHOLE[operation] !== undefined)
    numbers.forEach((n, k) => {
      const target = { n, isVector: true, bytes, width: 16, signed: false };
      if (loads) loadTo(draft, target, partOf(place, bytes * k, bytes));
      else storeFrom(draft, target, partOf(place, bytes * k, bytes));
    });
  else if (loads) for (const n of numbers) vectorResult(draft, n, bytes, [place]);
  else
    computeFrom(
      draft,
      place,
      numbers.map((n) => register(vectorPart(n, bytes))),
    );
  if (writesBack) compute(draft, base, [base, ...source(rm, 8)]);
  return true;
}
