/** Values of bytes: as the records of a step show them, else as registers and memory are known at its record. */
import { KNOWN } from '../../../../shared/requests/requests.ts';
import { namesSet, type RegisterValue } from '../../../../shared/records/registers.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import type { Hex, RecordNumber } from '../../../../shared/base/units.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { RegisterFile, RegisterSpan } from '../../instructions/register-file.ts';
import { answerAtOnce } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { memorySteps } from '../memory/memory.ts';
import { registers } from '../memory/registers.ts';
import { lastSetBefore } from './block-start.ts';
import { codeOf, contentWith, rowsUpTo, setsWith } from './code-parts.ts';
import type { Machine } from './definitions.ts';
import type { Instructions, Unit } from './instructions.ts';
import { registerTests } from './register-tests.ts';
import { meets, overlap, registerBytes, spanOfRegister, type Location } from './locations.ts';

/** Bytes, lowest first; undefined for those that are not known. */
export type Content = readonly (number | undefined)[];

/** The registers of a CPU after a record: by byte of the register file its value, and the record that set it. */
interface Contents {
  readonly n: RecordNumber;
  readonly values: ReadonlyMap<number, number>;
  readonly since: ReadonlyMap<number, RecordNumber>;
}

/** A register that records of a CPU set, and its bytes. */
export interface RecordedRegister {
  readonly name: string;
  readonly cpu: number;
  readonly spans: readonly RegisterSpan[];
}

export interface Values {
  /** Returns the bytes of a location after a record. */
  at(location: Location, n: RecordNumber): Content;
  /** Returns the bytes before an instruction, as it read them or as they are known. */
  before(location: Location, unit: Unit): Content;
  /** Returns the bytes after the effects of an instruction. */
  after(location: Location, unit: Unit): Content;
  register(span: RegisterSpan, cpu: number, n: RecordNumber): bigint | undefined;
}

const NOTHING: Content = [];
/** The tests of sets do not need modes. */
const NO_MODES = { isBanked: false, isLink: false, isBank: false };

export function createValues(
  trace: Trace,
  instructions: Instructions,
  { file, reads, writes, bigEndian }: Pick<Machine, 'file' | 'reads' | 'writes' | 'bigEndian'>,
  recorded: readonly RecordedRegister[],
): Values {
  /** By CPU: its registers where they were wanted last. */
  const latest = new Map<number, Contents>();
  return { at, before, after, register };

  function before(location: Location, { record, effects }: Unit): Content {
    const read = effects.filter(({ kind }) => reads.includes(kind));
    const recorded = location.of === 'memory' ? recordedBytes(location, read, file, bigEndian) : NOTHING;
    return completed(location, recorded, record.n - 1);
  }

  function after(location: Location, { record, effects }: Unit): Content {
    const changed = effects.filter(({ kind }) => kind === 'register' || writes.includes(kind));
    const recorded = recordedBytes(location, changed, file, bigEndian);
    return completed(location, recorded, Math.max(record.n, effects.at(-1)?.n ?? 0));
  }

  function completed(location: Location, recorded: Content, n: RecordNumber): Content {
    if (recorded.length === location.bytes && !recorded.includes(undefined)) return recorded;
    return at(location, n).map((byte, k) => recorded[k] ?? byte);
  }

  function at(location: Location, n: RecordNumber): Content {
    if (location.of === 'memory') return memoryAfter(location, n);
    return registersAfter(location, location.of, n);
  }

  function register(span: RegisterSpan, cpu: number, n: RecordNumber): bigint | undefined {
    return numberOf(at(registerBytes(cpu, span), n));
  }

  function memoryAfter({ low, bytes }: Location, n: RecordNumber): Content {
    if (n < 0) return Array.from({ length: bytes }, () => undefined);
    const view = answerAtOnce(memorySteps(trace, { at: n, address: toHex(low), length: bytes }));
    if (!view.ok) return Array.from({ length: bytes }, () => undefined);
    return [...view.value.bytes].map((byte, k) => (view.value.known[k] === KNOWN.not ? undefined : byte));
  }

  /** Sets of the block up to the record win over what was known at its start. */
  function registersAfter({ low, bytes }: Location, cpu: number, n: RecordNumber): Content {
    const found: (number | undefined)[] = Array.from({ length: bytes }, () => undefined);
    if (n < 0) return found;
    const { blocks } = trace;
    const until = Math.min(n, blocks.records - 1);
    const start = blocks.firstRecord(blocks.blockOfRecord(until));
    const wanted = { low: Number(low), bytes };
    const isSet = new Uint8Array(bytes);
    let left = bytes;
    const lists = codeOf(trace, instructions);
    const { spans } = lists;
    const { isSet: isWanted } = registerTests(lists, wanted, NO_MODES);
    for (let record = until; record >= start && left > 0;) {
      const known = contentWith(trace, record, instructions);
      if (known?.content.sets.some(isWanted) === false) {
        record = known.first - 1;
        continue;
      }
      const part = setsWith(trace, record, instructions);
      if (!part.ok) return found;
      const { first, row, cpu: cpus, set } = part.value;
      for (let at = rowsUpTo({ first, row }, until) - 1; at >= 0 && left > 0; at -= 1) {
        if (cpus[at] !== cpu || !isWanted(set[at]!)) continue;
        const contents = new Map<number, number>();
        for (const [name, value] of namesSet(instructions.at(first + row[at]!)!))
          if (value !== undefined) putRegister(contents, file, name, value);
        for (let k = 0; k < bytes; k++) {
          const place = { low: wanted.low + k, bytes: 1 };
          if (isSet[k] === 1 || !spans[set[at]!]!.some((span) => meets(span, place))) continue;
          found[k] = contents.get(place.low);
          isSet[k] = 1;
          left -= 1;
        }
      }
      record = first - 1;
    }
    if (left === 0) return found;
    const missing = Array.from({ length: bytes }, (_, k) => wanted.low + k).filter((_, k) => isSet[k] === 0);
    const values = valuesBefore(cpu, start, missing);
    return found.map((byte, k) => (isSet[k] === 1 ? byte : values.get(wanted.low + k)));
  }

  /** Returns bytes of registers as they are before the first record of a block. */
  function valuesBefore(cpu: number, start: RecordNumber, places: readonly number[]): ReadonlyMap<number, number> {
    const values = new Map<number, number>();
    const names = recorded.filter((each) => each.cpu === cpu && each.spans.some((span) => isAnyIn(span, places)));
    const [only] = names;
    if (only === undefined) return values;
    const last = lastSetBefore(trace, trace.blocks.blockOfRecord(start), cpu, only.name);
    if (last === undefined) return values;
    // The register file knows what several registers that share bits leave of one another.
    if (names.length > 1 || last.name !== only.name) return contentsAt(cpu, start - 1, places).values;
    if (last.value !== null) putRegister(values, file, last.name, last.value);
    return values;
  }

  /** Returns registers in which some bytes are as they are after a record. */
  function contentsAt(cpu: number, n: RecordNumber, places: readonly number[]): Contents {
    const known = latest.get(cpu);
    // Bytes that were set before the record, and not again before a later one, are the same at both.
    if (known !== undefined && known.n >= n && places.every((low) => (known.since.get(low) ?? Infinity) <= n))
      return known;
    const found = n < 0 ? undefined : registers(trace, { at: n, ...(cpu < 0 ? {} : { cpu }) });
    const own = found?.ok === true ? found.value.files.find((each) => (each.cpu ?? -1) === cpu) : undefined;
    const contents = contentsOf(n, own?.registers ?? [], file);
    latest.set(cpu, contents);
    return contents;
  }
}

