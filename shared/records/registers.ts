/**
 * The registers of one cpu as the records that set them leave them: what is not told stays unknown.
 *
 * Names are those of the trace. A name may be a part of a register, `V0<127:64>`: each bit is then what the newest record
 * tells that sets it, whether as a part or with the whole register, so that
 * - setting the whole drops its parts, also where the record does not tell the value;
 * - setting a part of a known whole changes those bits of it;
 * - parts without a known whole are kept as such, cut to what no newer part sets: `V0<127:0>` then `V0<63:0>` leaves
 *   `V0<127:64>` and `V0<63:0>`;
 * - where a part of a whole becomes unknown, what lies above it has no name, as nobody tells how wide a register is.
 * Where other names share bits with a register, as X0 does with W0, setting it makes them unknown.
 * What is known follows from the newest record of each name alone.
 */
import type { RecordFields } from './record.ts';
import { overlapping, reaches } from './register-overlap.ts';
import { toHex, type Hex, type RecordNumber } from '../base/units.ts';

export interface RegisterValue {
  readonly name: string;
  readonly value: Hex;
  /** The record that set it; of a register that was set in parts, the newest of them. */
  readonly since: RecordNumber;
}

export interface RegisterFile {
  /** Records come in their order. `value` undefined: it is set, but to what is not told. */
  set(name: string, value: Hex | undefined, since: RecordNumber): void;
  /** What is known, in the order of names; digits in them count as numbers. */
  known(): RegisterValue[];
}

export function createRegisterFile(): RegisterFile {
  /** By the name of the whole register: its bits from the lowest up, none twice. */
  const registers = new Map<string, readonly Bits[]>();
  return {
    set(name, value, since): void {
      const { whole, low, high } = placeOf(name);
      const bits = { low, high, name, value, from: 0, since };
      for (const other of overlapping(whole)) registers.delete(other);
      if (high === Infinity) registers.set(whole, [bits]);
      else registers.set(whole, laidOver(registers.get(whole) ?? [], bits, whole));
    },
    known: () =>
      [...registers].flatMap(([whole, bits]) => knownOf(whole, bits)).sort((a, b) => ORDER.compare(a.name, b.name)),
  };
}

const ORDER = new Intl.Collator('en', { numeric: true });

/** Bits that one record set. */
interface Bits {
  /** Lowest and highest; Infinity for those of a whole register. */
  readonly low: number;
  readonly high: number;
  readonly name: string;
  /** What the record says of its register or part, undefined where it does not; `from` is the bit of it that lies at `low`. */
  readonly value: Hex | undefined;
  readonly from: number;
  readonly since: RecordNumber;
}

/** `V0<127:64>`; what stands in brackets behind it belongs to the name of the whole. */
const PART = /^(.+)<(\d{1,5}):(\d{1,5})>( \([^()]*\))?$/;

interface Place {
  readonly whole: string;
  readonly low: number;
  readonly high: number;
}

function placeOf(name: string): Place {
  const [, register = '', high = '', low = '', note = ''] = name.includes('<') ? (PART.exec(name) ?? []) : [];
  const whole = register + note;
  if (whole === '' || Number(low) > Number(high)) return { whole: name, low: 0, high: Infinity };
  return { whole, low: Number(low), high: Number(high) };
}

/** `old` with `bits` in place of what they cover. */
function laidOver(old: readonly Bits[], bits: Bits, whole: string): readonly Bits[] {
  const left = old.flatMap((each) => [
    ...(each.low < bits.low ? [cut(each, each.low, Math.min(each.high, bits.low - 1), whole)] : []),
    ...(each.high > bits.high ? [cut(each, Math.max(each.low, bits.high + 1), each.high, whole)] : []),
  ]);
  return [...left, bits].sort((a, b) => a.low - b.low);
}

function cut(bits: Bits, low: number, high: number, whole: string): Bits {
  if (low === bits.low && high === bits.high) return bits;
  return { ...bits, low, high, name: partName(whole, low, high), from: bits.from + low - bits.low };
}

function partName(whole: string, low: number, high: number): string {
  const [, register = whole, note = ''] = /^(.+?)( \([^()]*\))$/.exec(whole) ?? [];
  return `${register}<${String(high)}:${String(low)}>${note}`;
}

function knownOf(whole: string, all: readonly Bits[]): readonly RegisterValue[] {
  const told = all.flatMap(({ value, ...bits }) => (value === undefined ? [] : [{ ...bits, value }]));
  // The bits above all parts are those of a whole register; only with all others known is its value.
  if (told.length < all.length || told.at(-1)?.high !== Infinity)
    return told
      .filter(({ high }) => high !== Infinity)
      .map((bits) => ({ name: bits.name, value: valueOf(bits), since: bits.since }));
  const [only] = told;
  if (told.length === 1 && only?.low === 0) return [{ name: whole, value: only.value, since: only.since }];
  const value = told.reduce((sum, bits) => sum | (BigInt(valueOf(bits)) << BigInt(bits.low)), 0n);
  return [{ name: whole, value: toHex(value), since: Math.max(...told.map(({ since }) => since)) }];
}

type Told = Omit<Bits, 'value'> & { readonly value: Hex };

function valueOf({ value, from, low, high }: Told): Hex {
  const bits = BigInt(value) >> BigInt(from);
  return toHex(high === Infinity ? bits : BigInt.asUintN(high - low + 1, bits));
}

/**
 * Which names set bits of a register or part when a record sets them: its own, those of its parts and of the whole it is a part of, and
 * other names that share bits with it.
 */
export function settersOf(wanted: string): (name: string) => boolean {
  const { whole, low, high } = placeOf(wanted);
  const others = new Set(overlapping(whole));
  return (name) => {
    const its = placeOf(name);
    if (its.whole === whole) return its.low <= high && low <= its.high;
    return others.has(its.whole) && reaches(its.low, whole, its.whole);
  };
}

/** The registers that a record of kind `register` sets, each with its value; undefined where the record does not tell it. */
export function namesSet({
  register,
  value,
  registers,
}: RecordFields): readonly (readonly [string, Hex | undefined])[] {
  return registers ?? (register === undefined ? [] : [[register, value]]);
}
