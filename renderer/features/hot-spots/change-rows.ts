/** Functions and lines of two runs by the change of their cost, as rows and columns of a table. */
import { changeOf } from '../../../shared/against/code-changes.ts';
import type { LineCode, LineCodeChange } from '../../../shared/requests/answers/code-changes.ts';
import { pairFunctions } from '../../../shared/against/function-pairs.ts';
import { group } from '../../../shared/base/numbers.ts';
import type { Profile, ProfileFunction } from '../../../shared/requests/profile.ts';
import { inOrder, type ChangeColumn, type ChangedRow } from '../../widgets/change-table.ts';

/** A function of either run, or of both. */
export interface FunctionChangeRow extends ChangedRow {
  readonly a?: ProfileFunction;
  readonly b?: ProfileFunction;
}

export interface LineChangeRow extends ChangedRow {
  readonly a: LineCode | null;
  readonly b: LineCode | null;
}

/** @param shift addresses of B minus those of A */
export function functionChanges(a: Profile, b: Profile, shift: bigint): readonly FunctionChangeRow[] {
  const byId = ({ functions }: Profile): ReadonlyMap<string, ProfileFunction> =>
    new Map(functions.map((one) => [one.id, one]));
  const [ofA, ofB] = [byId(a), byId(b)];
  return pairFunctions(a.functions, b.functions, shift).pairs.map((pair) => {
    const [own, other] = [ofA.get(pair.a ?? ''), ofB.get(pair.b ?? '')];
    return {
      key: `${pair.a ?? ''} ${pair.b ?? ''}`,
      name: pair.name,
      ...(own && { a: own }),
      ...(other && { b: other }),
    };
  });
}

export function lineChanges(lines: readonly LineCodeChange[]): readonly LineChangeRow[] {
  return lines.map(({ a, b }) => {
    const text = ({ file, line }: LineCode): string => `${file}:${line}`;
    const [first, second] = [(a ?? b)!, b ?? a!];
    const isMoved = first.file !== second.file || first.line !== second.line;
    const name = `${text(first)}${isMoved ? `, in B ${text(second)}` : ''}`;
    return { key: name, name, a, b };
  });
}

/** Returns the rows whose name contains a text, in the order of a column. */
export function shownChanges<Row extends ChangedRow>(
  rows: readonly Row[],
  columns: readonly ChangeColumn<Row>[],
  { text, order, isReversed }: { readonly text: string; readonly order: string; readonly isReversed: boolean },
): readonly Row[] {
  const wanted = text.trim().toLowerCase();
  return inOrder(
    rows.filter(({ name }) => name.toLowerCase().includes(wanted)),
    columns,
    order,
    isReversed,
  );
}

type Cost = 'self' | 'total' | 'calls';

function changeOfCost({ a, b }: FunctionChangeRow, cost: Cost): number {
  return (b?.[cost] ?? 0) - (a?.[cost] ?? 0);
}

/** Returns a number of both runs: `60 in A, 75 in B`. */
export function bothText(a: number | undefined, b: number | undefined): string {
  const text = (count: number | undefined): string => (count === undefined ? 'none' : group(count));
  return `${text(a)} in A, ${text(b)} in B`;
}

export const FUNCTION_CHANGES: readonly ChangeColumn<FunctionChangeRow>[] = [
  { id: 'self-a', title: 'Self A', what: 'Cost of the function itself in A', of: ({ a }) => a?.self },
  { id: 'self-b', title: 'Self B', what: 'Cost of the function itself in B', of: ({ b }) => b?.self },
  {
    id: 'self',
    title: 'Self change',
    what: 'Cost of the function itself in B, minus that in A',
    of: (row) => changeOfCost(row, 'self'),
    isChange: true,
  },
  {
    id: 'total',
    title: 'Total change',
    what: 'Change of the cost of the function and everything it called',
    of: (row) => changeOfCost(row, 'total'),
    titleOf: ({ a, b }) => bothText(a?.total, b?.total),
    isChange: true,
  },
  {
    id: 'calls',
    title: 'Calls change',
    what: 'Change of the number of its calls',
    of: (row) => changeOfCost(row, 'calls'),
    titleOf: ({ a, b }) => bothText(a?.calls, b?.calls),
    isChange: true,
  },
];

export const LINE_CHANGES: readonly ChangeColumn<LineChangeRow>[] = [
  { id: 'self-a', title: 'Self A', what: 'Instructions of the line that ran in A', of: ({ a }) => a?.self },
  { id: 'self-b', title: 'Self B', what: 'Instructions of the line that ran in B', of: ({ b }) => b?.self },
  { id: 'self', title: 'Change', what: 'Instructions that ran in B, minus those in A', of: changeOf, isChange: true },
  { id: 'times-a', title: 'Times A', what: 'How often the line ran in A', of: ({ a }) => a?.count },
  { id: 'times-b', title: 'Times B', what: 'How often the line ran in B', of: ({ b }) => b?.count },
];

export const CHANGE_ORDERS = ['name', ...[...FUNCTION_CHANGES, ...LINE_CHANGES].map(({ id }) => id)];
