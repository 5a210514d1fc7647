/** `tree`: the calling-context tree. */
import type { CallTreeNode } from '../../../shared/requests/flow.ts';
import { FLAME_ORDERS } from '../../../shared/report/plan.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { drawOptions, figurePlace, writeFigure } from '../figure-file.ts';
import { flowRange, RANGE_NOTE, withFlow } from '../flow-range.ts';
import { group } from '../print/numbers.ts';
import { count, oneOf } from '../options.ts';
import { createTable } from '../print/table.ts';

export const tree = command({
  name: 'tree',
  text: 'The calling-context tree: each chain of calls with how often it was called and what it took',
  notes: [
    'What it took is counted in instructions where the trace has them, else in branches.',
    RANGE_NOTE,
    'With --json nested {function, calls, self, total, children}; a list of them where the trace has several roots.',
    'An output file that ends in .svg or .png is drawn as flames that hang from their roots.',
  ].join('\n'),
  trace: 'needed',
  options: {
    depth: count('D', 0, 1000, 'only so many calls deep; 0 shows the roots'),
    ...flowRange('calls'),
    order: oneOf('ORDER', `of the figure: ${FLAME_ORDERS.join(', ')}; the first by default`, FLAME_ORDERS),
    ...drawOptions,
  },
  async run(context, { depth, from, to, order, output, ...look }) {
    if (output !== undefined) {
      if (depth !== undefined)
        return fail('usage', 'tree: --depth is of the table; a figure shows all that it has room for');
      const form = await figurePlace(context, output);
      if (!form.ok) return form;
      return withFlow(context, { from, to }, (trace, range) => {
        const wish = { figure: 'flame', ...range, ...(order !== undefined && { order }) } as const;
        return writeFigure(context, trace, wish, { ...look, path: output, form: form.value });
      });
    }
    if (order !== undefined) return fail('usage', 'tree: --order is of a figure: give -o FILE.svg or .png');
    return withFlow(context, { from, to }, async (trace, range, onEvent) => {
      const args = { trace: trace.id, ...range, ...(depth !== undefined && { depth }) };
      const answer = await trace.request('tree', args, { onEvent });
      context.progress.clear();
      if (!answer.ok) return answer;
      const { roots, unit, notes } = answer.value;
      const { common, out } = context;
      for (const note of notes) context.tell(note);
      if (common.json) await out.json(roots.length === 1 ? roots[0] : roots);
      else if (roots.length === 0) await out.write('No calls were seen.\n');
      else
        await out.write(
          `in ${unit}\n${createTable(COLUMNS, out.colour).lines(roots.flatMap((root) => rows(root, 0)))}`,
        );
      return ok(undefined);
    });
  },
});

interface Row extends CallTreeNode {
  readonly level: number;
}

function rows(node: CallTreeNode, level: number): Row[] {
  return [{ ...node, level }, ...node.children.flatMap((child) => rows(child, level + 1))];
}

const COLUMNS = [
  { title: 'total', right: true, text: ({ total }: Row) => group(total) },
  { title: 'self', right: true, text: ({ self }: Row) => group(self) },
  { title: 'calls', right: true, text: ({ calls }: Row) => group(calls) },
  {
    title: 'function',
    text: ({ function: name, level, cut }: Row) => `${'  '.repeat(level)}${name}${cut === undefined ? '' : ' ...'}`,
  },
];
