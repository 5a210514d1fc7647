/** `stack`: the call stack at a record. */
import type { CallStack, StackFrame } from '../../../shared/requests/flow.ts';
import { ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { searchProgress } from '../print/search-progress.ts';
import { group } from '../../../shared/base/numbers.ts';
import { AT, CPU, withStateAt } from '../options/state-at.ts';
import { createTable } from '../print/table.ts';

export const stack = command({
  name: 'stack',
  text: 'The call stack at a record, innermost first',
  notes: 'The caller of the last function is unknown, unless the trace shows where that function returns.',
  trace: 'needed',
  options: { at: AT, cpu: CPU('of this CPU; by default the CPU of the record') },
  run: (context, { at, cpu }) =>
    withStateAt(
      context,
      at,
      async (trace, at) => {
        const { bytes } = trace.opened.file;
        const onEvent = searchProgress(context, bytes, { from: 0, to: trace.opened.reach.records, newest: false });
        const args = { trace: trace.id, at, ...(cpu !== undefined && { cpu }) };
        const answer = await trace.request('stack', args, { onEvent });
        context.progress.clear();
        if (!answer.ok) return answer;
        const { common, out } = context;
        if (common.json) await out.json(answer.value.frames.map(frameInOrder));
        else await out.write(describe(answer.value, at, out.colour));
        return ok(undefined);
      },
      true,
    ),
});

function frameInOrder({ function: name, symbol, address, since, site, ...rest }: StackFrame) {
  return {
    function: name,
    ...(symbol === undefined ? {} : { symbol }),
    ...(address === undefined ? {} : { address }),
    ...(since === undefined ? {} : { since }),
    ...(site === undefined ? {} : { site }),
    ...rest,
  };
}

function describe({ cpu, frames, notes }: CallStack, at: number, colour: boolean): string {
  const whose = cpu === undefined ? '' : `, CPU ${cpu}`;
  const table = createTable(COLUMNS, colour).lines(frames);
  return `record ${group(at)}${whose}\n${frames.length === 0 ? '' : table}${notes.map((note) => `${note}\n`).join('')}`;
}

const COLUMNS = [
  { title: 'function', text: ({ function: name }: StackFrame) => name },
  { title: 'address', right: true, text: ({ address }: StackFrame) => address ?? '' },
  { title: 'since', right: true, text: ({ since }: StackFrame) => (since === undefined ? '' : group(since)) },
  { title: 'called at', right: true, text: ({ site }: StackFrame) => site ?? '' },
  { title: 'in', text: ({ siteSymbol }: StackFrame) => siteSymbol ?? '' },
  {
    title: 'marks',
    text: ({ entered, inferred }: StackFrame) => [entered ?? '', inferred === true ? 'inferred' : ''].join(' ').trim(),
  },
];
