/** Separates names of registers from names of functions. */
import { fail, ok, type Result } from '../../../../../shared/base/result.ts';
import { replayRegisters } from '../../memory/registers.ts';
import type { Trace } from '../../../trace.ts';

export interface IgnoredNames {
  readonly registers: readonly string[];
  /** All other names. */
  readonly others: readonly string[];
}

/** Returns the names that one of the traces has a register of, in any case of letters, and the others. */
export function ignoredNames(traces: readonly [Trace, Trace], names: readonly string[]): Result<IgnoredNames> {
  if (names.length === 0) return ok({ registers: [], others: [] });
  const known = new Set<string>();
  for (const trace of traces) {
    const read = replayRegisters(trace, trace.blocks.records - 1, (_cpu, name) => {
      for (const each of registerNames(name)) known.add(each);
    });
    if (!read.ok) return read;
  }
  const isRegister = (name: string): boolean => known.has(name.toLowerCase());
  return ok({ registers: names.filter(isRegister), others: names.filter((name) => !isRegister(name)) });
}

/** Returns the names by which a register can be ignored, in lower case: its own, and that of the register that it is a part of. */
export function registerNames(name: string): readonly string[] {
  const lower = name.toLowerCase();
  return [lower, lower.split('<', 1)[0]!];
}

export function noSuchName(name: string): Result<never> {
  return fail(
    'usage',
    `'${name}' cannot be ignored: it is no register of the traces, and no function of their programs; check its spelling`,
  );
}
