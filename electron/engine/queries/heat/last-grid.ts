/**
 * The last exact heatmap of a whole trace, kept in the index. A script or a person at a terminal asks for the same one again, in another
 * process, and counting it decodes a block at the edge of each column.
 */
import type { Answer } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { createWholeTraceResult } from '../../flow/whole-trace.ts';
import type { Trace } from '../../trace.ts';

interface Kept {
  readonly question: string;
  readonly grid: Answer<'heat'>;
}

/** Larger grids are for figures, and would need more room in the index than they save time. */
const MOST_CELLS = 8192;

const last = createWholeTraceResult<Kept, Kept>({ name: 'heat', toTable: (kept) => kept, fromTable: (kept) => kept });

/**
 * Returns the grid of all records for a question, which `count` counts if it is not the last one.
 * @param args everything on which the grid depends beside the trace
 */
export async function lastGrid(
  trace: Trace,
  args: object,
  count: () => Promise<Result<Answer<'heat'>>>,
): Promise<Result<Answer<'heat'>>> {
  if (!trace.ingest.complete) return count();
  const question = JSON.stringify(args);
  const known = last.get(trace);
  if (known?.question === question) return ok(copyOf(known.grid));
  const counted = await count();
  if (counted.ok && counted.value.counts.length <= MOST_CELLS)
    last.set(trace, trace.blocks.records, { question, grid: copyOf(counted.value) });
  return counted;
}

/** Copies arrays, because an answer that is sent gives them away, and those from the index are views of one buffer. */
function copyOf(grid: Answer<'heat'>): Answer<'heat'> {
  return { ...grid, edges: grid.edges.slice(), counts: grid.counts.slice() };
}
