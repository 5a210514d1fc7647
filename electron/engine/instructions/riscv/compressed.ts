/**
 * Expands 16-bit instructions of RISC-V to the 32-bit ones that they stand for.
 *
 * Source: RISC-V Unprivileged ISA 20240411, chapter 26. Distances of branches are left out: no effect depends on them.
 */
import { bit, bits } from '../bits.ts';

const LOAD = 0x03;
const LOAD_FLOAT = 0x07;
const IMMEDIATE = 0x13;
const IMMEDIATE_WORD = 0x1b;
const STORE = 0x23;
const STORE_FLOAT = 0x27;
const REGISTERS = 0x33;
const UPPER = 0x37;
const REGISTERS_WORD = 0x3b;
const BRANCH = 0x63;
const JUMP_REGISTER = 0x67;
const JUMP = 0x6f;
const BREAK = 0x0010_0073;
const STACK = 2;
const LINK = 1;

/** Returns the expanded instruction; undefined for a reserved or unknown one. `width` is the number of bytes in a register. */
export function expand(half: number, width: 4 | 8): number | undefined {
  const kind = bits(half, 13, 3);
  switch (bits(half, 0, 2)) {
    case 0:
      return expandStackless(half, kind, width);
    case 1:
      return expandArithmetic(half, kind, width);
    default:
      return expandStack(half, kind, width);
  }
}

/** Joins fields of an instruction: each is a number and the bit where it starts. */
function join(...fields: readonly (readonly [value: number, low: number])[]): number {
  return fields.reduce((sum, [value, low]) => sum + value * 2 ** low, 0);
}

function immediate(opcode: number, kind: number, rd: number, rs1: number, value: number): number {
  return join([value & 0xfff, 20], [rs1, 15], [kind, 12], [rd, 7], [opcode, 0]);
}

function store(opcode: number, kind: number, rs1: number, rs2: number, offset: number): number {
  return join([offset >> 5, 25], [rs2, 20], [rs1, 15], [kind, 12], [offset & 31, 7], [opcode, 0]);
}

function twoRegisters(opcode: number, kind: number, top: number, rd: number, rs1: number, rs2: number): number {
  return join([top, 25], [rs2, 20], [rs1, 15], [kind, 12], [rd, 7], [opcode, 0]);
}

/** One of the registers 8 to 15. */
function few(half: number, low: number): number {
  return 8 + bits(half, low, 3);
}

function expandStackless(half: number, kind: number, width: 4 | 8): number | undefined {
  const rd = few(half, 2);
  const rs1 = few(half, 7);
  const word = join([bits(half, 10, 3), 3], [bits(half, 6, 1), 2], [bits(half, 5, 1), 6]);
  const double = join([bits(half, 10, 3), 3], [bits(half, 5, 2), 6]);
  switch (kind) {
    case 0: {
      const value = join([bits(half, 11, 2), 4], [bits(half, 7, 4), 6], [bits(half, 6, 1), 2], [bits(half, 5, 1), 3]);
      return value === 0 ? undefined : immediate(IMMEDIATE, 0, rd, STACK, value);
    }
    case 1:
      return immediate(LOAD_FLOAT, 3, rd, rs1, double);
    case 2:
      return immediate(LOAD, 2, rd, rs1, word);
    case 3:
      return width === 8 ? immediate(LOAD, 3, rd, rs1, double) : immediate(LOAD_FLOAT, 2, rd, rs1, word);
    case 5:
      return store(STORE_FLOAT, 3, rs1, rd, double);
    case 6:
      return store(STORE, 2, rs1, rd, word);
    case 7:
      return width === 8 ? store(STORE, 3, rs1, rd, double) : store(STORE_FLOAT, 2, rs1, rd, word);
    default:
      return undefined;
  }
}

