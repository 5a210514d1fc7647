/**
 * Effects of RISC-V instructions: RV32 and RV64 with the extensions M, A, F, D, C, Zicsr and the bit manipulation of two registers.
 *
 * Source: RISC-V Unprivileged ISA 20240411, chapter 34 (instruction listings).
 */
import { bit, bits } from '../bits.ts';
import {
  access,
  compute,
  computeFrom,
  conditionally,
  copy,
  createDraft,
  extend,
  receive,
  register,
  registers,
  setConstant,
  type Draft,
} from '../draft.ts';
import type { AddressFormula, Place } from '../effects.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { FFLAGS, float, statusRegister } from './riscv-registers.ts';

const RETURN_ADDRESS = 1;
const ALTERNATE_LINK = 5;

/** Returns the effects of a 32-bit instruction of a machine with `width` bytes in a register; undefined if it is not modelled. */
export function decodeRiscv(word: number, width: 4 | 8): Draft | undefined {
  const draft = createDraft();
  return decode({ draft, word, width }) ? draft : undefined;
}

interface Context {
  readonly draft: Draft;
  readonly word: number;
  readonly width: 4 | 8;
}

function rdOf({ word }: Context): number {
  return bits(word, 7, 5);
}

/** Returns the low bytes of a register as a list of sources; x0 is none. */
function source(n: number, bytes: number): readonly RegisterSpan[] {
  return n === 0 ? [] : [span(8 * n, bytes)];
}

function rs1Of({ word, width }: Context): readonly RegisterSpan[] {
  return source(bits(word, 15, 5), width);
}

function rs2Of({ word, width }: Context): readonly RegisterSpan[] {
  return source(bits(word, 20, 5), width);
}

function functionOf({ word }: Context): number {
  return bits(word, 12, 3);
}

function immediateOf({ word }: Context): number {
  return (word | 0) >> 20;
}

function storeOffsetOf({ word }: Context): number {
  return ((word | 0) >> 25) * 32 + bits(word, 7, 5);
}

/** Defines the destination by registers; results for x0 are dropped. */
function result(context: Context, from: readonly RegisterSpan[]): void {
  const rd = rdOf(context);
  if (rd !== 0) compute(context.draft, span(8 * rd, context.width), from);
}

/** Defines the destination by a value that may be narrower. */
function extendResult(context: Context, from: Place, bytes: number, signed: boolean): void {
  const rd = rdOf(context);
  if (rd !== 0) extend(context.draft, span(8 * rd, context.width), from, bytes, signed);
}

/** Each decoder returns true if it models the instruction. */
function decode(context: Context): boolean {
  const { draft, word, width } = context;
  switch (bits(word, 0, 7)) {
    case 0x03:
      return decodeLoad(context);
    case 0x07:
      return decodeFloatLoad(context);
    case 0x0f:
      return functionOf(context) < 2;
    case 0x13:
      return decodeImmediate(context);
    case 0x1b:
      return width === 8 && decodeWordImmediate(context);
    case 0x17:
    case 0x37:
      result(context, []);
      return true;
    case 0x23:
      return decodeStore(context);
    case 0x27:
      return decodeFloatStore(context);
    case 0x2f:
      return decodeAtomic(context);
    case 0x33:
      return decodeRegisters(context);
    case 0x3b:
      return width === 8 && decodeWordRegisters(context);
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f:
      return floatResult(context, [bits(word, 15, 5), bits(word, 20, 5), bits(word, 27, 5)]);
    case 0x53:
      return decodeFloat(context);
    case 0x63:
      draft.flow = 'conditional';
      draft.decides = registers([...rs1Of(context), ...rs2Of(context)]);
      return functionOf(context) !== 2 && functionOf(context) !== 3;
    case 0x67:
      return decodeJumpRegister(context);
    case 0x6f:
      result(context, []);
      draft.flow = rdOf(context) === 0 ? 'branch' : 'call';
      return true;
    case 0x73:
      return decodeSystem(context);
    default:
      return false;
  }
}

