/**
 * The registers that a stretch of the trace set last: for each name of each cpu the value and the record that set it, in the
 * order of records, so that setting them again in a register file leaves what the stretch left.
 */
import { copyRow, createBatch, type Batch } from '../../../../shared/records/batch.ts';
import type { Decoder, Window } from '../../../../shared/format/format.ts';
import { LONG_LINE } from '../../../../shared/format/format.ts';
import { KIND, type RecordFields } from '../../../../shared/records/record.ts';
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
  /**
   * Takes the batch's records before `end`; `batch.first` counts from the start of the stretch. All batches of a stretch have the same
   * window, which is valid until `finish`.
   */
  add(decoder: Decoder, window: Window, batch: Batch, end?: number): void;
  /** The counter is then empty again. */
  finish(): readonly RegisterSet[];
}

/** Number of records that wait to be described. */
const MOST_WAITING = 512;

export function createRegisterCounter(): RegisterCounter {
  let last = new Map<string, RegisterSet>();
  const seen = new Set<number>();
  /** The newest record of each cpu and register set. They are described last, because a later batch replaces most of them. */
  const waiting = createBatch(MOST_WAITING);
  const records = new Float64Array(MOST_WAITING);
  /** By cpu and number of the register set: row in `waiting`. */
  const rows = new Map<number, number>();
  let describe: ((row: number) => RecordFields) | undefined;
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
      describe = (row) => decoder.describe(bytesOf(window, waiting, row), waiting, row);
      for (let i = found.pop(); i !== undefined; i = found.pop()) {
        const code = registers[i]!;
        const key = cpu[i]! * 65536 + code;
        const known = code === 0 ? undefined : rows.get(key);
        if (known === undefined && waiting.count === MOST_WAITING) describeAll();
        const row = known ?? waiting.count++;
        if (code !== 0) rows.set(key, row);
        copyRow(batch, i, waiting, row);
        records[row] = batch.first + i;
      }
    },
    finish(): readonly RegisterSet[] {
      describeAll();
      const sets = [...last.values()];
      last = new Map();
      return sets;
    },
  };

  function describeAll(): void {
    const inOrder = Array.from({ length: waiting.count }, (_, row) => row).sort((a, b) => records[a]! - records[b]!);
    for (const row of inOrder)
      for (const [name, value] of namesSet(describe!(row)))
        keep(last, { cpu: waiting.cpu[row]!, name, value: value ?? null, record: records[row]! });
    waiting.count = 0;
    rows.clear();
  }
}

function bytesOf({ bytes, base, length }: Window, { start, end }: Batch, row: number): Uint8Array {
  const at = start[row]! - base;
  return bytes.subarray(at, Math.min(end[row]! - base, at + LONG_LINE, length));
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
