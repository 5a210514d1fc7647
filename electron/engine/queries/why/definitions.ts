/**
 * Finds the definitions of an instruction of a trace. Its opcode says which values it makes of which places, and the records of its effects
 * say where in memory these places were. Records win over opcodes.
 */
import { ANY_REGISTER, namesSet } from '../../../../shared/records/registers.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Kind, RecordView } from '../../../../shared/records/record.ts';
import {
  addressOf,
  isMemory,
  type Definition,
  type Effects,
  type MemoryOperand,
  type Place,
} from '../../instructions/effects.ts';
import type { RegisterFile, RegisterSpan } from '../../instructions/register-file.ts';
import { cpuOf, type Instructions, type Unit } from './instructions.ts';
import { endOf, memoryBytes, overlap, registerBytes, without, type Location } from './locations.ts';

/** Bytes that an instruction defined. */
export interface Defined {
  readonly to: Location;
  /** `unknown`: nothing says what made the value. */
  readonly how: Definition['how'] | 'unknown';
  /** Why it is unknown what made the value. */
  readonly reason?: string;
  /** The record from which on the bytes have the value: the one that shows it, else the instruction. */
  readonly since: RecordNumber;
  /** Sources of the value. A copy has one source, with as many bytes as `to`. */
  readonly from: readonly Source[];
  /** Registers that formed the addresses of places in memory. */
  readonly addresses: readonly Location[];
  /** Flags that decided that the instruction executed, if its condition could have failed. */
  readonly deciders: readonly Location[];
  /** True if the opcode is not modelled, or its operands in memory do not match the recorded accesses. */
  readonly inferred: boolean;
}

/** A place, or why it is not known. Memory is as it was before a record, the one that shows the access. */
export type Source = (Location & { readonly before?: RecordNumber }) | { readonly reason: string };

export function isPlace(source: Source): source is Location & { readonly before?: RecordNumber } {
  return 'of' in source;
}

/** The processors of a trace, as far as it shows them. */
export interface Machine {
  readonly file: RegisterFile;
  /** Kinds of records that show what instructions read and wrote; empty if the trace has none. */
  readonly reads: readonly Kind[];
  readonly writes: readonly Kind[];
  /** True if the trace distinguishes instructions whose condition failed from those that executed. */
  readonly marksSkipped: boolean;
  readonly bigEndian: boolean;
  /** Returns the value of a register before a record; undefined if it is not known. */
  valueBefore(span: RegisterSpan, cpu: number, n: number): bigint | undefined;
  /** Returns true if bytes are known to be the same before and after an instruction: the trace repeats registers that did not change. */
  isUnchanged(location: Location, unit: Unit): boolean;
}

/** Returns what an instruction, or a single record, defined. No two of the definitions share bytes. */
export function definitionsOf(unit: Unit, machine: Machine): readonly Defined[] {
  const decoded = unit.code === undefined ? [] : decodedBy(unit, unit.code, machine);
  const rest = decoded
    .reduce<readonly Location[]>((left, { to }) => left.flatMap((each) => without(each, to)), recordedBy(unit, machine))
    .filter((to) => unit.code?.complete !== true || !machine.isUnchanged(to, unit));
  return [
    ...decoded,
    ...rest.map((to): Defined => ({
      to,
      since: shownAt(unit, to, machine),
      how: 'unknown',
      reason: whyUnknown(unit),
      from: [],
      addresses: [],
      deciders: [],
      inferred: false,
    })),
  ];
}

function whyUnknown({ record, code }: Unit): string {
  if (record.kind !== 'instruction') return 'no instruction of the trace did this';
  if (code === undefined) return 'the opcode of the instruction is not known';
  return 'the opcode of the instruction is not known to do this; an exception, a debugger or another program can have done it';
}

/** Returns how a branch, taken or not, decided where the program continued; undefined for other instructions. */
export function branchOf(unit: Unit, { decode }: Pick<Instructions, 'decode'>, machine: Machine): Defined | undefined {
  const code = unit.code ?? decode(unit.record);
  if (code?.flow === undefined) return undefined;
  const cpu = cpuOf(unit.record);
  const operands = placedOperands(unit, code, machine);
  const decides = code.decides ?? [];
  return {
    to: registerBytes(cpu, machine.file.counter),
    since: unit.record.n,
    how: 'computed',
    from: decides.map((place) => located(place, operands, cpu, 'read')),
    addresses: addressesOf(decides, code, cpu),
    deciders: [],
    inferred: false,
  };
}

/** Returns what the records of an instruction show to be changed. */
function recordedBy(unit: Unit, machine: Machine): readonly Location[] {
  return unit.effects.flatMap((effect) => changedBy(effect, machine));
}

/** Returns the bytes that a record shows to be changed. */
function changedBy(effect: RecordView, { file, writes }: Machine): readonly Location[] {
  if (effect.kind !== 'register') return writes.includes(effect.kind) ? accessed(effect) : [];
  return namesSet(effect).flatMap(([name]) =>
    registersNamed(name, file).map((span) => registerBytes(cpuOf(effect), span)),
  );
}

/** Returns the bytes of a register in a record; all of them if its name cannot be read. */
export function registersNamed(name: string, file: RegisterFile): readonly RegisterSpan[] {
  return name === ANY_REGISTER ? [ALL_REGISTERS] : (file.spansOf(name) ?? []);
}

/** More bytes than any register file has. */
const ALL_REGISTERS: RegisterSpan = { low: 0, bytes: 2 ** 20 };

