/** The registers of one CPU that a trace proves, followed forward from a record. */
import { createRegisterFile, type RegisterFile } from '../../../../../shared/records/registers.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { Hex, RecordNumber } from '../../../../../shared/base/units.ts';
import { replayRegisters } from '../../memory/registers.ts';
import type { Effective } from './effects.ts';
import type { Side } from '../paths/side.ts';

export interface KnownRegisters {
  /** Applies the effects of the next instruction. */
  apply(instruction: Effective): void;
  /** Returns the value of a register; undefined if the trace does not prove it. */
  value(name: string): Result<Hex | undefined>;
}

/**
 * Returns the registers after an instruction, without effects of it. The index is read only when a value is asked for.
 * @param gaps records of the CPU before which instructions are missing, ascending: what was set before them is not known
 */
export function createKnownRegisters(
  { trace, chunks }: Side,
  start: RecordNumber,
  gaps: readonly RecordNumber[],
): KnownRegisters {
  let file: RegisterFile | undefined;
  /** Settings before the index is read: by name, the latest last. */
  const waiting = new Map<string, { readonly value: Hex | undefined; readonly since: RecordNumber }>();
  let latest = start;
  return {
    apply({ record, settings }) {
      latest = record;
      for (const { name, value } of settings) {
        if (file !== undefined) file.set(name, value, record);
        else {
          waiting.delete(name);
          waiting.set(name, { value, since: record });
        }
      }
    },
    value(name) {
      if (file === undefined) {
        const begun = createRegisterFile();
        if (start > 0) {
          const read = replayRegisters(trace, start - 1, (cpu, its, value, since) => {
            if (cpu === chunks.cpu) begun.set(its, value, since);
          });
          if (!read.ok) return read;
        }
        for (const [its, { value, since }] of waiting) begun.set(its, value, since);
        waiting.clear();
        file = begun;
      }
      const known = file.known().find((each) => each.name === name);
      const gap = gaps.findLast((record) => record <= latest);
      return ok(known === undefined || (gap !== undefined && known.since < gap) ? undefined : known.value);
    },
  };
}
