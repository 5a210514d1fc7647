/**
 * Which function is at an address? By the symbols of the images; where there are none a function is known by the address at
 * which it is entered, and what code elsewhere belongs to is not known.
 */
import type { Images } from '../image/images.ts';
import type { SymbolHit } from '../image/symbols.ts';
import type { Body } from './fit-bodies.ts';
import { countBelow } from './observed.ts';
import { ABSENT, createAddressMap, type AddressMap, type AddressTable } from './address-map.ts';

/** Of code about which nothing is known. */
export const UNKNOWN = 0;
/** Stands for all calls that are too deep to be told apart in a tree. */
export const DEEPER = 1;
const FIRST_OWN = 2;

export interface Functions {
  /** Numbers of functions are below this. */
  readonly count: number;
  /** True where symbols tell which code belongs to it. */
  hasSymbol(fn: number): boolean;
  /** The function that the code at an address belongs to, as symbols tell; UNKNOWN where none does. */
  at(low: number, high: number): number;
  /** True where a symbol says that a function begins at the address. */
  begins(low: number, high: number): boolean;
  /** The function that a jump to this address enters: one that begins there, or was called there before `record`; -1 where there is none. */
  entry(low: number, high: number, record: number): number;
  /** Whether which code belongs to them was guessed. */
  readonly guessed: boolean;
  /** Takes it that this code belongs to functions, where no symbols tell it. Ascending. */
  own(bodies: readonly Body[]): void;
  /** The function that a call to this address enters; `how` it is entered stays with the function, as its first one. */
  called(low: number, high: number, how: Entered, record: number): number;
  /** A call was made that returns to this address. */
  resumes(low: number, high: number, record: number): void;
  /** True where a call before `record` was to return to the address. */
  isResume(low: number, high: number, record: number): boolean;
  /** True where a function that was called begins between the two addresses, or at the higher one: they are not of one function. */
  areApart(low: number, high: number, otherLow: number, otherHigh: number): boolean;
  /** Where a function begins; undefined for UNKNOWN and DEEPER. */
  address(fn: number): bigint | undefined;
  /** How it was first entered. */
  entered(fn: number): Entered;
  /** All that is known of them as a plain value. */
  table(): FunctionTable;
}

export interface FunctionTable {
  readonly bodies: readonly Body[];
  /** By function; 0 for UNKNOWN and DEEPER. */
  readonly addresses: BigUint64Array;
  /** Position in ENTERED. */
  readonly entered: Uint8Array;
  readonly symbolic: Uint8Array;
  readonly calledLabels: BigUint64Array;
  readonly calledAt: AddressTable;
  readonly calledFirst: FirstsTable;
  readonly resumed: FirstsTable;
}

/** How a frame came to be. Its position is its code. */
export const ENTERED = ['start', 'call', 'exception', 'interrupt', 'returned to'] as const;
export type Entered = (typeof ENTERED)[number];

/** So many local labels may follow one another. */
const MOST_LABELS = 256;
/** More functions than this are all UNKNOWN. */
const MOST = 1_000_000;

