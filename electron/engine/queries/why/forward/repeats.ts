/**
 * Recognises records that repeat what a register had: some traces show a whole status register after every instruction that sets flags. The
 * records are taken in order, so the one before shows what the register had, without reading the instruction and its other records.
 */
import { namesSet } from '../../../../../shared/records/registers.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import type { RegisterSpan } from '../../../instructions/register-file.ts';
import { codeWith, rowsUpTo, type Opcode } from '../code-parts.ts';
import type { Search } from '../last-definition.ts';
import { meets, registerBytes } from '../locations.ts';
import { recordedBytes, type Content } from '../values.ts';

/** A record that sets registers. */
export interface SetRecord {
  readonly n: RecordNumber;
  readonly cpu: number;
  /** Number of its set of registers among `spans`. */
  readonly set: number;
  readonly spans: readonly (readonly RegisterSpan[])[];
  /** The instruction that it belongs to. */
  readonly owner: RecordNumber;
}

export interface Repeats {
  /**
   * Takes the next record. Returns true if it certainly shows the bytes that its registers had before the instruction, except for those that
   * the opcode defines. All records of these sets that lie between those taken must have been taken too.
   */
  isRepeat(record: SetRecord): Result<boolean>;
}

interface Shown {
  readonly n: RecordNumber;
  readonly text: string;
  /** Bytes of the spans of the set, in order. */
  readonly bytes: readonly Content[];
}

export function createRepeats({ trace, instructions, machine }: Search): Repeats {
  /** By CPU and set: the record before. */
  const latest = new Map<string, Shown>();
  /** By set and values. */
  const contents = new Map<string, readonly Content[]>();
  /** By opcode, and the values of two records. */
  const known = new Map<string, boolean>();
  return {
    isRepeat({ n, cpu, set, spans, owner }) {
      const register = `${cpu} ${set}`;
      const before = latest.get(register);
      const shown = shownAt(n, cpu, set, spans[set]!);
      if (shown === undefined) latest.delete(register);
      else latest.set(register, shown);
      if (shown === undefined || before === undefined || before.n >= owner || !isAlone(set, spans)) return ok(false);
      const opcode = opcodeAt(owner, cpu);
      if (!opcode.ok) return opcode;
      const its = opcode.value;
      if (its?.opcode.effects?.complete !== true || its.opcode.flow === 'conditional') return ok(false);
      const key = `${its.number} ${set} ${before.text} ${shown.text}`;
      let isSame = known.get(key);
      if (isSame === undefined) known.set(key, (isSame = isUnchanged(spans[set]!, its.opcode, before, shown)));
      return ok(isSame);
    },
  };

  function shownAt(n: RecordNumber, cpu: number, set: number, own: readonly RegisterSpan[]): Shown | undefined {
    const record = instructions.at(n);
    if (record === undefined) return undefined;
    const text = namesSet(record)
      .map(([name, value]) => `${name}=${value ?? ''}`)
      .join();
    const key = `${cpu} ${set} ${text}`;
    let bytes = contents.get(key);
    if (bytes === undefined) {
      bytes = own.map((span) =>
        span.bytes > LONGEST ? [] : recordedBytes(registerBytes(cpu, span), [record], machine.file, machine.bigEndian),
      );
      contents.set(key, bytes);
    }
    return { n, text, bytes };
  }

  function opcodeAt(
    owner: RecordNumber,
    cpu: number,
  ): Result<{ readonly number: number; readonly opcode: Opcode } | undefined> {
    const code = codeWith(trace, owner, instructions);
    if (!code.ok) return code;
    const { first, row, cpu: cpus, opcode, opcodes } = code.value;
    const at = rowsUpTo({ first, row }, owner) - 1;
    if (at < 0 || first + row[at]! !== owner || cpus[at] !== cpu) return ok(undefined);
    return ok({ number: opcode[at]!, opcode: opcodes[opcode[at]!]! });
  }
}

/** Bytes that a register has at most. Larger spans stand for registers that cannot be read, whose bytes are not known. */
const LONGEST = 4096;

/** Returns true if no other records set any of the bytes. */
function isAlone(set: number, spans: readonly (readonly RegisterSpan[])[]): boolean {
  return spans.every((others, k) => k === set || !others.some((one) => spans[set]!.some((own) => meets(one, own))));
}

function isUnchanged(own: readonly RegisterSpan[], { defines }: Opcode, before: Shown, shown: Shown): boolean {
  return own.every((span, k) => {
    const [old, now] = [before.bytes[k]!, shown.bytes[k]!];
    return Array.from({ length: span.bytes }, (_, at) => at).every(
      (at) =>
        defines.some((each) => meets(each, { low: span.low + at, bytes: 1 })) ||
        (old[at] !== undefined && old[at] === now[at]),
    );
  });
}
