/** Words and columns of tables that compare two runs. */
import { group, signed } from '../../../shared/base/numbers.ts';
import { change, type Cost, type Costs } from '../../../shared/against/call-changes.ts';
import type { Column } from './table.ts';

/** Columns of one cost: A, B and the change. A run without the function has `-`. */
export function costColumns<Row extends Costs>(of: keyof Cost): readonly Column<Row>[] {
  const shown = (cost: Cost | null): string => (cost === null ? '-' : group(cost[of]));
  return [
    { title: `${of} A`, right: true, text: ({ a }) => shown(a) },
    { title: `${of} B`, right: true, text: ({ b }) => shown(b) },
    { title: 'change', right: true, text: (row) => signed(change(row, of)) },
  ];
}
