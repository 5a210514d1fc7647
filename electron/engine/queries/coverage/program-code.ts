/**
 * The instructions of a program as its images have them: of all functions, and of other code that ran. A row each, in columns, because a
 * program may have a million.
 */
import { highHalf, joinAddress, lowHalf } from '../../../../shared/base/units.ts';
import { ABSENT, createAddressMap, type AddressMap } from '../../collections/address-map.ts';
import { moveColumns } from '../../collections/columns.ts';
import { isaOf } from '../../flow/classify/image-code.ts';
import { MOST_INSTRUCTION_BYTES } from '../../image/capstone.ts';
import type { Images, NamedStretch } from '../../image/images.ts';
import { lastAtOrBefore } from '../../image/symbols.ts';
import { IT, TRAIT, type TraitsReader } from './instruction-traits.ts';

/** Sorts of instructions. `conditionalBranch` is the sum of both of its words. */
export const SORT = { plain: 0, conditional: 1, branch: 2, conditionalBranch: 3 } as const;

export interface ProgramCode {
  readonly count: number;
  readonly columns: CodeColumns;
  /** Returns the row of the instruction at an address, which it adds if an image has one; NO_ROW without. */
  rowAt(low: number, high: number): number;
  /** Disassembles the functions that contain an address, which `rowAt` would do at once. Yields often. Absent if all of them are. */
  ready?(address: bigint): Generator<undefined, void, undefined>;
}

/** The code of a program whose functions were all disassembled. */
export interface WholeCode extends ProgramCode {
  /** Rows before this one are those of functions; rows of other code that ran follow. */
  readonly ofFunctions: number;
}

/** The code of a program whose functions are disassembled when the first of their instructions is looked up. */
export interface CodeOnDemand extends ProgramCode {
  ready(address: bigint): Generator<undefined, void, undefined>;
  /** Returns the row of an instruction in a function that is disassembled, or outside of functions if it was looked up; NO_ROW without. */
  knownRow(low: number, high: number): number;
}

export const NO_ROW = -1;

interface CodeColumns {
  low: Uint32Array;
  high: Uint32Array;
  /** In bytes. */
  size: Uint8Array;
  /** A value of SORT. */
  sort: Uint8Array;
  /**
   * 1 if the instruction after it follows only when something comes back: a call, a return, an unconditional jump. A straight run goes on
   * behind an instruction that raises an exception, such as INT and SWI, once its handler has returned.
   */
  ends: Uint8Array;
  /** 1 if a trace that shows skipped instructions says whether its condition failed: conditional instructions of ARM, but for CBZ and CBNZ. */
  skips: Uint8Array;
}

/** The instructions of the functions of the images, by address. */
export interface FunctionCode {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  /** A sum of FACT each. */
  readonly facts: Uint8Array;
}

/** Facts about an instruction in a byte: its size, and 16 times its sort, and 64 if it ends a run, and 128 if it shows that it was skipped. */
const FACT = { size: 15, sort: 16, ends: 64, skips: 128 } as const;

/** Returns the size of an instruction in bytes. */
export function sizeOf(facts: number): number {
  return facts & FACT.size;
}

/** Reads the instructions of all functions of the images, each from its beginning. */
export function* functionCode(images: Images, traits: TraitsReader): Generator<undefined, FunctionCode, undefined> {
  let low = new Uint32Array(1024);
  let high = new Uint32Array(1024);
  let facts = new Uint8Array(1024);
  let [count, top, isSorted] = [0, 0, true];
  /** All rows, once functions overlap. */
  let rows: AddressMap | undefined;
  for (const stretch of functionsOf(images)) yield* scan(images, traits, stretch, add);
  const own = { low: low.slice(0, count), high: high.slice(0, count), facts: facts.slice(0, count) };
  return isSorted ? own : byAddress(own);

  function add(itsLow: number, itsHigh: number, its: number): void {
    const isHighest = count === 0 || itsHigh > high[top]! || (itsHigh === high[top] && itsLow > low[top]!);
    if (!isHighest) {
      if (rows === undefined) {
        rows = createAddressMap(1024);
        for (let row = 0; row < count; row++) rows.set(low[row]!, high[row]!, row);
      }
      if (rows.get(itsLow, itsHigh) !== ABSENT) return;
      isSorted = false;
    } else top = count;
    rows?.set(itsLow, itsHigh, count);
    if (count === low.length) {
      low = longerNumbers(low);
      high = longerNumbers(high);
      const longer = new Uint8Array(2 * count);
      longer.set(facts);
      facts = longer;
    }
    low[count] = itsLow;
    high[count] = itsHigh;
    facts[count++] = its;
  }
}

