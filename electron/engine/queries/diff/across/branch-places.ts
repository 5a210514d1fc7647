/** Numbers the proved branches of one trace from 0, without the cuts between them. */
import type { ProvedBranch } from '../../../../../shared/requests/compare.ts';
import { ok } from '../../../../../shared/base/result.ts';
import { joinAddress, toHex } from '../../../../../shared/base/units.ts';
import { symbolText } from '../../../image/symbols.ts';
import type { Images } from '../../../image/images.ts';
import type { Places } from '../rows/places.ts';
import { MARK, type ProvedBranches } from './proved-branches.ts';

export interface BranchPlaces extends Places {
  /** Returns the branches [from, to), fewer at the end of the trace, at addresses of the trace. */
  branches(from: number, to: number, images: Images): readonly ProvedBranch[];
}

export function branchPlaces(branches: ProvedBranches): BranchPlaces {
  const entries = withoutCuts(branches);
  return {
    before: (record) => ok(firstAtOrAfter(branches, entries, record)),
    records: (from, to) => ok(Array.from(entries.subarray(from, to), (entry) => branches.record[entry]!)),
    branches: (from, to, images) =>
      Array.from(entries.subarray(from, to), (entry) => branchAt(branches, entry, images)),
  };
}

/** Returns the entries that are branches. */
function withoutCuts({ marks, count }: ProvedBranches): Uint32Array {
  const entries = new Uint32Array(count);
  let found = 0;
  for (let k = 0; k < count; k++) if ((marks[k]! & MARK.cut) === 0) entries[found++] = k;
  return entries.slice(0, found);
}

/** Returns the number of the first branch at or after a record. Records ascend. */
function firstAtOrAfter({ record }: ProvedBranches, entries: Uint32Array, wanted: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (record[entries[middle]!]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function branchAt(branches: ProvedBranches, entry: number, images: Images): ProvedBranch {
  const { marks, sourceLow, sourceHigh, targetLow, targetHigh } = branches;
  const source = endOf(MARK.source, sourceLow, sourceHigh);
  const target = endOf(MARK.target, targetLow, targetHigh);
  return {
    ...(source && { source: source.address, ...(source.symbol !== undefined && { sourceSymbol: source.symbol }) }),
    ...(target && { target: target.address, ...(target.symbol !== undefined && { targetSymbol: target.symbol }) }),
  };

  function endOf(mark: number, low: Uint32Array, high: Uint32Array) {
    if ((marks[entry]! & mark) === 0) return undefined;
    const address = joinAddress(low[entry]!, high[entry]!);
    const hit = images.symbolAt(address);
    return { address: toHex(address), symbol: hit && symbolText(hit) };
  }
}
