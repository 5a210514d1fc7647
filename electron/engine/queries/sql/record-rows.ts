/** Rows of tables whose rows are records. Records are described one by one only if the statement uses what batches do not contain. */
import { setImmediate as breathe } from 'node:timers/promises';
import { FLAG, NO_CPU, type Batch } from '../../../../shared/records/batch.ts';
import { kindBits, KINDS, type Kind, type RecordView } from '../../../../shared/records/record.ts';
import { ok } from '../../../../shared/base/result.ts';
import { joinAddress } from '../../../../shared/base/units.ts';
import { sqlTable } from '../../../../shared/sql/schema.ts';
import type { Cell } from '../../sql/protocol.ts';
import { annotated } from '../records/annotate.ts';
import { recordView, visitBatches } from '../records/block-reader.ts';
import { MOST_ROWS, type Range, type Rows, type TableQuestion } from './rows.ts';

/** Columns that can be read from a batch. A time may have more digits than a batch has. */
const PLAIN: Readonly<Record<string, (batch: Batch, i: number) => Cell>> = {
  time: (batch, i) => {
    const time = batch.time[i]!;
    return Number.isNaN(time) ? null : time;
  },
  cpu: (batch, i) => (batch.cpu[i] === NO_CPU ? null : batch.cpu[i]!),
  kind: (batch, i) => KINDS[batch.kind[i]!],
  address: (batch, i) =>
    (batch.flags[i]! & FLAG.address) === 0 ? null : joinAddress(batch.addressLow[i]!, batch.addressHigh[i]!),
};

/** Milliseconds after which other requests have their turn. */
const SLICE_MS = 8;

/** Returns the records of these kinds in the range, with the columns of a table. */
export async function* recordRows(
  { trace, task, first, uses }: TableQuestion,
  table: string,
  { from, to }: Range,
  kinds: readonly Kind[] = KINDS,
): Rows {
  const { blocks } = trace;
  const columns = sqlTable(table)!.columns.map(({ name }) => name);
  const bits = kindBits(kinds);
  const isPlain = columns.every((name) => name === 'n' || Object.hasOwn(PLAIN, name) || !uses(name));
  const readers = columns.map((name) => (isPlain && uses(name) && name !== 'n' ? PLAIN[name] : undefined));
  /** Rows, and records that are to be described. */
  let rows: (readonly Cell[] | RecordView)[] = [];
  let most = first;
  let n = from;
  let sliceEnd = performance.now() + SLICE_MS;
  while (n < to) {
    const block = blocks.blockOfRecord(n);
    const read = visitBatches(trace, block, n - blocks.firstRecord(block), (decoded) => {
      const { batch, first: start } = decoded;
      const end = Math.min(to, start + batch.count);
      for (; n < end && rows.length < most; n++) {
        const i = n - start;
        if ((bits & (1 << batch.kind[i]!)) === 0) continue;
        if (isPlain && (batch.flags[i]! & FLAG.wideTime) === 0) {
          const row = new Array<Cell>(columns.length);
          row[0] = n;
          for (let c = 1; c < row.length; c++) row[c] = readers[c]?.(batch, i);
          rows.push(row);
        } else rows.push(recordView(trace, decoded, i));
      }
      return n < to && rows.length < most && performance.now() < sliceEnd;
    });
    if (!read.ok) return read;
    if (rows.length >= most) {
      yield await rowsOf(rows);
      rows = [];
      most = Math.min(MOST_ROWS, most * 8);
    }
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    sliceEnd = performance.now() + SLICE_MS;
  }
  yield await rowsOf(rows);
  return ok(undefined);

  async function rowsOf(some: readonly (readonly Cell[] | RecordView)[]): Promise<readonly (readonly Cell[])[]> {
    if (some.every(isRow)) return some;
    const records = some.flatMap((one) => (isRow(one) ? [] : [one]));
    const views = await described({ trace, uses }, records);
    let next = 0;
    return some.map((one) => (isRow(one) ? one : fieldsOf(columns, views[next++]!)));
  }
}

function isRow(one: readonly Cell[] | RecordView): one is readonly Cell[] {
  return Array.isArray(one);
}

/** Adds the disassembly of instructions without text, if the statement uses it. */
export async function described(
  { trace, uses }: Pick<TableQuestion, 'trace' | 'uses'>,
  records: readonly RecordView[],
): Promise<readonly RecordView[]> {
  return uses('text') || uses('flags') ? annotated(trace.images, trace.reader.decoder, records) : records;
}

/** Returns the fields of a record that are columns of a table. */
export function fieldsOf(columns: readonly string[], record: RecordView): readonly Cell[] {
  return columns.map((name) => {
    const field = record[name as keyof RecordView];
    return name === 'flags' ? record.flags?.join(' ') : (field as Cell);
  });
}
