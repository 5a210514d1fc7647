/**
 * The slow oracle of origins: a forward replay of all records. It keeps for every byte of registers and memory its last definition, and for
 * every definition the bytes that it was made of. It shares with the engine only the effects of opcodes and the names of registers: no index, no
 * blocks, no search, no grouping of records.
 */
import type { Effects, MemoryOperand, Place } from '../../../electron/engine/instructions/effects.ts';
import { isMemory } from '../../../electron/engine/instructions/effects.ts';
import type { RegisterFile, RegisterSpan } from '../../../electron/engine/instructions/register-file.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { namesSet } from '../../../shared/records/registers.ts';
import { unitsOf, type Code, type Unit } from './units.ts';

/** A byte: `0 13` is byte 13 of the registers of CPU 0, `0 *` stands for all of them, `m 4096` is the memory at 0x1000. */
export type Byte = string;
export type EdgeKind = 'data' | 'address' | 'control';

export interface Edge {
  readonly edge: EdgeKind;
  /** Undefined if the trace does not show which memory was used. */
  readonly byte: Byte | undefined;
  /** Record of the unit that defined the byte; undefined if none did. */
  readonly definer: number | undefined;
  /** The record that reads memory. */
  readonly at?: number;
}

export interface Replay {
  /** By the record number of each unit. */
  readonly units: ReadonlyMap<number, UnitEdges>;
  /** Every byte that was ever used or defined. */
  readonly bytes: readonly Byte[];
  /** CPUs with instructions whose opcodes are known. */
  readonly cpus: ReadonlySet<number>;
  /** Registers that opcodes define or use. */
  readonly spans: readonly RegisterSpan[];
  /** Returns the unit that defined a byte last, as seen after record `at`. */
  definerAt(byte: Byte, at: number): number | undefined;
  readonly gaps: readonly Gap[];
  /** Returns the definitions of a byte, oldest first. */
  definitionsOf(byte: Byte): readonly Defined[];
}

export interface UnitEdges {
  /** By each byte that the unit defined. */
  readonly of: ReadonlyMap<Byte, readonly Edge[]>;
  /** Edges to the branch that decided that the unit was reached: it defined the program counter. */
  readonly reached: readonly Edge[];
}

export interface Source extends Code {
  readonly file: RegisterFile;
  readonly bigEndian: boolean;
  /** True for the processors of Arm whose modes have some of the registers for themselves. */
  readonly hasModes: boolean;
  readonly gaps: readonly Gap[];
}

/** Instructions of a CPU are missing after record `from`, its last one, and before record `to`. */
export interface Gap {
  readonly cpu: number;
  readonly from: number;
  readonly to: number;
}

/** A definition of a unit: bytes with the bytes that they are made of. */
interface Made {
  readonly to: readonly Byte[];
  /** True if byte k of `to` is byte k of the only source. */
  readonly copies: boolean;
  readonly sources: readonly Bytes[];
  readonly addresses: readonly Byte[];
  readonly deciders: readonly Byte[];
}

interface Bytes {
  /** Undefined if the place in memory is not known. */
  readonly bytes: readonly Byte[] | undefined;
  /** The record that reads memory. Bytes count as they are before it. */
  readonly at?: number;
}

