/**
 * Reads instructions of a trace with what belongs to them: the records of what each read, wrote and set, and what its opcode reads and
 * writes.
 */
import {
  effectsOf as recordsAfter,
  isFetch,
  LONGEST,
  ownerOf,
  type AttachedRecord,
} from '../../../../shared/records/attach.ts';
import { NO_CPU } from '../../../../shared/records/batch.ts';
import { isInstruction, kindName, type RecordView } from '../../../../shared/records/record.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Condition, Effects } from '../../instructions/effects.ts';
import { registerFileOf, type EffectsReader } from '../../instructions/effects-reader.ts';
import type { RegisterFile, RegisterSpan } from '../../instructions/register-file.ts';
import type { Trace } from '../../trace.ts';
import { rowOf, viewOf } from '../records/block-reader.ts';
import type { Banks } from './banks.ts';
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
  /** The registers of the question. */
  readonly file: RegisterFile;
  /** The register with the mode of Arm; undefined for other processors. */
  readonly control: RegisterSpan | undefined;
  /** Undefined unless the trace prints registers with the mode that has them for itself. */
  readonly banks: Banks | undefined;
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

/** Records that are kept: some megabytes. */
const MOST_KEPT = 16_384;

/** @param file the registers of the question */
export function createInstructions(
  trace: Trace,
  reader: EffectsReader,
  codeAt: CodeReader,
  file: RegisterFile,
  banks: Banks | undefined,
): Instructions {
  const kept = new Map<RecordNumber, RecordView>();
  const control = file === registerFileOf('arm') ? file.spansOf('cpsr.control')?.[0] : undefined;
  return { file, control, banks, at, ownerOf: owner, unit, decode, isForeign, conditionsBefore };

  function at(n: RecordNumber): RecordView | undefined {
    if (n < 0 || n >= trace.blocks.records) return undefined;
    const known = kept.get(n);
    if (known !== undefined) return known;
    const read = viewOf(trace, n);
    if (!read.ok) return undefined;
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(n, read.value);
    return read.value;
  }

  /** Returns what attaching a record needs, from columns: describing its text takes longer. */
  function brief(n: RecordNumber): AttachedRecord | undefined {
    if (n < 0 || n >= trace.blocks.records) return undefined;
    const read = rowOf(trace, n);
    if (!read.ok) return undefined;
    const { batch, row } = read.value;
    const kind = kindName(batch.kind[row]!);
    const cpu = batch.cpu[row]!;
    const isPlain = !isFetch(kind) && (kind !== 'register' || trace.reader.decoder.lateEffects !== true);
    return isPlain ? { n, kind, ...(cpu !== NO_CPU && { cpu }) } : at(n);
  }

  function owner(n: RecordNumber): RecordNumber {
    return ownerOf(n, brief) ?? n;
  }

  function unit(n: RecordNumber): Unit | undefined {
    const record = at(n);
    if (record === undefined) return undefined;
    if (!isInstruction(record.kind)) return { record, effects: [record], code: undefined };
    const code = record.kind === 'instruction' ? decode(record, conditionOf(record)) : undefined;
    const effects = recordsAfter(n, brief).flatMap((each) => at(each.n) ?? []);
    return { record, effects, code };
  }

  function decode(record: RecordView, condition?: Condition): Effects | undefined {
    const code = codeAt(record);
    if (code === undefined || registerFileOf(code.isa) !== file) return undefined;
    const effects = reader.effectsOf(code, condition);
    return effects === undefined || banks === undefined ? effects : banks.inMode(effects, record);
  }

  function isForeign(record: RecordView): boolean {
    const code = codeAt(record);
    return code !== undefined && registerFileOf(code.isa) !== file;
  }

  function conditionOf({ n, isa, cpu }: RecordView): Condition | undefined {
    if (isa?.startsWith('T') !== true) return undefined;
    const before: RecordView[] = [];
    for (let other = n - 1; other >= n - MOST_BEFORE && before.length < MOST_CONDITIONAL; other -= 1) {
      const record = at(other);
      if (record === undefined) break;
      if (isInstruction(record.kind) && record.cpu === cpu) before.unshift(record);
    }
    return conditionsAfter(before).next(cpu ?? NO_CPU);
  }

  function conditionsBefore(n: RecordNumber): Conditions {
    const before: RecordView[] = [];
    for (let other = Math.max(0, n - MOST_BEFORE); other < n; other += 1) {
      const record = at(other);
      if (record !== undefined && isInstruction(record.kind)) before.push(record);
    }
    return conditionsAfter(before);
  }

  function conditionsAfter(executed: readonly RecordView[]): Conditions {
    const conditions = createConditions();
    for (const record of executed) {
      const cpu = cpuOf(record);
      conditions.begin(cpu, decode(record, conditions.next(cpu))?.predicates);
    }
    return conditions;
  }
}

/** The conditions that IT instructions of Thumb gave the instructions after them, by CPU. */
export interface Conditions {
  /** Returns the condition of the next instruction. */
  next(cpu: number): Condition | undefined;
  /** Takes the conditions that an instruction gives those after it. */
  begin(cpu: number, predicates: readonly Condition[] | undefined): void;
}

export function createConditions(): Conditions {
  const waiting = new Map<number, readonly Condition[]>();
  return {
    next(cpu) {
      if (waiting.size === 0) return undefined;
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
/** Records between an IT instruction and the last one that it makes conditional, at most. */
export const MOST_BEFORE = MOST_CONDITIONAL * LONGEST;

/** Returns the CPU of a record, NO_CPU if it has none. */
export function cpuOf({ cpu = NO_CPU }: RecordView): number {
  return cpu;
}