function expandArithmetic(half: number, kind: number, width: 4 | 8): number | undefined {
  const rd = bits(half, 7, 5);
  const value = bits(half, 2, 5) - 32 * bits(half, 12, 1);
  switch (kind) {
    case 0:
      return immediate(IMMEDIATE, 0, rd, rd, value);
    case 1:
      if (width === 4) return join([LINK, 7], [JUMP, 0]);
      return rd === 0 ? undefined : immediate(IMMEDIATE_WORD, 0, rd, rd, value);
    case 2:
      return immediate(IMMEDIATE, 0, rd, 0, value);
    case 3:
      if (value === 0) return undefined;
      // The stack pointer changes by an amount that no effect depends on.
      return rd === STACK ? immediate(IMMEDIATE, 0, STACK, STACK, 16) : join([1, 12], [rd, 7], [UPPER, 0]);
    case 4:
      return expandFew(half, width);
    case 5:
      return JUMP;
    default:
      return join([few(half, 7), 15], [kind - 6, 12], [BRANCH, 0]);
  }
}

function expandFew(half: number, width: 4 | 8): number | undefined {
  const rd = few(half, 7);
  const amount = bits(half, 2, 5) + 32 * bits(half, 12, 1);
  switch (bits(half, 10, 2)) {
    case 0:
      return width === 4 && amount >= 32 ? undefined : immediate(IMMEDIATE, 5, rd, rd, amount);
    case 1:
      return width === 4 && amount >= 32 ? undefined : immediate(IMMEDIATE, 5, rd, rd, amount + 0x400);
    case 2:
      return immediate(IMMEDIATE, 7, rd, rd, bits(half, 2, 5) - 32 * bits(half, 12, 1));
    default: {
      const operation = bits(half, 5, 2);
      const rs2 = few(half, 2);
      if (!bit(half, 12))
        return twoRegisters(REGISTERS, [0, 4, 6, 7][operation]!, operation === 0 ? 0x20 : 0, rd, rd, rs2);
      if (width === 4 || operation > 1) return undefined;
      return twoRegisters(REGISTERS_WORD, 0, operation === 0 ? 0x20 : 0, rd, rd, rs2);
    }
  }
}

function expandStack(half: number, kind: number, width: 4 | 8): number | undefined {
  const rd = bits(half, 7, 5);
  const rs2 = bits(half, 2, 5);
  const word = join([bits(half, 12, 1), 5], [bits(half, 4, 3), 2], [bits(half, 2, 2), 6]);
  const double = join([bits(half, 12, 1), 5], [bits(half, 5, 2), 3], [bits(half, 2, 3), 6]);
  const wordStored = join([bits(half, 9, 4), 2], [bits(half, 7, 2), 6]);
  const doubleStored = join([bits(half, 10, 3), 3], [bits(half, 7, 3), 6]);
  switch (kind) {
    case 0: {
      const amount = rs2 + 32 * bits(half, 12, 1);
      return width === 4 && amount >= 32 ? undefined : immediate(IMMEDIATE, 1, rd, rd, amount);
    }
    case 1:
      return immediate(LOAD_FLOAT, 3, rd, STACK, double);
    case 2:
      return rd === 0 ? undefined : immediate(LOAD, 2, rd, STACK, word);
    case 3:
      if (width === 4) return immediate(LOAD_FLOAT, 2, rd, STACK, word);
      return rd === 0 ? undefined : immediate(LOAD, 3, rd, STACK, double);
    case 4:
      return expandMoves(half, rd, rs2);
    case 5:
      return store(STORE_FLOAT, 3, STACK, rs2, doubleStored);
    case 6:
      return store(STORE, 2, STACK, rs2, wordStored);
    default:
      return width === 8 ? store(STORE, 3, STACK, rs2, doubleStored) : store(STORE_FLOAT, 2, STACK, rs2, wordStored);
  }
}

function expandMoves(half: number, rd: number, rs2: number): number | undefined {
  if (rs2 !== 0) return twoRegisters(REGISTERS, 0, 0, rd, bit(half, 12) ? rd : 0, rs2);
  if (rd === 0) return bit(half, 12) ? BREAK : undefined;
  return immediate(JUMP_REGISTER, 0, bit(half, 12) ? LINK : 0, rd, 0);
}
