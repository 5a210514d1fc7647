/** The instructions of an answer by address: those of functions, and those of other code that ran in its range. */
import type { CountedRows } from '../../../../shared/coverage/derive.ts';
import {
  INSTRUCTION_SORTS,
  type InstructionCounts,
  type InstructionSort,
} from '../../../../shared/requests/answers/coverage.ts';
import { assert } from '../../../../shared/base/result.ts';
import { highHalf, joinAddress, lowHalf, toHex, type Hex } from '../../../../shared/base/units.ts';
import { isaOf } from '../../flow/classify/image-code.ts';
import { MOST_INSTRUCTION_BYTES } from '../../image/capstone.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import type { Images } from '../../image/images.ts';
import type { ExecutedCode } from './executed-code.ts';
import type { Program } from './known-program.ts';
import { joinedPlaces, placesOf, type CodePlaces } from './places.ts';
import { lastRow, SORT } from './program-code.ts';

export interface ListedCode {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  /** In bytes. */
  readonly size: Uint8Array;
  readonly places: CodePlaces;
  readonly rows: CountedRows;
}

/** Rows between two yields. */
const STEP = 4096;

/** Returns the instructions of functions, and others that ran. Yields often. */
export function* listedCode(
  images: Images,
  { code: { ofFunctions, columns }, places }: Program,
  { counts, taken, ...executed }: ExecutedCode,
): Generator<undefined, ListedCode, undefined> {
  // Earlier questions may have added code outside of functions, also while this one is answered.
  const others: number[] = [];
  for (let row = ofFunctions; row < counts.length; row++) if (counts[row]! > 0 || taken[row]! > 0) others.push(row);
  if (others.length === 0) return listed(<C extends Column>(column: C) => column.subarray(0, ofFunctions) as C, places);
  const { low, high } = columns;
  others.sort((a, b) => high[a]! - high[b]! || low[a]! - low[b]!);
  const own = {
    low: Uint32Array.from(others, (row) => low[row]!),
    high: Uint32Array.from(others, (row) => high[row]!),
  };
  const its = yield* placesOf(images, own);
  const order = new Uint32Array(ofFunctions + others.length);
  for (let at = 0, row = 0, other = 0; at < order.length; at++) {
    if (at % STEP === 0) yield;
    const [itsLow, itsHigh] = [own.low[other] ?? 0, own.high[other] ?? Infinity];
    const isOfFunction = row < ofFunctions && (high[row]! < itsHigh || (high[row] === itsHigh && low[row]! < itsLow));
    order[at] = isOfFunction ? row++ : ofFunctions + other++;
  }
  const rows = order.map((at) => (at < ofFunctions ? at : others[at - ofFunctions]!));
  return listed(<C extends Column>(column: C) => sorted(column, rows), joinedPlaces(places, its, order));

  function listed(pick: <C extends Column>(column: C) => C, itsPlaces: CodePlaces): ListedCode {
    const [lows, highs] = [pick(columns.low), pick(columns.high)];
    return {
      low: lows,
      high: highs,
      size: pick(columns.size),
      places: itsPlaces,
      rows: {
        counts: pick(counts),
        skipped: pick(executed.skipped),
        sorts: pick(columns.sort),
        taken: pick(taken),
        notTaken: pick(executed.passed),
        lines: itsPlaces.lineOf,
        functions: itsPlaces.functionOf,
        entries: entriesOf(lows, highs, itsPlaces),
      },
    };
  }
}

type Column = Float64Array | Uint32Array | Uint8Array;

function sorted<C extends Column>(column: C, rows: Uint32Array): C {
  const its = column.slice(0, rows.length) as C;
  for (let at = 0; at < rows.length; at++) its[at] = column[rows[at]!]!;
  return its;
}

/** Returns the row of the first instruction of each function; -1 if it is in no row, or the row belongs to another function. */
function entriesOf(low: Uint32Array, high: Uint32Array, { functions, functionOf }: CodePlaces): Int32Array {
  return Int32Array.from(functions, ({ address }, owner) => {
    const start = BigInt(address);
    const [itsLow, itsHigh] = [lowHalf(start), highHalf(start)];
    const row = lastRow(low, high, itsLow, itsHigh);
    return row >= 0 && low[row] === itsLow && high[row] === itsHigh && functionOf[row] === owner ? row : -1;
  });
}

