/**
 * Which function is at an address? By the symbols of the images; where there are none a function is known by the address at
 * which it is entered, and what code elsewhere belongs to is not known.
 */
import type { Images } from '../../image/images.ts';
import type { SymbolHit } from '../../image/symbols.ts';
import type { Body } from '../infer/fit-bodies.ts';
import { countBelow } from '../infer/observed.ts';
import { ABSENT, createAddressMap } from '../../collections/address-map.ts';
import { createAscending, type Ascending } from '../../collections/ascending.ts';
import { createKnownBranches, type KnownBranches } from './branch-table.ts';
import { createPlaces, type Places, type PlacesTable } from './places.ts';

/** Of code about which nothing is known. */
export const UNKNOWN = 0;
/** Stands for all calls that are too deep to be told apart in a tree. */
export const DEEPER = 1;
const FIRST_OWN = 2;
/** What symbols tell where there are none. */
const NOWHERE = UNKNOWN << 1;

export interface Functions {
  /** Numbers of functions are below this. */
  readonly count: number;
  /** True where symbols tell which code belongs to it. */
  hasSymbol(fn: number): boolean;
  /** Addresses that were asked for; the functions below that end with `At` are asked by place. */
  readonly places: Places;
  readonly branches: KnownBranches;
  /** Whether symbols say that both are pieces of one function, as compilers name them: sort, sort.cold, sort.part.0. */
  arePieces(fn: number, other: number): boolean;
  /** The function that the code at an address belongs to, as symbols tell; UNKNOWN where none does. */
  at(low: number, high: number): number;
  ownerAt(place: number): number;
  /** True where a symbol says that a function begins at the address. */
  begins(low: number, high: number): boolean;
  beginsAt(place: number): boolean;
  /** The function that a jump to this address enters: one that begins there, or was called there before `record`; -1 where there is none. */
  entry(low: number, high: number, record: number): number;
  entryAt(place: number, record: number): number;
  /** Whether it is known at all which code belongs to them. */
  readonly told: boolean;
  /** Whether that was guessed. */
  readonly guessed: boolean;
  /** Takes it that this code belongs to functions, where no symbols tell it. Ascending. */
  own(bodies: readonly Body[]): void;
  /** The function that a call to this address enters; `how` it is entered stays with the function, as its first one. */
  called(low: number, high: number, how: Entered, record: number): number;
  calledAt(place: number, how: Entered, record: number): number;
  /** Whether a call, of any record, enters one there. */
  isCalled(place: number): boolean;
  /** A call was made that returns to this address. */
  resumesAt(place: number, record: number): void;
  /** True where a call before `record` was to return to the address. */
  isResumeAt(place: number, record: number): boolean;
  /** True where none that is known was. */
  isNoResume(place: number): boolean;
  /** True where a function that was called begins between the two addresses, or at the higher one: they are not of one function. */
  areApart(low: number, high: number, otherLow: number, otherHigh: number): boolean;
  /** The function that was called and begins closest before an address, or there; UNKNOWN where there is none. */
  calledBefore(low: number, high: number): number;
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
  readonly places: PlacesTable;
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
  /** Local labels that are called all the same. */
  const calledLabels = new Set<bigint>(from?.calledLabels);
  let bodies = from?.bodies ?? [];
  /** Images or bodies tell which code belongs to which function. */
  let isTold = hasImages || bodies.length > 0;
  const places = createPlaces(from?.places);
  const branches = createKnownBranches(places);
  /** Addresses that were called, as soon as somebody asks. */
  let entries: Ascending | undefined;
  for (let fn = FIRST_OWN; fn < addresses.length; fn++) {
    const [low, high] = splitAddress(addresses[fn]!);
    byEntry.set(low, high, fn);
  }

