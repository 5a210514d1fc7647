/** Bytes of the state of a traced machine: of memory, or of the register file of a processor. */
import type { RegisterSpan } from '../../instructions/register-file.ts';

export interface Location {
  /** `memory`, or the number of the CPU whose registers these are. */
  readonly of: 'memory' | number;
  /** Address, or position in the register file. */
  readonly low: bigint;
  readonly bytes: number;
}

export function memoryBytes(low: bigint, bytes: number): Location {
  return { of: 'memory', low, bytes };
}

export function registerBytes(cpu: number, { low, bytes }: RegisterSpan): Location {
  return { of: cpu, low: BigInt(low), bytes };
}

export function spanOfRegister({ low, bytes }: Location): RegisterSpan {
  return { low: Number(low), bytes };
}

/** Returns the bytes that two locations share; undefined if there are none. */
export function overlap(one: Location, other: Location): Location | undefined {
  if (one.of !== other.of) return undefined;
  const low = one.low > other.low ? one.low : other.low;
  const bytes = Number((endOf(one) < endOf(other) ? endOf(one) : endOf(other)) - low);
  return bytes > 0 ? { of: one.of, low, bytes } : undefined;
}

/** Returns the bytes of a location that another one does not have. */
export function without(one: Location, other: Location): readonly Location[] {
  const shared = overlap(one, other);
  if (shared === undefined) return [one];
  const before = Number(shared.low - one.low);
  const after = Number(endOf(one) - endOf(shared));
  return [
    ...(before > 0 ? [{ of: one.of, low: one.low, bytes: before }] : []),
    ...(after > 0 ? [{ of: one.of, low: endOf(shared), bytes: after }] : []),
  ];
}

export function endOf({ low, bytes }: Location): bigint {
  return low + BigInt(bytes);
}

/** Returns true if two spans of one register file share bytes. */
export function meets(one: RegisterSpan, other: RegisterSpan): boolean {
  return one.low < other.low + other.bytes && other.low < one.low + one.bytes;
}
