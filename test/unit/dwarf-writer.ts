/** Writes DWARF line tables of every version, independently of the reader: a header with two files and the test's line program. */
import { writer, type Writer } from './elf-writer.ts';

export interface Sort {
  readonly version: 2 | 3 | 4 | 5;
  readonly endian: 'little' | 'big';
  /** Width of an address. */
  readonly bits: 32 | 64;
  /** The 64-bit form of DWARF: offsets of eight bytes. */
  readonly wide?: boolean;
}

/** The tests' `.debug_line_str`, and the offsets of its names. */
export const LINE_STRINGS = text('/src', 'main.c', '/inc', 'b.h');
const AT = { src: 0, main: 5, inc: 12, b: 17 } as const;

export function text(...names: readonly string[]): number[] {
  return names.flatMap((name) => [...new TextEncoder().encode(name), 0]);
}

/** Opcodes of the line machine, by their names in the standard. */
export const copy = [1];
export const advancePc = (by: number): number[] => [2, by];
export const advanceLine = (by: number): number[] => [3, by & 0x7f];
export const setFile = (file: number): number[] => [4, file];
export const constAddPc = [8];
export const endSequence = [0, 1, 1];
/** With line base -5 and line range 14. */
export const special = (address: number, line: number): number[] => [13 + address * 14 + line + 5];

export function setAddress(sort: Sort, address: number | bigint): number[] {
  return [0, sort.bits / 8 + 1, 2, ...writer(sort).word(BigInt(address)).bytes];
}

/** A unit with the files main.c, in the compiler's directory, and b.h in /inc, as numbers 1 and 2 (0 and 1 in version 5). */
export function unit(sort: Sort, program: readonly number[], more: { readonly lineRange?: number } = {}): number[] {
  const header = writer(sort).put([4]);
  if (sort.version >= 4) header.put([1]);
  header.put([1, 0xfb, more.lineRange ?? 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]);
  putFiles(header, sort);
  const width = sort.wide ? 8 : 4;
  const rest = writer(sort).number(sort.version, 2);
  if (sort.version === 5) rest.put([sort.bits / 8, 0]);
  rest.number(header.bytes.length, width).put(header.bytes).put(program);
  const whole = writer(sort);
  if (sort.wide) whole.number(0xffff_ffff, 4);
  return whole.number(rest.bytes.length, width).put(rest.bytes).bytes;
}

function putFiles(header: Writer, { version, wide }: Sort): void {
  if (version < 5) {
    header.put([...text('/inc'), 0, ...text('main.c'), 0, 0, 0, ...text('b.h'), 1, 0, 0, 0]);
    return;
  }
  const width = wide ? 8 : 4;
  header.put([1, 1, 0x1f, 2]).number(AT.src, width).number(AT.inc, width);
  // Path, directory, and a checksum of 16 bytes that readers skip.
  header.put([3, 1, 0x1f, 2, 0x0b, 5, 0x1e, 2]);
  header.number(AT.main, width).put([0]).fill(16);
  header.number(AT.b, width).put([1]).fill(16);
}
