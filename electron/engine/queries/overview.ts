/** The whole trace as one strip: records per kind and bad input over time, from the block rows alone. */
import type { Answer, Arguments, Overview } from '../../../shared/api.ts';
import { kindName } from '../../../shared/record.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { reachOf, type Trace } from '../trace.ts';

export function overview(trace: Trace, args: Omit<Arguments<'overview'>, 'trace'>): Result<Answer<'overview'>> {
  const { blocks, ingest } = trace;
  const from = Math.min(args.from ?? 0, blocks.records);
  const to = Math.max(from, Math.min(args.to ?? blocks.records, blocks.records));
  const codes = ingest.totals.kinds.flatMap((count, code) => (count > 0 ? [code] : []));
  const firstBlock = blocks.length === 0 ? 0 : blocks.blockOfRecord(from);
  const endBlock = to > from ? blocks.blockOfRecord(to - 1) + 1 : firstBlock;
  const perColumn = Math.max(1, Math.ceil((endBlock - firstBlock) / Math.max(1, args.columns)));
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
  const answer: Overview = {
    from: edges[0] ?? 0,
    to: edges.at(-1) ?? 0,
    columns,
    edges,
    kinds: codes.map(kindName),
    counts,
    bad,
    reach: reachOf(trace),
  };
  return ok(answer);
}
