/**
 * Effects of MIPS instructions, releases 1 to 5, without floating-point arithmetic. The instruction in the delay slot of a branch is
 * one of its own.
 *
 * Source: MIPS Architecture for Programmers volume II-A, releases 5 of MIPS32 (MD00086) and MIPS64 (MD00087), chapter 3 and appendix A.
 */
import { bits } from '../bits.ts';
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
import type { AddressFormula, MemoryPlace, Place } from '../effects.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { FLOAT_CONTROL, LINK, float, high, low, systemRegister } from './mips-registers.ts';

/** Operation of floating point. */
const FLOAT = 17;

/** Returns the effects of a word of a machine with `width` bytes in a register; undefined if it is not modelled. */
export function decodeMips(word: number, width: 4 | 8): Draft | undefined {
  const draft = createDraft();
  return decode({ draft, word, width }) ? draft : undefined;
}

/**
 * Adds the conditions of floating point to an instruction that is not modelled: comparisons set them, and conditional moves read them. The
 * names in its text are `read`.
 */
export function complementMips(draft: Draft, read: readonly Place[], word: number): void {
  const conditions = register(FLOAT_CONTROL);
  if (word >>> 26 === FLOAT)
    draft.definitions.push({ to: conditions, from: [...read, conditions], how: 'computed', conditional: true });
  for (const each of draft.definitions) if (each.to !== conditions) each.from = [...each.from, conditions];
}

interface Context {
  readonly draft: Draft;
  readonly word: number;
  readonly width: 4 | 8;
}

/** Returns the low bytes of a register as a list of sources; register 0 is none. */
function source(n: number, bytes: number): readonly RegisterSpan[] {
  return n === 0 ? [] : [span(8 * n, bytes)];
}

function rsOf({ word }: Context): number {
  return bits(word, 21, 5);
}

function rtOf({ word }: Context): number {
  return bits(word, 16, 5);
}

function rdOf({ word }: Context): number {
  return bits(word, 11, 5);
}

function offsetOf({ word }: Context): number {
  return (word << 16) >> 16;
}

/** Defines a register by others; results for register 0 are dropped. */
function result({ draft, width }: Context, n: number, from: readonly RegisterSpan[]): void {
  if (n !== 0) compute(draft, span(8 * n, width), from);
}

function extendResult({ draft, width }: Context, n: number, from: Place, bytes: number, signed: boolean): void {
  if (n !== 0) extend(draft, span(8 * n, width), from, bytes, signed);
}

/** Copies a register, of which a 32-bit instruction takes the low half. */
function move(context: Context, n: number, from: number, bytes: number): void {
  const [at] = source(from, bytes);
  if (at === undefined) result(context, n, []);
  else extendResult(context, n, register(at), bytes, true);
}

function two(context: Context, bytes: number): readonly RegisterSpan[] {
  const [rs, rt] = [rsOf(context), rtOf(context)];
  return rs === rt ? source(rs, bytes) : [...source(rs, bytes), ...source(rt, bytes)];
}

/** Each decoder returns true if it models the word. */
function decode(context: Context): boolean {
  const { draft, word, width } = context;
  const operation = word >>> 26;
  const [rs, rt] = [rsOf(context), rtOf(context)];
  if (operation >= 32 || operation === 26 || operation === 27) return decodeTransfer(context, operation);
  switch (operation) {
    case 0:
      return decodeSpecial(context);
    case 1:
      return decodeRegisterImmediate(context);
    case 2:
      draft.flow = 'branch';
      return true;
    case 3:
      link(context, LINK);
      return true;
    case 4:
    case 20:
    case 5:
    case 21:
    case 6:
    case 22:
    case 7:
    case 23:
      branch(context, operation % 8 < 6 && operation % 4 < 2 ? two(context, width) : source(rs, width));
      return true;
    case 8:
    case 9:
      if (offsetOf(context) === 0) move(context, rt, rs, 4);
      else result(context, rt, source(rs, 4));
      return true;
    case 24:
    case 25:
      if (offsetOf(context) === 0) move(context, rt, rs, 8);
      else result(context, rt, source(rs, 8));
      return width === 8;
    case 12:
      maskResult(context);
      return true;
    case 10:
    case 11:
    case 13:
    case 14:
      if (operation >= 13 && bits(word, 0, 16) === 0) move(context, rt, rs, width);
      else result(context, rt, source(rs, width));
      return true;
    case 15:
      result(context, rt, []);
      return rs === 0;
    case 16:
      return decodeSystem(context);
    case FLOAT:
      return rs === 8 ? branchOnFloat(context) : decodeFloatMove(context);
    case 28:
      return decodeSpecial2(context);
    case 31:
      return decodeSpecial3(context);
    default:
      return false;
  }
}