export function replay(source: Source): Replay {
  const { records, file, bigEndian } = source;
  const shown = new Set(records.map(({ kind }) => kind));
  const readKind = shown.has('read') ? 'read' : 'bus-read';
  const writeKind = shown.has('write') ? 'write' : 'bus-write';
  const marksSkipped = shown.has('skipped');

  /** By byte: its definitions, oldest first. */
  const history = new Map<Byte, Defined[]>();
  const spans = new Map<string, RegisterSpan>();
  const units = unitsOf(source);
  const values = createValues(source);
  const made = units.map(madeBy);
  const define = (byte: Byte, definition: Defined): void => {
    const known = history.get(byte) ?? [];
    history.set(byte, known);
    known.push(definition);
  };
  const recorded = new Set(records.filter(({ kind }) => kind === 'register').flatMap(setBytes));
  units.forEach((unit, k) => {
    const { n, cpu, code, effects, flow } = unit;
    for (const { to, from } of code?.definitions ?? [])
      for (const place of [to, ...from])
        if (!isMemory(place)) spans.set(inRegisters(0, place.register).join(), place.register);
    // An exception sets the link register of its mode, and no record shows it if the value stays the same.
    if (source.bankOf !== undefined && (unit.isAtVector || flow === 'exception' || flow === 'trap'))
      for (const mode of ['usr', 'fiq', 'irq', 'svc', 'abt', 'und'])
        for (const byte of inRegisters(cpu, source.bankOf('r14', mode)))
          define(byte, { at: n, n: unit.isAtVector ? n - 1 : n, isLost: true });
    // Nothing shows whether the registers that a mode has for itself are still the same, unless records set them.
    const banked = source.hasModes ? inRegisters(cpu, BANKED).filter((byte) => !recorded.has(byte)) : [];
    const lose = (after: number): void => banked.forEach((byte) => define(byte, { at: n, n: after, isLost: true }));
    if (unit.isAtVector) lose(n - 1);
    const any = `${cpu} *`;
    for (const byte of new Set(made[k]!.flatMap(({ to }) => to))) {
      const record = effects.find((effect) => setBytes(effect).some((each) => each === byte || each === any));
      define(byte, { at: record?.n ?? n, n });
    }
    if (banked.length > 0 && changesMode(unit, file)) lose(n);
  });
  // Registers of a CPU change from unit to unit, memory from record to record of any CPU.
  for (const [byte, known] of history) if (byte.startsWith('m ')) known.sort((a, b) => a.at - b.at);
  const reached = decidingBranches(units);
  const edges = units.map((unit, k) => edgesOf(unit, made[k]!));
  return {
    units: new Map(units.map(({ n }, k) => [n, edges[k]!])),
    bytes: [...history].flatMap(([byte, known]) => (known.every(({ isLost }) => isLost === true) ? [] : [byte])),
    cpus: new Set(units.filter(({ code }) => code !== undefined).map(({ cpu }) => cpu)),
    spans: [...spans.values()],
    definitionsOf: (byte) => history.get(byte) ?? [],
    gaps: source.gaps,
    definerAt: (byte, at) =>
      unlessMissing(byte, isCounter(byte) ? counterAt(byte, at) : definerBefore(byte, Infinity, at + 1), at),
  };

  /** Missing instructions can have defined the byte between its definition and the record that shows it. */
  function unlessMissing(byte: Byte, definer: number | undefined, seen: number): number | undefined {
    const [of] = byte.split(' ');
    const isMissing = source.gaps.some(
      ({ cpu, from, to }) => (of === 'm' || Number(of) === cpu) && from < seen && (definer ?? -1) < to,
    );
    return isMissing ? undefined : definer;
  }

  function isCounter(byte: Byte): boolean {
    const [of, place] = byte.split(' ');
    return (
      of !== 'm' &&
      place !== '*' &&
      Number(place) >= file.counter.low &&
      Number(place) < file.counter.low + file.counter.bytes
    );
  }

  function counterAt(byte: Byte, at: number): number | undefined {
    return lastOf(reached.get(Number(byte.split(' ')[0])), (each) => each.n <= at)?.next;
  }

  /** Returns the unit that defined a byte last, among units before `n` whose effects came before record `at`. */
  function definerBefore(byte: Byte, n: number, at: number): number | undefined {
    const any = `${byte.split(' ')[0]!} *`;
    const [own, lost] = [byte, any].map((each) => {
      const fits = each.startsWith('m ') ? (known: Defined) => known.at < at : (known: Defined) => known.n < n;
      const known = history.get(each);
      // Few definitions fit one bound and not the other.
      for (let k = countOf(known, fits) - 1; k >= 0; k--)
        if (known![k]!.n < n && known![k]!.at < at) return known![k]!.isLost === true ? undefined : known![k]!.n;
      return undefined;
    });
    return own !== undefined && lost !== undefined ? Math.max(own, lost) : (own ?? lost);
  }

  function edgesOf({ n, cpu }: Unit, list: readonly Made[]): UnitEdges {
    const edges = new Map<Byte, Edge[]>();
    const use = (edge: EdgeKind, byte: Byte, at = Infinity): Edge => {
      // The memory that a record reads can have been written by an instruction of another CPU that began later.
      const before = byte.startsWith('m ') && at !== Infinity ? Infinity : n;
      const definer = unlessMissing(byte, definerBefore(byte, before, at), at === Infinity ? n : at);
      return { edge, byte, definer, ...(before === Infinity && { at }) };
    };
    for (const { to, copies, sources, addresses, deciders } of list)
      to.forEach((byte, k) => {
        const known = edges.get(byte) ?? [];
        edges.set(byte, known);
        for (const { bytes, at } of sources) {
          if (bytes === undefined) known.push({ edge: 'data', byte: undefined, definer: undefined });
          else for (const each of copies ? [bytes[k]!] : bytes) known.push(use('data', each, at));
        }
        known.push(...addresses.map((each) => use('address', each)), ...deciders.map((each) => use('control', each)));
      });
    const counter = inRegisters(cpu, file.counter);
    const definer = lastOf(reached.get(cpu), (each) => each.n < n)?.next;
    return {
      of: edges,
      reached: counter.map((byte) => ({ edge: 'control', byte, definer: unlessMissing(byte, definer, n) })),
    };
  }

  function madeBy(unit: Unit): Made[] {
    const decoded = unit.code === undefined ? [] : decodedBy(unit, unit.code);
    const known = new Set(decoded.flatMap(({ to }) => to));
    const before = values.before(unit.n);
    const recorded = unit.effects.flatMap((effect) => piecesOf(effect, known));
    // A record can repeat bytes of a status register that the instruction leaves alone.
    const changed =
      unit.code?.complete === true ? recorded.filter((piece) => !isUnchanged(piece, before, unit)) : recorded;
    const unknown = { to: [...new Set(changed.flat())], copies: false, sources: [], addresses: [], deciders: [] };
    return [...decoded, unknown, ...(unit.branch === undefined ? [] : [branchedBy(unit, unit.branch)])];
  }

  /** Returns the bytes that an effect sets and no opcode explains, adjacent bytes of a register together. */
  function piecesOf(effect: RecordView, known: ReadonlySet<Byte>): readonly (readonly Byte[])[] {
    const pieces: Byte[][] = [];
    let last = '';
    for (const byte of setBytes(effect)) {
      const [of, place] = byte.split(' ');
      if (known.has(byte)) continue;
      if (last === `${of!} ${Number(place) - 1}`) pieces.at(-1)!.push(byte);
      else pieces.push([byte]);
      last = byte;
    }
    return pieces;
  }

  function isUnchanged(piece: readonly Byte[], before: ReadonlyMap<Byte, number>, unit: Unit): boolean {
    const after = new Map(before);
    for (const effect of unit.effects) setValues(after, effect, file);
    return piece.every((byte) => before.has(byte) && before.get(byte) === after.get(byte));
  }

  /** A branch defines the program counter by the places that decide where it leads. */
  function branchedBy(unit: Unit, branch: Effects): Made {
    const bytesOf = placesOf(unit, branch);
    const places = branch.decides ?? [];
    return {
      ...{ to: inRegisters(unit.cpu, file.counter), copies: false, deciders: [] },
      sources: places.map((place) => bytesOf(place, 'read')),
      addresses: addressesOf(unit, branch, places),
    };
  }

  function addressesOf({ cpu }: Unit, code: Effects, places: readonly Place[]): readonly Byte[] {
    const memories = [...new Set(places.filter(isMemory).map(({ memory }) => memory))];
    return memories.flatMap((memory) => code.memory[memory]!.address.flatMap((span) => inRegisters(cpu, span)));
  }

  function placesOf(unit: Unit, code: Effects): (place: Place, way: 'read' | 'write') => Bytes {
    const reads = placeOperands(
      code,
      'write',
      unit.effects.filter(({ kind }) => kind === readKind),
    );
    const writes = placeOperands(
      code,
      'read',
      unit.effects.filter(({ kind }) => kind === writeKind),
    );
    return (place, way) => {
      if (!isMemory(place)) return { bytes: inRegisters(unit.cpu, place.register) };
      const { bytes, at } = (way === 'read' ? reads : writes)[place.memory]!;
      return { bytes: bytes?.slice(place.offset, place.offset + place.bytes), ...(at !== undefined && { at }) };
    };
  }

  /** Bytes that a record of an effect shows to be set. */
  function setBytes(effect: RecordView): readonly Byte[] {
    if (effect.kind === writeKind) return accessed(effect);
    if (effect.kind !== 'register') return [];
    const cpu = effect.cpu ?? -1;
    const names = effect.registers?.map(([name]) => name) ?? [effect.register ?? ''];
    // A name that cannot be read can be that of any register.
    return names.flatMap((name) =>
      name === '*' ? [`${cpu} *`] : (file.spansOf(name) ?? []).flatMap((span) => inRegisters(cpu, span)),
    );
  }

  function decodedBy(unit: Unit, code: Effects): Made[] {
    const bytesOf = placesOf(unit, code);
    const reads = unit.effects.filter(({ kind }) => kind === readKind);
    const more = code.complete ? [] : reads.map((read): Bytes => ({ bytes: accessed(read), at: read.n }));
    const list = code.definitions.flatMap(({ to, from, how, conditional }): Made[] => {
      const target = bytesOf(to, 'write').bytes;
      if (target === undefined) return [];
      // The deciding places come last, and before them the old value, which a trace with skipped instructions excludes.
      const cut = conditional && marksSkipped && unit.deciders > 0 ? from.length - unit.deciders : undefined;
      const sources = cut === undefined ? from : from.slice(0, cut - 1);
      const isCopy = how === 'copy' && sources.length === 1 && more.length === 0;
      const turns = isCopy && bigEndian && isMemory(to) !== isMemory(sources[0]!);
      return [
        {
          to: turns ? target.toReversed() : target,
          copies: isCopy,
          sources: [...sources.map((place) => bytesOf(place, 'read')), ...more],
          addresses: addressesOf(unit, code, [to, ...sources]),
          deciders: cut === undefined ? [] : from.slice(cut).flatMap((place) => bytesOf(place, 'read').bytes ?? []),
        },
      ];
    });
    if (code.complete) return list;
    const sources = [...list.flatMap((each) => each.sources), ...more];
    const writes = unit.effects.filter(({ kind }) => kind === writeKind);
    return [
      ...list,
      ...writes.map((write) => ({ to: accessed(write), copies: false, sources, addresses: [], deciders: [] })),
    ];
  }
}

