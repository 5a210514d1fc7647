/**
 * Effects of instructions of the A64 set. Modes of the processor, such as that of rounding, are no sources.
 *
 * Source: Arm Architecture Reference Manual for A-profile (DDI 0487), C4.1 (encodings) and C6.2 (instructions).
 */
import { bit, bits } from '../bits.ts';
import { compute, createDraft, receive, register, registers, setConstant, type Draft } from '../draft.ts';
import { isMemory } from '../effects.ts';
import { span, type RegisterSpan } from '../register-file.ts';
import { C, CONTROL, CV, LINK, NZ, NZCV, ZERO, flagsOf, systemRegister, widened } from './a64-registers.ts';
import { decodeFloat } from './a64-float.ts';
import { decodeTransfer } from './a64-transfers.ts';
import { copyResult, extendResult, result, resultOrStack, source, sourceOrStack } from './general.ts';

/** Returns the effects of a word; undefined if it is not modelled. */
export function decodeA64(word: number): Draft | undefined {
  const draft = createDraft();
  return decode(draft, word) ? draft : undefined;
}

/** Widens what Capstone names: a definition of a part of a register clears the rest of it. */
export function complementA64(draft: Draft): void {
  draft.definitions = draft.definitions.map((each) =>
    isMemory(each.to) ? each : { ...each, to: register(widened(each.to.register)) },
  );
}

/** Each decoder returns true if it models the word. */
function decode(draft: Draft, word: number): boolean {
  switch (bits(word, 25, 4)) {
    case 8:
    case 9:
      return decodeImmediate(draft, word);
    case 10:
    case 11:
      return decodeBranch(draft, word);
    case 5:
    case 13:
      return decodeRegisters(draft, word);
    case 7:
    case 15:
      return decodeFloat(draft, word);
    case 4:
    case 6:
    case 12:
    case 14:
      return decodeTransfer(draft, word);
    default:
      return false;
  }
}

