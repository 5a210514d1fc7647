/** The visible rows of the pane as CSV. */
import type { Table } from '../../widgets/table.ts';
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