function isLink(n: number): boolean {
  return n === RETURN_ADDRESS || n === ALTERNATE_LINK;
}

function decodeJumpRegister(context: Context): boolean {
  const { draft, word } = context;
  const rd = rdOf(context);
  draft.decides = registers(rs1Of(context));
  result(context, []);
  draft.flow = rd !== 0 ? 'call' : isLink(bits(word, 15, 5)) ? 'return' : 'branch';
  return functionOf(context) === 0;
}

function formula(context: Context, displacement: number): AddressFormula {
  const [base] = rs1Of(context);
  return { ...(base === undefined ? {} : { base }), scale: 1, displacement, bits: context.width === 4 ? 32 : 64 };
}

function decodeLoad(context: Context): boolean {
  const { draft, width } = context;
  const kind = functionOf(context);
  const bytes = 2 ** (kind & 3);
  if (kind === 7 || bytes > width || (kind === 6 && width === 4)) return false;
  const place = access(draft, 'read', bytes, rs1Of(context), formula(context, immediateOf(context)));
  extendResult(context, place, bytes, kind < 4);
  return true;
}

function decodeStore(context: Context): boolean {
  const { draft, word, width } = context;
  const bytes = 2 ** functionOf(context);
  if (bytes > width) return false;
  const place = access(draft, 'write', bytes, rs1Of(context), formula(context, storeOffsetOf(context)));
  const [from] = source(bits(word, 20, 5), bytes);
  if (from === undefined) computeFrom(draft, place, []);
  else copy(draft, place, register(from));
  return true;
}

function decodeFloatLoad(context: Context): boolean {
  const { draft } = context;
  const kind = functionOf(context);
  if (kind !== 2 && kind !== 3) return false;
  const bytes = 2 ** kind;
  const place = access(draft, 'read', bytes, rs1Of(context), formula(context, immediateOf(context)));
  // A single in a register for doubles has ones above it.
  extend(draft, float(rdOf(context)), place, bytes, false);
  return true;
}

function decodeFloatStore(context: Context): boolean {
  const { draft, word } = context;
  const kind = functionOf(context);
  if (kind !== 2 && kind !== 3) return false;
  const bytes = 2 ** kind;
  const place = access(draft, 'write', bytes, rs1Of(context), formula(context, storeOffsetOf(context)));
  copy(draft, place, register(span(float(bits(word, 20, 5)).low, bytes)));
  return true;
}

function decodeImmediate(context: Context): boolean {
  const { draft, width } = context;
  const kind = functionOf(context);
  const [from] = rs1Of(context);
  const immediate = immediateOf(context);
  const rd = rdOf(context);
  if (kind === 1 || kind === 5) return decodeShift(context);
  if (from !== undefined && rd !== 0 && kind === 0 && immediate === 0)
    copy(draft, register(span(8 * rd, width)), register(from));
  else if (from !== undefined && kind === 7 && immediate === 255)
    extendResult(context, register(span(from.low, 1)), 1, false);
  else result(context, (kind === 7 && immediate === 0) || from === undefined ? [] : [from]);
  return true;
}

/** Shifts by whole bytes are copies. Other functions of one register share the encoding: counts, SEXT, REV8, single bits. */
function decodeShift(context: Context): boolean {
  const { draft, word, width } = context;
  const rd = rdOf(context);
  const [from] = rs1Of(context);
  const top = bits(word, 26, 6);
  const amount = bits(word, 20, 6);
  if (width === 4 && bit(word, 25) && top === 0) return false;
  if (from === undefined || rd === 0 || top !== 0 || amount % 8 !== 0) {
    result(context, from === undefined ? [] : [from]);
    return true;
  }
  const shift = amount / 8;
  const to = span(8 * rd, width);
  if (functionOf(context) === 5)
    extend(draft, to, register(span(from.low + shift, width - shift)), width - shift, false);
  else {
    copy(draft, register(span(to.low + shift, width - shift)), register(span(from.low, width - shift)));
    if (shift > 0) setConstant(draft, span(to.low, shift));
  }
  return true;
}

