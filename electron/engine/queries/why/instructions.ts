/**
 * Reads instructions of a trace with what belongs to them: the records of what each read, wrote and set, and what its opcode reads and
 * writes.
 */
import { effectsOf as recordsAfter, LONGEST, ownerOf } from '../../../../shared/records/attach.ts';
import { NO_CPU } from '../../../../shared/records/batch.ts';
import { isInstruction, type RecordView } from '../../../../shared/records/record.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Condition, Effects } from '../../instructions/effects.ts';
import { registerFileOf, type EffectsReader } from '../../instructions/effects-reader.ts';
import type { RegisterFile, RegisterSpan } from '../../instructions/register-file.ts';
import type { Trace } from '../../trace.ts';
import { records } from '../records/records.ts';
import type { CodeReader } from './instruction-set.ts';

/** An instruction with its effects, or a single record that belongs to no instruction. */
export interface Unit {
  readonly record: RecordView;
  /** Its effects in their order; for a single record, the record itself. */
  readonly effects: readonly RecordView[];
  /** Effects of the opcode; undefined if it is not known, or the instruction did not execute. */
  readonly code: Effects | undefined;
}

export interface Instructions {
  /** The register with the mode of Arm; undefined for other processors. */
  readonly control: RegisterSpan | undefined;
  /** Returns undefined past the ends of the trace. */
  at(n: RecordNumber): RecordView | undefined;
  /** Returns the instruction that a record is or belongs to; otherwise the number of the record itself. */
  ownerOf(n: RecordNumber): RecordNumber;
  unit(n: RecordNumber): Unit | undefined;
  /**
   * Returns what the opcode of an instruction does if it executes; undefined if it is not known, or the instruction has other registers than
   * those of the question. `condition`: that of an IT instruction of Thumb before it.
   */
  decode(record: RecordView, condition?: Condition): Effects | undefined;
  /** Returns true if the opcode of an instruction has other registers: that of another instruction set. */
  isForeign(record: RecordView): boolean;
  /** Returns the conditions that IT instructions before a record give the instructions that start there. */
  conditionsBefore(n: RecordNumber): Conditions;
}

/** Records that are read at once. */
const STRETCH = 64;
/** Records that are kept: some megabytes. */
const MOST_KEPT = 16_384;

/** @param file the registers of the question */
export function createInstructions(
  trace: Trace,
  reader: EffectsReader,
  codeAt: CodeReader,
  file: RegisterFile,
): Instructions {
  const kept = new Map<RecordNumber, RecordView>();
  const control = file === registerFileOf('arm') ? file.spansOf('cpsr.control')?.[0] : undefined;
  return { control, at, ownerOf: owner, unit, decode, isForeign, conditionsBefore };

  function at(n: RecordNumber): RecordView | undefined {
    if (n < 0 || n >= trace.blocks.records) return undefined;
    const known = kept.get(n);
    if (known !== undefined) return known;
    if (kept.size >= MOST_KEPT) kept.clear();
    const read = records(trace, { from: n - (n % STRETCH), count: STRETCH });
    if (!read.ok) return undefined;
    for (const record of read.value.records) kept.set(record.n, record);
    return kept.get(n);
  }

  function owner(n: RecordNumber): RecordNumber {
    return ownerOf(n, at) ?? n;
  }

  function unit(n: RecordNumber): Unit | undefined {
    const record = at(n);
    if (record === undefined) return undefined;
    if (!isInstruction(record.kind)) return { record, effects: [record], code: undefined };
    const code = record.kind === 'instruction' ? decode(record, conditionOf(record)) : undefined;
    return { record, effects: recordsAfter(n, at), code };
  }

  function decode(record: RecordView, condition?: Condition): Effects | undefined {
    const code = codeAt(record);
    return code === undefined || registerFileOf(code.isa) !== file ? undefined : reader.effectsOf(code, condition);
  }

  function isForeign(record: RecordView): boolean {
    const code = codeAt(record);
    return code !== undefined && registerFileOf(code.isa) !== file;
  }

  function conditionOf(record: RecordView): Condition | undefined {
    return record.isa?.startsWith('T') === true
      ? conditionsBefore(record.n, record.cpu).next(cpuOf(record))
      : undefined;
  }

  function conditionsBefore(n: RecordNumber, cpu?: number): Conditions {
    const conditions = createConditions();
    const first = Math.max(0, n - MOST_CONDITIONAL * LONGEST);
    // Looking back decodes the block before, so it must be worth it: only Thumb has such conditions.
    if (!isThumb(n)) return conditions;
    for (let before = first; before < n; before += 1) {
      const record = at(before);
      if (record === undefined || !isInstruction(record.kind)) continue;
      if (cpu !== undefined && record.cpu !== cpu) continue;
      const its = cpuOf(record);
      conditions.begin(its, decode(record, conditions.next(its))?.predicates);
    }
    return conditions;
  }

  /** Returns true if a record or one of the next ones is a Thumb instruction. */
  function isThumb(n: RecordNumber): boolean {
    for (let next = n; next < n + MOST_CONDITIONAL * LONGEST; next += 1)
      if (at(next)?.isa?.startsWith('T') === true) return true;
    return false;
  }
}

/** The conditions that IT instructions of Thumb gave the instructions after them, by CPU. */
export interface Conditions {
  /** Returns the condition of the next instruction. */
  next(cpu: number): Condition | undefined;
  /** Takes the conditions that an instruction gives those after it. */
  begin(cpu: number, predicates: readonly Condition[] | undefined): void;
}

function createConditions(): Conditions {
  const waiting = new Map<number, readonly Condition[]>();
  return {
    next(cpu) {
      const [condition, ...rest] = waiting.get(cpu) ?? [];
      if (rest.length > 0) waiting.set(cpu, rest);
      else waiting.delete(cpu);
      return condition;
    },
    begin(cpu, predicates) {
      if (predicates !== undefined) waiting.set(cpu, predicates);
    },
  };
}

/** Instructions that one IT instruction makes conditional, at most. */
const MOST_CONDITIONAL = 4;

/** Returns the CPU of a record, NO_CPU if it has none. */
export function cpuOf({ cpu = NO_CPU }: RecordView): number {
  return cpu;
}
