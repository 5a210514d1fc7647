/**
 * Maps addresses to source lines. A table holds sequences of rows, and a row applies from its address to the address of the next row. If
 * two sequences disagree about an address, it has no line.
 */

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
  at(address: bigint): SourceLine | undefined;
}

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
  let columns = { offset: new Uint32Array(1024), file: new Int32Array(1024), line: new Uint32Array(1024) };
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
      columns.file[rows] = file;
      columns.line[rows] = line;
      rows++;
    },
    end(start, length, keep) {
      if (keep && length > 0 && rows > first) {
        sequences.push({ start, last: start + BigInt(length) - 1n, first, end: rows });
      } else rows = first;
      first = rows;
    },
    finish: (problems) => {
      const { at } = lookUp(sequences, columns, files);
      return { rows, files: files.length, problems, at };
    },
  };

  function grow(): void {
    const larger = columns.offset.length * 2;
    const { offset, file, line } = columns;
    columns = { offset: new Uint32Array(larger), file: new Int32Array(larger), line: new Uint32Array(larger) };
    columns.offset.set(offset);
    columns.file.set(file);
    columns.line.set(line);
  }
}

interface Columns {
  readonly offset: Uint32Array;
  readonly file: Int32Array;
  readonly line: Uint32Array;
}

function lookUp(all: readonly Sequence[], columns: Columns, files: readonly string[]): Pick<LineTable, 'at'> {
  const sequences = [...all].sort((a, b) => (a.start === b.start ? 0 : a.start < b.start ? -1 : 1));
  /** Per sequence: the highest address of this and all previous sequences. */
  const reach: bigint[] = [];
  for (const { last } of sequences) reach.push(last > (reach.at(-1) ?? 0n) ? last : reach.at(-1)!);
  return {
    at(address) {
      let found: SourceLine | undefined;
      let i = lastStart(sequences, address);
      for (let steps = 0; i >= 0 && reach[i]! >= address; i--, steps++) {
        if (steps === MOST_OVERLAPS) return undefined;
        const line = lineIn(sequences[i]!, address);
        if (line === undefined) continue;
        if (found !== undefined && (found.file !== line.file || found.line !== line.line)) return undefined;
        found = line;
      }
      return found;
    },
  };

  function lineIn({ start, last, first, end }: Sequence, address: bigint): SourceLine | undefined {
    if (address > last) return undefined;
    const offset = Number(address - start);
    let [low, high] = [first, end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (columns.offset[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    const file = low > first ? files[columns.file[low - 1]!] : undefined;
    const line = low > first ? columns.line[low - 1]! : 0;
    return file === undefined || line === 0 ? undefined : { file, line };
  }
}

function lastStart(sequences: readonly Sequence[], address: bigint): number {
  let [low, high] = [0, sequences.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sequences[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
