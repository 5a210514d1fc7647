/**
 * The registers of one cpu as the records that set them leave them: what is not told stays unknown.
 *
 * Names are those of the trace. A name may be a part of a register, `V0<127:64>`: the whole register's bits are then made of
 * its parts as far as all are known.
 */
import type { RecordFields } from './record.ts';
import type { Hex, RecordNumber } from './units.ts';

export interface RegisterValue {
  readonly name: string;
  readonly value: Hex;
  /** The record that set it. */
  readonly since: RecordNumber;
}

export interface RegisterFile {
  set(name: string, value: Hex | undefined, since: RecordNumber): void;
  /** What is known, in the order of names; digits in them count as numbers. */
  known(): RegisterValue[];
}

export function createRegisterFile(): RegisterFile {
  const values = new Map<string, { readonly value: Hex | undefined; readonly since: RecordNumber }>();
  return {
    set(name, value, since): void {
      values.set(name, { value, since });
    },
    known: () =>
      [...values]
        .flatMap(([name, { value, since }]) => (value === undefined ? [] : [{ name, value, since }]))
        .sort((a, b) => ORDER.compare(a.name, b.name)),
  };
}

const ORDER = new Intl.Collator('en', { numeric: true });

/** Sets all registers that a record of kind `register` names; one whose value the record does not tell becomes unknown. */
export function setRegisters(
  file: RegisterFile,
  { register, value, registers }: RecordFields,
  since: RecordNumber,
): void {
  if (registers !== undefined) for (const [name, its] of registers) file.set(name, its, since);
  else if (register !== undefined) file.set(register, value, since);
}
