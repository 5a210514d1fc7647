/** The call graphs of two runs in the DOT language of Graphviz: red where B has more, blue where it has less, grey where nothing changed. */
import {
  change,
  isSame,
  type CallChanges,
  type Cost,
  type FunctionChange,
} from '../../../shared/against/call-changes.ts';
import { group, signed } from '../../../shared/base/numbers.ts';
import { quoted } from './call-dot.ts';

export function changesDot({ functions, edges }: CallChanges, unit: string): string {
  return [
    'digraph calls {',
    `  label=${quoted(`change from A to B in ${unit}: red more, blue less, dashed only in one`)};`,
    '  rankdir=LR;',
    '  node [shape=box];',
    ...functions.map((one, place) => `  f${place} [label=${quoted(labelOf(one))}, ${lookOf(one)}];`),
    ...edges.map(({ caller, callee, kind, a, b }) => {
      const label = `${kind === 'call' ? '' : `${kind} `}${a === b ? group(a) : `${group(a)} to ${group(b)}`}`;
      const dashed = a === 0 || b === 0 ? ', style=dashed' : '';
      return `  f${caller} -> f${callee} [label=${quoted(label)}, color=${colourOf(b - a)}${dashed}];`;
    }),
    '}',
    '',
  ].join('\n');
}

function labelOf(one: FunctionChange): string {
  const both = (of: keyof Cost): string =>
    isSame(one)
      ? group(one.a![of])
      : `${one.a === null ? '-' : group(one.a[of])} to ${one.b === null ? '-' : group(one.b[of])}`;
  return `${one.name}\n${both('calls')} calls\nself ${both('self')} (${signed(change(one, 'self'))})\ntotal ${both('total')}`;
}

function lookOf(one: FunctionChange): string {
  const colour = colourOf(change(one, 'self') || change(one, 'calls') || change(one, 'total'));
  return `color=${colour}${one.a === null || one.b === null ? ', style=dashed' : ''}`;
}

function colourOf(difference: number): string {
  return difference > 0 ? '"#b3261e"' : difference < 0 ? '"#0b62b8"' : '"#7b8696"';
}
