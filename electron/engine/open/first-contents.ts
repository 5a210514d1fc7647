/** Contents of the first records of an open trace, by which the page arranges its panes. */
import { createBatch } from '../../../shared/records/batch.ts';
import { KIND } from '../../../shared/records/record.ts';
import type { Opened } from '../../../shared/requests/requests.ts';
import type { TraceReader } from '../index/trace-reader.ts';

/** Number of records that are looked at: several instructions with their effects, or any number of bus cycles. */
const LOOKED_AT = 512;

type Contents = Pick<Opened, 'followed' | 'flow' | 'instructions' | 'registers'>;

export function firstContents({ decoder, loader, plan }: TraceReader): Contents {
  const kinds = plan.blocks === 0 ? new Set<number>() : firstKinds(decoder, loader);
  return {
    ...(decoder.format.branches?.followed && { followed: true }),
    ...(decoder.flow && { flow: true }),
    ...(kinds.has(KIND.instruction) && { instructions: true }),
    ...(kinds.has(KIND.register) && { registers: true }),
  };
}

/** Returns no kinds of a file that cannot be read: the index reports why. */
function firstKinds(decoder: TraceReader['decoder'], loader: TraceReader['loader']): ReadonlySet<number> {
  const loaded = loader.load(0, undefined, decoder.initial);
  if (!loaded.ok) return new Set();
  const batch = createBatch(LOOKED_AT);
  decoder.decode(loaded.value, decoder.initial, batch);
  return new Set(batch.kind.subarray(0, batch.count));
}