function isAnyIn({ low, bytes }: RegisterSpan, places: readonly number[]): boolean {
  return places.some((place) => place >= low && place < low + bytes);
}

function contentsOf(n: RecordNumber, known: readonly RegisterValue[], file: RegisterFile): Contents {
  const values = new Map<number, number>();
  const since = new Map<number, RecordNumber>();
  for (const each of known) {
    putRegister(values, file, each.name, each.value);
    for (const { low, bytes } of file.spansOf(each.name) ?? [])
      for (let k = 0; k < bytes; k++) since.set(low + k, Math.max(each.since, since.get(low + k) ?? 0));
  }
  return { n, values, since };
}

function putRegister(contents: Map<number, number>, file: RegisterFile, name: string, value: Hex): void {
  for (const { span, bit, bits } of file.fieldsOf(name) ?? []) {
    const field = BigInt.asUintN(bits, BigInt(value) >> BigInt(bit));
    for (let k = 0; k < span.bytes; k++) contents.set(span.low + k, Number((field >> BigInt(8 * k)) & 0xffn));
  }
}

/** Returns the bytes that the records of effects show, where they set or moved any of a location. */
export function recordedBytes(
  location: Location,
  effects: readonly RecordView[],
  file: RegisterFile,
  bigEndian: boolean,
): Content {
  const bytes: (number | undefined)[] = Array.from({ length: location.bytes }, () => undefined);
  for (const effect of effects) {
    if (location.of === 'memory') addMemory(bytes, location, effect, bigEndian);
    else if (effect.kind === 'register') addRegisters(bytes, location, effect, file);
  }
  return bytes;
}

function addMemory(bytes: (number | undefined)[], location: Location, effect: RecordView, bigEndian: boolean): void {
  const { address, size = 0, value } = effect;
  if (address === undefined || value === undefined || effect.kind === 'register') return;
  const moved: Location = { of: 'memory', low: BigInt(address), bytes: size };
  const shared = overlap(location, moved);
  if (shared === undefined) return;
  for (let k = 0; k < shared.bytes; k++) {
    const at = Number(shared.low - moved.low) + k;
    const place = bigEndian ? size - 1 - at : at;
    bytes[Number(shared.low - location.low) + k] = Number((BigInt(value) >> BigInt(8 * place)) & 0xffn);
  }
}

function addRegisters(bytes: (number | undefined)[], location: Location, effect: RecordView, file: RegisterFile): void {
  const contents = new Map<number, number>();
  for (const [name, value] of namesSet(effect)) if (value !== undefined) putRegister(contents, file, name, value);
  const { low } = spanOfRegister(location);
  for (let k = 0; k < bytes.length; k++) bytes[k] = contents.get(low + k) ?? bytes[k];
}

/** Returns the number that the bytes are, lowest byte first; undefined if one is not known. */
export function numberOf(bytes: Content): bigint | undefined {
  let value = 0n;
  for (let k = bytes.length - 1; k >= 0; k--) {
    const byte = bytes[k];
    if (byte === undefined) return undefined;
    value = (value << 8n) | BigInt(byte);
  }
  return value;
}
