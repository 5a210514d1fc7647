/**
 * Compares what a trace records for each executed instruction with the instruction's declared effects: registers that it set must be defined,
 * accesses must lie in its operands, and a copied value must be the one that was read or written.
 */
import { addressOf, isMemory, type Effects, type MemoryOperand } from '../../electron/engine/instructions/effects.ts';
import { loadEffects, registerFileOf } from '../../electron/engine/instructions/effects-reader.ts';
import type { RegisterFile, RegisterSpan } from '../../electron/engine/instructions/register-file.ts';
import { opcodeBytes } from '../../electron/engine/queries/records/opcode-bytes.ts';
import type { Isa } from '../../electron/engine/image/machine.ts';
import type { RecordFields } from '../../shared/records/record.ts';

export interface Conformance {
  /** Number of instructions, recorded registers, addresses and copies that were compared. */
  instructions: number;
  registers: number;
  addresses: number;
  copies: number;
  readonly problems: string[];
}

interface Access {
  readonly address: bigint;
  readonly size: number;
  readonly value: bigint | undefined;
}

interface Current {
  readonly text: string;
  readonly effects: Effects;
  readonly at: bigint;
  readonly mode: string | undefined;
  readonly sets: [name: string, value: string | undefined][];
  readonly reads: Access[];
  readonly writes: Access[];
}

const { effectsOf } = await loadEffects();
/** Byte of the register file of Arm with the mode. */
const CONTROL = registerFileOf('arm').spansOf('cpsr.control')![0]!.low;
const BANKED = /^(?:r(?:8|9|1[0-4])|spsr)$/;
const MODES = /^(?:usr|fiq|irq|svc|abt|und|sys|mon|hyp|EL[0-3][ht])/;

/** @param isaOf returns the instruction set of a record */
export function conformanceOf(
  records: Iterable<RecordFields>,
  isaOf: (record: RecordFields) => Isa | undefined,
): Conformance {
  const result: Conformance = { instructions: 0, registers: 0, addresses: 0, copies: 0, problems: [] };
  const processors = new Map<number, Processor>();
  for (const record of records) {
    const cpu = record.cpu ?? 0;
    let processor = processors.get(cpu);
    if (processor === undefined) processors.set(cpu, (processor = createProcessor(result)));
    processor.add(record, isaOf);
  }
  for (const processor of processors.values()) processor.end();
  return result;
}

interface Processor {
  add(record: RecordFields, isaOf: (record: RecordFields) => Isa | undefined): void;
  end(): void;
}

