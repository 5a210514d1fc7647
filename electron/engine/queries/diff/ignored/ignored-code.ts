/** The instructions that a comparison leaves out: those at given addresses, and all that run during calls of given functions. */
import { joinAddress, type Hex, type RecordNumber } from '../../../../../shared/base/units.ts';
import { ABSENT, createAddressMap } from '../../../collections/address-map.ts';
import { lastNotAbove } from '../../../collections/ascending.ts';

export interface IgnoredCode {
  /** Returns true if the instruction at an address, which a record shows, is left out. Fast if records ascend. */
  has(low: number, high: number, record: RecordNumber): boolean;
  /** Returns true if instructions at an address are left out in all records. */
  hasAddress(low: number, high: number): boolean;
  /** Returns which instructions of records [from, to), at least one, are left out whatever their addresses are. Fast if records ascend. */
  ignoredIn(from: RecordNumber, to: RecordNumber): 'none' | 'some' | 'all';
}

/** Addresses of the trace, both ends included. */
export interface AddressRange {
  readonly low: bigint;
  readonly high: bigint;
}

/** Half-open ranges of records in order, none of which touch each other. */
export interface Stays {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

export function createIgnoredCode(ranges: readonly AddressRange[], { from, to }: Stays): IgnoredCode {
  /** 1 for addresses in a range, 0 for others. */
  const known = createAddressMap(1 << 10);
  /** The last stay that begins at or before the latest record. */
  let stay = -1;
  /** Returns the first record after the stay that contains a record; 0 if none does. */
  const stayEnd = (record: RecordNumber): RecordNumber => {
    if ((from[stay] ?? Number.NEGATIVE_INFINITY) > record || (from[stay + 1] ?? Number.POSITIVE_INFINITY) <= record)
      stay = lastNotAbove(from, record);
    return stay >= 0 && record < to[stay]! ? to[stay]! : 0;
  };
  const hasAddress = (low: number, high: number): boolean => {
    const own = known.get(low, high);
    if (own !== ABSENT) return own === 1;
    const address = joinAddress(low, high);
    const isIn = ranges.some((range) => address >= range.low && address <= range.high);
    known.set(low, high, Number(isIn));
    return isIn;
  };
  return {
    has: (low, high, record) => stayEnd(record) > 0 || hasAddress(low, high),
    hasAddress,
    ignoredIn(first, end) {
      const after = stayEnd(first);
      if (after > 0) return after >= end ? 'all' : 'some';
      return (from[stay + 1] ?? Number.POSITIVE_INFINITY) < end ? 'some' : 'none';
    },
  };
}

/** Returns the union of ranges of records, which may overlap and come in any order. */
export function unionOf(ranges: readonly (readonly [from: RecordNumber, to: RecordNumber])[]): Stays {
  const from: number[] = [];
  const to: number[] = [];
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (end <= start) continue;
    const last = to.length - 1;
    if (last >= 0 && start <= to[last]!) to[last] = Math.max(to[last]!, end);
    else {
      from.push(start);
      to.push(end);
    }
  }
  return { from: Float64Array.from(from), to: Float64Array.from(to) };
}

/** Returns a range that is given for the first program in the addresses of one that is loaded elsewhere. */
export function rangeIn({ low, high }: { readonly low: Hex; readonly high: Hex }, shift: bigint): AddressRange {
  return { low: BigInt(low) + shift, high: BigInt(high) + shift };
}
