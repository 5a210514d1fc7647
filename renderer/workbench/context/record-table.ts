/** Tables of records for CSV, with the columns of `tracebench export`. */
import { csvLine } from '../../../shared/base/csv.ts';
import { group } from '../../../shared/base/numbers.ts';
import { RECORD_KEYS, recordCells, type RecordView } from '../../../shared/records/record.ts';
import type { Range } from '../../trace/cursor.svelte.ts';
import type { TraceBase } from '../../trace/trace-base.ts';
import type { Table } from '../../widgets/table.ts';

/** Largest number of records that the page saves: more would not fit in its memory. */
const MOST = 1_000_000;
/** Upper limit of the records in one request. */
const PART = 1000;

/** Returns the table of the records [from, to), of which `at` returns those that the page holds. */
export function rangeTable(
  { client, id, say }: TraceBase,
  { from, to }: Range,
  at: (n: number) => RecordView | undefined,
): Table {
  return {
    name: 'records',
    head: RECORD_KEYS,
    count: to - from,
    row: (n) => cellsOf(n, at(n)),
    async fetch() {
      if (to - from > MOST) {
        say(`Zoom in to at most ${group(MOST)} records first, or use \`tracebench export\`.`);
        return undefined;
      }
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for (let next: number | null = from; next !== null;) {
        const part: Awaited<ReturnType<typeof ask>> = await ask(next);
        if (!part.ok) {
          say(part.error.message);
          return undefined;
        }
        parts.push(new Uint8Array(part.value.bytes));
        ({ next } = part.value);
      }
      return new Blob(parts).text();
    },
  };

  function ask(next: number) {
    return client.request('exportPart', { trace: id, as: 'csv', from: next, to, head: next === from });
  }
}

/** Returns the table of some records, of which `at` returns those that the page holds. */
export function listTable(
  { client, id, say }: TraceBase,
  numbers: Float64Array,
  at: (index: number) => RecordView | undefined,
): Table {
  return {
    name: 'matches',
    head: RECORD_KEYS,
    count: numbers.length,
    row: (index) => cellsOf(numbers[index] ?? 0, at(index)),
    async fetch() {
      let csv = csvLine(RECORD_KEYS);
      for (let from = 0; from < numbers.length; from += PART) {
        const part = await client.request('recordsAt', {
          trace: id,
          numbers: [...numbers.subarray(from, from + PART)],
        });
        if (!part.ok) {
          say(part.error.message);
          return undefined;
        }
        csv += part.value.records.map((record) => csvLine(recordCells(record))).join('');
      }
      return csv;
    },
  };
}

function cellsOf(n: number, record: RecordView | undefined) {
  return record ? recordCells(record) : [n];
}
