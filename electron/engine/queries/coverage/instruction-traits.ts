/**
 * The facts about an instruction that coverage needs, as a number. It follows from the bytes of the instruction, whatever its address is,
 * so each opcode is disassembled once for all of its places. How long an opcode of x86 is does not follow from its first bytes: code of x86
 * is disassembled as a whole, and its texts are classified once for all numbers in them.
 */
import { u32LittleEndian } from '../../../../shared/base/bytes.ts';
import { BRANCH, NO_BRANCH } from '../../../../shared/flow/events.ts';
import { ABSENT, createAddressMap } from '../../collections/address-map.ts';
import { describe, isaOf } from '../../flow/classify/image-code.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import type { Code } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';

/** Traits are the size in bytes, these flags, and times IT the number of next instructions that IT of Thumb makes conditional. */
export const TRAIT = {
  size: 15,
  /** The instruction itself says on which condition it runs, or branches. */
  conditional: 16,
  /** A branch that is no exception. */
  branch: 32,
  /** If it runs, the instruction after it follows only when something comes back. */
  ends: 64,
  /** A trace that shows skipped instructions says whether its condition failed, if it has one. */
  skips: 128,
} as const;
export const IT = 256;

/** Receives the offset of an instruction, and its traits. */
export type TakeTraits = (at: number, traits: number) => void;

export interface TraitsReader {
  /**
   * Reads the instructions that follow one another from the beginning of the bytes. It ends where the bytes are no instruction, and at the
   * first instruction that begins at `end` or later. Returns the offset there.
   * @param code what the images say about the bytes before `end`
   */
  read(code: Code, bytes: Uint8Array, address: bigint, end: number, take: TakeTraits): number;
}

const MOST_OPCODES = 1 << 19;
const MOST_TEXTS = 1 << 16;

export function createTraitsReader({ read: readOne, each }: Disassembler): TraitsReader {
  let opcodes = createAddressMap(1024);
  const kinds: string[] = [];
  const texts = new Map<string, number>();
  return {
    read(code, bytes, address, end, take) {
      const isa = isaOf(code, undefined);
      if (isa === undefined) return 0;
      const littleEndian = code.machine.codeLittleEndian;
      if (isa.startsWith('x86'))
        return each({ isa, littleEndian, bytes, address }, end, (at, size, text) => {
          take(at, traitsOf(code, isa, text, bytes, at) + size);
        });
      const kind = kindOf(`${isa} ${littleEndian}`);
      const measure = MEASURES[isa] ?? measureWord;
      let at = 0;
      while (at < end) {
        const length = measure(bytes, at, littleEndian);
        const opcode = at + length <= bytes.length ? opcodeOf(isa, bytes, at, length, littleEndian) : NO_OPCODE;
        let traits = opcode === NO_OPCODE ? ABSENT : opcodes.get(opcode, kind);
        if (traits === ABSENT) {
          const found = readOne({ isa, littleEndian, bytes: bytes.subarray(at), address: address + BigInt(at) });
          if (found === undefined) return at;
          traits = traitsOf(code, isa, found.text, bytes, at) + found.size;
          if (opcode !== NO_OPCODE && found.size === length) {
            if (opcodes.size === MOST_OPCODES) opcodes = createAddressMap(1024);
            opcodes.set(opcode, kind, traits);
          }
        }
        take(at, traits);
        at += traits & TRAIT.size;
      }
      return at;
    },
  };

  function kindOf(name: string): number {
    const known = kinds.indexOf(name);
    return known >= 0 ? known : kinds.push(name) - 1;
  }

  /** Returns the traits without the size. */
  function traitsOf(code: Code, isa: Isa, text: string, bytes: Uint8Array, at: number): number {
    const { arm, codeLittleEndian } = code.machine;
    // Numbers of a text in hexadecimal are addresses, distances and values.
    const key = `${isa} ${codeLittleEndian} ${text.replaceAll(NUMBERS, '0x')}`;
    let traits = texts.get(key);
    if (traits === undefined) {
      traits = traitsOfText(code, isa, text);
      if (texts.size === MOST_TEXTS) texts.clear();
      texts.set(key, traits);
    }
    return traits + (arm && codeLittleEndian && isConditionalArm(isa, bytes, at) ? TRAIT.conditional : 0);
  }
}

const NUMBERS = /0x[0-9a-f]+/g;
const NO_OPCODE = -1;

/** Returns the length of an instruction by its first bytes; 0 past the end. */
type Measure = (bytes: Uint8Array, at: number, littleEndian: boolean) => number;

