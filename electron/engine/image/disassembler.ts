/** Disassembles single instructions with Capstone, which is loaded on first use. */
import type { Capstone } from '@alexaltea/capstone-js';
import { createCapstoneReader, loadCapstone, MOST_INSTRUCTION_BYTES, type CapstoneReader } from './capstone.ts';
import type { Isa } from './machine.ts';

export interface Disassembler {
  /**
   * Returns the first instruction of the bytes; undefined if Capstone does not recognise one. Recent results are kept, so a loop costs each of
   * its instructions once.
   */
  disassemble(code: InstructionBytes): Disassembled | undefined;
  /** The same for code that is read once. */
  read(code: InstructionBytes): Disassembled | undefined;
  /**
   * Reads the instructions that follow one another from the beginning of the bytes, each as `read` would. It ends where the bytes are no
   * instruction, and at the first instruction that begins at `end` or later. Returns the offset there.
   */
  each(code: InstructionBytes, end: number, take: (at: number, size: number, text: string) => void): number;
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

/** Bytes whose instructions are measured at once. */
const MOST_MEASURED = 1 << 14;
const MOST_THUMB = 1 << 7;
const CACHE_ENTRIES = 16_384;

let loading: Promise<Disassembler> | undefined;

/** Loads the disassembler of this thread. All traces share it, since it holds no state of a trace. */
export function loadDisassembler(): Promise<Disassembler> {
  loading ??= loadCapstone().then(createDisassembler);
  return loading;
}

function createDisassembler(capstone: Capstone): Disassembler {
  const readers = new Map<string, CapstoneReader>();
  const cache = new Map<string, Disassembled | undefined>();
  return {
    disassemble(code) {
      const { isa, littleEndian, address, bytes } = code;
      const key = `${isa} ${littleEndian} ${address} ${bytes.subarray(0, MOST_INSTRUCTION_BYTES).join()}`;
      const cached = cache.get(key);
      if (cached !== undefined || cache.has(key)) return cached;
      const found = read(code);
      if (cache.size >= CACHE_ENTRIES) cache.clear();
      cache.set(key, found);
      return found;
    },
    read,
    each({ isa, bytes, littleEndian, address }, end, take) {
      const reader = readerOf(isa, littleEndian);
      // IT of Thumb makes the rest of a part necessary again.
      const most = isa === 'thumb' ? MOST_THUMB : MOST_MEASURED;
      let at = 0;
      while (at < end) {
        const stop = Math.min(end, at + most);
        reader.put(bytes.subarray(at, stop + MOST_INSTRUCTION_BYTES - 1), address + BigInt(at));
        let mnemonic = '';
        while (at < stop && !isBlock(mnemonic) && reader.next()) {
          mnemonic = reader.mnemonic();
          const size = reader.size();
          take(at, size, textOf(mnemonic, reader.operands()));
          at += size;
        }
        if (isBlock(mnemonic)) reader.endBlock();
        else if (at < stop) break;
      }
      return at;
    },
    sizes({ isa, bytes, littleEndian, address }, end, into) {
      const reader = readerOf(isa, littleEndian);
      let count = 0;
      for (let at = 0; at < end && count < into.length;) {
        const stop = Math.min(end, at + MOST_MEASURED);
        reader.put(bytes.subarray(at, stop + MOST_INSTRUCTION_BYTES - 1), address + BigInt(at));
        while (at < stop && count < into.length && reader.next()) at += into[count++] = reader.size();
        if (at < stop) break;
      }
      if (isa === 'thumb') reader.endBlock();
      return count;
    },
  };

  function readerOf(isa: Isa, littleEndian: boolean): CapstoneReader {
    const key = `${isa} ${littleEndian}`;
    const reader =
      readers.get(key) ??
      createCapstoneReader(capstone, isa, littleEndian, { room: MOST_MEASURED + MOST_INSTRUCTION_BYTES });
    readers.set(key, reader);
    return reader;
  }

  function read({ isa, littleEndian, bytes, address }: InstructionBytes): Disassembled | undefined {
    const reader = readerOf(isa, littleEndian);
    reader.put(bytes.subarray(0, MOST_INSTRUCTION_BYTES), address);
    if (bytes.length === 0 || !reader.next()) return undefined;
    const mnemonic = reader.mnemonic();
    const found = { text: textOf(mnemonic, reader.operands()), size: reader.size() };
    if (isBlock(mnemonic)) reader.endBlock();
    return found;
  }
}

/** Returns true for IT of Thumb. The instructions behind it are read without its conditions. */
function isBlock(mnemonic: string): boolean {
  return mnemonic.startsWith('it');
}

function textOf(mnemonic: string, operands: string): string {
  return `${mnemonic} ${operands}`.trim();
}
