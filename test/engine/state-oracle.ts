/**
 * The slow, obvious answers about the machine's state: every question by replaying all records, one by one, from what
 * `records` says of them. Shares nothing with the engine: no columns, no index, no skipping.
 */
import type { AccessWay } from '../../shared/api.ts';
import type { Settings } from '../../shared/format.ts';
import type { RecordView } from '../../shared/record.ts';

/** What one record does to the machine. */
export interface Step {
  readonly n: number;
  readonly offset: number;
  readonly kind: string;
  readonly cpu: number | undefined;
  readonly access: Access | undefined;
  /** Registers that it sets, undefined where it does not tell to what. */
  readonly sets: readonly (readonly [name: string, value: string | undefined])[];
  /** Bytes of a record that has an address, whatever its kind; undefined where it has none. */
  readonly span: { readonly low: bigint; readonly high: bigint } | undefined;
}

/** An access to memory that had an effect. */
export interface Access {
  readonly writes: boolean;
  readonly address: bigint;
  readonly size: number;
  /** As they lie in memory; undefined where they are not known. */
  readonly bytes: readonly number[] | undefined;
}

const TOP = (1n << 64n) - 1n;

export function stepsOf(records: readonly RecordView[], format: string, settings: Settings): Step[] {
  return records.map((record) => {
    const address = record.address === undefined ? undefined : BigInt(record.address);
    const end = address === undefined ? undefined : address + BigInt(Math.max(1, record.size ?? 1)) - 1n;
    return {
      n: record.n,
      offset: record.offset,
      kind: record.kind,
      cpu: record.cpu,
      access: accessOf(record, format, settings),
      sets:
        record.kind !== 'register'
          ? []
          : (record.registers ?? (record.register === undefined ? [] : [[record.register, record.value] as const])),
      span: address === undefined || end === undefined ? undefined : { low: address, high: end > TOP ? TOP : end },
    };
  });
}

const READS = ['fetch', 'read', 'bus-fetch', 'bus-read'];
const WRITES = ['write', 'bus-write'];

function accessOf(record: RecordView, format: string, settings: Settings): Access | undefined {
  const { kind, address, flags = [] } = record;
  const writes = WRITES.includes(kind);
  if (address === undefined || (!writes && !READS.includes(kind))) return undefined;
  if (flags.includes('aborted') || flags.includes('wait')) return undefined;
  const size = Math.max(1, record.size ?? 1);
  return { writes, address: BigInt(address), size, bytes: bytesOf(record, size, format, settings) };
}

/** Formats whose decoders tell the bytes of accesses. */
const VALUED: readonly string[] = [];

function bytesOf(
  { value, flags = [] }: RecordView,
  size: number,
  format: string,
  settings: Settings,
): number[] | undefined {
  if (!VALUED.includes(format) || value === undefined || flags.includes('bus-order')) return undefined;
  const digits = value.slice(2).padStart(2 * size, '0');
  if (digits.length !== 2 * size) return undefined;
  const highestFirst = Array.from({ length: size }, (_, k) => Number.parseInt(digits.slice(2 * k, 2 * k + 2), 16));
  // A Pentium's bus is little-endian whatever the settings.
  return format !== 'btm' && settings['endian'] === 'big' ? highestFirst : highestFirst.reverse();
}

export interface OracleMemory {
  /** Undefined where not known. */
  readonly bytes: readonly (number | undefined)[];
  readonly writers: readonly number[];
  readonly touched: readonly number[];
}

export function memoryAt(steps: readonly Step[], at: number, start: bigint, length: number): OracleMemory {
  const bytes = Array.from({ length }, (): number | undefined => undefined);
  const writers = Array.from({ length }, () => -1);
  const touched = Array.from({ length }, () => -1);
  for (const { n, access } of steps) {
    if (n > at) break;
    if (access === undefined) continue;
    const { writes, address, size } = access;
    if (address >= start + BigInt(length) || address + BigInt(size) <= start) continue;
    for (let k = 0; k < size; k++) {
      const place = Number(address - start) + k;
      if (place < 0 || place >= length) continue;
      touched[place] = n;
      if (writes) writers[place] = n;
      if (writes || access.bytes !== undefined) bytes[place] = access.bytes?.[k];
    }
  }
  return { bytes, writers, touched };
}

export interface OracleFile {
  readonly cpu: number | undefined;
  readonly registers: ReadonlyMap<string, { readonly value: string; readonly since: number }>;
}

