/**
 * The instruction sets by family: registers, lengths of instructions, and decoders.
 *
 * Every decoder takes an opcode as a number, as its manual writes it.
 */
import type { Isa } from '../image/machine.ts';
import { complementA64, decodeA64 } from './aarch64/a64.ts';
import { A64_REGISTERS } from './aarch64/a64-registers.ts';
import { applyCondition, complementArm, decodeA32 } from './arm/a32.ts';
import { ARM_REGISTERS } from './arm/arm-registers.ts';
import { decodeT16 } from './arm/t16.ts';
import { decodeT32 } from './arm/t32.ts';
import type { Draft } from './draft.ts';
import type { Condition, Place } from './effects.ts';
import { complementMips, decodeMips } from './mips/mips.ts';
import { MIPS32_REGISTERS, MIPS64_REGISTERS } from './mips/mips-registers.ts';
import type { RawCapstone, RawInstruction } from './raw-capstone.ts';
import type { RegisterFile } from './register-file.ts';
import { expand } from './riscv/compressed.ts';
import { decodeRiscv } from './riscv/riscv.ts';
import { RISCV32_REGISTERS, RISCV64_REGISTERS } from './riscv/riscv-registers.ts';
import { complementX86, decodeX86 } from './x86/x86.ts';
import { X64_REGISTERS, X86_REGISTERS } from './x86/x86-registers.ts';

export interface Family {
  readonly registers: RegisterFile;
  /** Returns the length of the instruction in bytes; the number of bytes if only a decoder can know. */
  lengthOf(bytes: Uint8Array, littleEndian: boolean): number;
  /** True if the instruction's bytes are in little-endian order whatever the order of data is. */
  readonly alwaysLittle?: boolean;
  /** Returns the effects of an opcode of two or four bytes; undefined if it is not modelled. */
  decode?(word: number, length: number, condition: Condition | undefined): Draft | undefined;
  /** Does the same for an instruction that Capstone has read, whose details are in `raw`. */
  decodeRead?(raw: RawCapstone, instruction: RawInstruction): Draft | undefined;
  /** Adds what Capstone does not name to an instruction that is not modelled, which reads the registers `read`. */
  complement?(draft: Draft, read: readonly Place[], opcode: Opcode): void;
}

export interface Opcode {
  readonly bytes: Uint8Array;
  readonly word: number;
  readonly condition: Condition | undefined;
}

const ARM: Family = {
  registers: ARM_REGISTERS,
  lengthOf: () => 4,
  decode: decodeA32,
  complement: (draft, read, { word }) => complementArm(draft, read, word >>> 28),
};

const THUMB: Family = {
  registers: ARM_REGISTERS,
  lengthOf: (bytes, littleEndian) => (bytes.length >= 4 && isLongThumb(bytes[littleEndian ? 1 : 0]!) ? 4 : 2),
  decode: (word, length, condition) => {
    const draft = length === 2 ? decodeT16(word, condition !== undefined) : decodeT32(word);
    if (draft !== undefined && condition !== undefined && condition < 14) applyCondition(draft, condition);
    return draft;
  },
  complement: (draft, read, { condition }) => complementArm(draft, read, condition ?? 14),
};

/** True if the upper byte of a half-word begins an instruction of 32 bits. */
function isLongThumb(upper: number): boolean {
  return upper >= 0xe8;
}

const AARCH64: Family = {
  registers: A64_REGISTERS,
  lengthOf: () => 4,
  alwaysLittle: true,
  decode: decodeA64,
  complement: complementA64,
};

function riscv(width: 4 | 8): Family {
  return {
    registers: width === 4 ? RISCV32_REGISTERS : RISCV64_REGISTERS,
    lengthOf: (bytes) => ((bytes[0] ?? 0) % 4 === 3 ? 4 : 2),
    alwaysLittle: true,
    decode: (word, length) => {
      const expanded = length === 4 ? word : expand(word, width);
      return expanded === undefined ? undefined : decodeRiscv(expanded, width);
    },
  };
}

function mips(width: 4 | 8): Family {
  return {
    registers: width === 4 ? MIPS32_REGISTERS : MIPS64_REGISTERS,
    lengthOf: () => 4,
    decode: (word) => decodeMips(word, width),
    complement: (draft, read, { word }) => complementMips(draft, read, word),
  };
}

function x86(mode: 16 | 32 | 64): Family {
  const file = mode === 64 ? X64_REGISTERS : X86_REGISTERS;
  return {
    registers: file,
    lengthOf: (bytes) => bytes.length,
    decodeRead: (raw, { mnemonic, size }) => decodeX86(raw, mnemonic, size, file, mode),
    complement: (draft, read, { bytes }) => complementX86(draft, read, bytes, mode),
  };
}

export const FAMILIES: Readonly<Record<Isa, Family>> = {
  arm: ARM,
  thumb: THUMB,
  aarch64: AARCH64,
  'x86-16': x86(16),
  'x86-32': x86(32),
  'x86-64': x86(64),
  mips32: mips(4),
  mips64: mips(8),
  riscv32: riscv(4),
  riscv64: riscv(8),
};
