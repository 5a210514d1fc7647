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
  /**
   * Writes the sizes of the instructions that follow one another from the beginning of the bytes, and returns their number. It ends where
   * the bytes are no instruction, at the first instruction that begins at `end` or later, and when `into` is full.
   * @param end number of bytes in which instructions may begin; the last one may use bytes behind them
   */
  sizes(code: InstructionBytes, end: number, into: Uint8Array): number;
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
/** Bytes whose instructions are measured at once. */
const MOST_MEASURED = 1 << 14;
/** Offset of the size in Capstone's `cs_insn` (5.0, pointers of 32 bits). */
const SIZE = 16;
const CACHE_ENTRIES = 16_384;

let loading: Promise<Disassembler> | undefined;

/** Loads the disassembler of this thread. All traces share it, since it holds no state of a trace. */
export function loadDisassembler(): Promise<Disassembler> {
  loading ??= loadCapstone().then(createDisassembler);
  return loading;
}

function createDisassembler(capstone: Capstone): Disassembler {
  const handles = new Map<string, CapstoneHandle>();
  const measures = new Map<string, Measure>();
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
    sizes({ isa, bytes, littleEndian, address }, end, into) {
      const mode = `${isa} ${littleEndian}`;
      const measure = measures.get(mode) ?? createMeasure(capstone, isa, littleEndian);
      measures.set(mode, measure);
      let count = 0;
      for (let at = 0; at < end && count < into.length;) {
        const stop = Math.min(end - at, MOST_MEASURED);
        const part = bytes.subarray(at, at + stop + MOST_INSTRUCTION_BYTES - 1);
        const first = count;
        count = measure(part, address + BigInt(at), stop, into, first);
        const before = at;
        for (let one = first; one < count; one++) at += into[one]!;
        if (at < before + stop) break;
      }
      return count;
    },
  };

  function handleOf(mode: string, isa: Isa, littleEndian: boolean): CapstoneHandle {
    const handle = handles.get(mode) ?? new capstone.Capstone(...modeOf(capstone, isa, littleEndian));
    handles.set(mode, handle);
    return handle;
  }
}

/** Writes sizes into `into`, starting at index `count`, and returns the index behind the last. */
type Measure = (bytes: Uint8Array, address: bigint, end: number, into: Uint8Array, count: number) => number;

/** Reads sizes by the exports of the WebAssembly module: its wrapper would make two texts for each instruction. */
function createMeasure(capstone: Capstone, isa: Isa, littleEndian: boolean): Measure {
  const handlePointer = capstone._malloc(4);
  const error = capstone._cs_open(...modeOf(capstone, isa, littleEndian), handlePointer);
  if (error !== 0) throw new Error(`Capstone refuses the instruction set ${isa} (${error})`);
  const handle = capstone.getValue(handlePointer, 'i32');
  const instruction = capstone._cs_malloc(handle);
  const code = capstone._malloc(MOST_MEASURED + MOST_INSTRUCTION_BYTES + 3);
  const [codePointer, sizePointer, addressPointer] = [capstone._malloc(4), capstone._malloc(4), capstone._malloc(8)];
  return (bytes, address, end, into, first) => {
    let count = first;
    for (let k = 0; k < bytes.length; k += 4)
      capstone.setValue(
        code + k,
        bytes[k]! | (bytes[k + 1]! << 8) | (bytes[k + 2]! << 16) | (bytes[k + 3]! << 24),
        'i32',
      );
    capstone.setValue(codePointer, code, 'i32');
    capstone.setValue(sizePointer, bytes.length, 'i32');
    capstone.setValue(addressPointer, address, 'i64');
    for (let at = 0; at < end && count < into.length;) {
      if (capstone._cs_disasm_iter(handle, codePointer, sizePointer, addressPointer, instruction) === 0) break;
      const size = capstone.getValue(instruction + SIZE, 'i16');
      into[count++] = size;
      at += size;
    }
    return count;
  };
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
