/** `tree`: the calling-context tree. */
import type { CallTreeNode } from '../../../shared/requests/flow.ts';
import { FLAME_ORDERS } from '../../../shared/report/plan.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import { REQUESTS } from '../../../shared/requests/requests.ts';
import { AGAINST_NOTE, againstOptions, checkAgainst } from '../against/options.ts';
import { drawAgainst } from '../against/draw.ts';
import { treeAgainst } from '../against/tree.ts';
import { command } from '../command.ts';
import { drawOptions, figurePlace, writeFigure } from '../figure-file.ts';
import { flowRange, RANGE_NOTE, withFlow } from '../options/flow-range.ts';
import { group } from '../../../shared/base/numbers.ts';
import { flag, number, oneOf } from '../options/options.ts';
import { createTable } from '../print/table.ts';

export const tree = command({
  name: 'tree',
  text: 'The calling-context tree: each call path with its calls and its cost',
  notes: [
    'Costs are counted in instructions if the trace has them, otherwise in branches.',
    RANGE_NOTE,
    '--json prints nested {function, calls, self, total, children}, or a list of them if there are several roots.',
    'An output file that ends in .svg or .png becomes a flame graph with its roots at the top.',
    AGAINST_NOTE,
    'With --against, boxes of the flame graph are as wide as the change of the cost, and --json prints nested {function, a, b, children}.',
  ].join('\n'),
  trace: 'needed',
  options: {
    depth: number('D', REQUESTS.tree.arguments.entries.depth.wrapped, 'only this many calls deep; 0 shows the roots'),
    ...flowRange('calls'),
    order: oneOf('ORDER', `order of the figure: ${FLAME_ORDERS.join(', ')}; the first by default`, FLAME_ORDERS),
    folded: flag('with -o: fold recursion, so that no function is below itself'),
    ...drawOptions,
    ...againstOptions,
  },
  async run(context, { depth, from, to, order, folded, output, ...look }) {
    const { against } = look;
    const comparable = checkAgainst(context, look, { from, to, order, folded });
    if (!comparable.ok) return comparable;
    if (output !== undefined) {
      if (depth !== undefined) return fail('usage', 'tree: --depth applies to the table; leave it out with -o');
      const form = await figurePlace(context, output);
      if (!form.ok) return form;
      if (against !== undefined)
        return drawAgainst(context, against, look, { figure: 'flame' }, { ...look, path: output, form: form.value });
      return withFlow(context, { from, to }, (trace, range) => {
        const figure = {
          figure: 'flame',
          ...range,
          ...(order !== undefined && { order }),
          ...(folded === true && { folded }),
        } as const;
        return writeFigure(context, trace, figure, { ...look, path: output, form: form.value });
      });
    }
    if (folded === true) return fail('usage', 'tree: --folded needs a figure; add -o FILE.svg or -o FILE.png');
    if (order !== undefined) return fail('usage', 'tree: --order needs a figure; add -o FILE.svg or -o FILE.png');
    if (against !== undefined) return treeAgainst(context, against, look, depth);
    return withFlow(context, { from, to }, async (trace, range, onEvent) => {
      const args = { trace: trace.id, ...range, ...(depth !== undefined && { depth }) };
      const answer = await trace.request('tree', args, { onEvent });
      context.progress.clear();
      if (!answer.ok) return answer;
      const { roots, unit, notes } = answer.value;
      const { common, out } = context;
      for (const note of notes) context.notify(note);
      if (common.json) await out.json(roots.length === 1 ? roots[0] : roots);
      else if (roots.length === 0) await out.write('The trace contains no calls.\n');
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