/** ANDI: a mask of the lowest byte is a copy of it. */
function maskResult(context: Context): void {
  const [rs, rt] = [rsOf(context), rtOf(context)];
  const mask = bits(context.word, 0, 16);
  const bytes = { 0xff: 1, 0xffff: 2 }[mask];
  const [from] = source(rs, bytes ?? 2);
  if (bytes === undefined || from === undefined) result(context, rt, from === undefined || mask === 0 ? [] : [from]);
  else extendResult(context, rt, register(from), bytes, false);
}

function branch({ draft }: Context, from: readonly RegisterSpan[]): void {
  draft.flow = from.length === 0 ? 'branch' : 'conditional';
  draft.decides = registers(from);
}

function link({ draft, width }: Context, n: number): void {
  if (n !== 0) setConstant(draft, span(8 * n, width));
  draft.flow = 'call';
}

const SHIFTS: ReadonlySet<number> = new Set([0, 2, 3]);
const SHIFTS_BY_REGISTER: ReadonlySet<number> = new Set([4, 6, 7]);
const LONG_SHIFTS: ReadonlySet<number> = new Set([56, 58, 59, 60, 62, 63]);
const LONG_SHIFTS_BY_REGISTER: ReadonlySet<number> = new Set([20, 22, 23]);

function decodeSpecial(context: Context): boolean {
  const { draft, word, width } = context;
  const [rs, rt, rd] = [rsOf(context), rtOf(context), rdOf(context)];
  const kind = bits(word, 0, 6);
  if (SHIFTS.has(kind)) {
    if (bits(word, 6, 5) === 0) move(context, rd, rt, 4);
    else result(context, rd, source(rt, 4));
    return true;
  }
  if (SHIFTS_BY_REGISTER.has(kind)) {
    result(context, rd, [...source(rt, 4), ...source(rs, 1)]);
    return true;
  }
  if (LONG_SHIFTS.has(kind) || LONG_SHIFTS_BY_REGISTER.has(kind)) {
    result(context, rd, [...source(rt, 8), ...(LONG_SHIFTS.has(kind) ? [] : source(rs, 1))]);
    return width === 8;
  }
  switch (kind) {
    case 8:
      draft.flow = rs === LINK ? 'return' : 'branch';
      draft.decides = registers(source(rs, width));
      return true;
    case 9:
      link(context, rd);
      draft.decides = registers(source(rs, width));
      return true;
    case 10:
    case 11:
      return decodeConditionalMove(context);
    case 12:
    case 13:
      draft.flow = 'trap';
      return true;
    case 15:
      return true;
    case 16:
    case 18:
      if (rd !== 0) copy(draft, register(span(8 * rd, width)), register(kind === 16 ? high(width) : low(width)));
      return true;
    case 17:
    case 19: {
      const to = kind === 17 ? high(width) : low(width);
      const [from] = source(rs, width);
      if (from === undefined) setConstant(draft, to);
      else copy(draft, register(to), register(from));
      return true;
    }
    case 24:
    case 25:
    case 26:
    case 27:
      for (const to of [high(width), low(width)]) compute(draft, to, two(context, 4));
      return true;
    case 28:
    case 29:
    case 30:
    case 31:
      for (const to of [high(width), low(width)]) compute(draft, to, two(context, 8));
      return width === 8;
    default:
      return decodeArithmetic(context, kind);
  }
}

/** MOVZ and MOVN. Of register 0, the condition is known. */
function decodeConditionalMove(context: Context): boolean {
  const { draft, word, width } = context;
  const deciding = registers(source(rtOf(context), width));
  const isNever = deciding.length === 0 && bits(word, 0, 1) === 1;
  if (!isNever) move(context, rdOf(context), rsOf(context), width);
  if (deciding.length > 0) draft.definitions = draft.definitions.map((each) => conditionally(each, deciding));
  return true;
}

