/**
 * The registers that a stretch of the trace set last: for each name of each cpu the value and the record that set it, in the
 * order of records, so that setting them again in a register file leaves what the stretch left.
 */
import type { Batch } from '../../../../shared/records/batch.ts';
import type { Decoder, Window } from '../../../../shared/format/format.ts';
import { LONG_LINE } from '../../../../shared/format/format.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { namesSet } from '../../../../shared/records/registers.ts';
import type { Hex, RecordNumber } from '../../../../shared/base/units.ts';
import { IndexDamaged } from '../../collections/varint.ts';

export interface RegisterSet {
  readonly cpu: number;
  readonly name: string;
  /** Null if the record does not report it. */
  readonly value: Hex | null;
  /** Counted from the start of the stretch. */
  readonly record: RecordNumber;
}

export interface RegisterCounter {
  /** Takes the batch's records before `end`; `batch.first` counts from the start of the stretch. */
  add(decoder: Decoder, window: Window, batch: Batch, end?: number): void;
  /** The counter is then empty again. */
  finish(): readonly RegisterSet[];
}

export function createRegisterCounter(): RegisterCounter {
  let last = new Map<string, RegisterSet>();
  const seen = new Set<number>();
  return {
    add(decoder, window, batch, end = batch.count): void {
      const { kind, registers, cpu } = batch;
      const found: number[] = [];
      seen.clear();
      for (let i = end - 1; i >= 0; i--) {
        if (kind[i] !== KIND.register) continue;
        const code = registers[i]!;
        const key = cpu[i]! * 65536 + code;
        if (code !== 0) {
          if (seen.has(key)) continue;
          seen.add(key);
        }
        found.push(i);
      }
      for (let i = found.pop(); i !== undefined; i = found.pop()) {
        const start = batch.start[i]! - window.base;
        const bytes = window.bytes.subarray(
          start,
          Math.min(batch.end[i]! - window.base, start + LONG_LINE, window.length),
        );
        for (const [name, value] of namesSet(decoder.describe(bytes, batch, i))) {
          keep(last, { cpu: cpu[i]!, name, value: value ?? null, record: batch.first + i });
        }
      }
    },
    finish(): readonly RegisterSet[] {
      const sets = [...last.values()];
      last = new Map();
      return sets;
    },
  };
}

/** Stretches one after the other, each with the record that it begins with. */
export function joinRegisterSets(
  stretches: readonly { readonly first: RecordNumber; readonly sets: readonly RegisterSet[] }[],
): readonly RegisterSet[] {
  const last = new Map<string, RegisterSet>();
  for (const { first, sets } of stretches) for (const set of sets) keep(last, { ...set, record: set.record + first });
  return [...last.values()];
}

/** The order of a Map is that of the records, for what is set again goes to its end. */
function keep(last: Map<string, RegisterSet>, set: RegisterSet): void {
  const key = `${String(set.cpu)} ${set.name}`;
  last.delete(key);
  last.set(key, set);
}

export function encodeRegisterSets(sets: readonly RegisterSet[]): Uint8Array {
  return Buffer.from(JSON.stringify(sets.map(({ cpu, name, value, record }) => [cpu, name, value, record])));
}

export function decodeRegisterSets(bytes: Uint8Array): readonly RegisterSet[] {
  const read: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  if (!Array.isArray(read)) throw new IndexDamaged('registers are not a list');
  // Sealed content: it is what encodeRegisterSets wrote.
  return (read as [number, string, Hex | null, number][]).map(([cpu, name, value, record]) => ({
    cpu,
    name,
    value,
    record,
  }));
}
