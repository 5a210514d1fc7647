/**
 * Finds the debug file of a stripped ELF file beside it, as debuggers do: by its build id in `.build-id`, or by the name in
 * `.gnu_debuglink` in the same folder or its subfolder `.debug`. A debug file is used only if it proves that it belongs to the program: by
 * the build id, or by the CRC that `.gnu_debuglink` contains.
 *
 * Source: GDB documentation, "Debugging Information in Separate Files".
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { toHex } from '../../../../shared/base/units.ts';
import { digestOf, readWhole } from '../read-whole.ts';
import { createData } from './data.ts';
import { readElf, sectionBytes, type Elf } from './elf.ts';

export interface DebugFile {
  readonly path: string;
  readonly elf: Elf;
  /** Returns the SHA-256 of the file. */
  readonly digest: () => string;
}

export interface DebugSearch {
  /** Undefined if there is none that belongs to the program. */
  readonly found: DebugFile | undefined;
  /** Phrases about files that are not used. */
  readonly problems: readonly string[];
}

/** `path` is that of the program. */
export function findDebugFile(elf: Elf, path: string): DebugSearch {
  const folder = dirname(resolve(path));
  const id = buildIdOf(elf);
  const link = debugLinkOf(elf);
  const candidates: { readonly file: string; readonly crc?: number }[] = [
    ...(id === undefined ? [] : [{ file: join(folder, '.build-id', id.slice(0, 2), `${id.slice(2)}.debug`) }]),
    ...(link === undefined
      ? []
      : [folder, join(folder, '.debug')].map((place) => ({ file: join(place, link.name), crc: link.crc }))),
  ];
  const problems: string[] = [];
  for (const { file, crc } of candidates) {
    if (file === resolve(path) || !existsSync(file)) continue;
    const read = debugFileAt(file, id, crc);
    if (typeof read !== 'string') return { found: read, problems };
    problems.push(`its debug file ${file} is not used: ${read}`);
  }
  return { found: undefined, problems };
}

/** Returns a debug file, or a phrase that says why it cannot be used. */
function debugFileAt(path: string, id: string | undefined, crc: number | undefined): DebugFile | string {
  const file = readWhole(path);
  if (!file.ok) return file.error.message;
  const elf = readElf(file.value);
  if (!elf.ok) return elf.error.message;
  const own = buildIdOf(elf.value);
  if (crc !== undefined && crc32(file.value) !== crc)
    return `it is of another build, with the CRC ${hex(crc32(file.value))} instead of ${hex(crc)}`;
  if (id !== undefined && own !== undefined && id !== own)
    return `it is of another build, with the build id ${own} instead of ${id}`;
  if (crc === undefined && own === undefined) return 'it has no build id';
  return { path, elf: elf.value, digest: digestOf(file.value) };
}

function hex(crc: number): string {
  return toHex(BigInt(crc));
}

/** Reads `.gnu_debuglink`: a file name that ends with a zero byte, padding to a multiple of four bytes, and the CRC-32 of the debug file. */
function debugLinkOf(elf: Elf): { readonly name: string; readonly crc: number } | undefined {
  const data = dataOf(elf, '.gnu_debuglink');
  const end = data?.pastName(0, data.length);
  if (data === undefined || end === undefined) return undefined;
  const crcAt = Math.ceil(end / 4) * 4;
  // A folder in the name is ignored: only files beside the program are read.
  const name = basename(data.name(0));
  return name === '' || name === '..' || !data.has(crcAt, 4) ? undefined : { name, crc: data.u32(crcAt) };
}

const NT_GNU_BUILD_ID = 3;
/** Shortest and longest build id in bytes. Linkers write 8 to 20 by default. */
const ID_BYTES = { least: 2, most: 64 };

/** Returns the build id in hexadecimal digits. A note is three numbers (name size, content size, type), the name and the content. */
function buildIdOf(elf: Elf): string | undefined {
  const data = dataOf(elf, '.note.gnu.build-id');
  for (let at = 0; data?.has(at, 12) === true;) {
    const [nameBytes, bytes, type] = [data.u32(at), data.u32(at + 4), data.u32(at + 8)];
    const content = at + 12 + Math.ceil(nameBytes / 4) * 4;
    if (!data.has(content, bytes)) return undefined;
    if (type === NT_GNU_BUILD_ID && data.name(at + 12) === 'GNU' && bytes >= ID_BYTES.least && bytes <= ID_BYTES.most)
      return Array.from(data.part(content, bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
    at = content + Math.ceil(bytes / 4) * 4;
  }
  return undefined;
}

function dataOf(elf: Elf, name: string) {
  const section = elf.sections.find((each) => each.name === name);
  const bytes = section && sectionBytes(elf, section);
  return bytes?.ok === true ? createData(bytes.value, elf.data.littleEndian) : undefined;
}
