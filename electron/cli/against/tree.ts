/** `tree --against`: the calling-context trees of two runs as one, as a table or as a differential flame graph. */
import { change } from '../../../shared/against/call-changes.ts';
import { isSameBelow, treeChanges, type NodeChange } from '../../../shared/against/tree-changes.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Context } from '../command.ts';
import { signed } from '../../../shared/base/numbers.ts';
import { costColumns } from '../print/changes.ts';
import { createTable, type Column } from '../print/table.ts';
import { fromBoth, notifyOfBoth, sameUnit, withSides, type AgainstValues } from './options.ts';

export function treeAgainst(
  context: Context,
  against: string,
  given: AgainstValues,
  depth: number | undefined,
): Promise<Result<void>> {
  return withSides(context, against, given, async (sides) => {
    const trees = await fromBoth(context, sides, (trace, onEvent) =>
      trace.request('tree', { trace: trace.id, ...(depth !== undefined && { depth }) }, { onEvent }),
    );
    if (!trees.ok) return trees;
    const comparable = sameUnit(trees.value);
    if (!comparable.ok) return comparable;
    notifyOfBoth(context, trees.value);
    const roots = treeChanges(...trees.value, BigInt(sides.shift));
    const { common, out } = context;
    const { unit } = trees.value[0];
    await (common.json ? out.json({ unit, shift: sides.shift, roots }) : out.write(describe(roots, unit, out.colour)));
    return ok(undefined);
  });
}

function describe(roots: readonly NodeChange[], unit: string, colour: boolean): string {
  const changed = rows(roots, 0);
  const whole = roots.reduce((sum, root) => sum + change(root, 'total'), 0);
  if (changed.length === 0) return 'Every call path was executed as often and at the same cost in both.\n';
  const head = `Costs in ${unit}; B took ${signed(whole)}. Call paths that cost the same in both are left out.\n\n`;
  return `${head}${createTable(COLUMNS, colour).lines(changed)}`;
}

interface Row extends NodeChange {
  readonly level: number;
}

/** Returns the call paths that changed, or below which something did. */
function rows(nodes: readonly NodeChange[], level: number): readonly Row[] {
  return nodes
    .filter((node) => !isSameBelow(node))
    .flatMap((node) => [{ ...node, level }, ...rows(node.children, level + 1)]);
}

const COLUMNS: readonly Column<Row>[] = [
  ...costColumns<Row>('total'),
  ...costColumns<Row>('self'),
  ...costColumns<Row>('calls'),
  { title: 'function', text: ({ function: name, level }) => `${'  '.repeat(level)}${name}` },
];