function decodeArithmetic(context: Context, kind: number): boolean {
  const { draft, width } = context;
  const [rs, rt, rd] = [rsOf(context), rtOf(context), rdOf(context)];
  if (kind >= 48 && kind < 55 && kind !== 53) {
    // Traps on a condition.
    draft.flow = 'conditional';
    draft.decides = registers(two(context, width));
    return true;
  }
  const isLong = kind >= 44 && kind < 48;
  const isWord = kind >= 32 && kind < 36;
  if (isLong && width === 4) return false;
  if (!isLong && (kind < 32 || kind > 43 || kind === 40 || kind === 41)) return false;
  const bytes = isWord ? 4 : width;
  const isSum = kind < 34 || kind === 44 || kind === 45;
  const isDifference = kind === 34 || kind === 35 || kind === 46 || kind === 47;
  const cancels = rs === rt && (isDifference || kind === 38);
  const isMasked = kind === 36 && (rs === 0 || rt === 0);
  if ((isSum || kind === 37) && (rs === 0 || rt === 0)) move(context, rd, rs === 0 ? rt : rs, bytes);
  else if (isDifference && rt === 0) move(context, rd, rs, bytes);
  else result(context, rd, cancels || isMasked ? [] : two(context, bytes));
  return true;
}

function decodeRegisterImmediate(context: Context): boolean {
  const { draft, width } = context;
  const from = source(rsOf(context), width);
  const kind = rtOf(context);
  if (kind < 4 || (kind >= 8 && kind < 15 && kind !== 13)) {
    draft.flow = 'conditional';
    draft.decides = registers(from);
  } else if (kind >= 16 && kind < 20) {
    link(context, LINK);
    draft.decides = registers(from);
  } else return kind === 31;
  return true;
}

function decodeSystem(context: Context): boolean {
  const { draft, word, width } = context;
  const [rt, rd] = [rtOf(context), rdOf(context)];
  const status = systemRegister(12, 0, width)!;
  const kind = rsOf(context);
  if (kind >= 16) {
    if (bits(word, 0, 6) !== 24) return bits(word, 0, 6) === 32 || bits(word, 0, 6) === 2 || bits(word, 0, 6) === 6;
    draft.flow = 'return';
    draft.decides = registers([systemRegister(14, 0, width)!, systemRegister(30, 0, width)!, status]);
    compute(draft, status, [status]);
    return true;
  }
  if (kind === 11 && rd === 12) {
    result(context, rt, [status]);
    compute(draft, status, [status]);
    return true;
  }
  const isLong = kind === 1 || kind === 5;
  if ((kind !== 0 && kind !== 4 && !isLong) || (isLong && width === 4)) return false;
  const at = systemRegister(rd, bits(word, 0, 3), width);
  const bytes = isLong ? 8 : 4;
  if (kind >= 4) {
    if (at !== undefined) compute(draft, at, source(rt, bytes));
  } else if (at !== undefined) result(context, rt, [span(at.low, bytes)]);
  else if (rt !== 0) receive(draft, span(8 * rt, width));
  return true;
}

function branchOnFloat({ draft }: Context): boolean {
  draft.flow = 'conditional';
  draft.decides = [register(FLOAT_CONTROL)];
  return true;
}

/** Moves between general and floating-point registers. Arithmetic depends on how the processor pairs registers, so it is not modelled. */
function decodeFloatMove(context: Context): boolean {
  const { draft, width } = context;
  const [rt, fs] = [rtOf(context), rdOf(context)];
  const kind = rsOf(context);
  const bytes = kind % 4 === 0 ? 4 : 8;
  if (kind !== 0 && kind !== 4 && (width === 4 || (kind !== 1 && kind !== 5))) return false;
  const inside = span(float(fs).low, bytes);
  const [outside] = source(rt, bytes);
  if (kind < 4) extendResult(context, rt, register(inside), bytes, true);
  else if (outside === undefined) setConstant(draft, inside);
  else copy(draft, register(inside), register(outside));
  return true;
}

function decodeSpecial2(context: Context): boolean {
  const { draft, word, width } = context;
  const [rs, rd] = [rsOf(context), rdOf(context)];
  switch (bits(word, 0, 6)) {
    case 0:
    case 1:
    case 4:
    case 5:
      for (const to of [high(width), low(width)]) compute(draft, to, [...two(context, 4), high(4), low(4)]);
      return true;
    case 2:
      result(context, rd, two(context, 4));
      return true;
    case 32:
    case 33:
      result(context, rd, source(rs, 4));
      return true;
    case 36:
    case 37:
      result(context, rd, source(rs, 8));
      return width === 8;
    case 63:
      draft.flow = 'trap';
      return true;
    default:
      return false;
  }
}

