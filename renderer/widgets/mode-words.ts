/**
 * Words of a record that nearly every record of a trace repeats: the instruction set, the mode of the processor, and where the text comes
 * from. Lists show them only where they change.
 */
import type { RecordView } from '../../shared/records/record.ts';

const MODE = /^(?:usr|fiq|irq|svc|mon|abt|und|sys|hyp|s|ns|EL[0-3][ht]?)$/i;
const ORIGINS: readonly string[] = ['disassembled', 'from-image'];
/** Flags that are only noise in a list. The Bytes pane shows them. */
const UNREMARKABLE = /^(?:cpu-assumed|time-assumed|number-\d+)$/;
const SETS: Readonly<Record<string, string>> = { A: 'ARM', T: 'Thumb' };

/** Returns the mode words of an instruction: `ARM svc ns`. */
export function modeWords({ isa, flags = [] }: RecordView): string {
  const words = flags.filter((flag) => MODE.test(flag) || ORIGINS.includes(flag));
  return [...(isa === undefined ? [] : [SETS[isa] ?? isa]), ...words].join(' ');
}

/** Returns the flags of a record that a list shows in its row. */
export function remarkableFlags({ kind, flags = [] }: RecordView): readonly string[] {
  const isCode = kind === 'instruction' || kind === 'skipped';
  return flags.filter((flag) => !UNREMARKABLE.test(flag) && !(isCode && (MODE.test(flag) || ORIGINS.includes(flag))));
}
