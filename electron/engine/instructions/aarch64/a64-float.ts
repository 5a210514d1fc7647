/**
 * Scalar floating point of the A64 set. Arithmetic may set flags of FPSR; they stay set.
 *
 * Source: Arm Architecture Reference Manual for A-profile (DDI 0487), C4.1.96 (encodings) and C7.2 (instructions).
 */
import { bit, bits } from '../bits.ts';
import { compute, copy, register, registers, type Draft } from '../draft.ts';
import type { Place } from '../effects.ts';
import { span } from '../register-file.ts';
import { FPSR, NZCV, ZERO, flagsOf, vector, vectorPart } from './a64-registers.ts';
import { copyVector, extendResult, result, source, vectorResult } from './general.ts';

/** Each decoder returns true if it models the word. Vectors are not modelled. */
export function decodeFloat(draft: Draft, word: number): boolean {
  const bytes = [4, 8, 0, 2][bits(word, 22, 2)]!;
  const group = bits(word, 24, 7);
  if (group === 0x1f && bytes !== 0 && !bit(word, 31)) {
    arithmetic(draft, word, bytes, [rnOf(word), rmOf(word), bits(word, 10, 5)]);
    return true;
  }
  if (group === 0x5e || group === 0x7e) return decodeVectorConversion(draft, word);
  if (group !== 0x1e) return false;
  if (!bit(word, 21)) return decodeFixedPoint(draft, word, bytes);
  if (bits(word, 10, 6) === 0) return decodeConversion(draft, word, bytes);
  if (bit(word, 31) || bytes === 0) return false;
  const flags = flagsOf(bits(word, 12, 4));
  switch (bits(word, 10, 2)) {
    case 0:
      return decodeOneSource(draft, word, bytes);
    case 1: {
      const from = [vectorPart(rnOf(word), bytes), vectorPart(rmOf(word), bytes)];
      compute(draft, NZCV, [...from, ...flags]);
      noteException(draft, registers(from));
      return true;
    }
    case 2:
      arithmetic(draft, word, bytes, [rnOf(word), rmOf(word)]);
      return bits(word, 12, 4) <= 8;
    default:
      vectorResult(draft, rdOf(word), bytes, [
        ...registers([vectorPart(rnOf(word), bytes), vectorPart(rmOf(word), bytes)]),
        ...registers(flags),
      ]);
      return true;
  }
}

function rdOf(word: number): number {
  return bits(word, 0, 5);
}

function rnOf(word: number): number {
  return bits(word, 5, 5);
}

function rmOf(word: number): number {
  return bits(word, 16, 5);
}

function noteException(draft: Draft, from: readonly Place[]): void {
  draft.definitions.push({ to: register(FPSR), from: [...from, register(FPSR)], how: 'computed', conditional: true });
}

function arithmetic(draft: Draft, word: number, bytes: number, numbers: readonly number[]): void {
  const from = registers(numbers.map((n) => vectorPart(n, bytes)));
  vectorResult(draft, rdOf(word), bytes, from);
  noteException(draft, from);
}

/** Between general registers and floating point: FMOV copies, the others convert. */
function decodeConversion(draft: Draft, word: number, bytes: number): boolean {
  const width = bit(word, 31) ? 8 : 4;
  const operation = bits(word, 16, 3);
  const mode = bits(word, 19, 2);
  const [rd, rn] = [rdOf(word), rnOf(word)];
  if (operation >= 6) return decodeMove(draft, word, bytes, width);
  if (bytes === 0) return false;
  if (operation === 2 || operation === 3) {
    vectorResult(draft, rd, bytes, registers(source(rn, width)));
    if (rn !== ZERO) noteException(draft, registers(source(rn, width)));
    return mode === 0;
  }
  result(draft, rd, width, [vectorPart(rn, bytes)]);
  noteException(draft, [register(vectorPart(rn, bytes))]);
  return operation < 2 || mode === 0;
}

/** Between general registers with a fixed point and floating point. */
function decodeFixedPoint(draft: Draft, word: number, bytes: number): boolean {
  const width = bit(word, 31) ? 8 : 4;
  if (bytes === 0 || (width === 4 && !bit(word, 15))) return false;
  const [rd, rn] = [rdOf(word), rnOf(word)];
  const operation = bits(word, 16, 5);
  if (operation === 2 || operation === 3) {
    vectorResult(draft, rd, bytes, registers(source(rn, width)));
    if (rn !== ZERO) noteException(draft, registers(source(rn, width)));
    return true;
  }
  result(draft, rd, width, [vectorPart(rn, bytes)]);
  noteException(draft, [register(vectorPart(rn, bytes))]);
  return operation === 24 || operation === 25;
}

/** Between whole numbers and floating point, both in the low part of a vector register. */
function decodeVectorConversion(draft: Draft, word: number): boolean {
  const bytes = bit(word, 22) ? 8 : 4;
  const operation = bits(word, 12, 5);
  const from = [register(vectorPart(rnOf(word), bytes))];
  vectorResult(draft, rdOf(word), bytes, from);
  noteException(draft, from);
  if (bits(word, 17, 5) !== 16 || bits(word, 10, 2) !== 2) return false;
  return operation === 26 || operation === 27 || (!bit(word, 23) && (operation === 28 || operation === 29));
}

function decodeMove(draft: Draft, word: number, bytes: number, width: number): boolean {
  const toVector = bit(word, 16);
  const [rd, rn] = [rdOf(word), rnOf(word)];
  const mode = bits(word, 19, 2);
  if (bytes === 0) {
    // The upper half of a vector register; the lower half stays as it is.
    if (mode !== 1 || width !== 8) return false;
    const upper = span(vector(toVector ? rd : rn).low + 8, 8);
    if (!toVector) extendResult(draft, rd, 8, register(upper), 8, false);
    else if (rn === ZERO) compute(draft, upper, []);
    else copy(draft, register(upper), register(span(8 * rn, 8)));
    return true;
  }
  if (mode !== 0 || (bytes !== 2 && bytes !== width)) return false;
  if (!toVector) extendResult(draft, rd, width, register(vectorPart(rn, bytes)), bytes, false);
  else if (rn === ZERO) vectorResult(draft, rd, bytes, []);
  else copyVector(draft, rd, register(span(8 * rn, bytes)), bytes);
  return true;
}

function decodeOneSource(draft: Draft, word: number, bytes: number): boolean {
  const [rd, rn] = [rdOf(word), rnOf(word)];
  const from = register(vectorPart(rn, bytes));
  if (bits(word, 10, 3) === 4) {
    // FMOV of an immediate.
    vectorResult(draft, rd, bytes, []);
    return rn === 0;
  }
  if (bits(word, 10, 4) === 8) {
    const second = bit(word, 3) ? [] : [register(vectorPart(rmOf(word), bytes))];
    draft.definitions.push({ to: register(NZCV), from: [from, ...second], how: 'computed', conditional: false });
    noteException(draft, [from, ...second]);
    return bits(word, 14, 2) === 0 && bits(word, 0, 3) === 0 && (!bit(word, 3) || rmOf(word) === 0);
  }
  if (bits(word, 10, 5) !== 16) return false;
  const operation = bits(word, 15, 6);
  if (operation === 0) {
    copyVector(draft, rd, from, bytes);
    return true;
  }
  const isConversion = operation >= 4 && operation < 8;
  const width = isConversion ? [4, 8, 0, 2][operation - 4]! : bytes;
  if (width === 0 || operation > 15 || operation === 13 || (isConversion && width === bytes)) return false;
  vectorResult(draft, rd, width, [from]);
  if (operation > 2) noteException(draft, [from]);
  return true;
}
