/** Totals of the indexed prefix of a trace besides its blocks, and the addition of one more block. */
import { Diagnostics, type Diagnostic } from '../../../shared/format/diagnostics.ts';
import { KINDS } from '../../../shared/records/record.ts';
import { joinAddress, toHex, type Hex, type RecordNumber } from '../../../shared/base/units.ts';
import type { BlockScan } from './block-scan.ts';
import type { AccessRows } from './builders/accesses/access-rows.ts';
import type { Contradictions } from './builders/memory/replay.ts';

/** All that is known of the indexed prefix beside the blocks: small, and part of every commit. */
export interface Totals {
  readonly kinds: readonly number[];
  /** [native code, records]. */
  readonly natives: readonly (readonly [number, number])[];
  readonly diagnostics: readonly Diagnostic[];
  readonly lowest?: Hex;
  readonly highest?: Hex;
  /** Whether any access to memory has a value. */
  readonly valued: boolean;
  /** Bytes that were read with another value than was last known of them; `record` is -1 if there are none. */
  readonly contradictions: Contradictions;
}

export const NO_RECORDS = { record: -1, earlier: -1 };

export const NO_TOTALS: Totals = {
  kinds: KINDS.map(() => 0),
  natives: [],
  diagnostics: [],
  valued: false,
  contradictions: { bytes: 0, ...NO_RECORDS },
};

export function addTotals(totals: Totals, scan: BlockScan, firstRecord: RecordNumber): Totals {
  const natives = new Map(totals.natives);
  for (const [code, count] of scan.natives) natives.set(code, (natives.get(code) ?? 0) + count);
  const diagnostics = new Diagnostics();
  diagnostics.addAll(totals.diagnostics);
  diagnostics.addAll(scan.diagnostics, firstRecord);
  return {
    kinds: totals.kinds.map((count, code) => count + scan.kinds[code]!),
    natives: [...natives],
    diagnostics: diagnostics.list(),
    valued: totals.valued || scan.valued,
    contradictions: totals.contradictions,
    ...(totals.lowest === undefined ? {} : { lowest: totals.lowest }),
    ...(totals.highest === undefined ? {} : { highest: totals.highest }),
  };
}

export function spanOfAddresses(totals: Totals, accesses: AccessRows): Pick<Totals, 'lowest' | 'highest'> {
  if (accesses.length === 0) return {};
  const lowest = joinAddress(accesses.lowest.low, accesses.lowest.high);
  const highest = joinAddress(accesses.highest.low, accesses.highest.high);
  return {
    lowest: totals.lowest !== undefined && BigInt(totals.lowest) < lowest ? totals.lowest : toHex(lowest),
    highest: totals.highest !== undefined && BigInt(totals.highest) > highest ? totals.highest : toHex(highest),
  };
}

/** Adds contradictions of a stretch, whose records count from `first`. Keeps the first contradicting record of all. */
export function addContradictions(
  totals: Totals,
  { bytes, record, earlier }: Contradictions,
  first: RecordNumber,
): Totals {
  if (bytes === 0) return totals;
  const known = totals.contradictions;
  const isFirst = record >= 0 && (known.record < 0 || first + record < known.record);
  const records = isFirst ? { record: first + record, earlier: earlier < 0 ? earlier : first + earlier } : known;
  return { ...totals, contradictions: { ...records, bytes: known.bytes + bytes } };
}