/** The files of the cpus that set any register by then, even if to what is not known, lowest number first. */
export function registersAt(steps: readonly Step[], at: number): OracleFile[] {
  const files = new Map<number | undefined, Map<string, { value: string; since: number }>>();
  for (const { n, kind, cpu, sets } of steps) {
    if (n > at) break;
    if (kind !== 'register') continue;
    const file = files.get(cpu) ?? new Map<string, { value: string; since: number }>();
    files.set(cpu, file);
    for (const [name, value] of sets) {
      if (value === undefined) file.delete(name);
      else file.set(name, { value, since: n });
    }
  }
  return [...files].map(([cpu, registers]) => ({ cpu, registers })).sort((a, b) => (a.cpu ?? -1) - (b.cpu ?? -1));
}

export interface AccessQuestion {
  readonly way: AccessWay;
  readonly at: number;
  readonly span?: { readonly low: bigint; readonly high: bigint };
  readonly register?: string;
  readonly cpu?: number;
}

export interface OracleAccess {
  readonly n: number | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function accessAt(steps: readonly Step[], question: AccessQuestion): OracleAccess {
  const { way, at } = question;
  const fits = (step: Step) => matches(step, question);
  const found = way.startsWith('last')
    ? steps.findLast((step) => step.n <= at && fits(step))
    : steps.find((step) => step.n > at && fits(step));
  if (found === undefined) return { n: undefined, before: undefined, after: undefined };
  const before = found.n === 0 ? undefined : heldAt(steps, found.n - 1, question, found.cpu);
  return { n: found.n, before, after: heldAt(steps, found.n, question, found.cpu) };
}

function matches({ kind, cpu, access, sets }: Step, question: AccessQuestion): boolean {
  const { way, span, register } = question;
  const what = way.slice(way.indexOf('-') + 1);
  if (register !== undefined) {
    if (what === 'read' || kind !== 'register' || (question.cpu !== undefined && question.cpu !== cpu)) return false;
    return sets.some(([name]) => name === register);
  }
  if (access === undefined || span === undefined) return false;
  if (what !== 'access' && (what === 'write') !== access.writes) return false;
  return access.address <= span.high && access.address + BigInt(access.size) > span.low;
}

/** What the span or the register of a cpu held, as `access` says it. */
function heldAt(
  steps: readonly Step[],
  at: number,
  { span, register }: AccessQuestion,
  cpu: number | undefined,
): string | undefined {
  if (register !== undefined) {
    const file = registersAt(steps, at).find((one) => one.cpu === cpu);
    return file?.registers.get(register)?.value;
  }
  if (span === undefined || span.high - span.low >= 64n) return undefined;
  const { bytes } = memoryAt(steps, at, span.low, Number(span.high - span.low) + 1);
  if (bytes.every((byte) => byte === undefined)) return undefined;
  return bytes.map((byte) => byte?.toString(16).padStart(2, '0') ?? '??').join('');
}

export interface FindQuestion {
  readonly kinds?: readonly string[];
  readonly span?: { readonly low: bigint; readonly high: bigint };
}

export function findMatches({ kind, span }: Step, question: FindQuestion): boolean {
  if (question.kinds !== undefined && !question.kinds.includes(kind)) return false;
  if (question.span === undefined) return true;
  return span !== undefined && span.low <= question.span.high && span.high >= question.span.low;
}

/** A read that contradicts what was known, with the records that byte for byte told otherwise. */
export interface Contradiction {
  readonly n: number;
  readonly offset: number;
  /** Records by which the differing bytes were known, oldest first. */
  readonly knownBy: readonly number[];
  /** How many bytes differ. */
  readonly bytes: number;
}

/** All reads whose bytes differ from what each was known to hold right before, in order. */
export function contradictionsIn(steps: readonly Step[]): Contradiction[] {
  const known = new Map<bigint, { readonly value: number; readonly by: number }>();
  const found: Contradiction[] = [];
  for (const { n, offset, access } of steps) {
    if (access === undefined) continue;
    const knownBy: number[] = [];
    for (let k = 0; k < access.size; k++) {
      const place = access.address + BigInt(k);
      if (place > TOP) break;
      const value = access.bytes?.[k];
      const before = known.get(place);
      if (!access.writes && value !== undefined && before !== undefined && before.value !== value)
        knownBy.push(before.by);
      if (value !== undefined) known.set(place, { value, by: n });
      else if (access.writes) known.delete(place);
    }
    if (knownBy.length > 0)
      found.push({ n, offset, bytes: knownBy.length, knownBy: [...new Set(knownBy)].sort((a, b) => a - b) });
  }
  return found;
}