function longerNumbers(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * column.length);
  longer.set(column);
  return longer;
}

function byAddress({ low, high, facts }: FunctionCode): FunctionCode {
  const order = Uint32Array.from(low.keys()).sort((a, b) => high[a]! - high[b]! || low[a]! - low[b]!);
  return {
    low: low.map((_, at) => low[order[at]!]!),
    high: high.map((_, at) => high[order[at]!]!),
    facts: facts.map((_, at) => facts[order[at]!]!),
  };
}

/** Returns the code of the images, whose functions were read. */
export function wholeCode(images: Images, traits: TraitsReader, { low, high, facts }: FunctionCode): WholeCode {
  const ofFunctions = low.length;
  const columns = createColumns(ofFunctions + 1024);
  columns.low.set(low);
  columns.high.set(high);
  for (let row = 0; row < ofFunctions; row++) putFacts(columns, row, facts[row]!);
  const others = createAddressMap(64);
  const list = { count: ofFunctions, columns };
  /** The row that was found last: the next one is often the next instruction. */
  let last = -1;
  return Object.assign(list, { ofFunctions, rowAt });

  function rowAt(itsLow: number, itsHigh: number): number {
    const next = last + 1;
    if (next < ofFunctions && low[next] === itsLow && high[next] === itsHigh) return (last = next);
    const row = lastRow(low, high, itsLow, itsHigh);
    if (row >= 0 && low[row] === itsLow && high[row] === itsHigh) return (last = row);
    const known = others.get(itsLow, itsHigh);
    return known === ABSENT ? addOther(list, others, itsLow, itsHigh, factsAt(images, traits, itsLow, itsHigh)) : known;
  }
}