function widthOf(word: number): number {
  return bit(word, 31) ? 8 : 4;
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

function decodeImmediate(draft: Draft, word: number): boolean {
  const width = widthOf(word);
  const rd = rdOf(word);
  const rn = rnOf(word);
  switch (bits(word, 23, 3)) {
    case 0:
    case 1:
      result(draft, rd, 8, []);
      return true;
    case 2:
      if (!bit(word, 29) && bits(word, 10, 12) === 0) copyResult(draft, rd, sourceOrStack(rn, width)[0]!);
      else sum(draft, rd, width, sourceOrStack(rn, width), bit(word, 29));
      return true;
    case 4: {
      const operation = bits(word, 29, 2);
      const from = source(rn, width);
      if (operation === 3) logical(draft, rd, width, from, true);
      else resultOrStack(draft, rd, width, from);
      return width === 8 || !bit(word, 22);
    }
    case 5:
      return decodeWide(draft, word);
    case 6:
      return (width === 8) === bit(word, 22) && decodeBitField(draft, word);
    case 7:
      result(draft, rd, width, distinct([...source(rn, width), ...source(rmOf(word), width)]));
      return (width === 8) === bit(word, 22);
    default:
      return false;
  }
}

function distinct(spans: readonly RegisterSpan[]): readonly RegisterSpan[] {
  return spans.filter((each, k) => spans.findIndex(({ low }) => low === each.low) === k);
}

/** An addition or subtraction; without flags, register 31 is the stack pointer. */
function sum(draft: Draft, rd: number, width: number, from: readonly RegisterSpan[], setsFlags: boolean): void {
  if (setsFlags) {
    compute(draft, NZCV, from);
    result(draft, rd, width, from);
  } else resultOrStack(draft, rd, width, from);
}

/** A logical operation clears C and V if it sets flags. */
function logical(draft: Draft, rd: number, width: number, from: readonly RegisterSpan[], setsFlags: boolean): void {
  if (setsFlags) {
    compute(draft, NZ, from);
    setConstant(draft, CV);
  }
  result(draft, rd, width, from);
}

/** MOVN, MOVZ and MOVK, which keeps the other bytes. */
function decodeWide(draft: Draft, word: number): boolean {
  const operation = bits(word, 29, 2);
  const rd = rdOf(word);
  const width = widthOf(word);
  const half = bits(word, 21, 2);
  if (operation === 1 || 2 * half >= width) return false;
  if (operation !== 3) result(draft, rd, width, []);
  else if (rd !== ZERO) {
    setConstant(draft, span(8 * rd + 2 * half, 2));
    if (width === 4) setConstant(draft, span(8 * rd + 4, 4));
  }
  return true;
}

/** SBFM, BFM and UBFM. Fields of whole bytes are copies. */
function decodeBitField(draft: Draft, word: number): boolean {
  const operation = bits(word, 29, 2);
  const width = widthOf(word);
  const rd = rdOf(word);
  const rn = rnOf(word);
  const rotation = bits(word, 16, 6);
  const last = bits(word, 10, 6);
  const from = source(rn, width);
  if (operation === 3 || (width === 4 && (rotation >= 32 || last >= 32))) return false;
  if (operation === 1) {
    result(draft, rd, width, [...source(rd, width), ...from]);
    return true;
  }
  const signed = operation === 0;
  const inBytes = rotation % 8 === 0 && (last + 1) % 8 === 0;
  if (rn === ZERO || !inBytes) result(draft, rd, width, from);
  else if (last >= rotation) {
    const bytes = (last + 1 - rotation) / 8;
    extendResult(draft, rd, width, register(span(8 * rn + rotation / 8, bytes)), bytes, signed);
  } else if (signed) result(draft, rd, width, from);
  else shiftBytes(draft, rd, rn, width - rotation / 8, (last + 1) / 8);
  return true;
}

/** Copies the lowest bytes of a register to a higher place in another; the other bytes are zero. */
function shiftBytes(draft: Draft, rd: number, rn: number, shift: number, bytes: number): void {
  if (rd === ZERO) return;
  const low = 8 * rd;
  setConstant(draft, span(low, shift));
  draft.definitions.push({
    to: register(span(low + shift, bytes)),
    from: [register(span(8 * rn, bytes))],
    how: 'copy',
    conditional: false,
  });
  const above = shift + bytes;
  if (above < 8) setConstant(draft, span(low + above, 8 - above));
}

function decodeBranch(draft: Draft, word: number): boolean {
  const top = word >>> 24;
  if (top === 0x54) {
    const flags = flagsOf(bits(word, 0, 4));
    draft.flow = flags.length === 0 ? 'branch' : 'conditional';
    draft.decides = registers(flags);
    return true;
  }
  if (top === 0xd4) {
    draft.flow = 'trap';
    return true;
  }
  if (top === 0xd5) return decodeSystem(draft, word);
  if (top === 0xd6) return decodeBranchRegister(draft, word);
  const kind = bits(word, 25, 6);
  if ((kind & 0x3e) === 0x0a) {
    if (bit(word, 31)) result(draft, LINK, 8, []);
    draft.flow = bit(word, 31) ? 'call' : 'branch';
    return true;
  }
  draft.flow = 'conditional';
  const rt = rdOf(word);
  if (kind === 0x1a) draft.decides = registers(source(rt, widthOf(word)));
  else if (kind === 0x1b) {
    const position = 32 * bits(word, 31, 1) + bits(word, 19, 5);
    draft.decides = rt === ZERO ? [] : [register(span(8 * rt + (position >> 3), 1))];
  } else return false;
  return true;
}

/** BR, BLR, RET, ERET, and their forms with authentication of the address. */
function decodeBranchRegister(draft: Draft, word: number): boolean {
  const operation = bits(word, 21, 4);
  const rn = rnOf(word);
  const authenticates = bit(word, 11);
  const kind = operation & 7;
  if (bits(word, 16, 5) !== 31 || bits(word, 12, 4) !== 0 || bits(word, 10, 2) === 1) return false;
  if (kind > 2 || (!authenticates && operation > 7)) {
    draft.flow = 'return';
    return operation === 4;
  }
  draft.flow = (['branch', 'call', 'return'] as const)[kind]!;
  draft.decides = registers(kind === 2 && authenticates ? source(LINK, 8) : source(rn, 8));
  if (kind === 1) result(draft, LINK, 8, []);
  return true;
}

function decodeSystem(draft: Draft, word: number): boolean {
  const rt = rdOf(word);
  const reads = bit(word, 21);
  const group = bits(word, 19, 2);
  if (bits(word, 22, 2) !== 0) return false;
  if (group >= 2) {
    const at = systemRegister(word);
    if (!reads) {
      if (at !== undefined) compute(draft, at, source(rt, 8));
    } else if (at !== undefined) result(draft, rt, 8, [at]);
    else if (rt !== ZERO) receive(draft, span(8 * rt, 8));
    return true;
  }
  // Zeroing a block of the cache writes memory.
  const isZeroing = bits(word, 16, 3) === 3 && bits(word, 12, 4) === 7 && bits(word, 8, 4) === 4;
  if (group === 1) return !reads && !isZeroing;
  if (reads || rt !== ZERO) return false;
  // MSR with an immediate changes the state of the processor; CFINV and its kin change flags.
  if (bits(word, 12, 4) !== 4) return isPlainHint(word);
  compute(draft, CONTROL, [CONTROL]);
  return bits(word, 16, 3) !== 0 || bits(word, 5, 3) >= 3;
}

/** Barriers, and hints that change no register: those for pointer authentication do. */
function isPlainHint(word: number): boolean {
  if (bits(word, 12, 4) === 3) return true;
  const hint = bits(word, 5, 7);
  return bits(word, 12, 4) === 2 && (hint < 6 || (hint >= 32 && hint < 40));
}

function decodeRegisters(draft: Draft, word: number): boolean {
  switch (bits(word, 24, 5)) {
    case 0x0a:
      return decodeLogical(draft, word);
    case 0x0b:
      return bit(word, 21) ? decodeExtendedSum(draft, word) : decodeShiftedSum(draft, word);
    case 0x1a:
      return decodeMixed(draft, word);
    case 0x1b:
      return decodeMultiply(draft, word);
    default:
      return false;
  }
}

function decodeLogical(draft: Draft, word: number): boolean {
  const width = widthOf(word);
  const [rd, rn, rm] = [rdOf(word), rnOf(word), rmOf(word)];
  const operation = bits(word, 29, 2);
  const negates = bit(word, 21);
  const amount = bits(word, 10, 6);
  if (width === 4 && amount >= 32) return false;
  const isShifted = amount !== 0;
  if (operation === 1 && rn === ZERO && !negates && !isShifted && rm !== ZERO && rd !== ZERO) {
    copyResult(draft, rd, source(rm, width)[0]!);
    return true;
  }
  // EOR and BIC of a register with itself give zero.
  const cancels = rn === rm && !isShifted && (operation === 2 ? !negates : negates && operation !== 1);
  const from = cancels ? [] : distinct([...source(rn, width), ...source(rm, width)]);
  logical(draft, rd, width, from, operation === 3);
  return true;
}

function decodeShiftedSum(draft: Draft, word: number): boolean {
  const width = widthOf(word);
  const [rd, rn, rm] = [rdOf(word), rnOf(word), rmOf(word)];
  const amount = bits(word, 10, 6);
  if (bits(word, 22, 2) === 3 || (width === 4 && amount >= 32)) return false;
  const cancels = bit(word, 30) && rn === rm && amount === 0;
  const from = cancels ? [] : distinct([...source(rn, width), ...source(rm, width)]);
  if (bit(word, 29)) compute(draft, NZCV, from);
  result(draft, rd, width, from);
  return true;
}

function decodeExtendedSum(draft: Draft, word: number): boolean {
  const width = widthOf(word);
  if (bits(word, 22, 2) !== 0 || bits(word, 10, 3) > 4) return false;
  const taken = Math.min(width, 2 ** bits(word, 13, 2));
  sum(draft, rdOf(word), width, [...sourceOrStack(rnOf(word), width), ...source(rmOf(word), taken)], bit(word, 29));
  return true;
}

function decodeMixed(draft: Draft, word: number): boolean {
  const width = widthOf(word);
  const [rd, rn, rm] = [rdOf(word), rnOf(word), rmOf(word)];
  const setsFlags = bit(word, 29);
  switch (bits(word, 21, 3)) {
    case 0: {
      const from = [...source(rn, width), ...source(rm, width), C];
      if (setsFlags) compute(draft, NZCV, from);
      result(draft, rd, width, from);
      return bits(word, 10, 6) === 0;
    }
    case 2: {
      const second = bit(word, 11) ? [] : source(rm, width);
      compute(draft, NZCV, [...source(rn, width), ...second, ...flagsOf(bits(word, 12, 4))]);
      return setsFlags && !bit(word, 10) && !bit(word, 4);
    }
    case 4:
      result(draft, rd, width, [
        ...distinct([...source(rn, width), ...source(rm, width)]),
        ...flagsOf(bits(word, 12, 4)),
      ]);
      return !setsFlags && !bit(word, 11);
    case 6:
      if (setsFlags) return false;
      return bit(word, 30) ? decodeOneSource(draft, word) : decodeTwoSources(draft, word);
    default:
      return false;
  }
}

/** RBIT, REV16, REV32, REV, CLZ and CLS. */
function decodeOneSource(draft: Draft, word: number): boolean {
  const width = widthOf(word);
  result(draft, rdOf(word), width, source(rnOf(word), width));
  return rmOf(word) === 0 && bits(word, 10, 6) <= 5;
}

/** Divisions, shifts by a register, and CRC. */
function decodeTwoSources(draft: Draft, word: number): boolean {
  const width = widthOf(word);
  const [rd, rn, rm] = [rdOf(word), rnOf(word), rmOf(word)];
  const operation = bits(word, 10, 6);
  if (operation === 2 || operation === 3)
    result(draft, rd, width, distinct([...source(rn, width), ...source(rm, width)]));
  else if (operation >= 8 && operation < 12) result(draft, rd, width, [...source(rn, width), ...source(rm, 1)]);
  else if (operation >= 16 && operation < 24)
    result(draft, rd, 4, [...source(rn, 4), ...source(rm, 2 ** (operation & 3))]);
  else return false;
  return true;
}

function decodeMultiply(draft: Draft, word: number): boolean {
  const width = widthOf(word);
  const [rd, rn, rm, ra] = [rdOf(word), rnOf(word), rmOf(word), bits(word, 10, 5)];
  const operation = bits(word, 21, 3);
  if (bits(word, 29, 2) !== 0) return false;
  const isHigh = operation === 2 || operation === 6;
  if (operation !== 0 && (width === 4 || (!isHigh && operation !== 1 && operation !== 5))) return false;
  const taken = operation === 0 || isHigh ? width : 4;
  const from = [...source(rn, taken), ...source(rm, taken), ...(isHigh ? [] : source(ra, width))];
  result(draft, rd, width, distinct(from));
  return true;
}