/** The lists of an answer that lists no instructions. */
export const NO_INSTRUCTIONS: InstructionCounts = {
  addresses: [],
  sizes: [],
  counts: [],
  skipped: [],
  kinds: [],
  taken: [],
  notTaken: [],
  lines: [],
  functions: [],
};

/** Returns what the lists of an answer say about the condition and the branch of an instruction. */
export function listedRow(
  { skipped, sorts, taken, notTaken }: CountedRows,
  row: number,
): { sort: InstructionSort; skipped: number | null; taken: number | null; notTaken: number | null } {
  const isBranch = sorts[row]! >= SORT.branch;
  return {
    sort: INSTRUCTION_SORTS[sorts[row]!]!,
    skipped: Number.isNaN(skipped[row]!) ? null : skipped[row]!,
    taken: isBranch ? taken[row]! : null,
    notTaken: isBranch ? notTaken[row]! : null,
  };
}

/** Returns the instructions as lists. Yields often. */
export function* instructionsOf(
  { low, high, size, rows }: ListedCode,
  texts: readonly string[] | undefined,
): Generator<undefined, InstructionCounts, undefined> {
  const { counts, skipped, sorts, taken, notTaken, lines, functions } = rows;
  const ofBranch = (column: Float64Array, row: number): number | null =>
    sorts[row]! >= SORT.branch ? column[row]! : null;
  // V8 compiles a loop that yields less well, so each step is a loop of its own.
  const listOf = function* <T>(valueOf: (row: number) => T): Generator<undefined, T[], undefined> {
    const list: T[] = [];
    for (let first = 0; first < low.length; first += STEP) {
      yield;
      addTo(list, first, Math.min(first + STEP, low.length), valueOf);
    }
    return list;
  };
  return {
    addresses: yield* listOf((row): Hex => toHex(high[row] === 0 ? low[row]! : joinAddress(low[row]!, high[row]!))),
    sizes: Array.from(size),
    counts: Array.from(counts),
    skipped: yield* listOf((row) => (Number.isNaN(skipped[row]!) ? null : skipped[row]!)),
    kinds: yield* listOf((row) => INSTRUCTION_SORTS[sorts[row]!]!),
    taken: yield* listOf((row) => ofBranch(taken, row)),
    notTaken: yield* listOf((row) => ofBranch(notTaken, row)),
    lines: Array.from(lines),
    functions: Array.from(functions),
    ...(texts && { texts }),
  };
}

function addTo<T>(list: T[], first: number, end: number, valueOf: (row: number) => T): void {
  for (let row = first; row < end; row++) list.push(valueOf(row));
}

/** Bytes that are disassembled between two yields. */
const MOST_READ = 2048;

/** Returns the disassembly of the instructions. Yields often. */
export function* textsOf(
  images: Images,
  { each }: Disassembler,
  { low, high, size }: ListedCode,
): Generator<undefined, readonly string[], undefined> {
  const texts: string[] = [];
  while (texts.length < low.length) {
    yield;
    const first = texts.length;
    // Instructions that follow one another in memory were read from the first to the last, as they are here.
    let length = size[first]!;
    for (let row = first + 1; row < low.length && length < MOST_READ; row++) {
      if (high[row] !== high[first] || low[row] !== low[first]! + length) break;
      length += size[row]!;
    }
    const address = joinAddress(low[first]!, high[first]!);
    const code = images.codeAt(address);
    const isa = isaOf(code, undefined);
    const end = images.codeLength(address, length);
    const bytes = images.bytesAt(address, end + MOST_INSTRUCTION_BYTES - 1);
    assert(code !== undefined && isa !== undefined && bytes !== undefined, 'an instruction was read from the images');
    const { codeLittleEndian: littleEndian } = code.machine;
    each({ isa, littleEndian, bytes, address }, end, (_at, _size, text) => texts.push(text));
    assert(texts.length > first, 'an instruction is read again');
  }
  return texts;
}
