/** `loops`: the loops that ran, by their cost. */
import { whole } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import { flowRange, withFlow } from '../options/flow-range.ts';
import { number } from '../options/options.ts';
import { printLoops } from '../print/profile/loops.ts';

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
    return withFlow(context, { from, to }, (trace, range, onEvent) =>
      printLoops(context, trace, { range, limit, onEvent }),
    );
  },
});
