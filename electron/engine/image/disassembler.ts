/**
 * The text of an instruction from its bytes, by Capstone, which is loaded when the first one is asked for. What was asked for
 * last is kept: a loop costs its instructions once.
 */
import type { Capstone, CapstoneHandle } from '@alexaltea/capstone-js';
import type { Isa } from './machine.ts';

export interface Disassembler {
  /** The instruction that the bytes begin with; undefined where Capstone knows none. */
  disassemble(code: InstructionBytes): Disassembled | undefined;
}

export interface InstructionBytes {
  readonly isa: Isa;
  /** In the order in which they lie in memory; more may follow. */
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  readonly address: bigint;
}

export interface Disassembled {
  readonly text: string;
  /** Bytes that it takes. */
  readonly size: number;
}

/** No instruction is longer. */
export const MOST_INSTRUCTION_BYTES = 15;
const MOST_KEPT = 16_384;

let loading: Promise<Disassembler> | undefined;

/** One for all traces of the thread: it knows nothing of any. */
export function loadDisassembler(): Promise<Disassembler> {
  loading ??= import('@alexaltea/capstone-js').then(async ({ default: load }) => createDisassembler(await load()));
  return loading;
}

function createDisassembler(capstone: Capstone): Disassembler {
  const handles = new Map<string, CapstoneHandle>();
  const kept = new Map<string, Disassembled | undefined>();
  return {
    disassemble(code) {
      const { isa, littleEndian, address } = code;
      const bytes = code.bytes.subarray(0, MOST_INSTRUCTION_BYTES);
      const sort = `${isa} ${littleEndian}`;
      const key = `${sort} ${address} ${bytes.join()}`;
      const known = kept.get(key);
      if (known !== undefined || kept.has(key)) return known;
      const found = read(handleOf(sort, isa, littleEndian), bytes, address);
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(key, found);
      return found;
    },
  };

  function handleOf(sort: string, isa: Isa, littleEndian: boolean): CapstoneHandle {
    const handle = handles.get(sort) ?? new capstone.Capstone(...modeOf(capstone, isa, littleEndian));
    handles.set(sort, handle);
    return handle;
  }
}

function read(handle: CapstoneHandle, bytes: Uint8Array, address: bigint): Disassembled | undefined {
  if (bytes.length === 0) return undefined;
  try {
    const [first] = handle.disasm(bytes, address, 1);
    return first && { text: `${first.mnemonic} ${first.op_str}`.trim(), size: first.size };
  } catch (error) {
    // A text says that the bytes are no instruction.
    if (typeof error === 'string') return undefined;
    throw error;
  }
}

function modeOf(capstone: Capstone, isa: Isa, littleEndian: boolean): [architecture: number, mode: number] {
  // Not `|`: the bit for big-endian is the highest of 32.
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