const measureWord: Measure = () => 4;

const MEASURES: Partial<Record<Isa, Measure>> = {
  // DDI 0406C, A6.1.
  thumb: (bytes, at, littleEndian) => (halfAt(bytes, at, littleEndian) >= 0xe800 ? 4 : 2),
  riscv32: measureRiscV,
  riscv64: measureRiscV,
};

/** RISC-V Unprivileged ISA, 1.5. */
function measureRiscV(bytes: Uint8Array, at: number): number {
  return (bytes[at]! & 3) === 3 ? 4 : 2;
}

function halfAt(bytes: Uint8Array, at: number, littleEndian: boolean): number {
  const [first, second] = [bytes[at]!, bytes[at + 1]!];
  return littleEndian ? first | (second << 8) : (first << 8) | second;
}

/** Returns a number that all opcodes with the same traits may share, and no others. */
function opcodeOf(isa: Isa, bytes: Uint8Array, at: number, length: number, littleEndian: boolean): number {
  const first = halfAt(bytes, at, littleEndian);
  if (length === 2) return first;
  const second = halfAt(bytes, at + 2, littleEndian);
  if (isa === 'thumb') {
    const word = ((first << 16) | second) >>> 0;
    // BL with any distance (DDI 0406C, A8.8.25).
    return (word & 0xf800_d000) >>> 0 === 0xf000_d000 ? 0xf000_d000 : word;
  }
  const word = littleEndian ? (first | (second << 16)) >>> 0 : ((first << 16) | second) >>> 0;
  // B and BL with any distance (A8.8.18 and A8.8.25); the condition 1111 is for another instruction.
  if (isa === 'arm' && (word & 0x0e00_0000) === 0x0a00_0000 && word >>> 28 !== 15) return (word & 0xff00_0000) >>> 0;
  // DDI 0487, C6.2.25 and C6.2.33.
  if (isa === 'aarch64' && (word & 0x7c00_0000) === 0x1400_0000) return (word & 0xfc00_0000) >>> 0;
  return word;
}

/** Returns all traits but the size, and the condition of ARM and Thumb in little-endian order, which the bytes show. */
function traitsOfText(code: Code, isa: Isa, text: string): number {
  const { branch, ends } = describe(text, 0, isa);
  const isBranch = branch !== NO_BRANCH && branch !== BRANCH.exception;
  const { arm, codeLittleEndian } = code.machine;
  const isConditional = !(arm && codeLittleEndian) && isConditionalText(code, branch, text);
  return (
    (isConditional ? TRAIT.conditional : 0) +
    (isBranch ? TRAIT.branch : 0) +
    (ends && branch !== BRANCH.exception ? TRAIT.ends : 0) +
    (arm && !/^cbn?z\b/.test(text) ? TRAIT.skips : 0) +
    IT * conditionalAfter(text)
  );
}

/** IT makes up to four instructions conditional, one for each letter after the I (Arm ARM DDI 0406C, A8.8.54). */
function conditionalAfter(text: string): number {
  return /^i(t[te]{0,3})\b/.exec(text)?.[1]?.length ?? 0;
}

function isConditionalText({ machine: { isa } }: Code, branch: number, text: string): boolean {
  if (isa?.startsWith('x86')) return branch === BRANCH.jump && !/^(\w+ )*l?jmp/.test(text);
  const mnemonic = /^\S+/.exec(text)?.[0] ?? '';
  if (isa === 'aarch64') return /^(bc?\.|cbn?z$|tbn?z$)/.test(mnemonic);
  return branch === BRANCH.jump && /^(c\.)?b(?!c?$|alc?$)/.test(mnemonic);
}

function isConditionalArm(isa: Isa, bytes: Uint8Array, at: number): boolean {
  // The four highest bits (DDI 0406C, A8.3). 1111 is for instructions without a condition.
  if (isa === 'arm') return at + 4 <= bytes.length && u32LittleEndian(bytes, at) >>> 28 < 14;
  return isConditionalThumb(halfAt(bytes, at, true), at + 4 <= bytes.length ? halfAt(bytes, at + 2, true) : 0);
}

/** B<c> T1 and T3, CBZ and CBNZ (DDI 0406C, A8.8.18 and A8.8.29). */
function isConditionalThumb(first: number, second: number): boolean {
  if ((first & 0xf000) === 0xd000) return (first & 0x0f00) < 0x0e00;
  if ((first & 0xf500) === 0xb100) return true;
  return (first & 0xf800) === 0xf000 && (second & 0xd000) === 0x8000 && ((first >> 6) & 0xf) < 14;
}
