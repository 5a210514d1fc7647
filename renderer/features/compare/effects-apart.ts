/**
 * Pairs the effects of two executions of an instruction. Only effects that both traces record are compared: a trace may record a register
 * only if its value changes.
 */
import { effectsOf, type RecordAt } from '../../../shared/records/attach.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { namesSet } from '../../../shared/records/registers.ts';
import type { Hex } from '../../../shared/base/units.ts';

/** A register or bytes of memory that an instruction set in both runs, or read, and the records. */
export interface EffectPair {
  readonly register?: string;
  readonly cpu?: number;
  readonly address?: Hex;
  readonly size?: number;
  readonly a: RecordView;
  readonly b: RecordView;
  readonly differs: boolean;
}

/** @param shift addresses of the second program minus those of the first: values that differ by it count as equal */
export function effectPairs(
  a: number,
  b: number,
  atA: RecordAt<RecordView>,
  atB: RecordAt<RecordView>,
  shift: bigint,
): readonly EffectPair[] {
  return [
    ...settings(effectsOf(a, atA), effectsOf(b, atB), shift),
    ...accesses(effectsOf(a, atA), effectsOf(b, atB), shift),
  ];
}

/** An effect that one run records and the other does not, so that its value cannot be compared here. */
export interface LoneEffect {
  readonly side: 'a' | 'b';
  readonly n: number;
  readonly register?: string;
}

/**
 * Returns the registers that only one run records for an instruction, and the accesses of kinds of which the runs record different numbers or
 * sizes. If the runs differ there, and no effect that both record does, one of these is the difference. Returns none if something else differs:
 * the opcode, whether the instruction was skipped, or whether an access was aborted.
 */
export function loneEffects(
  a: number,
  b: number,
  atA: RecordAt<RecordView>,
  atB: RecordAt<RecordView>,
): readonly LoneEffect[] {
  const paired = effectPairs(a, b, atA, atB, 0n);
  const [one, other] = [atA(a), atB(b)];
  const isAlike = (of: RecordView, its: RecordView): boolean => JSON.stringify(of.flags) === JSON.stringify(its.flags);
  if (one?.kind !== other?.kind || one?.opcode !== other?.opcode || !paired.every((pair) => isAlike(pair.a, pair.b)))
    return [];
  return (['a', 'b'] as const).flatMap((side) => {
    const own = side === 'a' ? effectsOf(a, atA) : effectsOf(b, atB);
    return own.flatMap((record): readonly LoneEffect[] => {
      const { n, kind } = record;
      const pairs = paired.filter((pair) => pair[side].n === n);
      if (kind !== 'register') return pairs.length > 0 || !ACCESSES.includes(kind) ? [] : [{ side, n }];
      const known = new Set(paired.map(({ register }) => register));
      return namesSet(record).flatMap(([register]) => (known.has(register) ? [] : [{ side, n, register }]));
    });
  });
}

/** Kinds of accesses of instructions. */
const ACCESSES: readonly RecordView['kind'][] = ['write', 'read', 'io-write', 'io-read'];

/** Returns true for an ignored register and its parts, such as `r3<7:0>`; upper and lower case are the same. */
export function isIgnored(name: string, ignored: readonly string[]): boolean {
  const names = ignored.map((each) => each.toLowerCase());
  const own = name.toLowerCase();
  return names.includes(own) || names.includes(own.split('<', 1)[0]!);
}

function isSame(one: Hex | undefined, other: Hex | undefined, shift: bigint): boolean {
  if (one === undefined || other === undefined || one === other) return true;
  const distance = BigInt(other) - BigInt(one);
  return distance === 0n || distance === shift;
}

function settings(own: readonly RecordView[], others: readonly RecordView[], shift: bigint): readonly EffectPair[] {
  const setIn = (records: readonly RecordView[]) =>
    records
      .filter(({ kind }) => kind === 'register')
      .flatMap((record) => namesSet(record).map(([name, value]) => ({ name, value, record })));
  const there = new Map(setIn(others).map((set) => [set.name, set]));
  return [...new Map(setIn(own).map((set) => [set.name, set])).values()].flatMap(({ name, value, record }) => {
    const other = there.get(name);
    if (!other) return [];
    const differs = !isSame(value, other.value, shift);
    const { cpu } = record;
    return [{ register: name, ...(cpu !== undefined && { cpu }), a: record, b: other.record, differs }];
  });
}

/** Pairs the accesses of each kind in their order, if both runs have as many of them. */
function accesses(own: readonly RecordView[], others: readonly RecordView[], shift: bigint): readonly EffectPair[] {
  return ACCESSES.flatMap((kind) => {
    const [its, there] = [own, others].map((records) => records.filter((record) => record.kind === kind));
    if (its === undefined || there?.length !== its.length) return [];
    return its.flatMap((a, at) => {
      const b = there[at];
      if (!b || a.size !== b.size) return [];
      const differs = !isSame(a.address, b.address, shift) || !isSame(a.value, b.value, shift);
      return [
        {
          ...(a.address !== undefined && { address: a.address }),
          ...(a.size !== undefined && { size: a.size }),
          a,
          b,
          differs,
        },
      ];
    });
  });
}
