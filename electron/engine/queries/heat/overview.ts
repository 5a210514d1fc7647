/**
 * Returns the whole trace as one strip: records per kind and malformed input over time. Many blocks are summarised from their rows in the
 * index. A range of few blocks is decoded to provide the requested number of columns.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments, Overview } from '../../../../shared/requests/requests.ts';
import { BATCH_RECORDS, createBatch } from '../../../../shared/records/batch.ts';
import { Diagnostics } from '../../../../shared/format/diagnostics.ts';
import { kindName } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { decodeBlock } from '../../index/block-scan.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { evenEdges } from './grid.ts';
import { columnOf } from './cell-grid.ts';

/** Maximum number of blocks decoded per answer: some 150 ms, in slices. */
const MOST_DECODED = 32;

interface Strip {
  readonly edges: Float64Array;
  readonly counts: Float64Array;
  readonly bad: Float64Array;
}

export async function overview(
  trace: Trace,
  args: Omit<Arguments<'overview'>, 'trace'>,
  task: Task,
): Promise<Result<Answer<'overview'>>> {
  const { blocks, ingest } = trace;
  const reach = reachOf(trace);
  const from = Math.min(args.from ?? 0, blocks.records);
  const to = Math.max(from, Math.min(args.to ?? blocks.records, blocks.records));
  const codes = ingest.totals.kinds.flatMap((count, code) => (count > 0 ? [code] : []));
  const firstBlock = blocks.length === 0 ? 0 : blocks.blockOfRecord(from);
  const endBlock = to > from ? blocks.blockOfRecord(to - 1) + 1 : firstBlock;
  const columns = Math.max(1, args.columns);
  // The overview is requested repeatedly while the index grows. Whole blocks are sufficient until it is complete.
  const fine = ingest.complete && endBlock - firstBlock <= Math.min(MOST_DECODED, columns);
  const strip = fine
    ? await decoded(trace, { from, to, firstBlock, endBlock, columns: Math.min(columns, to - from), codes }, task)
    : ok(fromBlocks(trace, firstBlock, endBlock, columns, codes));
  if (!strip.ok) return strip;
  const { edges, counts, bad } = strip.value;
  const answer: Overview = {
    from: edges[0] ?? 0,
    to: edges.at(-1) ?? 0,
    columns: Math.max(0, edges.length - 1),
    edges,
    kinds: codes.map(kindName),
    counts,
    bad,
    reach,
  };
  return ok(answer);
}

function fromBlocks(
  trace: Trace,
  firstBlock: BlockNumber,
  endBlock: BlockNumber,
  wanted: number,
  codes: readonly number[],
): Strip {
  const { blocks } = trace;
  const perColumn = Math.max(1, Math.ceil((endBlock - firstBlock) / wanted));
  const columns = Math.ceil((endBlock - firstBlock) / perColumn);
  const edges = new Float64Array(columns + 1);
  const counts = new Float64Array(columns * codes.length);
  const bad = new Float64Array(columns);
  for (let column = 0; column < columns; column++) {
    const start = firstBlock + column * perColumn;
    const end = Math.min(start + perColumn, endBlock);
    edges[column] = blocks.firstRecord(start);
    edges[column + 1] = blocks.firstRecord(end);
    for (let block = start; block < end; block++) {
      const row = blocks.row(block);
      bad[column] = bad[column]! + row.bad;
      codes.forEach((code, k) => {
        const cell = column * codes.length + k;
        counts[cell] = counts[cell]! + row.kinds[code]!;
      });
    }
  }
  return { edges, counts, bad };
}

interface Span {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly firstBlock: BlockNumber;
  readonly endBlock: BlockNumber;
  readonly columns: number;
  readonly codes: readonly number[];
}

async function decoded(
  trace: Trace,
  { from, to, firstBlock, endBlock, columns, codes }: Span,
  task: Task,
): Promise<Result<Strip>> {
  const { blocks, reader } = trace;
  const edges = evenEdges(from, to, columns);
  const counts = new Float64Array(columns * codes.length);
  const bad = new Float64Array(columns);
  const placeOf = new Int32Array(32);
  codes.forEach((code, place) => (placeOf[code] = place));
  const { records } = blocks;
  /** First record of the block being decoded. */
  let first = 0;
  const diagnostics = new Diagnostics((record) => {
    // Bytes after the last record belong to it.
    const n = Math.min(first + record, records - 1);
    if (n < from || n >= to) return;
    const column = columnOf(edges, n);
    bad[column] = bad[column]! + 1;
  });
  const batch = createBatch(BATCH_RECORDS, diagnostics);
  for (let block = firstBlock; block < endBlock; block++) {
    const entry = blocks.entry(block);
    first = blocks.firstRecord(block);
    const window = reader.loader.load(block, entry, entry.state);
    if (!window.ok) return window;
    decodeBlock(reader.decoder, window.value, entry.state, batch, (filled) => {
      const start = first + filled.first;
      if (start + filled.count <= from || start >= to) return;
      let column = columnOf(edges, Math.max(start, from));
      for (let i = Math.max(0, from - start); i < Math.min(filled.count, to - start); i++) {
        while (start + i >= edges[column + 1]!) column++;
        const cell = column * codes.length + placeOf[filled.kind[i]!]!;
        counts[cell] = counts[cell]! + 1;
      }
    });
    await breathe();
    if (task.cancelled()) return task.cancel();
  }
  return ok({ edges, counts, bad });
}
