/**
 * Numbers the functions of a traced program and finds the function at an address. Symbols of the images delimit functions; without
 * symbols, inferred bodies do. Without either a function is known by its entry point only: the owner of other code is UNKNOWN.
 */
import type { Images } from '../../image/images.ts';
import type { SymbolHit } from '../../image/symbols.ts';
import type { Body } from '../infer/function-bodies.ts';
import { countBelow } from '../../collections/address-order.ts';
import { ABSENT, createAddressMap } from '../../collections/address-map.ts';
import { createAscending, type Ascending } from '../../collections/ascending.ts';
import { createBranchTable, type BranchTable } from './branch-table.ts';
import { createPlaces, type Places, type PlacesTable } from './places.ts';

/** The function of code whose owner is not known. */
export const UNKNOWN = 0;
/** Stands for all functions below a node of a calling-context tree that is too deep or too large to distinguish them. */
export const DEEPER = 1;
const FIRST_NUMBER = 2;
/** Owner code (see symbolicAt) of code without a known owner. */
const NO_OWNER = UNKNOWN << 1;

export interface Functions {
  /** All function numbers are below this. */
  readonly count: number;
  /** Returns true if a symbol or an inferred body delimits the function. */
  hasSymbol(fn: number): boolean;
  /** Interned addresses. Methods whose names end in `At` take a place instead of an address. */
  readonly places: Places;
  readonly branches: BranchTable;
  /** Returns true if both symbols name parts of one function, as compilers do: sort, sort.cold, sort.part.0. */
  arePieces(fn: number, other: number): boolean;
  /** Returns the function that contains the code at the address; UNKNOWN if no symbol or body does. */
  owner(low: number, high: number): number;
  ownerAt(place: number): number;
  /** Returns true if a symbol or body begins at the address. */
  begins(low: number, high: number): boolean;
  beginsAt(place: number): boolean;
  /** Returns the function that a jump to the address enters: one that begins there, or was called there before `record`; else -1. */
  entry(low: number, high: number, record: number): number;
  entryAt(place: number, record: number): number;
  /** True if images or bodies delimit functions. */
  readonly ownersKnown: boolean;
  /** True if bodies do, which were inferred. */
  readonly ownersInferred: boolean;
  /** Sets the inferred bodies of functions, in ascending order. For traces without symbols. */
  setBodies(bodies: readonly Body[]): void;
  /** Notes that a call enters the address, and returns its function. The function keeps `how` it was first entered. */
  noteCall(low: number, high: number, how: Entered, record: number): number;
  noteCallAt(place: number, how: Entered, record: number): number;
  /** Returns true if a call at any record enters the place. */
  isCalled(place: number): boolean;
  /** Notes that a call at `record` is to return to the place. */
  noteResumeAt(place: number, record: number): void;
  /** Returns true if a call before `record` was to return to the place. */
  isResumeAt(place: number, record: number): boolean;
  /** Returns true if no known call was to return to the place. */
  isNeverResumed(place: number): boolean;
  /** Returns true if a called function begins between the addresses, or at the higher one: then they have different owners. */
  areApart(low: number, high: number, otherLow: number, otherHigh: number): boolean;
  /** Returns the called function with the greatest entry point up to the address; UNKNOWN if there is none. */
  nearestCalled(low: number, high: number): number;
  /** Returns the entry point of a function; undefined for UNKNOWN and DEEPER. */
  address(fn: number): bigint | undefined;
  /** Returns how the function was first entered. */
  entered(fn: number): Entered;
  /** Returns everything as a plain value. */
  table(): FunctionTable;
}

export interface FunctionTable {
  readonly bodies: readonly Body[];
  /** Entry point by function; 0 for UNKNOWN and DEEPER. */
  readonly addresses: BigUint64Array;
  /** Code of ENTRY by function. */
  readonly entered: Uint8Array;
  readonly symbolic: Uint8Array;
  readonly calledLabels: BigUint64Array;
  readonly places: PlacesTable;
}

/**
 * Ways to enter a frame, in the order of their codes. `start`: the trace or a stack began in the function; `returned to`: a return
 * below the outermost frame showed the caller.
 */
export const ENTERED = ['start', 'call', 'exception', 'interrupt', 'returned to'] as const;
export type Entered = (typeof ENTERED)[number];
/** Codes of ENTERED. */
export const ENTRY = { start: 0, call: 1, exception: 2, interrupt: 3, 'returned to': 4 } as const satisfies Record<
  Entered,
  number
>;

/** Upper bound on the number of consecutive local labels. */
const MOST_LABELS = 256;
/** Upper bound on the number of functions; all others are UNKNOWN. */
const MOST = 1_000_000;

