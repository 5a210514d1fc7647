/** How people say which image lies where: `program.elf`, `rom.bin@0x8000`, `libfoo.so@+0x1000`. */
import type { ImagePlace } from '../trace.ts';
import { parseAddress, toHex } from '../../base/units.ts';

/** Parses an image and its place. Text after the last `@` belongs to the name unless it is a number. Undefined without a file or address. */
export function parseImagePlace(text: string): ImagePlace | undefined {
  const [, path, sign, number] = /^(.+)@([+-]?)(0x[0-9a-f_]+|\d+)$/i.exec(text) ?? [];
  if (path === undefined || number === undefined) return text === '' ? undefined : { path: text };
  const value = parseAddress(number);
  if (value === undefined) return undefined;
  if (sign === '') return { path, base: toHex(value) };
  return { path, shift: toHex(BigInt.asUintN(64, sign === '-' ? -value : value)) };
}

/** Result of `parseImagePlace`. */
export function imagePlaceText({ path, base, shift }: ImagePlace): string {
  if (base !== undefined) return `${path}@${base}`;
  return shift === undefined ? path : `${path}@+${shift}`;
}
