/** Questions why a value is what it is, on both sides. */
import { effectsOf, type RecordAt } from '../../../shared/records/attach.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { namesSet } from '../../../shared/records/registers.ts';
import { WHY_BYTES_MOST } from '../../../shared/requests/why.ts';
import type { MemoryDifference, RegisterDifference } from '../../../shared/requests/compare.ts';
import type { RowPair } from './comparison.svelte.ts';
import type { EffectPair } from './effects-apart.ts';
import type { PairOfWhys, WhySide } from './why-pairs.ts';

/** The value of an effect after its record. */
function whyOf(record: RecordView, register = namesSet(record)[0]?.[0]): WhySide | null {
  const { n, cpu, kind, address, size = 1 } = record;
  if (kind === 'register')
    return register === undefined ? null : { at: n, register, ...(cpu !== undefined && { cpu }) };
  return address === undefined ? null : { at: n, address, length: Math.min(WHY_BYTES_MOST, Math.max(1, size)) };
}

export function whysOfEffect({ a, b, register, address, size = 1 }: EffectPair): PairOfWhys {
  const name = register ?? (size > 1 ? `[${address ?? '?'}+${size}]` : `[${address ?? '?'}]`);
  return { name, a: whyOf(a, register), b: whyOf(b, register) };
}

/** Returns the question about the first value of a row that differs, else about the first one that an instruction of it set. */
export function whysOfRow(
  { a, b }: RowPair,
  effects: readonly EffectPair[],
  atA: RecordAt<RecordView>,
  atB: RecordAt<RecordView>,
): PairOfWhys | undefined {
  const first = effects.find(({ differs }) => differs) ?? effects[0];
  if (first) return whysOfEffect(first);
  const resultOf = (n: number, at: RecordAt<RecordView>): RecordView | undefined =>
    n < 0 ? undefined : effectsOf(n, at).find(({ kind }) => kind === 'register' || kind === 'write');
  const [own, its] = [resultOf(a, atA), resultOf(b, atB)];
  const record = own ?? its;
  if (!record) return undefined;
  const name = namesSet(record)[0]?.[0] ?? `[${record.address ?? '?'}]`;
  return { name, a: own ? whyOf(own) : null, b: its ? whyOf(its) : null };
}

/** @param at records after which the states are compared */
export function whysOfRegister(
  { name }: RegisterDifference,
  at: RowPair,
  cpus: readonly (number | undefined)[],
): PairOfWhys {
  const [cpu, otherCpu] = cpus;
  return {
    name,
    a: { at: at.a, register: name, ...(cpu !== undefined && { cpu }) },
    b: { at: at.b, register: name, ...(otherCpu !== undefined && { cpu: otherCpu }) },
  };
}

export function whysOfMemory({ address, a: bytes }: MemoryDifference, at: RowPair): PairOfWhys {
  const length = bytes.length / 2;
  return {
    name: length > 1 ? `[${address}+${length}]` : `[${address}]`,
    a: { at: at.a, address, length },
    b: { at: at.b, address, length },
  };
}
