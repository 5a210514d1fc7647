/** Types for the parts of the Capstone WebAssembly port in use. The package has none. */
declare module '@alexaltea/capstone-js' {
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
    | 'MODE_BIG_ENDIAN'
    | 'OPT_DETAIL'
    | 'OPT_ON';

  /** The exports of the WebAssembly module itself: pointers are numbers, 64-bit numbers are bigint. */
  interface RawExports {
    _malloc(bytes: number): number;
    _cs_open(architecture: number, mode: number, handlePointer: number): number;
    _cs_option(handle: number, option: number, value: number): number;
    _cs_malloc(handle: number): number;
    /** Reads one instruction and moves the pointers and the address on; returns 0 if the bytes are none. */
    _cs_disasm_iter(
      handle: number,
      codePointer: number,
      sizePointer: number,
      addressPointer: number,
      instruction: number,
    ): number;
    _cs_regs_access(
      handle: number,
      instruction: number,
      read: number,
      readCount: number,
      written: number,
      writtenCount: number,
    ): number;
    _cs_reg_name(handle: number, register: number): number;
    getValue(pointer: number, type: 'i8' | 'i16' | 'i32'): number;
    getValue(pointer: number, type: 'i64'): bigint;
    setValue(pointer: number, value: number, type: 'i8' | 'i32'): void;
    setValue(pointer: number, value: bigint, type: 'i64'): void;
    UTF8ToString(pointer: number): string;
  }

  export type Capstone = Readonly<Record<Constant, number>> & RawExports;

  export default function load(): Promise<Capstone>;
}
