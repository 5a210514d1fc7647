/**
 * Reads the DWARF line tables of versions 2 to 5 (section `.debug_line`). Each unit is a program for a small state machine that emits rows
 * of address, file and line.
 *
 * A sequence of rows counts only if it lies in one stretch of code, because discarded functions keep their rows at meaningless addresses.
 * Units that cannot be read are left out and counted.
 *
 * DWARF 5, sections 6.2 (the machine, its opcodes) and 7.22 (their codes); DWARF 4 and earlier, the same sections.
 */
import { createCursor, type Cursor } from './cursor.ts';
import type { Data } from './data.ts';
import { readFileNames, type FileNames, type LineSections } from './dwarf-files.ts';
import { UNREPORTED, type Report } from '../image.ts';
import { createLineTable, type LineTable, type LineTableWriter } from '../line-table.ts';

/**
 * Reads all units into one table.
 * @param isCode true if the addresses [start, end) lie in one stretch of code
 * @param before phrases about sections that could not be read
 */
export function readLines(
  sections: LineSections,
  isCode: (start: bigint, end: bigint) => boolean,
  before: readonly string[] = [],
  report: Report = UNREPORTED,
): LineTable {
  const { lines } = sections;
  const table = createLineTable();
  const problems = [...before];
  let unreadable = 0;
  for (let at = 0; at < lines.length;) {
    const unit = readUnitLength(lines, at);
    if (unit === undefined) {
      problems.push(`its line tables are truncated at byte ${at} of .debug_line`);
      break;
    }
    if (!readUnit(sections, unit, table, isCode)) unreadable++;
    at = unit.end;
    report('lines', at, lines.length);
    if (table.hasRoom() && unreadable < MOST_UNREADABLE) continue;
    if (at < lines.length) {
      const reason = table.hasRoom() ? 'line tables that cannot be read' : 'lines';
      problems.push(`it has too many ${reason}; only the first ${at} bytes of .debug_line are used`);
    }
    break;
  }
  if (unreadable > 0) problems.push(`${unreadable} of its line tables cannot be read`);
  return table.finish(problems);
}

/** Upper bound on units that cannot be read. A section of zeros has one in every four bytes. */
const MOST_UNREADABLE = 10_000;

interface Unit {
  /** Offset of the version field. */
  readonly start: number;
  readonly end: number;
  /** Size of offsets: 4 or 8 bytes. */
  readonly word: 4 | 8;
}

function readUnitLength(data: Data, at: number): Unit | undefined {
  const cursor = createCursor(data, at, data.length);
  const short = cursor.place(4);
  const word = short === 0xffff_ffff ? 8 : 4;
  const length = word === 8 ? cursor.place(8) : short;
  const end = cursor.at + length;
  return cursor.broken || end > data.length ? undefined : { start: cursor.at, end, word };
}

/** Returns the file names of the unit at an offset; undefined if it cannot be read. */
export function fileNamesAt(sections: LineSections, at: number): FileNames | undefined {
  const unit = at < sections.lines.length ? readUnitLength(sections.lines, at) : undefined;
  if (unit === undefined) return undefined;
  return readHeader(sections, createCursor(sections.lines, unit.start, unit.end), unit.word)?.files;
}

interface Header {
  readonly leastBytes: number;
  readonly operations: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Number of LEB128 operands, by opcode. */
  readonly operands: readonly number[];
  readonly files: FileNames;
  readonly program: number;
}

function readUnit(
  sections: LineSections,
  { start, end, word }: Unit,
  table: LineTableWriter,
  isCode: (start: bigint, end: bigint) => boolean,
): boolean {
  const cursor = createCursor(sections.lines, start, end);
  const header = readHeader(sections, cursor, word);
  if (header === undefined) return false;
  cursor.at = header.program;
  return runProgram(cursor, header, table, isCode);
}

function readHeader(sections: LineSections, cursor: Cursor, word: 4 | 8): Header | undefined {
  const version = cursor.u16();
  if (version < 2 || version > 5) return undefined;
  // Address size and segment selector size.
  if (version === 5) cursor.skip(2);
  const length = cursor.place(word);
  const program = cursor.at + length;
  const leastBytes = cursor.u8();
  const operations = version >= 4 ? cursor.u8() : 1;
  // default_is_stmt: ignored, because every row is used.
  cursor.skip(1);
  const [lineBase, lineRange, opcodeBase] = [cursor.i8(), cursor.u8(), cursor.u8()];
  const operands = [0, ...Array.from({ length: Math.max(0, opcodeBase - 1) }, () => cursor.u8())];
  const files = readFileNames(sections, cursor, version, word);
  const usable = lineRange > 0 && opcodeBase > 0 && operations > 0 && program <= cursor.end && cursor.at <= program;
  if (cursor.broken || files === undefined || !usable) return undefined;
  return { leastBytes, operations, lineBase, lineRange, opcodeBase, operands, files, program };
}