/** Instructions on words of 32 bits, whose result has the sign of the word above it. */
function decodeWordImmediate(context: Context): boolean {
  const { word } = context;
  const kind = functionOf(context);
  const [from] = source(bits(word, 15, 5), 4);
  if (kind === 0 && immediateOf(context) === 0 && from !== undefined) extendResult(context, register(from), 4, true);
  else result(context, from === undefined ? [] : [from]);
  return kind === 0 || kind === 1 || kind === 5;
}

function decodeRegisters(context: Context): boolean {
  const { draft, word, width } = context;
  const kind = functionOf(context);
  const top = bits(word, 25, 7);
  const rd = rdOf(context);
  const [first] = rs1Of(context);
  const [second] = rs2Of(context);
  const isBase = top === 0;
  const isSubtraction = top === 0x20 && kind === 0;
  if (rd !== 0 && isBase && kind === 0 && (first === undefined) !== (second === undefined)) {
    copy(draft, register(span(8 * rd, width)), register((first ?? second)!));
    return true;
  }
  // XOR and SUB of a register with itself give zero, and AND with x0.
  const cancels = first !== undefined && first.low === second?.low && (isSubtraction || (isBase && kind === 4));
  const isMasked = isBase && kind === 7 && (first === undefined || second === undefined);
  const amount = (isBase || top === 0x20) && (kind === 1 || kind === 5);
  const last = second === undefined ? [] : amount ? [span(second.low, 1)] : first?.low === second.low ? [] : [second];
  result(context, cancels || isMasked ? [] : [...rs1Of(context), ...last]);
  return true;
}

function decodeWordRegisters(context: Context): boolean {
  const { word } = context;
  const kind = functionOf(context);
  const [n, m] = [bits(word, 15, 5), bits(word, 20, 5)];
  const isShift = bits(word, 25, 7) !== 1 && (kind === 1 || kind === 5);
  // ADD.UW and its kin add all of the second register.
  const adds = bits(word, 25, 7) === 0x10 || bits(word, 25, 7) === 4;
  const second = isShift ? source(m, 1) : adds ? source(m, 8) : source(m, 4);
  const cancels = n === m && kind === 0 && bits(word, 25, 7) === 0x20;
  result(context, cancels ? [] : [...source(n, 4), ...(n === m && !isShift && !adds ? [] : second)]);
  return true;
}

function decodeAtomic(context: Context): boolean {
  const { draft, word, width } = context;
  const kind = functionOf(context);
  if (kind !== 2 && (kind !== 3 || width === 4)) return false;
  const bytes = 2 ** kind;
  const operation = bits(word, 27, 5);
  const base = rs1Of(context);
  const at = formula(context, 0);
  const operand = source(bits(word, 20, 5), bytes).map(register);
  if (operation === 2) {
    extendResult(context, access(draft, 'read', bytes, base, at), bytes, true);
    return bits(word, 20, 5) === 0;
  }
  const place = access(draft, operation === 3 ? 'write' : 'both', bytes, base, at);
  if (operation !== 1 && operation !== 3) computeFrom(draft, place, [place, ...operand]);
  else if (operand[0] === undefined) computeFrom(draft, place, []);
  else copy(draft, place, operand[0]);
  if (operation === 3) {
    // The reservation decides whether the store happens.
    draft.definitions = draft.definitions.map((each) => conditionally(each, []));
    if (rdOf(context) !== 0) receive(draft, span(8 * rdOf(context), width));
  } else extendResult(context, place, bytes, true);
  return operation < 4 || operation % 4 === 0;
}

