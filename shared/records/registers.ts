/**
 * Register contents of one cpu, built from the records that set registers. A register without a known value is left out.
 *
 * Names are those in the trace. A name may denote a part of a register, `V0<127:64>`. Each bit has the value from the newest record
 * that sets it, as a part or with the whole register:
 * - Setting the whole register drops its parts, even if the record does not contain the value.
 * - Setting a part of a known register changes those bits.
 * - Parts of an unknown register are kept as parts, cut to the bits that no newer part sets: `V0<127:0>` followed by `V0<63:0>`
 *   leaves `V0<127:64>` and `V0<63:0>`.
 * - If a part of a register becomes unknown, the bits above it are left out, because the width of the register is not known.
 * If another name shares bits with a register, as X0 does with W0, setting the register makes the other one unknown.
 * A record that sets a register whose name cannot be read makes all registers unknown.
 * The contents depend only on the newest record of each name.
 */
import type { RecordFields } from './record.ts';
import { overlapping, reaches } from './register-overlap.ts';
import { toHex, type Hex, type RecordNumber } from '../base/units.ts';

/** Stands for the name of a register in a record whose name for it cannot be read: any register may have changed. */
export const ANY_REGISTER = '*';

/**
 * True if `name` can be a register's name: letters, digits and underscores, perhaps with a dollar sign before it (MIPS), in two words with
 * a dot, or with the bits of a part. General registers have numbers up to 31, so `r`, `r99` and `r?` are damaged names.
 */
export function isRegisterName(name: string): boolean {
  return NAME.test(name) && !NO_GENERAL.test(name);
}

const NAME = /^\$?[A-Za-z]\w*(?:(?<=\w\w)\.\w{2,})?(?:<\d{1,5}:\d{1,5}>)?$/;
const NO_GENERAL = /^(?:[dpqrvwxz]|[rwx](?:3[2-9]|[4-9]\d|\d{3,}))$/i;

export interface RegisterValue {
  readonly name: string;
  readonly value: Hex;
  /** The record that set the register. If several records set parts of it, the newest of them. */
  readonly since: RecordNumber;
}

export interface RegisterFile {
  /** Applies the next record that sets a register. `value` is undefined if the record does not contain the value. */
  set(name: string, value: Hex | undefined, since: RecordNumber): void;
  /** Returns the known registers sorted by name; digits in names sort as numbers. */
  known(): RegisterValue[];
}

export function createRegisterFile(): RegisterFile {
  /** Maps the name of a whole register to its pieces, sorted by their lowest bit and without overlap. */
  const registers = new Map<string, readonly Bits[]>();
  return {
    set(name, value, since): void {
      if (name === ANY_REGISTER) {
        registers.clear();
        return;
      }
      const { whole, low, high } = placeOf(name);
      const bits = { low, high, name, value, from: 0, since };
      for (const other of overlapping(whole)) registers.delete(other);
      if (high === Infinity) registers.set(whole, [bits]);
      else registers.set(whole, laidOver(registers.get(whole) ?? [], bits, whole));
    },
    known: () =>
      [...registers]
        .flatMap(([whole, bits]) => knownOf(whole, bits))
        .sort((a, b) => byNumber().compare(a.name, b.name)),
  };
}

let order: Intl.Collator | undefined;
/** Orders `r2` before `r10`. Made at the first use: a collator takes longer to make than most threads' other setting up. */
const byNumber = (): Intl.Collator => (order ??= new Intl.Collator('en', { numeric: true }));

/** A piece of a register that one record set. */
interface Bits {
  /** Lowest and highest bit; `high` is Infinity for a whole register. */
  readonly low: number;
  readonly high: number;
  readonly name: string;
  /** Value in the record, undefined if the record does not contain it. `from` is the bit of the value that belongs at `low`. */
  readonly value: Hex | undefined;
  readonly from: number;
  readonly since: RecordNumber;
}

/** `V0<127:64>`; a note in parentheses after it belongs to the name of the whole register. */
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

/** Returns the pieces `old` with `bits` in place of what they cover. */
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
  const known = all.flatMap(({ value, ...bits }) => (value === undefined ? [] : [{ ...bits, value }]));
  // The topmost piece with an open end comes from a record of the whole register. The whole value is known only if all pieces are.
  if (known.length < all.length || known.at(-1)?.high !== Infinity)
    return known
      .filter(({ high }) => high !== Infinity)
      .map((bits) => ({ name: bits.name, value: valueOf(bits), since: bits.since }));
  const [only] = known;
  if (known.length === 1 && only?.low === 0) return [{ name: whole, value: only.value, since: only.since }];
  const value = known.reduce((sum, bits) => sum | (BigInt(valueOf(bits)) << BigInt(bits.low)), 0n);
  return [{ name: whole, value: toHex(value), since: Math.max(...known.map(({ since }) => since)) }];
}

type KnownBits = Omit<Bits, 'value'> & { readonly value: Hex };

function valueOf({ value, from, low, high }: KnownBits): Hex {
  const bits = BigInt(value) >> BigInt(from);
  return toHex(high === Infinity ? bits : BigInt.asUintN(high - low + 1, bits));
}

/**
 * Returns a test for register names: true if a record that sets the named register changes bits of `wanted`. That holds for the same
 * register, its parts, the register that it is a part of, other registers that share bits with it, and ANY_REGISTER.
 */
export function settersOf(wanted: string): (name: string) => boolean {
  const { whole, low, high } = placeOf(wanted);
  const others = new Set(overlapping(whole));
  return (name) => {
    if (name === ANY_REGISTER) return true;
    const place = placeOf(name);
    if (place.whole === whole) return place.low <= high && low <= place.high;
    return others.has(place.whole) && reaches(place.low, whole, place.whole);
  };
}

/** Returns the registers that a record of kind `register` sets, each with its value; undefined if the record does not contain it. */
export function namesSet({
  register,
  value,
  registers,
}: RecordFields): readonly (readonly [string, Hex | undefined])[] {
  return registers?.map(([name, own]) => [name, own]) ?? (register === undefined ? [] : [[register, value]]);
}
