/**
 * Maps addresses to source lines. A table holds sequences of rows, and a row applies from its address to the address of the next row. If
 * two sequences disagree about an address, it has no line.
 */

import { lastAtOrBefore } from './symbols.ts';
import { sharedAddresses, sharedNumbers, shareTexts, textAt, type SharedTexts } from './shared-memory.ts';

export interface SourceLine {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

export interface LineTable {
  readonly rows: number;
  readonly files: number;
  /** Phrases about parts that could not be read. */
  readonly problems: readonly string[];
  /** The content, for other threads. */
  readonly columns: LineColumns;
  at(address: bigint): SourceLine | undefined;
  /** Returns the first address after this one at which `at` may find another line; undefined if it is the same to the last address. */
  nextChange(address: bigint): bigint | undefined;
}

/** A line table in shared memory. */
export interface LineColumns {
  readonly problems: readonly string[];
  readonly files: SharedTexts;
  readonly rows: RowColumns;
  readonly sequences: SequenceColumns;
}

interface RowColumns {
  /** Distance from the start of the sequence. */
  readonly offset: Uint32Array;
  /** Number of the file; NO_FILE if it is not known. */
  readonly file: Uint32Array;
  readonly line: Uint32Array;
}

/** By start. */
interface SequenceColumns {
  readonly start: BigUint64Array;
  /** Last address. */
  readonly last: BigUint64Array;
  /** Highest address of this and all previous sequences. */
  readonly reach: BigUint64Array;
  /** Rows [first, end). */
  readonly first: Uint32Array;
  readonly end: Uint32Array;
}

const NO_FILE = 0xffff_ffff;

export interface LineTableWriter {
  /** False if the limit of rows or sequences is reached. */
  hasRoom(): boolean;
  /** Returns the number of a file name; -1 if the limit of names is reached. */
  file(name: string): number;
  /** Appends a row to the current sequence. `line` 0 or `file` -1 mean unknown. Offsets from the start of the sequence must not decrease. */
  row(offset: number, file: number, line: number): void;
  /** Ends the sequence. With `keep` false its rows are discarded. */
  end(start: bigint, length: number, keep: boolean): void;
  finish(problems: readonly string[]): LineTable;
}

const MOST_ROWS = 16 * 1024 * 1024;
/** Large programs have one sequence per function. */
const MOST_SEQUENCES = 2_000_000;
/** Upper bound on the total length of file names in characters. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Upper bound on overlapping sequences examined for one address. */
const MOST_OVERLAPS = 64;

interface Sequence {
  readonly start: bigint;
  /** Last address. */
  readonly last: bigint;
  readonly first: number;
  readonly end: number;
}

export function createLineTable(): LineTableWriter {
  const files: string[] = [];
  const numbers = new Map<string, number>();
  const sequences: Sequence[] = [];
  let columns = rowColumns(1024);
  let [first, rows, characters] = [0, 0, 0];
  return {
    hasRoom: () => rows < MOST_ROWS && sequences.length < MOST_SEQUENCES,
    file(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      characters += name.length;
      if (characters > MOST_CHARACTERS) return -1;
      numbers.set(name, files.length);
      return files.push(name) - 1;
    },
    row(offset, file, line) {
      // Of several rows at one address, the last one applies.
      if (rows > first && columns.offset[rows - 1] === offset) rows--;
      if (rows === columns.offset.length) grow();
      columns.offset[rows] = offset;
      columns.file[rows] = file < 0 ? NO_FILE : file;
      columns.line[rows] = line;
      rows++;
    },
    end(start, length, keep) {
      if (keep && length > 0 && rows > first) {
        sequences.push({ start, last: start + BigInt(length) - 1n, first, end: rows });
      } else rows = first;
      first = rows;
    },
    finish: (problems) =>
      lineTableOf({
        problems,
        files: shareTexts(files),
        rows: {
          offset: columns.offset.subarray(0, rows),
          file: columns.file.subarray(0, rows),
          line: columns.line.subarray(0, rows),
        },
        sequences: sequenceColumns(sequences),
      }),
  };

  function grow(): void {
    const { offset, file, line } = columns;
    columns = rowColumns(offset.length * 2);
    columns.offset.set(offset);
    columns.file.set(file);
    columns.line.set(line);
  }
}

function rowColumns(count: number): RowColumns {
  return { offset: sharedNumbers(count), file: sharedNumbers(count), line: sharedNumbers(count) };
}

function sequenceColumns(all: readonly Sequence[]): SequenceColumns {
  const sorted = [...all].sort((a, b) => (a.start === b.start ? 0 : a.start < b.start ? -1 : 1));
  const [start, last, reach] = [0, 0, 0].map(() => sharedAddresses(sorted.length)) as [
    BigUint64Array,
    BigUint64Array,
    BigUint64Array,
  ];
  const [first, end] = [sharedNumbers(sorted.length), sharedNumbers(sorted.length)];
  let highest = 0n;
  sorted.forEach((sequence, i) => {
    start[i] = sequence.start;
    last[i] = sequence.last;
    reach[i] = highest = sequence.last > highest ? sequence.last : highest;
    first[i] = sequence.first;
    end[i] = sequence.end;
  });
  return { start, last, reach, first, end };
}

export function lineTableOf(columns: LineColumns): LineTable {
  const { problems, files, rows, sequences } = columns;
  return {
    columns,
    rows: rows.offset.length,
    files: files.starts.length - 1,
    problems,
    at(address) {
      let found: SourceLine | undefined;
      let i = lastAtOrBefore(sequences.start, address);
      for (let steps = 0; i >= 0 && sequences.reach[i]! >= address; i--, steps++) {
        if (steps === MOST_OVERLAPS) return undefined;
        const line = lineIn(i, address);
        if (line === undefined) continue;
        if (found !== undefined && (found.file !== line.file || found.line !== line.line)) return undefined;
        found = line;
      }
      return found;
    },
    nextChange(address) {
      let i = lastAtOrBefore(sequences.start, address);
      let next = sequences.start[i + 1];
      for (let steps = 0; i >= 0 && sequences.reach[i]! >= address; i--, steps++) {
        if (steps === MOST_OVERLAPS) return address + 1n;
        if (address > sequences.last[i]!) continue;
        const row = rowAfter(i, address);
        const change = row < sequences.end[i]! ? sequences.start[i]! + BigInt(rows.offset[row]!) : undefined;
        const end = sequences.last[i]! + 1n;
        const own = change === undefined || end < change ? end : change;
        if (next === undefined || own < next) next = own;
      }
      return next;
    },
  };

  function lineIn(i: number, address: bigint): SourceLine | undefined {
    if (address > sequences.last[i]!) return undefined;
    const row = rowAfter(i, address) - 1;
    if (row < sequences.first[i]!) return undefined;
    const [file, line] = [rows.file[row]!, rows.line[row]!];
    return file === NO_FILE || line === 0 ? undefined : { file: textAt(files, file), line };
  }

  /** Returns the first row of a sequence that is behind an address. */
  function rowAfter(i: number, address: bigint): number {
    const offset = Number(address - sequences.start[i]!);
    let [low, high] = [sequences.first[i]!, sequences.end[i]!];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rows.offset[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
