/** Loops as a table for people, or as a document. */
import type { Loop } from '../../../../shared/requests/profile.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { Context } from '../../command.ts';
import type { OpenTrace } from '../../trace.ts';
import { createTable, type Column } from '../table.ts';

interface LoopsRequest {
  readonly range: { readonly from?: number; readonly to?: number };
  readonly limit: number;
  readonly onEvent: (event: { readonly at: number }) => void;
}

/** Prints the loops that ran in a range, at most `limit`, as a table or a document. */
export async function printLoops(
  context: Context,
  trace: OpenTrace,
  { range, limit, onEvent }: LoopsRequest,
): Promise<Result<void>> {
  const { common, out } = context;
  const answer = await trace.request('loops', { trace: trace.id, ...range }, { onEvent });
  context.progress.clear();
  if (!answer.ok) return answer;
  const { unit, cost, loops: found, notes } = answer.value;
  const rows = found.slice(0, limit);
  if (common.json) {
    await out.json({ unit, cost, loops: rows, notes });
    return ok(undefined);
  }
  for (const note of notes) context.notify(note);
  const table = createTable(columnsOf(cost), out.colour).lines(rows);
  await out.write(rows.length === 0 ? 'No loops are known in these records.\n' : table);
  return ok(undefined);
}

function columnsOf(cost: number): readonly Column<Loop>[] {
  return [
    { title: 'share %', right: true, text: (loop) => shareOf(loop, cost) },
    { title: 'iterations', right: true, text: ({ iterations }) => group(iterations) },
    { title: 'entries', right: true, text: ({ entries }) => group(entries) },
    { title: 'first', right: true, text: ({ first }) => (first === undefined ? '' : group(first)) },
    { title: 'header', right: true, text: ({ header }) => header },
    { title: 'end', right: true, text: ({ end }) => end },
    {
      title: 'marks',
      text: ({ inferred, begunBefore }) =>
        [...(begunBefore ? ['entered before'] : []), ...(inferred ? ['inferred'] : [])].join(', '),
    },
    { title: 'depth', right: true, text: ({ depth }) => String(depth) },
    { title: 'function', text: (loop) => loop.function ?? '' },
  ];
}

/** `12.5`, or `12.5-14.0` if the share is not known exactly. */
function shareOf({ least, most }: Loop, cost: number): string {
  if (least === undefined || most === undefined || cost === 0) return '';
  const [low, high] = [least, most].map((units) => ((100 * units) / cost).toFixed(1));
  return low === high ? low! : `${low!}-${high!}`;
}
