/** The visible rows of the pane as CSV. */
import type { Table } from '../../widgets/table.ts';
import type { ChangeRow } from './change-rows.ts';
import type { CoverageRow } from './coverage-rows.ts';

export function coverageTable(rows: readonly CoverageRow[]): Table {
  return {
    name: 'coverage',
    head: [
      ...['kind', 'name', 'file', 'address', 'entered', 'of', 'ran', 'all'],
      ...['instructions that ran', 'instructions', 'ways of branches that were taken', 'ways of branches'],
    ],
    count: rows.length,
    row(index) {
      const { kind, name, file, function: fn, count, what, share, instructions, branches } = rows[index]!;
      return [
        ...[kind, name, file, fn?.address, count, `${what}s`, share.covered, share.total],
        ...[instructions.covered, instructions.total, branches.covered, branches.total],
      ];
    },
  };
}

export function changeTable(rows: readonly ChangeRow[]): Table {
  return {
    name: 'coverage-changes',
    head: [
      ...['kind', 'name', 'instructions that ran in A', 'instructions in A', 'instructions that ran in B'],
      ...['instructions in B', 'change', 'lines in A only', 'lines in B only', 'entered in A', 'entered in B'],
    ],
    count: rows.length,
    row(index) {
      const { kind, name, a, b, onlyA, onlyB, countA, countB } = rows[index]!;
      const change = (b?.covered ?? 0) - (a?.covered ?? 0);
      return [kind, name, a?.covered, a?.total, b?.covered, b?.total, change, onlyA, onlyB, countA, countB];
    },
  };
}
