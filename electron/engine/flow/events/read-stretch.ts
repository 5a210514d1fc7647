/** Reads the branch events of adjacent blocks, on a thread of the pool. */
import { resetBatch, type Batch } from '../../../../shared/records/batch.ts';
import { packEvents, type FlowStretch } from '../../../../shared/flow/events.ts';
import type { FlowReader } from '../../../../shared/format/format.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { TraceReader, TraceRef } from '../../index/trace-reader.ts';
import { poolTask } from '../../threads/pool-task.ts';

/** Reads the branch events of consecutive blocks, up to the record `to` if it is set. */
export const READ_STRETCH = poolTask<StretchArguments & { readonly trace: TraceRef }, FlowStretch>(
  'read stretch',
  'survey',
);

interface StretchArguments {
  readonly blocks: readonly BlockStart[];
  readonly to?: RecordNumber;
}

/** Record numbers count from the start of the trace. */
export function readStretch(
  { decoder, loader }: TraceReader,
  reader: FlowReader,
  { blocks, to = Number.POSITIVE_INFINITY }: StretchArguments,
  batch: Batch,
): Result<FlowStretch> {
  // An earlier request may have failed and left events.
  reader.finish();
  for (const { block, entry, firstRecord } of blocks) {
    const loaded = loader.load(block, entry, entry.state);
    if (!loaded.ok) return loaded;
    const window = loaded.value;
    let state = entry.state;
    for (let first = firstRecord; window.position < window.end && first < to; first += batch.count) {
      resetBatch(batch, first);
      state = decoder.decode(window, state, batch);
      batch.count = Math.min(batch.count, to - first);
      reader.add(window, batch);
    }
  }
  const { events, runs } = reader.finish();
  return ok({ events: packEvents(events), runs });
}