  const own: Mutable<Functions, 'count' | 'told' | 'guessed'> = {
    count: addresses.length,
    told: isTold,
    guessed: bodies.length > 0,
    hasSymbol: (fn) => symbolic[fn]!,
    arePieces: (fn, other) => wholeOf(fn) !== undefined && wholeOf(fn) === wholeOf(other),
    places,
    branches,
    at: (low, high) => (isTold ? ownerAt(places.at(low, high)) : UNKNOWN),
    ownerAt,
    begins: (low, high) => isTold && beginsAt(places.at(low, high)),
    beginsAt,
    entry(low, high, record) {
      const place = isTold ? places.at(low, high) : places.find(low, high);
      return place < 0 ? -1 : entryAt(place, record);
    },
    entryAt,
    own(those) {
      bodies = those;
      own.guessed = bodies.length > 0;
      own.told = isTold = hasImages || bodies.length > 0;
      places.columns.symbolic.fill(-1);
      branches.forget();
    },
    called: (low, high, how, record) => calledAt(places.at(low, high), how, record),
    calledAt,
    isCalled: (place) => places.columns.called[place]! >= 0,
    resumesAt(place, record) {
      const { resumedFirst } = places.columns;
      if (record >= resumedFirst[place]!) return;
      if (resumedFirst[place] === Number.POSITIVE_INFINITY) branches.leaves(place);
      resumedFirst[place] = record;
    },
    isResumeAt: (place, record) => places.columns.resumedFirst[place]! < record,
    isNoResume: (place) => places.columns.resumedFirst[place] === Number.POSITIVE_INFINITY,
    calledBefore(low, high) {
      const entry = calledEntries().notAbove(low, high);
      const fn = entry === undefined ? ABSENT : byEntry.get(entry.low, entry.high);
      return fn === ABSENT ? UNKNOWN : fn;
    },
    areApart(low, high, otherLow, otherHigh) {
      const all = calledEntries();
      return all.countUpTo(low, high) !== all.countUpTo(otherLow, otherHigh);
    },
    address: (fn) => addresses[fn],
    entered: (fn) => enteredAs[fn]!,
    table: () => ({
      bodies,
      addresses: BigUint64Array.from(addresses, (address) => address ?? 0n),
      entered: Uint8Array.from(enteredAs, (how) => ENTERED.indexOf(how)),
      symbolic: Uint8Array.from(symbolic, Number),
      calledLabels: BigUint64Array.from(calledLabels),
      places: places.table(),
    }),
  };
  return own;

  function wholeOf(fn: number): string | undefined {
    const address = addresses[fn];
    const name = address === undefined ? undefined : images.symbolAt(address)?.symbol.name;
    // A name may begin with a dot.
    return name?.replace(/(?<=.)\..*$/, '');
  }

  function calledEntries(): Ascending {
    entries ??= createAscending(calledAddresses(places));
    return entries;
  }

  function ownerAt(place: number): number {
    return isTold ? symbolicAt(place) >> 1 : UNKNOWN;
  }

  function beginsAt(place: number): boolean {
    return isTold && (symbolicAt(place) & 1) === 1;
  }

  function entryAt(place: number, record: number): number {
    const found = isTold ? symbolicAt(place) : NOWHERE;
    if ((found & 1) === 1) return found >> 1;
    return places.columns.calledFirst[place]! < record ? places.columns.called[place]! : -1;
  }

  function calledAt(place: number, how: Entered, record: number): number {
    const { columns } = places;
    if (record < columns.calledFirst[place]!) columns.calledFirst[place] = record;
    let fn = columns.called[place]!;
    if (fn < 0) {
      const [low, high] = [columns.low[place]!, columns.high[place]!];
      noteLabel(low, high);
      const inside = isTold ? symbolicAt(place) >> 1 : UNKNOWN;
      fn = inside === UNKNOWN ? make(low, high, false) : inside;
      columns.called[place] = fn;
      branches.leaves(place);
      entries?.add(low, high);
    }
    if (fn >= FIRST_OWN && enteredAs[fn] === 'start') enteredAs[fn] = how;
    return fn;
  }

  /** Twice the function that symbols tell, and one more where it begins at the address. */
  function symbolicAt(place: number): number {
    const found = places.columns.symbolic[place]!;
    return found >= 0 ? found : findAt(place);
  }

  function findAt(place: number): number {
    const { columns } = places;
    const [low, high] = [columns.low[place]!, columns.high[place]!];
    const code = bodies.length > 0 ? askBodies(low, high) : askSymbols(addressOf(low, high));
    columns.symbolic[place] = code;
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
    places.columns.symbolic.fill(-1);
    branches.forget();
  }

  function make(low: number, high: number, isSymbol: boolean): number {
    const there = byEntry.get(low, high);
    if (there !== ABSENT) return there;
    if (addresses.length >= MOST) return UNKNOWN;
    const fn = addresses.length;
    own.count = addresses.push(addressOf(low, high));
    enteredAs.push('start');
    symbolic.push(isSymbol);
    byEntry.set(low, high, fn);
    return fn;
  }
}

type Mutable<T, K extends keyof T> = Omit<T, K> & { -readonly [Key in K]: T[Key] };

function calledAddresses({ each, columns }: Places): bigint[] {
  const all: bigint[] = [];
  each((low, high, place) => {
    if (columns.called[place]! >= 0) all.push(addressOf(low, high));
  });
  return all;
}

function addressOf(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function splitAddress(address: bigint): readonly [low: number, high: number] {
  return [Number(address & 0xffff_ffffn), Number(address >> 32n)];
}
