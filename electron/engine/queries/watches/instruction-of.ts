/**
 * Finds the instruction that a record is an effect of. Formats write effects after their instruction, or one instruction late if the
 * record is flagged so. Records of other CPUs may be in between.
 */
import type { Kind, RecordView } from '../../../../shared/records/record.ts';
import type { Hex, RecordNumber } from '../../../../shared/base/units.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Trace } from '../../trace.ts';
import { isInstruction } from '../records/instruction-bytes.ts';
import { records } from '../records/records.ts';

/** Largest distance of an effect: an instruction that loads every register has some thirty effects. */
const LONGEST = 40;
const EFFECTS: ReadonlySet<Kind> = new Set(['read', 'write', 'register', 'io-read', 'io-write']);

export interface Instruction {
  readonly n: RecordNumber;
  readonly address: Hex;
  readonly symbol?: string;
}

/** Returns undefined if the record is no effect, or its instruction is unknown. */
export function instructionOf(trace: Trace, n: RecordNumber): Instruction | undefined {
  const from = Math.max(0, n - LONGEST);
  const read = records(trace, { from, count: n - from + 1 });
  const found = read.ok ? ownerIn(read.value.records) : undefined;
  if (found?.address === undefined) return undefined;
  const symbol = trace.images.symbolAt(BigInt(found.address));
  return { n: found.n, address: found.address, ...(symbol && { symbol: symbolText(symbol) }) };
}

/** Returns the instruction of the last record. */
function ownerIn(views: readonly RecordView[]): RecordView | undefined {
  const own = views.at(-1);
  if (own === undefined || !EFFECTS.has(own.kind)) return undefined;
  let ahead = own.flags?.includes('before-instruction') ? 1 : 0;
  for (const view of views.slice(0, -1).reverse()) {
    if (view.cpu !== own.cpu || EFFECTS.has(view.kind)) continue;
    if (!isInstruction(view.kind)) return undefined;
    if (ahead === 0) return view;
    ahead -= 1;
  }
  return undefined;
}