/** Standard opcodes that affect rows. The others are skipped with their operands. */
const OP = {
  extended: 0,
  copy: 1,
  advanceAddress: 2,
  advanceLine: 3,
  setFile: 4,
  constantAddress: 8,
  fixedAddress: 9,
} as const;
const EXTENDED = { endSequence: 1, setAddress: 2, defineFile: 3 } as const;

/** Largest offset in a sequence; longer sequences are not code. */
const MOST_OFFSET = 0xffff_ffff;

/** Runs a line program. Returns false if it is truncated or leaves a sequence open; complete sequences are kept. */
function runProgram(
  cursor: Cursor,
  header: Header,
  table: LineTableWriter,
  isCode: (start: bigint, end: bigint) => boolean,
): boolean {
  const { leastBytes, operations, lineBase, lineRange, opcodeBase, operands, files } = header;
  /** The current address is `base + added`. */
  let [base, added, operation] = [0n, 0, 0];
  let [file, line] = [1, 1];
  /** Address of the first row of the sequence; undefined between sequences. */
  let start: bigint | undefined;
  /** Distance from `start` to `base`. */
  let toBase = 0;
  let last = 0;
  let sound = true;

  while (cursor.at < cursor.end && !cursor.broken && table.hasRoom()) {
    const opcode = cursor.u8();
    if (opcode >= opcodeBase) {
      const adjusted = opcode - opcodeBase;
      advance(Math.floor(adjusted / lineRange));
      line += lineBase + (adjusted % lineRange);
      row();
      continue;
    }
    switch (opcode) {
      case OP.extended:
        extended();
        break;
      case OP.copy:
        row();
        break;
      case OP.advanceAddress:
        advance(cursor.unsigned());
        break;
      case OP.advanceLine:
        line += cursor.signed();
        break;
      case OP.setFile:
        file = cursor.unsigned();
        break;
      case OP.constantAddress:
        advance(Math.floor((255 - opcodeBase) / lineRange));
        break;
      case OP.fixedAddress:
        added += cursor.u16();
        operation = 0;
        break;
      default:
        for (let i = operands[opcode]!; i > 0; i--) cursor.unsigned();
    }
  }
  const complete = !cursor.broken && start === undefined;
  table.end(0n, 0, false);
  return complete;

  function advance(by: number): void {
    if (operations === 1) added += leastBytes * by;
    else {
      added += leastBytes * Math.floor((operation + by) / operations);
      operation = (operation + by) % operations;
    }
  }

  function row(): void {
    if (start === undefined) {
      start = BigInt.asUintN(64, base + BigInt(Number.isSafeInteger(added) ? added : 0));
      toBase = Number(base - start);
    }
    const offset = toBase + added;
    sound &&= Number.isSafeInteger(added) && offset >= last && offset <= MOST_OFFSET;
    if (!sound) return;
    last = offset;
    const known = line > 0 && line <= MOST_OFFSET;
    table.row(offset, known ? files.number(file, table) : -1, known ? line : 0);
  }

  function extended(): void {
    const length = cursor.unsigned();
    const end = cursor.at + length;
    if (length === 0) return;
    switch (cursor.u8()) {
      case EXTENDED.endSequence:
        endSequence();
        break;
      case EXTENDED.setAddress:
        if (length === 9 || length === 5 || length === 3) {
          base = cursor.word(length - 1);
          toBase = start === undefined ? 0 : Number(base - start);
          [added, operation] = [0, 0];
        } else sound = false;
        break;
      case EXTENDED.defineFile:
        files.define(cursor);
        break;
      default:
        break;
    }
    cursor.skip(Math.max(0, end - cursor.at));
  }

  function endSequence(): void {
    if (start !== undefined) {
      const length = toBase + added;
      const whole = sound && length >= last && length <= MOST_OFFSET;
      table.end(start, length, whole && isCode(start, start + BigInt(length)));
    }
    [base, added, operation] = [0n, 0, 0];
    [file, line, last] = [1, 1, 0];
    [start, sound] = [undefined, true];
  }
}