function shownAt({ record, effects }: Unit, location: Location, machine: Machine): RecordNumber {
  const shown = effects.find((effect) =>
    changedBy(effect, machine).some((each) => overlap(each, location) !== undefined),
  );
  return shown?.n ?? record.n;
}

function accessed({ address, size = 1 }: RecordView): readonly Location[] {
  return address === undefined ? [] : [memoryBytes(BigInt(address), Math.max(1, size))];
}

/** Where an operand in memory was read and written. */
interface Placed {
  readonly read: Source;
  readonly write: Source;
}

function decodedBy(unit: Unit, code: Effects, machine: Machine): readonly Defined[] {
  const cpu = cpuOf(unit.record);
  const operands = placedOperands(unit, code, machine);
  const others = code.complete ? [] : accessesOf(unit, machine.reads);
  const defined = code.definitions.flatMap((definition): readonly Defined[] => {
    const to = located(definition.to, operands, cpu, 'write');
    // A trace that records accesses has none of an operand that was not written.
    if (!isPlace(to)) return [];
    const { sources, deciders } = split(definition, code, machine);
    const from = sources.map((place) => located(place, operands, cpu, 'read'));
    return [
      {
        to,
        since: shownAt(unit, to, machine),
        how: definition.how === 'copy' && sources.length > 1 ? 'computed' : definition.how,
        from: [...from, ...others],
        addresses: addressesOf([definition.to, ...sources], code, cpu),
        deciders: deciders.flatMap((place) => {
          const where = located(place, operands, cpu, 'read');
          return isPlace(where) ? [where] : [];
        }),
        inferred: !code.complete,
      },
    ];
  });
  if (code.complete) return defined;
  // Any access of an instruction that is not modelled can be one of its operands.
  const from = [...defined.flatMap((each) => each.from), ...others];
  const written = accessesOf(unit, machine.writes).map((to): Defined => ({
    to,
    since: shownAt(unit, to, machine),
    how: 'computed',
    from,
    addresses: [],
    deciders: [],
    inferred: true,
  }));
  return [...defined, ...written];
}

/** Returns the registers that form the addresses of places in memory. */
function addressesOf(places: readonly Place[], { memory }: Effects, cpu: number): readonly Location[] {
  const operands = new Set(places.filter(isMemory).map((place) => memory[place.memory]));
  return [...operands].flatMap((operand) => (operand?.address ?? []).map((span) => registerBytes(cpu, span)));
}

/** Separates the sources of a value from the condition of the instruction, which held if the trace would show that it failed. */
function split(
  { from }: Definition,
  { condition = [] }: Effects,
  { marksSkipped }: Machine,
): { readonly sources: readonly Place[]; readonly deciders: readonly Place[] } {
  if (condition.length === 0 || !marksSkipped) return { sources: from, deciders: [] };
  // Before the condition comes what the instruction would have left as it was.
  return { sources: from.slice(0, -1 - condition.length), deciders: condition };
}

function located(place: Place, operands: readonly Placed[], cpu: number, way: 'read' | 'write'): Source {
  if (!isMemory(place)) return registerBytes(cpu, place.register);
  const operand = operands[place.memory]![way];
  return isPlace(operand) ? { ...operand, low: operand.low + BigInt(place.offset), bytes: place.bytes } : operand;
}

type Access = Location & { readonly before: RecordNumber };

function accessesOf({ effects }: Unit, kinds: readonly Kind[]): readonly Access[] {
  return effects.flatMap((effect) =>
    kinds.includes(effect.kind) ? accessed(effect).map((location) => ({ ...location, before: effect.n })) : [],
  );
}

function placedOperands(unit: Unit, code: Effects, machine: Machine): readonly Placed[] {
  const reads = [...accessesOf(unit, machine.reads)];
  const writes = [...accessesOf(unit, machine.writes)];
  return code.memory.map((operand) => ({
    read: operand.way === 'write' ? NOT_ACCESSED : placed(operand, reads, machine.reads, unit, machine),
    write: operand.way === 'read' ? NOT_ACCESSED : placed(operand, writes, machine.writes, unit, machine),
  }));
}

const NOT_ACCESSED: Source = { reason: 'the instruction does not access this memory' };

/** Returns where an operand was, and removes its accesses from `accesses`, which are those of the operands that are not placed yet. */
function placed(
  operand: MemoryOperand,
  accesses: Access[],
  kinds: readonly Kind[],
  { record }: Unit,
  machine: Machine,
): Source {
  if (kinds.length > 0) return recordedPlace(operand, accesses);
  const address = addressOf(operand, BigInt(record.address ?? '0x0'), (span) =>
    machine.valueBefore(span, cpuOf(record), record.n),
  );
  if (address === undefined) return { reason: 'the trace does not show which memory was accessed' };
  return memoryBytes(address, Math.max(1, operand.bytes));
}

/** Takes the first accesses that have as many bytes as the operand. They are adjacent, in any order. */
function recordedPlace({ bytes }: MemoryOperand, accesses: Access[]): Source {
  let count = 0;
  let sum = 0;
  while (count < accesses.length && (bytes === 0 || sum < bytes)) sum += accesses[count++]!.bytes;
  if (count === 0) return { reason: 'the trace has no record of this access' };
  if (bytes > 0 && sum !== bytes) return { reason: 'the recorded accesses have other sizes than the operand' };
  const taken = accesses.splice(0, count).sort((a, b) => (a.low < b.low ? -1 : 1));
  const isAdjacent = taken.every((each, k) => k === 0 || each.low === endOf(taken[k - 1]!));
  return isAdjacent
    ? { ...taken[0]!, bytes: sum }
    : { reason: 'the recorded accesses of the operand are not adjacent' };
}