/** `from`: the table of the functions of the same images. */
export function createFunctions(images: Images, from?: FunctionTable): Functions {
  const hasImages = images.list.length > 0;
  const addresses: (bigint | undefined)[] = [undefined, undefined, ...(from?.addresses.subarray(FIRST_NUMBER) ?? [])];
  const enteredAs: Entered[] =
    from === undefined ? ['start', 'start'] : Array.from(from.entered, (code) => ENTERED[code]!);
  const symbolic: boolean[] = from === undefined ? [false, false] : Array.from(from.symbolic, (is) => is === 1);
  const byEntry = createAddressMap();
  /** Local labels that are called, and therefore begin functions. */
  const calledLabels = new Set<bigint>(from?.calledLabels);
  let bodies = from?.bodies ?? [];
  let areOwnersKnown = hasImages || bodies.length > 0;
  const places = createPlaces(from?.places);
  const branches = createBranchTable(places);
  /** Called addresses; created on first use. */
  let entries: Ascending | undefined;
  for (let fn = FIRST_NUMBER; fn < addresses.length; fn++) {
    const [low, high] = splitAddress(addresses[fn]!);
    byEntry.set(low, high, fn);
  }

  const own: Mutable<Functions, 'count' | 'ownersKnown' | 'ownersInferred'> = {
    count: addresses.length,
    ownersKnown: areOwnersKnown,
    ownersInferred: bodies.length > 0,
    hasSymbol: (fn) => symbolic[fn]!,
    arePieces: (fn, other) => wholeOf(fn) !== undefined && wholeOf(fn) === wholeOf(other),
    places,
    branches,
    owner: (low, high) => (areOwnersKnown ? ownerAt(places.at(low, high)) : UNKNOWN),
    ownerAt,
    begins: (low, high) => areOwnersKnown && beginsAt(places.at(low, high)),
    beginsAt,
    entry(low, high, record) {
      const place = areOwnersKnown ? places.at(low, high) : places.find(low, high);
      return place < 0 ? -1 : entryAt(place, record);
    },
    entryAt,
    setBodies(inferred) {
      bodies = inferred;
      own.ownersInferred = bodies.length > 0;
      own.ownersKnown = areOwnersKnown = hasImages || bodies.length > 0;
      places.columns.symbolic.fill(-1);
      branches.clear();
    },
    noteCall: (low, high, how, record) => noteCallAt(places.at(low, high), how, record),
    noteCallAt,
    isCalled: (place) => places.columns.called[place]! >= 0,
    noteResumeAt(place, record) {
      const { resumedFirst } = places.columns;
      if (record >= resumedFirst[place]!) return;
      if (resumedFirst[place] === Number.POSITIVE_INFINITY) branches.forgetInner(place);
      resumedFirst[place] = record;
    },
    isResumeAt: (place, record) => places.columns.resumedFirst[place]! < record,
    isNeverResumed: (place) => places.columns.resumedFirst[place] === Number.POSITIVE_INFINITY,
    nearestCalled(low, high) {
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
    // A dot that begins a name is part of it.
    const dot = name?.indexOf('.', 1) ?? -1;
    return dot < 0 ? name : name?.slice(0, dot);
  }

  function calledEntries(): Ascending {
    entries ??= createAscending(calledAddresses(places));
    return entries;
  }

  function ownerAt(place: number): number {
    return areOwnersKnown ? symbolicAt(place) >> 1 : UNKNOWN;
  }

  function beginsAt(place: number): boolean {
    return areOwnersKnown && (symbolicAt(place) & 1) === 1;
  }

  function entryAt(place: number, record: number): number {
    const found = areOwnersKnown ? symbolicAt(place) : NO_OWNER;
    if ((found & 1) === 1) return found >> 1;
    return places.columns.calledFirst[place]! < record ? places.columns.called[place]! : -1;
  }

  function noteCallAt(place: number, how: Entered, record: number): number {
    const { columns } = places;
    if (record < columns.calledFirst[place]!) columns.calledFirst[place] = record;
    let fn = columns.called[place]!;
    if (fn < 0) {
      const [low, high] = [columns.low[place]!, columns.high[place]!];
      noteLabel(low, high);
      const inside = areOwnersKnown ? symbolicAt(place) >> 1 : UNKNOWN;
      fn = inside === UNKNOWN ? make(low, high, false) : inside;
      columns.called[place] = fn;
      branches.forgetInner(place);
      entries?.add(low, high);
    }
    if (fn >= FIRST_NUMBER && enteredAs[fn] === 'start') enteredAs[fn] = how;
    return fn;
  }

  /** Returns the owner code of a place: twice the owner, plus one if the owner begins there. */
  function symbolicAt(place: number): number {
    const found = places.columns.symbolic[place]!;
    return found >= 0 ? found : lookUp(place);
  }

  function lookUp(place: number): number {
    const { columns } = places;
    const [low, high] = [columns.low[place]!, columns.high[place]!];
    const code = bodies.length > 0 ? ownerInBodies(low, high) : ownerInSymbols(addressOf(low, high));
    columns.symbolic[place] = code;
    return code;
  }

  function ownerInBodies(low: number, high: number): number {
    const body = bodies[countBelow(bodies, { low, high }, true) - 1];
    if (body === undefined || body.high !== high || low > body.last) return UNKNOWN << 1;
    return (make(body.low, high, true) << 1) | Number(body.low === low);
  }

  function ownerInSymbols(address: bigint): number {
    const hit = images.symbolAt(address);
    const start = hit && startOf(address, hit);
    const fn = start === undefined ? UNKNOWN : make(...splitAddress(start), true);
    return (fn << 1) | Number(fn !== UNKNOWN && start === address);
  }

  /**
   * Returns the entry point of the function that a symbol belongs to. A local label of an assembler is usually the head of a loop: it
   * belongs to the preceding symbol unless it is called.
   */
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
    branches.clear();
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