function decodeSpecial3(context: Context): boolean {
  const { draft, word, width } = context;
  const [rs, rt, rd] = [rsOf(context), rtOf(context), rdOf(context)];
  const kind = bits(word, 0, 6);
  const lowest = bits(word, 6, 5);
  if (kind < 8) {
    const isLong = kind % 4 !== 0;
    const bytes = isLong ? 8 : 4;
    result(context, rt, kind < 4 ? source(rs, bytes) : [...source(rt, bytes), ...source(rs, bytes)]);
    return !isLong || width === 8;
  }
  if (kind === 59) {
    if (rt !== 0) receive(draft, span(8 * rt, width));
    return true;
  }
  if (kind !== 32 && (kind !== 36 || width === 4)) return false;
  const bytes = kind === 32 ? 4 : 8;
  const extended = kind === 32 ? { 16: 1, 24: 2 }[lowest] : undefined;
  const [from] = source(rt, extended ?? bytes);
  if (extended !== undefined && from !== undefined) extendResult(context, rd, register(from), extended, true);
  else result(context, rd, from === undefined ? [] : [from]);
  return extended !== undefined || lowest === 2 || (kind === 36 && lowest === 5);
}

interface Transfer {
  readonly loads: boolean;
  readonly bytes: number;
  readonly signed: boolean;
}

/** Loads and stores of whole values by their operation. */
const TRANSFERS: Readonly<Record<number, Transfer>> = {
  32: { loads: true, bytes: 1, signed: true },
  33: { loads: true, bytes: 2, signed: true },
  35: { loads: true, bytes: 4, signed: true },
  36: { loads: true, bytes: 1, signed: false },
  37: { loads: true, bytes: 2, signed: false },
  39: { loads: true, bytes: 4, signed: false },
  40: { loads: false, bytes: 1, signed: false },
  41: { loads: false, bytes: 2, signed: false },
  43: { loads: false, bytes: 4, signed: false },
  48: { loads: true, bytes: 4, signed: true },
  52: { loads: true, bytes: 8, signed: true },
  55: { loads: true, bytes: 8, signed: true },
  56: { loads: false, bytes: 4, signed: false },
  60: { loads: false, bytes: 8, signed: false },
  63: { loads: false, bytes: 8, signed: false },
};
/** Loads and stores of the part of a value up to a boundary in memory: LWL, LWR, LDL, LDR and the stores. */
const PARTS: ReadonlySet<number> = new Set([26, 27, 34, 38, 42, 44, 45, 46]);
const LONG: ReadonlySet<number> = new Set([26, 27, 39, 44, 45, 52, 55, 60, 63]);
const CACHE = 47;
const PREFETCH = 51;
const LOAD_FLOAT = 49;
const STORE_FLOAT = 57;

function decodeTransfer(context: Context, operation: number): boolean {
  const { draft, width } = context;
  const base = source(rsOf(context), width);
  const rt = rtOf(context);
  const at: AddressFormula = {
    ...(base[0] === undefined ? {} : { base: base[0] }),
    scale: 1,
    displacement: offsetOf(context),
    bits: width === 4 ? 32 : 64,
  };
  if (operation === CACHE || operation === PREFETCH) return true;
  if (LONG.has(operation) && width === 4) return false;
  if (PARTS.has(operation)) return transferPart(context, operation, base);
  if (operation === LOAD_FLOAT || operation === STORE_FLOAT) {
    const inside = register(span(float(rt).low, 4));
    const place = access(draft, operation === LOAD_FLOAT ? 'read' : 'write', 4, base, at);
    if (operation === LOAD_FLOAT) copy(draft, inside, place);
    else copy(draft, place, inside);
    return true;
  }
  const transfer = TRANSFERS[operation];
  if (transfer === undefined) return false;
  const { loads, bytes, signed } = transfer;
  const place = access(draft, loads ? 'read' : 'write', bytes, base, at);
  if (loads) extendResult(context, rt, place, bytes, signed);
  else store(draft, place, source(rt, bytes));
  if (operation === 56 || operation === 60) {
    // The processor decides whether the store happens.
    draft.definitions = draft.definitions.map((each) => conditionally(each, []));
    if (rt !== 0) receive(draft, span(8 * rt, width));
  }
  return true;
}

function store(draft: Draft, place: MemoryPlace, from: readonly RegisterSpan[]): void {
  if (from[0] === undefined) computeFrom(draft, place, []);
  else copy(draft, place, register(from[0]));
}

/** The address decides how many bytes are accessed. A part that is loaded leaves the others as they are. */
function transferPart(context: Context, operation: number, base: readonly RegisterSpan[]): boolean {
  const { draft } = context;
  const loads = operation < 40;
  const rt = rtOf(context);
  const bytes = LONG.has(operation) ? 8 : 4;
  const place = access(draft, loads ? 'read' : 'write', 0, base);
  const old = registers(source(rt, bytes));
  if (!loads) computeFrom(draft, place, old);
  else if (rt !== 0) computeFrom(draft, register(span(8 * rt, context.width)), [place, ...old]);
  return true;
}
