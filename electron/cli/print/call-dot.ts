/** The call graph in the DOT language of Graphviz. Inferred calls are dashed, frequent calls have wider lines. */
import type { CallGraph } from '../../../shared/requests/flow.ts';
import { group } from '../../../shared/base/numbers.ts';

export function dotOf({ evidence, unit, functions, edges }: CallGraph): string {
  const most = edges.reduce((all, { count }) => Math.max(all, count), 1);
  const nodes = functions.map(
    ({ id, name, calls, self, total }) =>
      `  ${quoted(id)} [label=${quoted(`${name}\n${group(calls)} calls\nself ${group(self)}, total ${group(total)}`)}];`,
  );
  const lines = edges.map(({ caller, callee, count, inferred, kind }) => {
    const label = kind === 'call' ? group(count) : `${group(count)} ${kind}`;
    const width = 1 + (4 * Math.log2(count + 1)) / Math.log2(most + 1);
    const style = inferred ? ', style=dashed' : '';
    return `  ${quoted(caller)} -> ${quoted(callee)} [label=${quoted(label)}, penwidth=${width.toFixed(2)}${style}];`;
  });
  return [
    'digraph calls {',
    `  label=${quoted(`from ${evidence}; totals in ${unit}`)};`,
    '  rankdir=LR;',
    '  node [shape=box];',
    ...nodes,
    ...lines,
    '}',
    '',
  ].join('\n');
}

/** Returns a text as a string of the DOT language. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
