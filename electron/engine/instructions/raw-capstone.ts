/**
 * Reads instructions with the details that Capstone has of them. The reader of details in the package's wrapper uses offsets of another
 * version.
 *
 * Offsets are those of `cs_insn` and `cs_detail` in Capstone 5.0 with pointers of 32 bits (include/capstone/capstone.h).
 */
import type { Capstone } from '@alexaltea/capstone-js';
import { createCapstoneReader } from '../image/capstone.ts';
import type { Isa } from '../image/machine.ts';

/** Pointer to the details, in `cs_insn`. */
const DETAIL = 236;
/** Registers in a list of `cs_regs_access`. */
const MOST_REGISTERS = 64;

/** The instruction that was read last. Its details are valid until the next one is read. */
export interface RawInstruction {
  readonly size: number;
  readonly mnemonic: string;
}

export interface RawCapstone {
  /**
   * Returns the first instruction of the bytes; undefined if they are none. An IT instruction of Thumb has no effect on later ones:
   * `condition` is the one that it gives to this instruction.
   */
  read(bytes: Uint8Array, address: bigint, condition?: number): RawInstruction | undefined;
  /** Text of the operands of the last instruction. */
  operandText(): string;
  /** Names of the registers that the last instruction reads and writes; undefined if Capstone does not know them for this family. */
  registers(): { readonly read: readonly string[]; readonly written: readonly string[] } | undefined;
  /** Groups of the last instruction: 1 jumps, 2 calls, 3 returns, 4 interrupts, 5 returns from interrupts, 7 relative branches. */
  groups(): readonly number[];
  nameOf(register: number): string;
  /** Numbers in the details of the last instruction, by their offset from the part for the family. */
  byte(offset: number): number;
  word(offset: number): number;
  long(offset: number): bigint;
}

/** Offset in `cs_detail` of the part for the family: three lists of registers and groups with their counts are before it. */
const FAMILY = 96;
/** Groups of the instruction and their count, from that part. */
const GROUPS = 83 - FAMILY;
const GROUP_COUNT = 91 - FAMILY;

/** IT for one instruction, without its condition. */
const IT = 0xbf08;

export function createRawCapstone(capstone: Capstone, isa: Isa, littleEndian: boolean): RawCapstone {
  const reader = createCapstoneReader(capstone, isa, littleEndian, { details: true });
  const { handle, instruction } = reader;
  const read = capstone._malloc(2 * MOST_REGISTERS);
  const written = capstone._malloc(2 * MOST_REGISTERS);
  const counts = capstone._malloc(2);
  const names = new Map<number, string>();
  let detail = 0;
  /** True if the last instruction may have begun an IT block. */
  let isBlockOpen = false;

  return {
    read(bytes, address, condition) {
      if (isBlockOpen) reader.endBlock();
      isBlockOpen = condition !== undefined;
      if (condition !== undefined) next(halfWord(IT + 16 * condition), 0n);
      if (!next(bytes, address)) return undefined;
      detail = capstone.getValue(instruction + DETAIL, 'i32') + FAMILY;
      const mnemonic = reader.mnemonic();
      isBlockOpen ||= isa === 'thumb' && mnemonic.startsWith('it');
      return { size: reader.size(), mnemonic };
    },
    operandText: reader.operands,
    registers() {
      if (capstone._cs_regs_access(handle, instruction, read, counts, written, counts + 1) !== 0) return undefined;
      return { read: list(read, counts), written: list(written, counts + 1) };
    },
    groups: () =>
      Array.from({ length: capstone.getValue(detail + GROUP_COUNT, 'i8') }, (_, k) =>
        capstone.getValue(detail + GROUPS + k, 'i8'),
      ),
    nameOf,
    byte: (offset) => capstone.getValue(detail + offset, 'i8') & 0xff,
    word: (offset) => capstone.getValue(detail + offset, 'i32'),
    long: (offset) => capstone.getValue(detail + offset, 'i64'),
  };

  function halfWord(word: number): Uint8Array {
    const bytes = [word & 0xff, word >> 8];
    return Uint8Array.from(littleEndian ? bytes : bytes.reverse());
  }

  function next(bytes: Uint8Array, address: bigint): boolean {
    reader.put(bytes, address);
    return reader.next();
  }

  function list(pointer: number, count: number): string[] {
    const found: string[] = [];
    const length = capstone.getValue(count, 'i8') & 0xff;
    for (let k = 0; k < length; k++) found.push(nameOf(capstone.getValue(pointer + 2 * k, 'i16')));
    return found;
  }

  function nameOf(register: number): string {
    const known = names.get(register);
    if (known !== undefined) return known;
    const name = register === 0 ? '' : capstone.UTF8ToString(capstone._cs_reg_name(handle, register));
    names.set(register, name);
    return name;
  }
}
