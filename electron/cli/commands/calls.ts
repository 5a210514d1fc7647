/** `calls`: the call graph as tables, as a graph for Graphviz, as folded stacks, or drawn to a file. */
import type { CallEdge, CallFunction, CallGraph } from '../../../shared/requests/flow.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import { dotOf } from '../print/call-dot.ts';
import { foldedOf } from '../print/call-folded.ts';
import { callsAgainst } from '../against/calls.ts';
import { drawAgainst } from '../against/draw.ts';
import { AGAINST_NOTE, againstOptions, checkAgainst } from '../against/options.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { drawOptions, figurePlace, writeFigure } from '../figure-file.ts';
import { functionNamed } from '../function-named.ts';
import { flowRange, RANGE_NOTE, withFlow } from '../options/flow-range.ts';
import { group } from '../../../shared/base/numbers.ts';
import { flag, word } from '../options/options.ts';
import { createTable } from '../print/table.ts';

export const calls = command({
  name: 'calls',
  text: 'The call graph: functions with their costs, and the calls between them',
  notes: [
    'Costs are counted in instructions if the trace has them, otherwise in branches; recursion counts once.',
    RANGE_NOTE,
    '--dot prints a graph for Graphviz; --folded prints one line per call path, as flame graph tools read them.',
    'An output file that ends in .svg or .png becomes a figure: one function with its callers and callees.',
    AGAINST_NOTE,
    'With --against, --folded prints `caller;callee cost-in-A cost-in-B`, --dot shows more in red and less in blue, and the figure shows',
    'the functions that changed most with their callers and callees, and the costs and calls of both runs.',
  ].join('\n'),
  trace: 'needed',
  options: {
    dot: flag('print a graph for Graphviz'),
    folded: flag('print `caller;callee count` lines'),
    centre: word(
      'F',
      'the function in the middle of the figure; the most expensive one by default',
      'a name or an address',
    ),
    ...drawOptions,
    ...flowRange('calls'),
    ...againstOptions,
  },
  async run(context, { dot, folded, from, to, centre, output, ...look }) {
    const { against } = look;
    const comparable = checkAgainst(context, look, { from, to, centre });
    if (!comparable.ok) return comparable;
    if (output !== undefined) {
      if (dot === true || folded === true) return fail('usage', 'calls: give only one of --dot, --folded and -o');
      const form = await figurePlace(context, output);
      if (!form.ok) return form;
      if (against !== undefined)
        return drawAgainst(context, against, look, { figure: 'graph' }, { ...look, path: output, form: form.value });
      return withFlow(context, { from, to }, async (trace, range, onEvent) => {
        let around: CallFunction | undefined;
        if (centre !== undefined) {
          const graph = await trace.request('calls', { trace: trace.id, ...range }, { onEvent });
          if (!graph.ok) return graph;
          const found = await functionNamed(context, trace, centre, graph.value.functions);
          if (!found.ok) return found;
          around = found.value;
        }
        const figure = { figure: 'graph', ...range, ...(around !== undefined && { centre: around.id }) } as const;
        return writeFigure(context, trace, figure, { ...look, path: output, form: form.value });
      });
    }
    if (centre !== undefined) return fail('usage', 'calls: --centre needs a figure; add -o FILE.svg or -o FILE.png');
    if (dot === true && folded === true) return fail('usage', 'calls: give --dot or --folded, not both');
    if (context.common.json && (dot === true || folded === true))
      return fail('usage', 'calls: --json prints the graph already; leave out --dot and --folded');
    if (against !== undefined)
      return callsAgainst(context, against, look, dot === true ? 'dot' : folded === true ? 'folded' : 'table');
    return withFlow(context, { from, to }, async (trace, range, onEvent) => {
      if (folded === true) {
        const tree = await trace.request('tree', { trace: trace.id, ...range }, { onEvent });
        context.progress.clear();
        if (!tree.ok) return tree;
        reportAll(context, tree.value.notes);
        await context.out.write(foldedOf(tree.value.roots));
        return ok(undefined);
      }
      const answer = await trace.request('calls', { trace: trace.id, ...range }, { onEvent });
      context.progress.clear();
      return answer.ok ? print(context, answer.value, dot === true) : answer;
    });
  },
});

async function print(context: Context, graph: CallGraph, dot: boolean): Promise<Result<void>> {
  const { common, out } = context;
  const { evidence, unit, functions, edges, depth, notes } = graph;
  if (dot) {
    reportAll(context, notes);
    await out.write(dotOf(graph));
  } else if (common.json) {
    await out.json({
      evidence,
      unit,
      functions: functions.map(functionInOrder),
      edges: edges.map(({ caller, callee, count, inferred, kind, first, last, unseen }) => ({
        caller,
        callee,
        count,
        inferred,
        kind,
        first,
        last,
        ...(unseen && { unseen }),
      })),
      depth,
      notes,
    });
  } else {
    await out.write(describe(graph, out.colour));
  }
  return ok(undefined);
}

function functionInOrder({ id, name, symbol, address, aliases, calls, self, total }: CallFunction): CallFunction {
  return {
    id,
    name,
    ...(symbol === undefined ? {} : { symbol }),
    ...(address === undefined ? {} : { address }),
    aliases,
    calls,
    self,
    total,
  };
}

function reportAll(context: Context, notes: readonly string[]): void {
  for (const note of notes) context.notify(note);
}

function describe({ evidence, unit, functions, edges, depth, notes }: CallGraph, colour: boolean): string {
  const names = new Map(functions.map(({ id, name }) => [id, name]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const ofFunctions = createTable<CallFunction>(
    [
      { title: 'total', right: true, text: ({ total }) => group(total) },
      { title: 'self', right: true, text: ({ self }) => group(self) },
      { title: 'calls', right: true, text: ({ calls }) => group(calls) },
      { title: 'address', right: true, text: ({ address }) => address ?? '' },
      { title: 'function', text: ({ name, aliases }) => [name, ...aliases].join(', ') },
    ],
    colour,
  );
  const ofEdges = createTable<CallEdge>(
    [
      { title: 'count', right: true, text: ({ count }) => group(count) },
      { title: 'caller', text: ({ caller }) => nameOf(caller) },
      { title: 'callee', text: ({ callee }) => nameOf(callee) },
      { title: 'kind', text: ({ kind }) => (kind === 'call' ? '' : kind) },
      { title: 'marks', text: ({ inferred, unseen }) => (unseen ? 'from returns' : inferred ? 'inferred' : '') },
      { title: 'first', right: true, text: ({ first }) => group(first) },
      { title: 'last', right: true, text: ({ last }) => group(last) },
    ],
    colour,
  );
  return [
    `From ${evidence}; totals in ${unit}; calls nest up to ${depth.max} deep.\n`,
    ofFunctions.lines(functions),
    edges.length === 0 ? 'The trace contains no calls.\n' : ofEdges.lines(edges),
    notes.map((note) => `${note}\n`).join(''),
  ]
    .filter((part) => part !== '')
    .join('\n');
}