/** A definition of a byte by unit `n`, which takes effect at record `at`. */
export interface Defined {
  readonly at: number;
  readonly n: number;
  /** True if the byte is no longer known to be that of the register before. */
  readonly isLost?: boolean;
}

/** r8 to r14. */
const BANKED: RegisterSpan = { low: 32, bytes: 28 };

function changesMode({ code, flow }: Unit, file: RegisterFile): boolean {
  if (flow === 'exception' || flow === 'trap') return true;
  const control = file.spansOf('cpsr.control')?.[0];
  return (
    code?.definitions.some(
      ({ to }) =>
        !isMemory(to) && to.register.low <= control!.low && to.register.low + to.register.bytes > control!.low,
    ) === true
  );
}

/** Returns how many elements at the start of a list fit, which are all before those that do not. */
function countOf<T>(list: readonly T[] = [], fits: (each: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(list[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lastOf<T>(list: readonly T[] = [], fits: (each: T) => boolean): T | undefined {
  return list[countOf(list, fits) - 1];
}

interface Reached {
  readonly n: number;
  /** The branch that decided where the CPU goes next. */
  readonly next: number | undefined;
}

/** By CPU and unit: the newest branch after it, taken or not, whose outcome a value decided, in the open call or else in an outer one. */
function decidingBranches(units: readonly Unit[]): ReadonlyMap<number, readonly Reached[]> {
  const result = new Map<number, Reached[]>();
  /** For each open call of a CPU, outermost first: its newest branch. */
  const calls = new Map<number, (number | undefined)[]>();
  for (const { n, cpu, flow, branch } of units) {
    const open = calls.get(cpu) ?? [undefined];
    calls.set(cpu, open);
    const decides = (branch?.decides?.length ?? 0) > 0;
    if (flow === 'return') {
      open.pop();
      if (open.length === 0) open.push(undefined);
    } else if (flow === 'call' || flow === 'exception' || flow === 'trap') open.push(decides ? n : undefined);
    else if (flow !== undefined && decides) open[open.length - 1] = n;
    const known = result.get(cpu) ?? [];
    result.set(cpu, known);
    known.push({ n, next: open.findLast((each) => each !== undefined) });
  }
  return result;
}

/** Values of registers as records show them. Questions must come in ascending order. */
function createValues({ records, file }: Source): { before(n: number): ReadonlyMap<Byte, number> } {
  const values = new Map<Byte, number>();
  let next = 0;
  return {
    before(n) {
      for (; next < records.length && records[next]!.n < n; next++) setValues(values, records[next]!, file);
      return values;
    },
  };
}

function setValues(values: Map<Byte, number>, record: RecordView, file: RegisterFile): void {
  if (record.kind !== 'register') return;
  for (const [name, value] of namesSet(record)) {
    if (name === '*') values.clear();
    for (const { span, bit, bits } of file.fieldsOf(name) ?? [])
      inRegisters(record.cpu ?? -1, span).forEach((byte, k) => {
        if (value === undefined) values.delete(byte);
        else values.set(byte, Number((BigInt.asUintN(bits, BigInt(value) >> BigInt(bit)) >> BigInt(8 * k)) & 0xffn));
      });
  }
}

/** Assigns accesses to the operands of an instruction in order, each with as many bytes as it has. */
function placeOperands(
  code: Effects,
  otherWay: MemoryOperand['way'],
  accesses: readonly RecordView[],
): readonly Bytes[] {
  const rest = [...accesses];
  return code.memory.map(({ way, bytes }) => {
    if (way === otherWay) return { bytes: undefined };
    const own: RecordView[] = [];
    const sum = (): number => own.reduce((total, { size = 1 }) => total + size, 0);
    while (rest.length > 0 && (bytes === 0 || sum() < bytes)) own.push(rest.shift()!);
    const all = own.flatMap(accessed).map((byte) => BigInt(byte.slice(2)));
    const low = all.reduce((least, each) => (each < least ? each : least), all[0] ?? 0n);
    const isWhole = all.length > 0 && (bytes === 0 || all.length === bytes);
    const distinct = new Set(all);
    const place = Array.from({ length: all.length }, (_, k) => low + BigInt(k));
    if (!isWhole || !place.every((each) => distinct.has(each))) return { bytes: undefined };
    return { bytes: place.map((each) => `m ${each}`), at: own[0]!.n };
  });
}

function accessed({ address, size = 1 }: RecordView): readonly Byte[] {
  if (address === undefined) return [];
  return Array.from({ length: Math.max(1, size) }, (_, k) => `m ${BigInt(address) + BigInt(k)}`);
}

export function inRegisters(cpu: number, { low, bytes }: RegisterSpan): readonly Byte[] {
  return Array.from({ length: bytes }, (_, k) => `${cpu} ${low + k}`);
}

export interface OracleStep {
  readonly n: number;
  readonly defines: ReadonlySet<Byte>;
  readonly uses: readonly Edge[];
}

export interface OracleSlice {
  readonly origin: readonly Edge[];
  /** Youngest first. */
  readonly steps: readonly OracleStep[];
}

/** Returns what the bytes were made of, as they are after record `at`: at most so many steps. */
export function closure(
  { units, definerAt }: Replay,
  requested: readonly Byte[],
  at: number,
  kinds: ReadonlySet<EdgeKind>,
  most: number,
): OracleSlice {
  const origin = requested.map((byte): Edge => ({ edge: 'data', byte, definer: definerAt(byte, at) }));
  const wanted = new Map<number, Set<Byte>>();
  const want = ({ byte, definer }: Edge): void => {
    if (byte === undefined || definer === undefined) return;
    const known = wanted.get(definer) ?? new Set();
    wanted.set(definer, known.add(byte));
  };
  origin.forEach(want);
  const steps: OracleStep[] = [];
  while (wanted.size > 0 && steps.length < most) {
    // Uses of a unit are older, so that none adds to what is requested of the youngest one.
    const n = Math.max(...wanted.keys());
    const defines = wanted.get(n)!;
    wanted.delete(n);
    const { of, reached } = units.get(n)!;
    const all = [...[...defines].flatMap((byte) => of.get(byte) ?? []), ...reached];
    const uses = all.filter(({ edge }) => kinds.has(edge));
    uses.forEach(want);
    steps.push({ n, defines, uses });
  }
  return { origin, steps };
}