/** `from`: what `table` gave of functions of the same images. */
export function createFunctions(images: Images, from?: FunctionTable): Functions {
  const hasImages = images.list.length > 0;
  const addresses: (bigint | undefined)[] = [undefined, undefined, ...(from?.addresses.subarray(FIRST_OWN) ?? [])];
  const enteredAs: Entered[] =
    from === undefined ? ['start', 'start'] : Array.from(from.entered, (code) => ENTERED[code]!);
  const symbolic: boolean[] = from === undefined ? [false, false] : Array.from(from.symbolic, (is) => is === 1);
  const byEntry = createAddressMap();
  /** Twice the function, and one more where it begins at the address. */
  let known = createAddressMap();
  /** Local labels that are called all the same. */
  const calledLabels = new Set<bigint>(from?.calledLabels);
  const calledAt = createAddressMap(from?.calledAt);
  const calledFirst = createFirsts(from?.calledFirst);
  const resumed = createFirsts(from?.resumed);
  let bodies = from?.bodies ?? [];
  let entries = new Float64Array(0);
  for (let fn = FIRST_OWN; fn < addresses.length; fn++) {
    const [low, high] = splitAddress(addresses[fn]!);
    byEntry.set(low, high, fn);
  }

  return {
    get count() {
      return addresses.length;
    },
    get guessed() {
      return bodies.length > 0;
    },
    hasSymbol: (fn) => symbolic[fn]!,
    at: (low, high) => lookUp(low, high) >> 1,
    begins: (low, high) => (lookUp(low, high) & 1) === 1,
    entry(low, high, record) {
      const found = lookUp(low, high);
      if ((found & 1) === 1) return found >> 1;
      return calledFirst.isBefore(low, high, record) ? calledAt.get(low, high) : -1;
    },
    own(those) {
      bodies = those;
      known = createAddressMap();
    },
    called(low, high, how, record) {
      calledFirst.note(low, high, record);
      let fn = calledAt.get(low, high);
      if (fn === ABSENT) {
        noteLabel(low, high);
        const inside = lookUp(low, high) >> 1;
        fn = inside === UNKNOWN ? make(low, high, false) : inside;
        calledAt.set(low, high, fn);
      }
      if (fn >= FIRST_OWN && enteredAs[fn] === 'start') enteredAs[fn] = how;
      return fn;
    },
    resumes: resumed.note,
    isResume: resumed.isBefore,
    areApart(low, high, otherLow, otherHigh) {
      if (entries.length !== calledAt.size) entries = sortedAddresses(calledAt);
      const [a, b] = [high * HIGH + low, otherHigh * HIGH + otherLow];
      return countUpTo(entries, Math.max(a, b)) > countUpTo(entries, Math.min(a, b));
    },
    address: (fn) => addresses[fn],
    entered: (fn) => enteredAs[fn]!,
    table: () => ({
      bodies,
      addresses: BigUint64Array.from(addresses, (address) => address ?? 0n),
      entered: Uint8Array.from(enteredAs, (how) => ENTERED.indexOf(how)),
      symbolic: Uint8Array.from(symbolic, Number),
      calledLabels: BigUint64Array.from(calledLabels),
      calledAt: calledAt.table(),
      calledFirst: calledFirst.table(),
      resumed: resumed.table(),
    }),
  };

  function lookUp(low: number, high: number): number {
    if (!hasImages && bodies.length === 0) return UNKNOWN << 1;
    const found = known.get(low, high);
    return found === ABSENT ? ask(low, high) : found;
  }

  function ask(low: number, high: number): number {
    const code = bodies.length > 0 ? askBodies(low, high) : askSymbols(addressOf(low, high));
    known.set(low, high, code);
    return code;
  }

  function askBodies(low: number, high: number): number {
    const body = bodies[countBelow(bodies, { low, high }, true) - 1];
    if (body === undefined || body.high !== high || low > body.last) return UNKNOWN << 1;
    return (make(body.low, high, true) << 1) | Number(body.low === low);
  }

  function askSymbols(address: bigint): number {
    const hit = images.symbolAt(address);
    const start = hit && startOf(address, hit);
    const fn = start === undefined ? UNKNOWN : make(...splitAddress(start), true);
    return (fn << 1) | Number(fn !== UNKNOWN && start === address);
  }

  /** Local labels of assemblers are mostly heads of loops: unless they are called, they belong to the label before that is none. */
  function startOf(address: bigint, hit: SymbolHit): bigint {
    const own = address - hit.offset;
    let [at, start] = [hit, own];
    for (let labels = 0; labels < MOST_LABELS && isInner(at, start); labels++) {
      const before = start > 0n ? images.symbolAt(start - 1n) : undefined;
      if (before === undefined || before.symbol.sized) return own;
      start = start - 1n - before.offset;
      at = before;
    }
    return isInner(at, start) ? own : start;
  }

  function isInner({ symbol }: SymbolHit, start: bigint): boolean {
    return symbol.kind === 'label' && symbol.binding === 'local' && !symbol.sized && !calledLabels.has(start);
  }

  function noteLabel(low: number, high: number): void {
    if (!hasImages) return;
    const address = addressOf(low, high);
    const hit = images.symbolAt(address);
    if (hit?.offset !== 0n || !isInner(hit, address)) return;
    calledLabels.add(address);
    known = createAddressMap();
  }

  function make(low: number, high: number, isSymbol: boolean): number {
    const there = byEntry.get(low, high);
    if (there !== ABSENT) return there;
    if (addresses.length >= MOST) return UNKNOWN;
    const fn = addresses.length;
    addresses.push(addressOf(low, high));
    enteredAs.push('start');
    symbolic.push(isSymbol);
    byEntry.set(low, high, fn);
    return fn;
  }
}

/** Since which record something is known of an address. */
interface Firsts {
  note(low: number, high: number, record: number): void;
  isBefore(low: number, high: number, record: number): boolean;
  table(): FirstsTable;
}

interface FirstsTable {
  readonly places: AddressTable;
  readonly records: Float64Array<ArrayBuffer>;
}

function createFirsts(from?: FirstsTable): Firsts {
  const places = createAddressMap(from?.places);
  let records = from?.records ?? new Float64Array(64);
  return {
    table: () => ({ places: places.table(), records }),
    note(low, high, record) {
      const place = places.get(low, high);
      if (place !== ABSENT) {
        if (record < records[place]!) records[place] = record;
        return;
      }
      if (places.size === records.length) {
        const larger = new Float64Array(records.length * 2);
        larger.set(records);
        records = larger;
      }
      records[places.size] = record;
      places.set(low, high, places.size);
    },
    isBefore(low, high, record) {
      const place = places.get(low, high);
      return place !== ABSENT && records[place]! < record;
    },
  };
}

const HIGH = 2 ** 32;

/** As numbers: those above 2^53 lose their lowest bits. */
function sortedAddresses(map: AddressMap): Float64Array<ArrayBuffer> {
  const all = new Float64Array(map.size);
  let count = 0;
  map.each((low, high) => {
    all[count++] = high * HIGH + low;
  });
  return all.sort();
}

/** How many of ascending numbers are not above `most`. */
function countUpTo(numbers: Float64Array, most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function addressOf(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function splitAddress(address: bigint): readonly [low: number, high: number] {
  return [Number(address & 0xffff_ffffn), Number(address >> 32n)];
}
