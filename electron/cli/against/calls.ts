/** `calls --against`: the call graphs of two runs as one, as tables, for other tools, or drawn. */
import {
  callChanges,
  change,
  isSame,
  type CallChanges,
  type EdgeChange,
  type FunctionChange,
} from '../../../shared/against/call-changes.ts';
import { treeChanges } from '../../../shared/against/tree-changes.ts';
import type { CallGraph } from '../../../shared/requests/flow.ts';
import { counted, group, signed } from '../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Context } from '../command.ts';
import { changesDot } from '../print/changes-dot.ts';
import { changesFolded } from '../print/call-folded.ts';
import { costColumns } from '../print/changes.ts';
import { createTable } from '../print/table.ts';
import { fromBoth, notifyOfBoth, sameUnit, withSides, type AgainstValues, type Sides } from './options.ts';

export function callsAgainst(
  context: Context,
  against: string,
  given: AgainstValues,
  form: 'dot' | 'folded' | 'table',
): Promise<Result<void>> {
  return withSides(context, against, given, (sides) =>
    form === 'folded' ? printFolded(context, sides) : printGraph(context, sides, form === 'dot'),
  );
}

async function printFolded(context: Context, sides: Sides): Promise<Result<void>> {
  const trees = await fromBoth(context, sides, (trace, onEvent) =>
    trace.request('tree', { trace: trace.id }, { onEvent }),
  );
  if (!trees.ok) return trees;
  const comparable = sameUnit(trees.value);
  if (!comparable.ok) return comparable;
  notifyOfBoth(context, trees.value);
  await context.out.write(changesFolded(treeChanges(...trees.value, BigInt(sides.shift))));
  return ok(undefined);
}

async function printGraph(context: Context, sides: Sides, dot: boolean): Promise<Result<void>> {
  const graphs = await fromBoth(context, sides, (trace, onEvent) =>
    trace.request('calls', { trace: trace.id }, { onEvent }),
  );
  if (!graphs.ok) return graphs;
  const comparable = sameUnit(graphs.value);
  if (!comparable.ok) return comparable;
  const changes = callChanges(...graphs.value, BigInt(sides.shift));
  const { common, out } = context;
  const [{ unit, notes }, { notes: notesB }] = graphs.value;
  if (dot) {
    notifyOfBoth(context, graphs.value);
    await out.write(changesDot(changes, unit));
  } else if (common.json)
    await out.json(document(changes, { unit, shift: sides.shift, notes: { a: notes, b: notesB } }));
  else await out.write(describe(changes, graphs.value, out.colour));
  return ok(undefined);
}

function document(
  { functions, edges }: CallChanges,
  { unit, shift, notes }: { readonly unit: string; readonly shift: string; readonly notes: object },
) {
  const nameOf = (place: number): string => functions[place]!.name;
  return {
    unit,
    shift,
    functions,
    edges: edges.map(({ caller, callee, kind, a, b }) => ({
      caller: nameOf(caller),
      callee: nameOf(callee),
      kind,
      a,
      b,
    })),
    notes,
  };
}

function describe({ functions, edges }: CallChanges, [a, b]: readonly [CallGraph, CallGraph], colour: boolean): string {
  const changed = functions.filter((one) => !isSame(one));
  const edgesChanged = edges.filter((edge) => edge.a !== edge.b);
  const whole = functions.reduce((sum, one) => sum + change(one, 'self'), 0);
  const ofFunctions = createTable<FunctionChange>(
    [
      ...costColumns<FunctionChange>('self'),
      ...costColumns<FunctionChange>('total'),
      ...costColumns<FunctionChange>('calls'),
      { title: 'function', text: ({ name }) => name },
    ],
    colour,
  );
  const ofEdges = createTable<EdgeChange>(
    [
      { title: 'calls A', right: true, text: (edge) => group(edge.a) },
      { title: 'calls B', right: true, text: (edge) => group(edge.b) },
      { title: 'change', right: true, text: (edge) => signed(edge.b - edge.a) },
      { title: 'caller', text: ({ caller }) => functions[caller]!.name },
      { title: 'callee', text: ({ callee }) => functions[callee]!.name },
      { title: 'kind', text: ({ kind }) => (kind === 'call' ? '' : kind) },
    ],
    colour,
  );
  const same = functions.length - changed.length;
  return [
    `Costs in ${a.unit}; B took ${signed(whole)}. ${counted(same, 'function')} of ${group(functions.length)} cost the same in both.\n`,
    changed.length === 0 ? '' : ofFunctions.lines(changed),
    edgesChanged.length === 0 ? '' : ofEdges.lines(edgesChanged),
    [...a.notes.map((note) => `A: ${note}\n`), ...b.notes.map((note) => `B: ${note}\n`)].join(''),
  ]
    .filter((part) => part !== '')
    .join('\n');
}