function noteException(draft: Draft, from: readonly Place[]): void {
  draft.definitions.push({
    to: register(FFLAGS),
    from: [...from, register(FFLAGS)],
    how: 'computed',
    conditional: true,
  });
}

/** Bytes of a value in the format of an instruction: single or double. */
function formatBytes({ word }: Context): 4 | 8 | undefined {
  return ([4, 8] as const)[bits(word, 25, 2)];
}

function defineFloat(context: Context, bytes: number, from: readonly Place[]): void {
  const { low } = float(rdOf(context));
  computeFrom(context.draft, register(span(low, bytes)), from);
  if (bytes === 4) setConstant(context.draft, span(low + 4, 4));
}

/** Floating-point arithmetic. A single in a register for doubles is valid only with ones above it, so that all of it is a source. */
function floatResult(context: Context, numbers: readonly number[]): boolean {
  const bytes = formatBytes(context);
  if (bytes === undefined) return false;
  const from = numbers.map((n) => register(float(n)));
  defineFloat(context, bytes, from);
  noteException(context.draft, from);
  return true;
}

function decodeFloat(context: Context): boolean {
  const { draft, word, width } = context;
  const bytes = formatBytes(context);
  const kind = functionOf(context);
  const [n, m] = [bits(word, 15, 5), bits(word, 20, 5)];
  if (bytes === undefined) return false;
  const from = register(float(n));
  switch (bits(word, 27, 5)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 5:
      return floatResult(context, [n, m]);
    case 4:
      if (n === m && kind === 0 && bytes === 8) copy(draft, register(float(rdOf(context))), from);
      else defineFloat(context, bytes, n === m ? [from] : [from, register(float(m))]);
      return true;
    case 8:
    case 11:
      return floatResult(context, [n]);
    case 20:
      result(context, [float(n), float(m)]);
      noteException(draft, [from, register(float(m))]);
      return true;
    case 24:
      result(context, [float(n)]);
      noteException(draft, [from]);
      return true;
    case 26: {
      const integer = registers(source(n, m < 2 ? 4 : width));
      defineFloat(context, bytes, integer);
      noteException(draft, integer);
      return true;
    }
    case 28:
      if (kind === 0)
        extendResult(context, register(span(float(n).low, Math.min(bytes, width))), Math.min(bytes, width), true);
      else result(context, [float(n)]);
      return true;
    case 30: {
      const [integer] = source(n, bytes);
      if (integer === undefined) defineFloat(context, bytes, []);
      else extend(draft, float(rdOf(context)), register(integer), bytes, false);
      return bytes <= width;
    }
    default:
      return false;
  }
}

const MRET = 0x302;
const SRET = 0x102;
const WAIT = 0x105;

function decodeSystem(context: Context): boolean {
  const { draft, word, width } = context;
  const kind = functionOf(context);
  const number = bits(word, 20, 12);
  if (kind === 0) {
    if (number < 2) draft.flow = 'trap';
    else if (number === MRET || number === SRET) {
      const [status, counter] = number === MRET ? [0x300, 0x341] : [0x100, 0x141];
      draft.flow = 'return';
      draft.decides = [register(statusRegister(counter, width)!)];
      const at = statusRegister(status, width)!;
      compute(draft, at, [at]);
    } else return number === WAIT || bits(word, 25, 7) === 9;
    return true;
  }
  if (kind === 4) return false;
  const at = statusRegister(number, width);
  const operand = kind >= 4 ? [] : rs1Of(context);
  const isChange = kind % 4 !== 1;
  const rd = rdOf(context);
  // A zero operand of CSRRS and CSRRC writes nothing.
  const writes = !isChange || bits(word, 15, 5) !== 0;
  if (at === undefined) {
    if (rd !== 0) receive(draft, span(8 * rd, width));
    return true;
  }
  if (writes) computeFrom(draft, register(at), registers([...(isChange ? [at] : []), ...operand]));
  if (rd !== 0) compute(draft, span(8 * rd, width), [at]);
  return true;
}
