/** Fingerprints of the effects of a CPU before places of its path, put together from those of blocks, which the index has. */
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { decodeEffects, type BlockEffects } from '../../index/builders/effects/effect-row.ts';
import { between, joined, NO_TOKENS, type Fingerprint } from '../../index/builders/effects/fingerprint.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { Trace } from '../../trace.ts';

/** By place: the fingerprint of all effects before it. */
export interface EffectsBefore {
  readonly first: Uint32Array;
  readonly second: Uint32Array;
  /** NaN if the index has no fingerprint up to this place. */
  readonly tokens: Float64Array;
}

/** Returns the effects of a path of which the index has none. */
export function unknownEffects(length: number): EffectsBefore {
  const tokens = new Float64Array(length).fill(Number.NaN);
  return { first: new Uint32Array(length), second: new Uint32Array(length), tokens };
}

/** Returns the effects before ascending records, each of which is an instruction of the CPU or the end of the trace. */
export function effectsBefore(trace: Trace, cpu: number, records: ArrayLike<RecordNumber>): EffectsBefore {
  const { blocks, index } = trace;
  const { length } = records;
  const found = unknownEffects(length);
  /** Effects of the blocks before the current one. */
  let before: Fingerprint = NO_TOKENS;
  let place = 0;
  for (let block: BlockNumber = 0; block < blocks.length && place < length; block++) {
    const own = decodeEffects(index.blob(NODE.effects, 0, block)).find((each) => each.cpu === cpu);
    const next = block + 1 < blocks.length ? blocks.firstRecord(block + 1) : blocks.records;
    const first = blocks.firstRecord(block);
    let cut = 0;
    for (; place < length && records[place]! < next; place++) {
      const wanted = records[place]! - first;
      while (own !== undefined && cut < own.record.length && own.record[cut]! < wanted) cut++;
      if (own !== undefined && own.record[cut] === wanted) put(joined(before, atCut(own, cut)));
    }
    if (own !== undefined) before = joined(before, own.all);
  }
  for (; place < length; place++) put(before);
  return found;

  function put({ first, second, tokens }: Fingerprint): void {
    found.first[place] = first;
    found.second[place] = second;
    found.tokens[place] = tokens;
  }
}

function atCut({ first, second, tokens }: BlockEffects, cut: number): Fingerprint {
  return { first: first[cut]!, second: second[cut]!, tokens: tokens[cut]! };
}

/** Returns true if the effects before this place are known. */
export function isKnownBefore({ tokens }: EffectsBefore, place: number): boolean {
  return !Number.isNaN(tokens[place]!);
}

/** Returns the fingerprint of the effects between two places, both known. */
export function effectsBetween({ first, second, tokens }: EffectsBefore, from: number, to: number): Fingerprint {
  const at = (place: number): Fingerprint => ({
    first: first[place]!,
    second: second[place]!,
    tokens: tokens[place]!,
  });
  return between(at(from), at(to));
}
