/**
 * Disassembles single instructions with Capstone, which is loaded on first use. A cache keeps recent results, so a loop costs each of its
 * instructions once.
 */
import type { Capstone, CapstoneHandle } from '@alexaltea/capstone-js';
import { loadCapstone, modeOf } from './capstone.ts';
import type { Isa } from './machine.ts';

export interface Disassembler {
  /** Returns the first instruction of the bytes; undefined if Capstone does not recognise one. */
  disassemble(code: InstructionBytes): Disassembled | undefined;
}

export interface InstructionBytes {
  readonly isa: Isa;
  /** In memory order. Bytes after the instruction are ignored. */
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  readonly address: bigint;
}

export interface Disassembled {
  readonly text: string;
  /** Length in bytes. */
  readonly size: number;
}

/** Length of the longest instruction (x86). */
export const MOST_INSTRUCTION_BYTES = 15;
const CACHE_ENTRIES = 16_384;

let loading: Promise<Disassembler> | undefined;

/** Loads the disassembler of this thread. All traces share it, since it holds no state of a trace. */
export function loadDisassembler(): Promise<Disassembler> {
  loading ??= loadCapstone().then(createDisassembler);
  return loading;
}

function createDisassembler(capstone: Capstone): Disassembler {
  const handles = new Map<string, CapstoneHandle>();
  const cache = new Map<string, Disassembled | undefined>();
  return {
    disassemble(code) {
      const { isa, littleEndian, address } = code;
      const bytes = code.bytes.subarray(0, MOST_INSTRUCTION_BYTES);
      const mode = `${isa} ${littleEndian}`;
      const key = `${mode} ${address} ${bytes.join()}`;
      const cached = cache.get(key);
      if (cached !== undefined || cache.has(key)) return cached;
      const found = read(handleOf(mode, isa, littleEndian), bytes, address);
      if (cache.size >= CACHE_ENTRIES) cache.clear();
      cache.set(key, found);
      return found;
    },
  };

  function handleOf(mode: string, isa: Isa, littleEndian: boolean): CapstoneHandle {
    const handle = handles.get(mode) ?? new capstone.Capstone(...modeOf(capstone, isa, littleEndian));
    handles.set(mode, handle);
    return handle;
  }
}

function read(handle: CapstoneHandle, bytes: Uint8Array, address: bigint): Disassembled | undefined {
  if (bytes.length === 0) return undefined;
  try {
    const [first] = handle.disasm(bytes, address, 1);
    return first && { text: `${first.mnemonic} ${first.op_str}`.trim(), size: first.size };
  } catch (error) {
    // Capstone throws a string if the bytes are not an instruction.
    if (typeof error === 'string') return undefined;
    throw error;
  }
}
