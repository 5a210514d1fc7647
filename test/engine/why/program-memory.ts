/** The bytes of a program: its segments at the addresses where they run, read without the engine. */
import fs from 'node:fs';

/** Returns bytes of the memory; undefined if the program has none there. */
export type Memory = (address: number, length: number) => Uint8Array | undefined;

const LOAD = 1;

/** Reads a little-endian ELF file of 64 bits. */
export function memoryOf(elf: string): Memory {
  const file = fs.readFileSync(elf);
  const number = (at: number): number => Number(file.readBigUInt64LE(at));
  const [table, size, count] = [number(0x20), file.readUInt16LE(0x36), file.readUInt16LE(0x38)];
  const segments = Array.from({ length: count }, (_, k) => table + k * size)
    .filter((at) => file.readUInt32LE(at) === LOAD)
    .map((at) => ({ offset: number(at + 8), address: number(at + 16), length: number(at + 32) }));
  return (address, length) => {
    const segment = segments.find((each) => address >= each.address && address + length <= each.address + each.length);
    if (segment === undefined) return undefined;
    const start = segment.offset + address - segment.address;
    return file.subarray(start, start + length);
  };
}