function createProcessor(result: Conformance): Processor {
  /** Known bytes of the register file, before the current instruction. */
  const known = new Map<number, number>();
  let file: RegisterFile | undefined;
  let current: Current | undefined;
  /** Conditions of the instructions that an IT instruction still governs. */
  let governed: number[] = [];
  /** Time of the instruction before the current one. A jump is a place where the sample was cut. */
  let time: unknown;
  return { add, end };

  function add(record: RecordFields, isaOf: (record: RecordFields) => Isa | undefined): void {
    switch (record.kind) {
      case 'instruction':
      case 'skipped':
        end();
        if (typeof time === 'number' && record.time !== time && record.time !== time + 1) known.clear();
        time = record.time;
        begin(record, isaOf(record));
        break;
      case 'exception':
        end();
        known.clear();
        break;
      case 'read':
      case 'write':
        current?.[record.kind === 'read' ? 'reads' : 'writes'].push({
          address: BigInt(record.address ?? 0),
          size: record.size ?? 0,
          value: record.value === undefined ? undefined : BigInt(record.value),
        });
        break;
      case 'register': {
        const sets = record.registers ?? [[record.register!, record.value] as const];
        for (const [name, value] of sets)
          if (current !== undefined) current.sets.push([name, value]);
          else if (file !== undefined) learn(name, value, undefined);
        break;
      }
      default:
    }
  }

  function begin(record: RecordFields, isa: Isa | undefined): void {
    const condition = governed.shift();
    const bytes =
      isa === undefined ? undefined : opcodeBytes({ isa: isa === 'thumb' ? 'T' : 'A', ...record }, 'little');
    if (isa === undefined || bytes === undefined || record.address === undefined) return;
    file = registerFileOf(isa);
    const at = BigInt(record.address);
    const effects = effectsOf({ isa, bytes, littleEndian: true, address: at }, condition);
    if (effects === undefined) return;
    governed = [...(effects.predicates ?? governed)];
    if (record.kind === 'skipped') return;
    result.instructions++;
    const mode = record.flags?.find((flag) => MODES.test(flag));
    current = { text: effects.text, effects, at, mode, sets: [], reads: [], writes: [] };
  }

  function end(): void {
    if (current === undefined || file === undefined) return;
    compareRegisters(current, file);
    if (current.effects.complete) compareAccesses(current);
    for (const { to } of current.effects.definitions)
      if (!isMemory(to)) for (let k = 0; k < to.register.bytes; k++) known.delete(to.register.low + k);
    for (const [name, value] of current.sets) learn(name, value, current.mode);
    if (current.effects.complete) compareCopies(current);
    current = undefined;
  }

  function report({ text, at }: Current, problem: string): void {
    result.problems.push(`0x${at.toString(16)} ${text}: ${problem}`);
  }

  function compareRegisters(instruction: Current, registers: RegisterFile): void {
    const defined = new Set<number>();
    for (const { to } of instruction.effects.definitions)
      if (!isMemory(to)) for (let k = 0; k < to.register.bytes; k++) defined.add(to.register.low + k);
    for (const [name, value] of instruction.sets) {
      const fields = registers.fieldsOf(name, instruction.mode);
      if (fields === undefined) report(instruction, `${name} is no register`);
      result.registers++;
      // The handler of an exception, and an instruction that changes the mode, see another bank: its registers are recorded as plain ones.
      if (isOtherBank(instruction, name)) continue;
      const parts = (fields ?? []).filter(({ span }) => span.low !== registers.counter.low);
      for (const { span, bit, bits } of parts) {
        // Branches between ARM and Thumb change the bit of the instruction set, which is no source of values.
        if (span.low === CONTROL && instruction.effects.flow !== undefined) continue;
        const bytes = Array.from({ length: span.bytes }, (_, k) => span.low + k);
        const is = (k: number): number | undefined =>
          value === undefined ? known.get(span.low + k) : bitsOf(value, bit + 8 * k, Math.min(8, bits - 8 * k));
        // A register is recorded as a whole: only parts that changed need a definition.
        const changed = bytes.filter((byte, k) => known.has(byte) && known.get(byte) !== is(k));
        const isPartly = parts.length > 1 || bytes.some((byte) => defined.has(byte));
        if (!isPartly || changed.some((byte) => !defined.has(byte)))
          report(instruction, `sets ${registers.nameOf(span)} of ${name}`);
      }
    }
  }

  function isOtherBank({ effects }: Current, name: string): boolean {
    const changesMode = effects.definitions.some(({ to }) => !isMemory(to) && to.register.low === CONTROL);
    if (!changesMode && effects.flow !== 'trap') return false;
    return BANKED.test(name) || (effects.flow === 'trap' && name === 'cpsr');
  }

  function compareAccesses(instruction: Current): void {
    const { effects, at, reads, writes } = instruction;
    const operands = effects.memory.map((operand) => ({ operand, address: addressOf(operand, at, valueOf) }));
    for (const [way, accesses] of [
      ['read', reads],
      ['write', writes],
    ] as const) {
      const possible = operands.filter(({ operand }) => operand.way === way || operand.way === 'both');
      for (const access of accesses) {
        if (possible.length === 0) report(instruction, `accesses 0x${access.address.toString(16)} without an operand`);
        if (possible.length !== 1) continue;
        const [{ operand, address }] = possible as [{ operand: MemoryOperand; address: bigint | undefined }];
        if (address === undefined) continue;
        result.addresses++;
        const end = access.address + BigInt(access.size);
        if (access.address < address || end > address + BigInt(operand.bytes))
          report(instruction, `accesses 0x${access.address.toString(16)}, not 0x${address.toString(16)}`);
      }
    }
  }

  /** Compares registers that are copies of memory with what was read, if one access is all of the operand. */
  function compareCopies(instruction: Current): void {
    const { effects, reads } = instruction;
    for (const { to, from, how, conditional } of effects.definitions) {
      const [source] = from;
      if (how !== 'copy' || conditional || isMemory(to) || source === undefined || !isMemory(source)) continue;
      const operand = effects.memory[source.memory]!;
      const [read] = reads;
      if (
        reads.length !== 1 ||
        read?.value === undefined ||
        read.size !== operand.bytes ||
        operand.bytes !== source.bytes
      )
        continue;
      const value = valueOf(to.register);
      if (value === undefined) continue;
      result.copies++;
      if (value !== read.value) report(instruction, `copies 0x${read.value.toString(16)}, not 0x${value.toString(16)}`);
    }
  }

  function valueOf({ low, bytes }: RegisterSpan): bigint | undefined {
    let value = 0n;
    for (let k = bytes - 1; k >= 0; k--) {
      const byte = known.get(low + k);
      if (byte === undefined) return undefined;
      value = value * 256n + BigInt(byte);
    }
    return value;
  }

  function learn(name: string, value: string | undefined, mode: string | undefined): void {
    for (const { span, bit, bits } of file?.fieldsOf(name, mode) ?? [])
      for (let k = 0; k < span.bytes; k++)
        if (value === undefined || !/^0x[0-9a-f]+$/.test(value)) known.delete(span.low + k);
        else known.set(span.low + k, bitsOf(value, bit + 8 * k, Math.min(8, bits - 8 * k)));
  }
}

function bitsOf(value: string, bit: number, bits: number): number {
  return Number(BigInt.asUintN(bits, BigInt(value) >> BigInt(bit)));
}
