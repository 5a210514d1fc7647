/** Program images for the stories: from the opcodes that a text trace contains, or from bytes that a person wrote down. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeElf } from '../../unit/elf-writer.ts';

/** Bytes of code at an address, as hexadecimal digits. */
export interface Code {
  readonly address: number;
  readonly hex: string;
}

export interface Named {
  readonly name: string;
  readonly value: number;
  readonly size: number;
}

const ARM = 40;
const NOP = 'e1a00000';

/** An ELF file for x86 or x86-64 with bytes at addresses. */
export function x86Image(bits: 32 | 64, parts: readonly Code[], symbols: readonly Named[]): Uint8Array {
  return image(bits, bits === 32 ? 3 : 62, parts, symbols);
}

/** An ELF file for x86 or x86-64 with only no-operations, for formats that show addresses and no opcodes. */
export function plainImage(bits: 32 | 64, address: number, size: number, name: string): Uint8Array {
  return x86Image(bits, [{ address, hex: '90'.repeat(size) }], [{ name, value: address, size }]);
}

/** An ELF file for ARM with words, in reading order, at an address. */
export function armImage(address: number, words: readonly string[], symbols: readonly Named[]): Uint8Array {
  const hex = words.map((word) => (word.match(/../g) ?? []).reverse().join('')).join('');
  return image(32, ARM, [{ address, hex }], symbols);
}

function image(bits: 32 | 64, machine: number, parts: readonly Code[], symbols: readonly Named[]): Uint8Array {
  const sections = parts.map(({ address, hex }, at) => ({
    name: `.text${String(at)}`,
    address,
    bytes: Buffer.from(hex, 'hex'),
  }));
  return writeElf({
    bits,
    endian: 'little',
    machine,
    sections,
    symbols: symbols.map((symbol) => ({
      ...symbol,
      section: sections.find(({ address, bytes }) => address <= symbol.value && symbol.value < address + bytes.length)!
        .name,
    })),
  });
}

/** The words of code that a text trace of ARM shows, from its lowest address; unknown words are no-operations. */
export function wordsIn(sample: string, line: RegExp): { readonly address: number; readonly words: readonly string[] } {
  const text = readFileSync(fileURLToPath(new URL(`../../samples/${sample}`, import.meta.url)), 'latin1');
  const known = new Map([...text.matchAll(line)].map(([, address, word]) => [Number(`0x${address!}`), word!]));
  const [low, high] = [Math.min(...known.keys()), Math.max(...known.keys())];
  const words = Array.from({ length: (high - low) / 4 + 1 }, (_, at) => known.get(low + 4 * at) ?? NOP);
  return { address: low, words };
}

/** The same words with one more instruction near their beginning, as another build of a program may have. */
export function otherBuild(words: readonly string[]): readonly string[] {
  return [...words.slice(0, 4), NOP, ...words.slice(4)];
}
