/** Pool task that encodes the records of some blocks as a row group of a Parquet file. */
import { resetBatch, type Batch } from '../../../shared/records/batch.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { BlockStart } from '../index/blocks.ts';
import type { TraceReader, TraceRef } from '../index/trace-reader.ts';
import type { RowGroup } from '../../../shared/requests/tables/row-group.ts';
import { encodeGroup } from '../../parquet/encode-group.ts';
import { poolTask } from '../threads/pool-task.ts';
import { createRecordColumns, type RecordTable } from './record-columns.ts';

export interface GroupTask {
  readonly table: RecordTable;
  /** In order, without blocks in between. */
  readonly blocks: readonly BlockStart[];
  readonly signed: boolean;
}

export const ENCODE_RECORDS = poolTask<GroupTask & { readonly trace: TraceRef }, RowGroup>('encode records', 'survey');

export function encodeRecords(
  { decoder, loader }: TraceReader,
  { table, blocks, signed }: GroupTask,
  batch: Batch,
): Result<RowGroup> {
  const rows = createRecordColumns(decoder, table, signed);
  for (const { block, entry, firstRecord } of blocks) {
    const loaded = loader.load(block, entry, entry.state);
    if (!loaded.ok) return loaded;
    const window = loaded.value;
    let { state } = entry;
    let first = firstRecord;
    while (window.position < window.end) {
      resetBatch(batch, first - firstRecord);
      state = decoder.decode(window, state, batch);
      rows.add(window, batch, first, 0, batch.count);
      first += batch.count;
    }
  }
  return ok(encodeGroup(rows.columns, rows.rows()));
}
