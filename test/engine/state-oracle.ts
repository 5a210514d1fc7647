/**
 * The slow oracle of the machine's state: every answer from a replay of all records as `records` returns them. It shares nothing with
 * the engine: no columns, no index, no skipping.
 */
import type { AccessWay } from '../../shared/requests/requests.ts';
import type { Settings } from '../../shared/format/format.ts';
import type { RecordView } from '../../shared/records/record.ts';

/** Effects of one record on the machine. */
export interface Step {
  readonly n: number;
  readonly offset: number;
  readonly kind: string;
  readonly cpu: number | undefined;
  readonly access: Access | undefined;
  /** Registers that it sets, with undefined for an unreported value. */
  readonly sets: readonly (readonly [name: string, value: string | undefined])[];
  /** Memory bytes that its opcode proves, starting at its address. */
  readonly opcode: readonly number[] | undefined;
  /** Byte range of a record with an address, whatever its kind; undefined without an address. */
  readonly span: { readonly low: bigint; readonly high: bigint } | undefined;
}

/** A memory access with effect. */
export interface Access {
  readonly writes: boolean;
  readonly address: bigint;
  readonly size: number;
  /** Bytes in memory order; undefined if unknown. */
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
      opcode: opcodeOf(record, settings),
      sets:
        record.kind !== 'register'
          ? []
          : (record.registers?.map(([name, value]) => [name, value] as const) ??
            (record.register === undefined ? [] : [[record.register, record.value] as const])),
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

function bytesOf(
  { value, flags = [] }: RecordView,
  size: number,
  format: string,
  settings: Settings,
): number[] | undefined {
  if (value === undefined || flags.includes('bus-order') || flags.includes('data-size')) return undefined;
  const digits = value.slice(2).padStart(2 * size, '0');
  if (digits.length !== 2 * size) return undefined;
  const highestFirst = Array.from({ length: size }, (_, k) => Number.parseInt(digits.slice(2 * k, 2 * k + 2), 16));
  // A Pentium's bus is little-endian whatever the settings.
  return format !== 'btm' && settings['endian'] === 'big' ? highestFirst : highestFirst.reverse();
}

/** The halfwords or the word of an instruction in memory order, each reversed if it is little-endian. */
function opcodeOf(
  { kind, address, size, opcode, isa, flags = [] }: RecordView,
  settings: Settings,
): number[] | undefined {
  if ((kind !== 'instruction' && kind !== 'skipped') || address === undefined || opcode === undefined) return undefined;
  if (flags.includes('odd-opcode') || (size !== 2 && size !== 4)) return undefined;
  const isWord = isa === 'A' || isa === 'O';
  const isThumb = isa === 'T' || isa === 'X' || (isa === undefined && size === 2);
  if ((!isWord && !isThumb) || (isa === 'O' && size === 2)) return undefined;
  const digits = opcode.slice(2).padStart(2 * size, '0');
  const parts = isThumb && size === 4 ? [digits.slice(0, 4), digits.slice(4)] : [digits];
  const bigEndian = settings['endian'] === 'big' && isa !== 'O';
  return parts.flatMap((part) => {
    const bytes = (part.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
    return bigEndian ? bytes : bytes.reverse();
  });
}

export interface OracleMemory {
  /** Undefined if unknown. */
  readonly bytes: readonly (number | undefined)[];
  /** True if an opcode proves the byte. */
  readonly fromOpcode: readonly boolean[];
  readonly writers: readonly number[];
  readonly touched: readonly number[];
}

export function memoryAt(
  steps: readonly Step[],
  at: number,
  start: bigint,
  length: number,
  opcodes = false,
): OracleMemory {
  const bytes = Array.from({ length }, (): number | undefined => undefined);
  const fromOpcode = Array.from({ length }, () => false);
  const writers = Array.from({ length }, () => -1);
  const touched = Array.from({ length }, () => -1);
  for (const { n, access, opcode, span } of steps) {
    if (n > at) break;
    if (span === undefined || span.low >= start + BigInt(length) || span.high < start) continue;
    const first = Number(span.low - start);
    const has = (place: number) => place >= 0 && place < length;
    if (opcodes && opcode !== undefined) {
      opcode.forEach((byte, k) => {
        if (!has(first + k)) return;
        bytes[first + k] = byte;
        fromOpcode[first + k] = true;
      });
    }
    if (access === undefined) continue;
    for (let k = 0; k < access.size; k++) {
      const place = first + k;
      if (!has(place)) continue;
      touched[place] = n;
      if (access.writes) writers[place] = n;
      if (!access.writes && access.bytes === undefined) continue;
      bytes[place] = access.bytes?.[k];
      fromOpcode[place] = false;
    }
  }
  return { bytes, fromOpcode, writers, touched };
}

export interface OracleFile {
  readonly cpu: number | undefined;
  readonly registers: ReadonlyMap<string, { readonly value: string; readonly since: number }>;
}

/** Register files of the cpus that have set any register, even to an unknown value, lowest number first. */
export function registersAt(steps: readonly Step[], at: number): OracleFile[] {
  const files = new Map<number | undefined, Map<string, Register>>();
  for (const { n, kind, cpu, sets } of steps) {
    if (n > at) break;
    if (kind !== 'register') continue;
    const file = files.get(cpu) ?? new Map<string, Register>();
    files.set(cpu, file);
    for (const [name, value] of sets)
      if (name === '*') file.clear();
      else setBits(file, name, value, n);
  }
  return [...files]
    .map(([cpu, file]) => ({ cpu, registers: new Map([...file].flatMap(([whole, bits]) => knownOf(whole, bits))) }))
    .sort((a, b) => (a.cpu ?? -1) - (b.cpu ?? -1));
}

/** A whole register: the last record that set all of it, and for each bit the last record since. */
interface Register {
  readonly all: Setting | undefined;
  readonly parts: Map<number, Setting>;
}

interface Setting {
  readonly n: number;
  /** Bit `low` of the register is its lowest. */
  readonly value: bigint | undefined;
  readonly low: number;
}

function setBits(file: Map<string, Register>, name: string, text: string | undefined, n: number): void {
  const value = text === undefined ? undefined : BigInt(text);
  const part = /^(.+)<(\d+):(\d+)>( \([^()]*\))?$/.exec(name);
  if (part === null || Number(part[2]) < Number(part[3])) {
    file.set(name, { all: { n, value, low: 0 }, parts: new Map() });
    return;
  }
  const whole = `${part[1]!}${part[4] ?? ''}`;
  const register = file.get(whole) ?? { all: undefined, parts: new Map<number, Setting>() };
  file.set(whole, register);
  const low = Number(part[3]);
  const setting = { n, value, low };
  for (let bit = low; bit <= Number(part[2]); bit++) register.parts.set(bit, setting);
}

/** The register with its value if every bit is known, else its known parts, each set by one record. */
function knownOf(whole: string, { all, parts }: Register): [string, { value: string; since: number }][] {
  const settings = Array.from({ length: Math.max(-1, ...parts.keys()) + 1 }, (_, bit) => parts.get(bit) ?? all);
  const bitOf = (setting: Setting | undefined, bit: number) =>
    ((setting?.value ?? 0n) >> BigInt(bit - (setting?.low ?? 0))) & 1n;
  const valueOf = (from: number, to: number) =>
    settings.slice(from, to).reduce((sum, setting, k) => sum | (bitOf(setting, from + k) << BigInt(k)), 0n);
  if (all?.value !== undefined && settings.every((setting) => setting?.value !== undefined)) {
    const above = (all.value >> BigInt(settings.length)) << BigInt(settings.length);
    const since = Math.max(all.n, ...settings.map((setting) => setting?.n ?? 0));
    return [[whole, { value: `0x${(above | valueOf(0, settings.length)).toString(16)}`, since }]];
  }
  const found: [string, { value: string; since: number }][] = [];
  const note = / \([^()]*\)$/.exec(whole)?.[0] ?? '';
  for (let from = 0, to = 0; from < settings.length; from = to) {
    const setting = settings[from];
    while (to < settings.length && settings[to] === setting) to++;
    if (setting?.value === undefined) continue;
    const name = `${whole.slice(0, whole.length - note.length)}<${to - 1}:${from}>${note}`;
    found.push([name, { value: `0x${valueOf(from, to).toString(16)}`, since: setting.n }]);
  }
  return found;
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
    return sets.some(([name]) => shareBits(name, register));
  }
  if (access === undefined || span === undefined) return false;
  if (what !== 'access' && (what === 'write') !== access.writes) return false;
  return access.address <= span.high && access.address + BigInt(access.size) > span.low;
}

/** A register and its parts, by the bits in their names. The only aliases in the traces are Qn and Zn, which begin with the bits of Vn. */
function shareBits(a: string, b: string): boolean {
  if (a === '*') return true;
  const [one, other] = [a, b].map((name) => {
    const [, whole, high, low] = /^(.+)<(\d+):(\d+)>$/.exec(name) ?? [];
    if (whole === undefined) return { whole: name.replace(/^[QZ](?=\d)/, 'V'), low: 0, high: 9999 };
    return { whole, low: Number(low), high: Number(high) };
  });
  return one!.whole === other!.whole && one!.low <= other!.high && other!.low <= one!.high;
}

/** Contents of the memory range or of the register of a CPU, in the form of `access`. */
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

/** A read that contradicts known contents, with the records that had reported each byte. */
export interface Contradiction {
  readonly n: number;
  readonly offset: number;
  /** Records that had reported the differing bytes, oldest first. */
  readonly knownBy: readonly number[];
  /** Number of differing bytes. */
  readonly bytes: number;
}

/** All reads whose bytes differ from the contents known just before, in order. */
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
