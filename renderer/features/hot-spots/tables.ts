/** The tables of the pane as CSV. */
import type { Loop, ProfileFunction, ProfilePair } from '../../../shared/requests/profile.ts';
import type { Table } from '../../widgets/table.ts';
import type { FunctionChangeRow, LineChangeRow } from './change-rows.ts';
import type { CodeRow } from './code-rows.ts';

export function functionTable(rows: readonly ProfileFunction[], unit: string): Table {
  return {
    name: 'hot-spots',
    head: [
      ...['function', 'address', 'other names', `self ${unit}`, `total ${unit}`],
      ...['calls', 'of these inferred', 'known from returns', 'first', 'longest from', 'longest to', 'may be longer'],
    ],
    count: rows.length,
    row(index) {
      const { name, address, aliases, self, total, calls, inferred, unseen, first, longest } = rows[index]!;
      const stay = longest ? [longest.from, longest.to, longest.open ? 'yes' : 'no'] : [];
      return [name, address, aliases.join(' '), self, total, calls, inferred ?? 0, unseen ?? 0, first, ...stay];
    },
  };
}

export function codeTable(rows: readonly CodeRow[], unit: string): Table {
  return {
    name: 'hot-code',
    head: ['kind', 'name', 'file', 'line', 'address', 'function', unit, 'times'],
    count: rows.length,
    row(index) {
      const { kind, name, file, line, address, function: fn, self, count } = rows[index]!;
      return [kind, name, file, line, address, fn?.name, self, count];
    },
  };
}

export function pairTable(
  pairs: readonly ProfilePair[],
  end: 'caller' | 'callee',
  unit: string,
  nameOf: (id: string) => string,
): Table {
  return {
    name: `${end}s`,
    head: ['caller', 'callee', `total ${unit}`, 'calls', 'of these inferred', 'known from returns', 'kinds', 'first'],
    count: pairs.length,
    row(index) {
      const { caller, callee, total, calls, inferred, unseen, kinds, first } = pairs[index]!;
      return [nameOf(caller), nameOf(callee), total, calls, inferred ?? 0, unseen ?? 0, kinds.join(' '), first];
    },
  };
}

export function loopTable(loops: readonly Loop[]): Table {
  return {
    name: 'loops',
    head: [
      ...['header', 'end', 'function', 'iterations', 'entries', 'back edges'],
      ...[
        'instructions at least',
        'instructions at most',
        'depth',
        'outer loop',
        'first',
        'inferred',
        'entered before',
      ],
    ],
    count: loops.length,
    row(index) {
      const { header, end, iterations, entries, backEdges, least, most, depth, outer, first } = loops[index]!;
      const { inferred, begunBefore } = loops[index]!;
      const body = [header, end, loops[index]!.function, iterations, entries, backEdges];
      const marks = [inferred ? 'inferred' : undefined, begunBefore ? 'entered before' : undefined];
      return [...body, least, most, depth, outer, first, ...marks];
    },
  };
}

export function functionChangeTable(rows: readonly FunctionChangeRow[], unit: string): Table {
  return {
    name: 'function-changes',
    head: [
      ...['function', `self ${unit} in A`, `self ${unit} in B`, 'change', `total ${unit} in A`, `total ${unit} in B`],
      ...['calls in A', 'calls in B'],
    ],
    count: rows.length,
    row(index) {
      const { name, a, b } = rows[index]!;
      return [name, a?.self, b?.self, (b?.self ?? 0) - (a?.self ?? 0), a?.total, b?.total, a?.calls, b?.calls];
    },
  };
}

export function lineChangeTable(rows: readonly LineChangeRow[]): Table {
  return {
    name: 'line-changes',
    head: ['line', 'instructions in A', 'instructions in B', 'change', 'times in A', 'times in B'],
    count: rows.length,
    row(index) {
      const { name, a, b } = rows[index]!;
      return [name, a?.self, b?.self, (b?.self ?? 0) - (a?.self ?? 0), a?.count, b?.count];
    },
  };
}
