/**
 * Cuts a table into files and row groups at the starts of blocks, so that no block is decoded twice. The cuts depend on the trace alone:
 * jobs that never heard of each other agree on them.
 */
import { KIND, MOVES } from '../../../shared/records/record.ts';
import { ok, fail, type Result } from '../../../shared/base/result.ts';
import {
  FILE_RECORDS,
  type ExportPlan,
  type ExportPlanArguments,
  type ExportTable,
  type PlannedFile,
  type RecordRange,
} from '../../../shared/requests/tables/export.ts';
import { BEYOND_INDEX } from '../../../shared/requests/failures.ts';
import type { BlockNumber } from '../../../shared/base/units.ts';
import { diagnosticRows } from '../queries/info/diagnostics.ts';
import type { Trace } from '../trace.ts';

/** Rows of a row group: it ends with the block in which it reaches them. */
const GROUP_ROWS = 250_000;
/** A group of long records ends earlier, so that it fits into memory. */
const GROUP_BLOCKS = 32;
/** Instructions for each branch, about. */
const BRANCH_DISTANCE = 4;

export function exportPlan(trace: Trace, args: Omit<ExportPlanArguments, 'trace'>): Result<ExportPlan> {
  const { table, fileRecords = FILE_RECORDS, part = 1, parts = 1 } = args;
  if (!trace.ingest.complete)
    return fail(BEYOND_INDEX, 'the trace is not indexed to its end yet, so its files are not known');
  const files = planFiles(trace, table, fileRecords);
  const [first, end] = [part - 1, part].map((number) => Math.floor((number * files.length) / parts));
  const diagnostics = diagnosticRows(trace);
  if (!diagnostics.ok) return diagnostics;
  const malformed = diagnostics.value.reduce((sum, { count }) => sum + count, 0);
  return ok({
    files: files.slice(first, end),
    ofAll: files.length,
    about: {
      trace: trace.file.path,
      bytes: String(trace.file.bytes),
      digest: trace.probe,
      format: trace.format.id,
      options: JSON.stringify(trace.format.options),
      images: JSON.stringify(trace.images.list.map(({ path }) => path)),
      records: String(trace.blocks.records),
      complete: 'yes',
      malformed: String(malformed),
      table,
      fileRecords: String(fileRecords),
    },
  });
}

function planFiles({ blocks }: Trace, table: ExportTable, fileRecords: number): readonly PlannedFile[] {
  const files: PlannedFile[] = [];
  let groups: RecordRange[] = [];
  let fileStart = 0;
  let groupStart = 0;
  let groupBlock = 0;
  let rows = 0;
  for (let block = 0; block < blocks.length; block++) {
    rows += rowsIn(block);
    const end = blocks.firstRecord(block + 1);
    const isLast = block === blocks.length - 1;
    const fileEnds = isLast || end - fileStart >= fileRecords;
    const isFull = table !== 'calls' && (rows >= GROUP_ROWS || block + 1 - groupBlock >= GROUP_BLOCKS);
    if (!fileEnds && !isFull) continue;
    if (end > groupStart) groups.push({ from: groupStart, to: end });
    [groupStart, groupBlock, rows] = [end, block + 1, 0];
    if (!fileEnds || (end === fileStart && !isLast)) continue;
    files.push({ from: fileStart, to: end, groups });
    [fileStart, groups] = [end, []];
  }
  return files.length > 0 ? files : [{ from: 0, to: 0, groups: [] }];

  function rowsIn(block: BlockNumber): number {
    const { records, kinds } = blocks.row(block);
    if (table === 'accesses') return kinds.reduce((sum, count, kind) => sum + (MOVES[kind] === 1 ? count : 0), 0);
    if (table === 'records') return records;
    const instructions = kinds[KIND.instruction]! + kinds[KIND.skipped]!;
    return kinds[KIND.branch]! + kinds[KIND.exception]! + instructions / BRANCH_DISTANCE;
  }
}