/** Returns the last row at or before an address, of rows by address; -1 without one. */
export function lastRow(lows: Uint32Array, highs: Uint32Array, low: number, high: number): number {
  let [from, to] = [0, lows.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const itsHigh = highs[middle]!;
    if (itsHigh < high || (itsHigh === high && lows[middle]! <= low)) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

interface Rows {
  count: number;
  readonly columns: CodeColumns;
}

/** Adds a row, and returns it; NO_ROW if there is no instruction. */
function addOther(list: Rows, rows: AddressMap, low: number, high: number, facts: number): number {
  if (facts === 0) return NO_ROW;
  const { columns } = list;
  const row = list.count++;
  if (row === columns.low.length) moveColumns(columns, createColumns(2 * row));
  rows.set(low, high, row);
  columns.low[row] = low;
  columns.high[row] = high;
  putFacts(columns, row, facts);
  return row;
}

function putFacts(columns: CodeColumns, row: number, facts: number): void {
  columns.size[row] = facts & FACT.size;
  columns.sort[row] = (facts >>> 4) & 3;
  columns.ends[row] = (facts >>> 6) & 1;
  columns.skips[row] = facts >>> 7;
}

/** Returns the facts about an instruction outside of functions; 0 if the images have none there. */
function factsAt(images: Images, traits: TraitsReader, low: number, high: number): number {
  const address = joinAddress(low, high);
  const code = images.codeAt(address);
  const bytes = code && images.bytesAt(address, MOST_INSTRUCTION_BYTES);
  let facts = 0;
  if (code !== undefined && bytes !== undefined)
    traits.read(code, bytes, address, 1, (_, its) => (facts = factsOf(its, false)));
  return facts;
}

/** @param inBlock an IT instruction of Thumb makes it conditional */
function factsOf(traits: number, inBlock: boolean): number {
  const isConditional = inBlock || (traits & TRAIT.conditional) !== 0;
  const sort =
    ((traits & TRAIT.branch) === 0 ? SORT.plain : SORT.branch) + (isConditional ? SORT.conditional : SORT.plain);
  return (
    (traits & TRAIT.size) +
    FACT.sort * sort +
    (!isConditional && (traits & TRAIT.ends) !== 0 ? FACT.ends : 0) +
    (isConditional && (traits & TRAIT.skips) !== 0 ? FACT.skips : 0)
  );
}

/** Bytes that are read between two yields. */
const MOST_READ = 4096;

/** Reads the instructions of a function. Yields often. */
function* scan(
  images: Images,
  traits: TraitsReader,
  { low, high }: NamedStretch,
  add: (low: number, high: number, facts: number) => void,
): Generator<undefined, void, undefined> {
  /** Number of next instructions that an IT instruction of Thumb makes conditional. */
  let conditional = 0;
  // A symbol without a size may reach far beyond the bytes of its image.
  for (let at = low; at < high && images.bytesAt(at, 1) !== undefined;) {
    yield;
    const [itsLow, itsHigh] = [lowHalf(at), highHalf(at)];
    const most = Math.min(MOST_READ, high - at < MOST_READ ? Number(high - at) : MOST_READ, 2 ** 32 - itsLow);
    const end = images.codeLength(at, most);
    const code = images.codeAt(at);
    const bytes = images.bytesAt(at, end + MOST_INSTRUCTION_BYTES - 1);
    const isCode = code !== undefined && isaOf(code, undefined) !== undefined;
    let read = 0;
    if (isCode && bytes !== undefined)
      read = traits.read(code, bytes, at, end, (offset, its) => {
        add(itsLow + offset, itsHigh, factsOf(its, conditional > 0));
        conditional = its >= IT ? Math.floor(its / IT) : Math.max(0, conditional - 1);
      });
    if (read < end) {
      conditional = 0;
      const step = Number(stepAt(images, at + BigInt(read)));
      // Nothing before the end of the data is code.
      read = isCode ? read + step : Math.ceil(end / step) * step;
    }
    at += BigInt(read);
  }
}

/** Returns the code of the images, of which nothing is disassembled so far. */
export function codeOnDemand(images: Images, traits: TraitsReader): CodeOnDemand {
  const list = { count: 0, columns: createColumns(1024) };
  const rows = createAddressMap(1024);
  const functions = functionsOf(images);
  const starts = BigUint64Array.from(functions, ({ low }) => low);
  /** The highest end of a function and of all before it. */
  const ends = new BigUint64Array(functions.length);
  functions.forEach(({ high }, at) => (ends[at] = at > 0 && ends[at - 1]! > high - 1n ? ends[at - 1]! : high - 1n));
  const isKnown = new Uint8Array(functions.length);
  return Object.assign(list, { ready, knownRow, rowAt });

  function add(low: number, high: number, facts: number): void {
    if (rows.get(low, high) === ABSENT) addOther(list, rows, low, high, facts);
  }

  function knownRow(low: number, high: number): number {
    const known = rows.get(low, high);
    return known === ABSENT ? NO_ROW : known;
  }

  function* ready(address: bigint): Generator<undefined, void, undefined> {
    const last = lastAtOrBefore(starts, address);
    let first = last + 1;
    while (first > 0 && ends[first - 1]! >= address) first--;
    for (let at = first; at <= last; at++) {
      if (isKnown[at] === 1 || functions[at]!.high <= address) continue;
      yield* scan(images, traits, functions[at]!, add);
      isKnown[at] = 1;
    }
  }

  function rowAt(low: number, high: number): number {
    const before = knownRow(low, high);
    if (before !== NO_ROW) return before;
    const work = ready(joinAddress(low, high));
    while (work.next().done !== true);
    const known = knownRow(low, high);
    return known === NO_ROW ? addOther(list, rows, low, high, factsAt(images, traits, low, high)) : known;
  }
}

/** Returns the stretches of the functions, by address. */
export function functionsOf(images: Images): readonly NamedStretch[] {
  return images.namesIn(0n, 1n << 64n).filter(({ kind }) => kind === 'function');
}

function createColumns(capacity: number): CodeColumns {
  return {
    low: new Uint32Array(capacity),
    high: new Uint32Array(capacity),
    size: new Uint8Array(capacity),
    sort: new Uint8Array(capacity),
    ends: new Uint8Array(capacity),
    skips: new Uint8Array(capacity),
  };
}

/** Bytes from something that is no instruction to the next place where one may begin. */
export function stepAt(images: Images, address: bigint): bigint {
  const code = images.codeAt(address);
  if (code === undefined || code.state === 'data') return code?.machine.arm === true ? 2n : 1n;
  const { isa, arm } = code.machine;
  if (arm) return code.state === 'arm' ? 4n : 2n;
  if (isa?.startsWith('riscv')) return 2n;
  return isa?.startsWith('x86') ? 1n : 4n;
}
