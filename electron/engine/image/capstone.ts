/**
 * Capstone as WebAssembly, loaded once for each thread when an instruction needs it. Instructions are read with the exports of the module, on
 * buffers that are kept: the wrapper of the package allocates for each call.
 */
import type { Capstone } from '@alexaltea/capstone-js';
import type { Isa } from './machine.ts';

let loading: Promise<Capstone> | undefined;

export function loadCapstone(): Promise<Capstone> {
  loading ??= import('@alexaltea/capstone-js').then(({ default: load }) => load());
  return loading;
}

/** Longest instruction in bytes (x86). */
export const MOST_INSTRUCTION_BYTES = 15;

/** Offsets in `cs_insn` of Capstone 5.0 with pointers of 32 bits (include/capstone/capstone.h). */
const SIZE = 16;
const MNEMONIC = 42;
const OPERANDS = 74;

/** NOP of Thumb, the low byte first. Four of them end any IT block. */
const NO_OPERATION = [0x00, 0xbf];

/** Reads instructions of one instruction set one after the other. */
export interface CapstoneReader {
  readonly handle: number;
  /** Pointer to the `cs_insn` of the instruction that was read last. */
  readonly instruction: number;
  /** Sets the bytes that `next` reads, as many as the reader has room for, and their address. */
  put(bytes: Uint8Array, address: bigint): void;
  /** Reads the next instruction of the bytes; returns false if they are none. */
  next(): boolean;
  /** Size, mnemonic and text of the operands of the instruction that was read last. */
  size(): number;
  mnemonic(): string;
  operands(): string;
  /** Ends an IT block of Thumb, whose state is kept between calls. */
  endBlock(): void;
}

/**
 * @param room bytes that the reader has room for
 * @param details true if instructions get details, which takes longer
 */
export function createCapstoneReader(
  capstone: Capstone,
  isa: Isa,
  littleEndian: boolean,
  { room = MOST_INSTRUCTION_BYTES, details = false }: { readonly room?: number; readonly details?: boolean } = {},
): CapstoneReader {
  const handlePointer = capstone._malloc(4);
  const error = capstone._cs_open(...modeOf(capstone, isa, littleEndian), handlePointer);
  if (error !== 0) throw new Error(`Capstone refuses the instruction set ${isa} (${error})`);
  const handle = capstone.getValue(handlePointer, 'i32');
  if (details) capstone._cs_option(handle, capstone.OPT_DETAIL, capstone.OPT_ON);
  const instruction = capstone._cs_malloc(handle);
  const code = capstone._malloc(room + 3);
  const [codePointer, sizePointer, addressPointer] = [capstone._malloc(4), capstone._malloc(4), capstone._malloc(8)];
  const nop = Uint8Array.from(littleEndian ? NO_OPERATION : NO_OPERATION.toReversed());
  const reader: CapstoneReader = {
    handle,
    instruction,
    put(bytes, address) {
      const length = Math.min(bytes.length, room);
      // Bytes after the last are zero, and not read.
      for (let k = 0; k < length; k += 4)
        capstone.setValue(
          code + k,
          bytes[k]! | (bytes[k + 1]! << 8) | (bytes[k + 2]! << 16) | (bytes[k + 3]! << 24),
          'i32',
        );
      capstone.setValue(codePointer, code, 'i32');
      capstone.setValue(sizePointer, length, 'i32');
      capstone.setValue(addressPointer, address, 'i64');
    },
    next: () => capstone._cs_disasm_iter(handle, codePointer, sizePointer, addressPointer, instruction) !== 0,
    size: () => capstone.getValue(instruction + SIZE, 'i16'),
    mnemonic: () => capstone.UTF8ToString(instruction + MNEMONIC),
    operands: () => capstone.UTF8ToString(instruction + OPERANDS),
    endBlock() {
      for (let k = 0; k < 4; k++) {
        reader.put(nop, 0n);
        reader.next();
      }
    },
  };
  return reader;
}

/** Returns the numbers that select an instruction set and the byte order of its instructions. */
export function modeOf(capstone: Capstone, isa: Isa, littleEndian: boolean): [architecture: number, mode: number] {
  // Added instead of combined with `|`, because MODE_BIG_ENDIAN is bit 31.
  const order = littleEndian ? 0 : capstone.MODE_BIG_ENDIAN;
  switch (isa) {
    case 'arm':
      return [capstone.ARCH_ARM, capstone.MODE_ARM + order];
    case 'thumb':
      return [capstone.ARCH_ARM, capstone.MODE_THUMB + order];
    case 'aarch64':
      return [capstone.ARCH_ARM64, order];
    case 'x86-16':
      return [capstone.ARCH_X86, capstone.MODE_16];
    case 'x86-32':
      return [capstone.ARCH_X86, capstone.MODE_32];
    case 'x86-64':
      return [capstone.ARCH_X86, capstone.MODE_64];
    case 'mips32':
      return [capstone.ARCH_MIPS, capstone.MODE_MIPS32 + order];
    case 'mips64':
      return [capstone.ARCH_MIPS, capstone.MODE_MIPS64 + order];
    case 'riscv32':
      return [capstone.ARCH_RISCV, capstone.MODE_RISCV32 + capstone.MODE_RISCVC];
    case 'riscv64':
      return [capstone.ARCH_RISCV, capstone.MODE_RISCV64 + capstone.MODE_RISCVC];
    default:
      return isa satisfies never;
  }
}
