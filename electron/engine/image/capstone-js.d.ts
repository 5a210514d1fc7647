/** Types for the parts of the Capstone WebAssembly port in use. The package has none. */
declare module '@alexaltea/capstone-js' {
  export interface CapstoneInstruction {
    readonly size: number;
    readonly mnemonic: string;
    readonly op_str: string;
  }

  /** For one instruction set and byte order. */
  export interface CapstoneHandle {
    /** At most `most` instructions from the beginning of the bytes; throws a text where not one is there. */
    disasm(bytes: Uint8Array, address: bigint, most: number): readonly CapstoneInstruction[];
  }

  type Constant =
    | 'ARCH_ARM'
    | 'ARCH_ARM64'
    | 'ARCH_MIPS'
    | 'ARCH_X86'
    | 'ARCH_RISCV'
    | 'MODE_ARM'
    | 'MODE_THUMB'
    | 'MODE_16'
    | 'MODE_32'
    | 'MODE_64'
    | 'MODE_MIPS32'
    | 'MODE_MIPS64'
    | 'MODE_RISCV32'
    | 'MODE_RISCV64'
    | 'MODE_RISCVC'
    | 'MODE_BIG_ENDIAN';

  export interface Capstone extends Readonly<Record<Constant, number>> {
    readonly Capstone: new (architecture: number, mode: number) => CapstoneHandle;
  }

  export default function load(): Promise<Capstone>;
}
