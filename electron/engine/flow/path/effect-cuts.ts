/** Fingerprints of the effects of a CPU before places of its path, put together from those of blocks, which the index has. */
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { decodeEffects } from '../../index/builders/effects/effect-row.ts';
import { between, joined, NO_TOKENS, type Fingerprint } from '../../index/builders/effects/fingerprint.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { Trace } from '../../trace.ts';

/** The cuts of a CPU in order: instructions before which fingerprints are known, and the end of the trace. */
export interface EffectCuts {
  readonly count: number;
  readonly record: Float64Array;
  /** Instructions of the CPU before the cut. */
  readonly instructions: Float64Array;
  /** Fingerprint of all effects before the cut. */
  readonly first: Uint32Array;
  readonly second: Uint32Array;
  readonly tokens: Float64Array;
}

/** By CPU. About 32 bytes for every hundred instructions. */
const knownCuts = cachePer((): { records: RecordNumber; readonly cuts: Map<number, EffectCuts> } => ({
  records: 0,
  cuts: new Map(),
}));

/** Returns the cuts of a CPU in the indexed records. */
export function effectCuts(trace: Trace, cpu: number): EffectCuts {
  const known = knownCuts(trace);
  if (known.records !== trace.blocks.records) known.cuts.clear();
  known.records = trace.blocks.records;
  const cuts = known.cuts.get(cpu) ?? readCuts(trace, cpu);
  known.cuts.set(cpu, cuts);
  return cuts;
}

function readCuts({ blocks, index }: Trace, cpu: number): EffectCuts {
  const rows = Array.from({ length: blocks.length }, (_, block: BlockNumber) =>
    decodeEffects(index.blob(NODE.effects, 0, block)).find((each) => each.cpu === cpu),
  );
  const count = rows.reduce((sum, row) => sum + (row?.record.length ?? 0), 1);
  const found = {
    count,
    record: new Float64Array(count),
    instructions: new Float64Array(count),
    first: new Uint32Array(count),
    second: new Uint32Array(count),
    tokens: new Float64Array(count),
  };
  /** Effects and instructions of the blocks before the current one. */
  let before: Fingerprint = NO_TOKENS;
  let instructions = 0;
  let place = 0;
  const put = (record: RecordNumber, own: number, { first, second, tokens }: Fingerprint): void => {
    found.record[place] = record;
    found.instructions[place] = instructions + own;
    found.first[place] = first;
    found.second[place] = second;
    found.tokens[place] = tokens;
    place++;
  };
  rows.forEach((row, block) => {
    if (row === undefined) return;
    const firstRecord = blocks.firstRecord(block);
    for (let cut = 0; cut < row.record.length; cut++) {
      const own = { first: row.first[cut]!, second: row.second[cut]!, tokens: row.tokens[cut]! };
      put(firstRecord + row.record[cut]!, row.instructions[cut]!, joined(before, own));
    }
    before = joined(before, row.all);
    instructions += row.allInstructions;
  });
  put(blocks.records, 0, before);
  return found;
}

/** Returns the fingerprint of the effects between two cuts. */
export function effectsBetween({ first, second, tokens }: EffectCuts, from: number, to: number): Fingerprint {
  const at = (place: number): Fingerprint => ({
    first: first[place]!,
    second: second[place]!,
    tokens: tokens[place]!,
  });
  return between(at(from), at(to));
}
