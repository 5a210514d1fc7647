/**
 * Scalar floating point of AArch32, which A32 and T32 encode alike below the condition. Arithmetic may set flags of FPSCR; they stay set.
 *
 * Source: Arm Architecture Reference Manual for Armv7-A and Armv7-R (DDI 0406C), A7.5 and A7.8.
 */
import { bit, bits } from '../bits.ts';
import { compute, copy, register, registers, type Draft } from '../draft.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { FPSCR, FPSCR_NZCV, NZCV, PC, double, general, single } from './arm-registers.ts';

const DOUBLE = 11;
/** The part of FPSCR with the flags of exceptions. */
const EXCEPTIONS = span(FPSCR_NZCV.low + FPSCR_NZCV.bytes, FPSCR.bytes - FPSCR_NZCV.bytes);

/** Returns false for other coprocessors and for instructions that it does not model. */
export function processFloat(draft: Draft, word: number): boolean {
  const coprocessor = bits(word, 8, 4);
  if (coprocessor !== 10 && coprocessor !== DOUBLE) return false;
  return bit(word, 4) ? moveFloat(draft, word) : calculate(draft, word);
}

/** A register of single or double precision, whose number has its extra bit elsewhere. */
function floatRegister(word: number, low: number, extra: number, isDouble: boolean): RegisterSpan {
  const number = bits(word, low, 4);
  const more = bits(word, extra, 1);
  return isDouble ? double(number + 16 * more) : single(2 * number + more);
}

/** Moves between a general register and a single, and of FPSCR. */
function moveFloat(draft: Draft, word: number): boolean {
  const rt = bits(word, 12, 4);
  const reads = bit(word, 20);
  if (bits(word, 8, 4) === DOUBLE || bits(word, 5, 2) !== 0 || bits(word, 0, 4) !== 0) return false;
  if (bits(word, 21, 3) === 0 && rt !== PC) {
    const [inside, outside] = [register(floatRegister(word, 16, 7, false)), register(general(rt))];
    copy(draft, reads ? outside : inside, reads ? inside : outside);
    return true;
  }
  if (bits(word, 21, 3) !== 7 || bits(word, 16, 4) !== 1 || bit(word, 7)) return false;
  if (!reads) compute(draft, FPSCR, [general(rt)]);
  else if (rt === PC) copy(draft, register(NZCV), register(FPSCR_NZCV));
  else compute(draft, general(rt), [FPSCR]);
  return reads || rt !== PC;
}

function noteException(draft: Draft, from: readonly RegisterSpan[]): void {
  const exceptions = register(EXCEPTIONS);
  draft.definitions.push({
    to: exceptions,
    from: [...registers(from), exceptions],
    how: 'computed',
    conditional: true,
  });
}

function calculate(draft: Draft, word: number): boolean {
  const isDouble = bits(word, 8, 4) === DOUBLE;
  const to = floatRegister(word, 12, 22, isDouble);
  const first = floatRegister(word, 16, 7, isDouble);
  const second = floatRegister(word, 0, 5, isDouble);
  const operation = 4 * bits(word, 23, 1) + bits(word, 20, 2);
  if (operation === 7) return calculateOne(draft, word, to, second, isDouble);
  if (operation === 4 && bit(word, 6)) return false;
  const accumulates = operation < 2 || operation > 4;
  const from = accumulates ? [to, first, second] : [first, second];
  compute(draft, to, from);
  noteException(draft, from);
  return true;
}

/** Instructions of one operand: moves, comparisons and conversions. */
function calculateOne(draft: Draft, word: number, to: RegisterSpan, from: RegisterSpan, isDouble: boolean): boolean {
  const kind = bits(word, 16, 4);
  const isUpper = bit(word, 7);
  if (!bit(word, 6)) {
    compute(draft, to, []);
    return !isUpper && !bit(word, 5);
  }
  switch (kind) {
    case 0:
      if (isUpper) compute(draft, to, [from]);
      else copy(draft, register(to), register(from));
      return true;
    case 1:
      compute(draft, to, [from]);
      if (isUpper) noteException(draft, [from]);
      return true;
    case 4:
    case 5: {
      const sources = kind === 4 ? [to, from] : [to];
      compute(draft, FPSCR_NZCV, sources);
      noteException(draft, sources);
      return true;
    }
    case 7:
      convert(draft, floatRegister(word, 12, 22, !isDouble), from);
      return isUpper;
    case 8:
      convert(draft, to, floatRegister(word, 0, 5, false));
      return true;
    case 12:
    case 13:
      convert(draft, floatRegister(word, 12, 22, false), from);
      return true;
    default:
      return false;
  }
}

function convert(draft: Draft, to: RegisterSpan, from: RegisterSpan): void {
  compute(draft, to, [from]);
  noteException(draft, [from]);
}
