/**
 * Finds the debug information of units that the compiler left in other files: objects (`.dwo`) or a package (`.dwp`). Only files in the folder
 * of the program are read, in its subfolders, or under the compilation directory if the program is there too. A file is used only if it
 * contains the unit with the id that the program names.
 *
 * DWARF 5, sections 7.3.2 (split objects) and 7.3.5 (packages); GNU's form of both before DWARF 5: https://gcc.gnu.org/wiki/DebugFissionDWP
 */
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { readWhole } from '../read-whole.ts';
import { createData, type Data } from './data.ts';
import { sectionData } from './elf-lines.ts';
import { isElf, readElf, type Elf } from './elf.ts';

/** How a program refers to a unit in another file. */
export interface SplitName {
  readonly name: string;
  readonly directory: string | undefined;
  readonly id: bigint;
}

/** Sections of a split file, or the parts of them that a package has for one unit. */
export interface SplitSections {
  readonly info: Data;
  readonly abbreviations: Data;
  readonly strings: Data | undefined;
  readonly stringOffsets: Data | undefined;
  readonly lines: Data | undefined;
  readonly rangeLists: Data | undefined;
}

/** Returns the sections that may contain a unit; undefined if there is no such file. */
export type SplitFiles = (name: SplitName) => SplitSections | undefined;

/** @param path that of the program, or of its debug file */
export function splitFiles(path: string): SplitFiles {
  const folder = dirname(resolve(path));
  let read: { readonly elf: Elf | undefined } | undefined;
  return (wanted) => {
    // A program has one package, but thousands of objects.
    const { elf: packed } = (read ??= { elf: readSplit(`${resolve(path)}.dwp`) });
    const own = packed && fromPackage(packed, wanted.id);
    if (own !== undefined) return own;
    for (const file of placesOf(folder, wanted)) {
      const elf = readSplit(file);
      const sections = elf && sectionsOf(elf, (name) => sectionData(elf, `${name}.dwo`, 'scopes', []));
      if (sections !== undefined) return sections;
    }
    return undefined;
  };
}

function placesOf(folder: string, { name, directory }: SplitName): readonly string[] {
  // Everything is under the root.
  const isNamed = directory !== undefined && isAbsolute(directory) && dirname(directory) !== directory;
  const isCompiledHere = isNamed && isWithin(directory, folder);
  const root = isCompiledHere ? directory : folder;
  const places = [resolve(root, name), resolve(folder, name), join(folder, basename(name))];
  return [...new Set(places)].filter((file) => isWithin(root, file));
}

function isWithin(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return !isAbsolute(way) && way.split(/[/\\]/, 1)[0] !== '..';
}

function readSplit(file: string): Elf | undefined {
  const read = readWhole(file);
  if (!read.ok || !isElf(read.value)) return undefined;
  const elf = readElf(read.value);
  return elf.ok ? elf.value : undefined;
}

function sectionsOf(elf: Elf, part: (name: string) => Data | undefined): SplitSections | undefined {
  const [info, abbreviations] = [part('info'), part('abbrev')];
  if (info === undefined || abbreviations === undefined) return undefined;
  return {
    info,
    abbreviations,
    // A package has one for all units.
    strings: sectionData(elf, 'str.dwo', 'scopes', []),
    stringOffsets: part('str_offsets'),
    lines: part('line'),
    rangeLists: part('rnglists'),
  };
}

/** Sections in the index of a package, by number (DWARF 5, table 7.1; the numbers of GNU's form that are used here are the same). */
const PACKED: Readonly<Record<number, string>> = { 1: 'info', 3: 'abbrev', 4: 'line', 6: 'str_offsets', 8: 'rnglists' };
/** In GNU's form, this number stands for macros. */
const LISTS = 8;
const MOST_COLUMNS = 16;

/** Reads the hash table of `.debug_cu_index`: ids, rows, numbers of sections, and for each row offsets and sizes of its parts. */
function fromPackage(elf: Elf, id: bigint): SplitSections | undefined {
  const index = sectionData(elf, 'cu_index', 'scopes', []);
  if (index?.has(0, 16) !== true) return undefined;
  const version = index.u16(0);
  const [columns, units, slots] = [index.u32(4), index.u32(8), index.u32(12)];
  const numbersAt = 16 + 12 * slots;
  const bytes = 4 * columns * units;
  const offsetsAt = numbersAt + 4 * columns;
  if (![2, 5].includes(version) || columns > MOST_COLUMNS || !index.has(offsetsAt, 2 * bytes)) return undefined;
  let row = 0;
  for (let slot = 0; slot < slots && row === 0; slot++)
    if (index.u64(16 + 8 * slot) === id) row = index.u32(16 + 8 * slots + 4 * slot);
  if (row === 0 || row > units) return undefined;
  const parts = new Map<string, Data>();
  for (let column = 0; column < columns; column++) {
    const number = index.u32(numbersAt + 4 * column);
    const name = version < 5 && number === LISTS ? undefined : PACKED[number];
    const section = name === undefined ? undefined : sectionData(elf, `${name}.dwo`, 'scopes', []);
    const at = offsetsAt + 4 * ((row - 1) * columns + column);
    const [start, length] = [index.u32(at), index.u32(at + bytes)];
    if (name !== undefined && section?.has(start, length) === true)
      parts.set(name, createData(section.part(start, length), section.littleEndian));
  }
  return sectionsOf(elf, (name) => parts.get(name));
}
