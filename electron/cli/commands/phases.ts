/** `phases`: stretches of the run with the same dominant functions. */
import type { FunctionTimeline, Phase } from '../../../shared/requests/flow.ts';
import { group } from '../../../shared/base/numbers.ts';
import { ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { flowRange, withFlow } from '../options/flow-range.ts';
import { CPU } from '../options/state-at.ts';
import { createTable, type Column } from '../print/table.ts';

export const phases = command({
  name: 'phases',
  text: 'Phases of the run: stretches with the same mix of functions',
  notes: [
    'Without program flow in the trace, stretches with the same mix of accessed addresses.',
    'The records are divided into at most 256 parts, and a phase consists of whole parts, so its ends are exact to one part only.',
    'A share is the part of the records of a phase during which the function was innermost, callees not included; of addresses, the part of',
    'its accesses. Up to three functions are named, the second and third with 10 % or more; the rest is of other functions or unknown.',
    'Functions follow from calls that the trace records or that are inferred from it, as `tracebench calls` shows them.',
    'Example: tracebench phases TRACE --image program.elf --from 0 --to 1,000,000',
    '--json prints {of, cpu, cpus, phases: [{from, to, functions: [{name, share}]}], notes}; to is the record after the phase.',
  ].join('\n'),
  trace: 'needed',
  options: { ...flowRange('phases of records'), cpu: CPU('of this CPU; by default the first one in the trace') },
  run: (context, { from, to, cpu }) =>
    withFlow(context, { from, to }, async (trace, range, onEvent) => {
      const args = { trace: trace.id, ...range, ...(cpu !== undefined && { cpu }) };
      const answer = await trace.request('timeline', args, { onEvent });
      context.progress.clear();
      if (!answer.ok) return answer;
      const { common, out } = context;
      const { of, phases: found, cpu: own, cpus, notes } = answer.value;
      if (common.json) {
        const rows = found.map((phase) => ({ from: phase.from, to: phase.to, functions: named(answer.value, phase) }));
        await out.json({ of, ...(own !== undefined && { cpu: own }), cpus, phases: rows, notes });
        return ok(undefined);
      }
      for (const note of notes) context.notify(note);
      if (own !== undefined && cpus.length > 1)
        context.notify(
          `these are the phases of CPU ${own}; others: ${cpus.filter((other) => other !== own).join(', ')}`,
        );
      const table = createTable(columnsOf(answer.value), out.colour).lines(found);
      await out.write(found.length === 0 ? 'No phases are known in these records.\n' : table);
      return ok(undefined);
    }),
});

function named({ functions }: FunctionTimeline, { functions: dominant }: Phase) {
  return dominant.map(({ function: fn, share }) => ({ name: functions[fn]?.name ?? '', share }));
}

function columnsOf(timeline: FunctionTimeline): readonly Column<Phase>[] {
  const nothing = timeline.of === 'functions' ? 'no known function' : 'no access';
  return [
    { title: 'first', right: true, text: ({ from }) => group(from) },
    { title: 'last', right: true, text: ({ to }) => group(to - 1) },
    { title: 'records', right: true, text: ({ from, to }) => group(to - from) },
    {
      title: timeline.of,
      text: (phase) =>
        named(timeline, phase)
          .map(({ name, share }) => `${name} ${(100 * share).toFixed(1)} %`)
          .join(', ') || nothing,
    },
  ];
}
