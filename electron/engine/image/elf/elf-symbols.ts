/**
 * Reads the symbols of an ELF file that are addresses in memory: functions, objects and labels for the symbol table, and mapping symbols
 * for the code states. Without mapping symbols, the addresses of functions give these. Skips undefined, absolute and thread-local symbols,
 * files, sections, and symbols outside their section.
 *
 * Layout: System V ABI, chapter 4, `Elf32_Sym`; bit 0 of a function's address means Thumb (IHI 0044 4.5.3).
 */
import { NAME_BYTES, toPlace } from './data.ts';
import { UNREPORTED, type Report } from '../image.ts';
import { stateOfName, type StateMark } from '../code-states.ts';
import { SECTION, SECTION_FLAG, type Elf, type Section } from './elf.ts';
import type { ImageSymbol, SymbolKind } from '../symbols.ts';

export interface FoundSymbols {
  readonly symbols: readonly ImageSymbol[];
  readonly marks: readonly StateMark[];
  readonly problems: readonly string[];
}

const MOST_SYMBOLS = 2_000_000;
/** Number of symbols between two reports of progress. */
const REPORTED_SYMBOLS = 8192;
/** Upper bound on the total length of names in characters. In a hostile table, many symbols can share one long name. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

export function elfSymbols(elf: Elf, report: Report = UNREPORTED): FoundSymbols {
  const found: Found = { symbols: [], marks: [], functions: [], problems: [], characters: 0 };
  for (const section of elf.sections) {
    if (section.type === SECTION.symbols || section.type === SECTION.dynamicSymbols)
      readTable(elf, section, found, report);
  }
  const { symbols, marks, functions, problems } = found;
  return { symbols, marks: marks.length > 0 ? marks : functions, problems };
}

interface Found {
  readonly symbols: ImageSymbol[];
  readonly marks: StateMark[];
  /** Code states of functions in ARM or Thumb code. They count only in a file whose mapping symbols were stripped. */
  readonly functions: StateMark[];
  readonly problems: string[];
  characters: number;
}

function readTable(elf: Elf, table: Section, found: Found, report: Report): void {
  const { data, machine, sections } = elf;
  const bytes = machine.bits === 64 ? 24 : 16;
  const size = toPlace(table.size);
  const strings = sections[table.link];
  if (table.entryBytes !== bytes || strings?.type !== SECTION.strings) {
    found.problems.push(`its symbol table ${table.name} cannot be read`);
    return;
  }
  if ((table.flags & SECTION_FLAG.compressed) !== 0) {
    found.problems.push(`its symbol table ${table.name} is compressed and cannot be read`);
    return;
  }
  const available = Math.max(0, Math.min(size, data.length - table.offset));
  if (available < size) found.problems.push(`its symbol table ${table.name} extends past the end of the file`);
  const stringsEnd = Math.min(data.length, strings.offset + toPlace(strings.size));
  const count = Math.floor(available / bytes);
  for (let i = 0, at = table.offset; i < count; i++, at += bytes) {
    const entry = machine.bits === 64 ? wideEntry(elf, at) : narrowEntry(elf, at);
    if (i % REPORTED_SYMBOLS === 0) report('symbols', i * bytes, count * bytes);
    const kind = KINDS[entry.info & 15];
    const nameAt = strings.offset + entry.name;
    if (kind === undefined || entry.name === 0 || nameAt >= stringsEnd) continue;
    if (found.symbols.length >= MOST_SYMBOLS || found.characters >= MOST_CHARACTERS) {
      found.problems.push(`it has too many symbols; the first ${found.symbols.length} are used`);
      return;
    }
    const home = sections[entry.section];
    if (home === undefined || (home.flags & SECTION_FLAG.alloc) === 0) continue;
    const name = data.name(nameAt, Math.min(NAME_BYTES, stringsEnd - nameAt));
    if (name === '') continue;
    found.characters += name.length;
    add(found, name, kind, entry, home, machine.arm);
  }
}

function add(found: Found, name: string, kind: SymbolKind, entry: Entry, home: Section, arm: boolean): void {
  const address = arm && kind === 'function' ? entry.value & ~1n : entry.value;
  const end = home.address + home.size;
  if (address < home.address || address >= end) return;
  const state = kind === 'label' ? stateOfName(name) : undefined;
  if (state !== undefined) {
    found.marks.push({ address, end, state });
    return;
  }
  const own = address + entry.size;
  const sized = entry.size > 0n;
  if (arm && kind === 'function') {
    const isThumb = (entry.value & 1n) === 1n || (entry.info & 15) === THUMB_FUNCTION;
    found.functions.push({ address, end: sized && own < end ? own : address + 1n, state: isThumb ? 'thumb' : 'arm' });
  }
  const binding = entry.info >> 4 === 0 ? 'local' : entry.info >> 4 === 2 ? 'weak' : 'global';
  found.symbols.push({ name, address, end: sized && own < end ? own : end, sized, kind, binding });
}

/** STT_ARM_TFUNC, from before bit 0 of an address meant Thumb. */
const THUMB_FUNCTION = 13;

/** Symbol kinds by `st_info & 15`: STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_GNU_IFUNC, STT_ARM_TFUNC. Others are not addresses in memory. */
const KINDS: Readonly<Record<number, SymbolKind>> = {
  0: 'label',
  1: 'object',
  2: 'function',
  10: 'function',
  [THUMB_FUNCTION]: 'function',
};

interface Entry {
  readonly name: number;
  readonly value: bigint;
  readonly size: bigint;
  readonly info: number;
  readonly section: number;
}

function narrowEntry({ data }: Elf, at: number): Entry {
  return {
    name: data.u32(at),
    value: BigInt(data.u32(at + 4)),
    size: BigInt(data.u32(at + 8)),
    info: data.u8(at + 12),
    section: data.u16(at + 14),
  };
}

function wideEntry({ data }: Elf, at: number): Entry {
  return {
    name: data.u32(at),
    info: data.u8(at + 4),
    section: data.u16(at + 6),
    value: data.u64(at + 8),
    size: data.u64(at + 16),
  };
}
