/** Names the instruction that a record is an effect of. */
import { LONGEST, ownerOf } from '../../../../shared/records/attach.ts';
import type { Hex, RecordNumber } from '../../../../shared/base/units.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Trace } from '../../trace.ts';
import { records } from '../records/records.ts';

export interface Instruction {
  readonly n: RecordNumber;
  readonly address: Hex;
  readonly symbol?: string;
}

/** Returns undefined if the record is no effect, or its instruction is unknown. */
export function instructionOf(trace: Trace, n: RecordNumber): Instruction | undefined {
  const from = Math.max(0, n - LONGEST);
  const read = records(trace, { from, count: n - from + 1 });
  if (!read.ok) return undefined;
  const at = (record: RecordNumber) => read.value.records[record - from];
  const owner = ownerOf(n, at);
  const address = owner === undefined ? undefined : at(owner)?.address;
  if (owner === undefined || address === undefined) return undefined;
  const symbol = trace.images.symbolAt(BigInt(address));
  return { n: owner, address, ...(symbol && { symbol: symbolText(symbol) }) };
}
