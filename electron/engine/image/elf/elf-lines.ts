/** Finds the DWARF line tables of an ELF file and decides which of their sequences describe code of the program. */
import { createData, type Data } from './data.ts';
import { readLines } from './dwarf-lines.ts';
import { SECTION_FLAG, sectionBytes, type Elf, type Section } from './elf.ts';
import { UNREPORTED, type Report } from '../image.ts';
import { createLineTable, type LineTable } from '../line-table.ts';
import type { SymbolTable } from '../symbols.ts';

/** Returns a function that reads the line tables on first use; undefined if the file has none. */
export function elfLines(elf: Elf, symbols: SymbolTable, report: Report = UNREPORTED): (() => LineTable) | undefined {
  if (!hasLines(elf)) return undefined;
  let read: LineTable | undefined;
  return () => (read ??= readAll(elf, symbols, report));
}

export function hasLines(elf: Elf): boolean {
  return debugSection(elf, 'line') !== undefined;
}

function readAll(elf: Elf, symbols: SymbolTable, report: Report): LineTable {
  const problems: string[] = [];
  const lines = sectionData(elf, 'line', 'source lines', problems);
  if (lines === undefined) return createLineTable().finish(problems);
  const [lineStrings, strings] = ['line_str', 'str'].map((name) =>
    sectionData(elf, name, 'source lines of some files', problems),
  );
  const sections = { lines, ...(lineStrings && { lineStrings }), ...(strings && { strings }) };
  return readLines(sections, codeStretches(elf, symbols), problems, report);
}

/** Returns the content of a section. If it cannot be read, adds to `problems` what is left out. */
export function sectionData(elf: Elf, name: string, content: string, problems: string[]): Data | undefined {
  const section = debugSection(elf, name);
  const bytes = section && sectionBytes(elf, section);
  if (bytes?.ok === true) return createData(bytes.value, elf.data.littleEndian);
  if (bytes?.ok === false) problems.push(`its ${content} are left out: ${bytes.error.message}`);
  return undefined;
}

function debugSection({ sections }: Elf, name: string): Section | undefined {
  return sections.find((each) => each.name === `.debug_${name}` || each.name === `.zdebug_${name}`);
}

/**
 * Returns a predicate: true if [start, end) lies in one code section and describes code that the linker kept. Linkers leave the rows of
 * discarded functions at address 0, where bare-metal programs have code, so a range at 0 must also match functions there.
 */
function codeStretches({ sections }: Elf, symbols: SymbolTable): (start: bigint, end: bigint) => boolean {
  const wanted = SECTION_FLAG.alloc | SECTION_FLAG.execute;
  const code = sections
    .filter(({ flags }) => (flags & wanted) === wanted)
    .map(({ address, size }) => ({ start: address, end: address + size }))
    .sort((a, b) => (a.start === b.start ? 0 : a.start < b.start ? -1 : 1));
  return (start, end) => {
    let [low, high] = [0, code.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (code[middle]!.start <= start) low = middle + 1;
      else high = middle;
    }
    return low > 0 && end <= code[low - 1]!.end && (start > 0n || fitsFunctions(symbols, end));
  };
}

/** True if one or more functions with sizes cover the addresses [0, end) exactly. */
function fitsFunctions(symbols: SymbolTable, end: bigint): boolean {
  const begins = symbols.startingAt(0n).some(({ kind, sized }) => kind === 'function' && sized);
  const last = symbols.at(end - 1n)?.symbol;
  return begins && (last === undefined || last.end <= end);
}
