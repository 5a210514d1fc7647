/** `loops`: the loops that ran, by their cost. */
import type { Loop } from '../../../shared/requests/profile.ts';
import { group } from '../../../shared/base/numbers.ts';
import { ok } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import { flowRange, withFlow } from '../options/flow-range.ts';
import { number } from '../options/options.ts';
import { createTable, type Column } from '../print/table.ts';

export const loops = command({
  name: 'loops',
  text: 'Loops that ran: their bodies, entries, iterations, share and nesting',
  notes: [
    'A back edge is a taken jump to the same or a lower address of the same function. The body is the code from its target to the highest',
    'source of back edges to that target, without the functions that it calls. Each time a back edge is taken counts as an iteration, and',
    'each other arrival at the target as an entry. `share` is the part of all instructions that ran in the body, as far as it is certain.',
    '--from and --to count only arrivals and instructions in these records; bodies and depths stay those of the whole trace. A loop that',
    'was entered before them is marked `entered before`: that entry is not counted.',
    'Example: tracebench loops TRACE --image program.elf --from 1,000 --to 90,000 --limit 10',
  ].join('\n'),
  trace: 'needed',
  options: {
    limit: number('K', whole(1, Number.MAX_SAFE_INTEGER), 'at most this many, all by default'),
    ...flowRange('loops that ran'),
  },
  async run(context, { limit = Number.MAX_SAFE_INTEGER, from, to }) {
    const { common, out } = context;
    return withFlow(context, { from, to }, async (trace, range, onEvent) => {
      const answer = await trace.request('loops', { trace: trace.id, ...range }, { onEvent });
      context.progress.clear();
      if (!answer.ok) return answer;
      const { unit, cost, loops: found, notes } = answer.value;
      const rows = found.slice(0, limit);
      if (common.json) await out.json({ unit, cost, loops: rows, notes });
      else {
        for (const note of notes) context.notify(note);
        const table = createTable(columnsOf(cost), out.colour).lines(rows);
        await out.write(rows.length === 0 ? 'No loops are known in these records.\n' : table);
      }
      return ok(undefined);
    });
  },
});

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
