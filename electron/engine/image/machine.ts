/**
 * The processor of an ELF file, its instruction set, and the byte order of its instructions.
 *
 * Numbers: System V ABI, chapter 4, `e_machine`; flags: ELF for the Arm Architecture (IHI 0044) 4.1, MIPS ABI supplement,
 * RISC-V ELF psABI, `e_flags`.
 */

/** An instruction set that can be disassembled. */
export type Isa =
  'arm' | 'thumb' | 'aarch64' | 'x86-16' | 'x86-32' | 'x86-64' | 'mips32' | 'mips64' | 'riscv32' | 'riscv64';

export interface Machine {
  /** Display name; `machine N` for unknown numbers. */
  readonly name: string;
  readonly bits: 32 | 64;
  readonly littleEndian: boolean;
  /** The only possible instruction set; absent if there are several (ARM and Thumb) or none is known. */
  readonly isa?: Isa;
  /** True if code is ARM or Thumb, as mapping symbols decide. */
  readonly arm: boolean;
  /** Byte order of instructions. It differs from that of data in BE8 images and big-endian AArch64. */
  readonly codeLittleEndian: boolean;
}

const NAMES: Readonly<Record<number, string>> = {
  2: 'SPARC',
  3: 'x86',
  4: 'Motorola 68000',
  6: 'x86',
  8: 'MIPS',
  20: 'PowerPC',
  21: 'PowerPC64',
  22: 'S/390',
  40: 'ARM',
  42: 'SuperH',
  43: 'SPARC V9',
  50: 'IA-64',
  62: 'x86-64',
  83: 'AVR',
  94: 'Xtensa',
  105: 'MSP430',
  183: 'AArch64',
  243: 'RISC-V',
  258: 'LoongArch',
};

const ARM = 40;
const BE8 = 0x0080_0000;
/** The file can contain MIPS16 or microMIPS code. */
const MIPS_COMPRESSED = 0x0600_0000;
/** 64-bit revisions, by the highest four bits of the flags. A 32-bit file can contain 64-bit code (N32). */
const MIPS_OF_64_BITS: ReadonlySet<number> = new Set([2, 3, 4, 6, 8]);
/** Release 6 reuses opcodes of earlier releases, and the disassembler cannot distinguish them. */
const MIPS_RELEASE_6: ReadonlySet<number> = new Set([9, 10]);

export function machineOf(number: number, flags: number, bits: 32 | 64, littleEndian: boolean): Machine {
  const isa = isaOf(number, flags, bits);
  return {
    name: NAMES[number] ?? `machine ${number}`,
    bits,
    littleEndian,
    ...(isa === undefined ? {} : { isa }),
    arm: number === ARM,
    codeLittleEndian: littleEndian || number === 183 || number === 243 || (number === ARM && (flags & BE8) !== 0),
  };
}

function isaOf(number: number, flags: number, bits: 32 | 64): Isa | undefined {
  switch (number) {
    case 3:
    case 6:
      return 'x86-32';
    case 62:
      return 'x86-64';
    case 183:
      return 'aarch64';
    case 243:
      return bits === 32 ? 'riscv32' : 'riscv64';
    case 8:
      return mipsOf(flags, bits);
    default:
      return undefined;
  }
}

function mipsOf(flags: number, bits: 32 | 64): Isa | undefined {
  const revision = flags >>> 28;
  if ((flags & MIPS_COMPRESSED) !== 0 || MIPS_RELEASE_6.has(revision)) return undefined;
  return bits === 64 || MIPS_OF_64_BITS.has(revision) ? 'mips64' : 'mips32';
}
