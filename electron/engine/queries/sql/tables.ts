/** Answers the tables of SQL: shared/sql/schema.ts describes them. Rows are produced as they are requested. */
import { BRANCH_KINDS } from '../../../../shared/flow/events.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { READS, WRITES, type Kind, type RecordView } from '../../../../shared/records/record.ts';
import type { CallTreeNode } from '../../../../shared/requests/flow.ts';
import { sqlTable } from '../../../../shared/sql/schema.ts';
import type { Cell } from '../../sql/protocol.ts';
import { notebook } from '../../notebook/requests.ts';
import type { Trace } from '../../trace.ts';
import { branchEvents } from '../calls/branch-events.ts';
import { callTree } from '../calls/call-tree.ts';
import { calls as callGraph } from '../calls/calls.ts';
import { coverage } from '../coverage/coverage.ts';
import { find } from '../find/find.ts';
import { diagnostics } from '../info/diagnostics.ts';
import { callRows } from './call-rows.ts';
import { described, fieldsOf, recordRows } from './record-rows.ts';
import { MOST_ROWS, rangeOf, type Range, type Rows, type TableQuestion } from './rows.ts';

export const TABLES: Readonly<Record<string, (question: TableQuestion, args: readonly Cell[]) => Rows>> = {
  records: (question, [from, to]) => recordRows(question, 'records', rangeOf(question.trace, from, to)),
  accesses,
  instructions: (question, [from, to, low, high]) =>
    touching(question, 'instructions', rangeOf(question.trace, from, to), ['instruction', 'skipped'], low, high),
  register_sets: registerSets,
  calls: (question, [from, to, name]) =>
    callRows(question, rangeOf(question.trace, from, to), name as string | undefined),
  async *functions({ trace, task }, [from, to]) {
    const range = rangeOf(trace, from, to);
    if (range.from >= range.to) return ok(undefined);
    const found = await callGraph(trace, range, task);
    if (!found.ok) return found;
    yield found.value.functions.map(({ name, address, calls, self, total }) => [name, address, calls, self, total]);
    return ok(undefined);
  },
  branches,
  async *contexts({ trace, task }, [from, to]) {
    const range = rangeOf(trace, from, to);
    if (range.from >= range.to) return ok(undefined);
    const found = await callTree(trace, range, task);
    if (!found.ok) return found;
    yield contextRows(found.value.roots);
    return ok(undefined);
  },
  async *coverage({ trace, task }, [from, to]) {
    const range = rangeOf(trace, from, to);
    if (range.from >= range.to) return ok(undefined);
    const found = await coverage(trace, range, task);
    if (!found.ok) return found;
    const { instructions: its, lines, functions } = found.value;
    yield its.addresses.map((address, i) => {
      const line = lines[its.lines[i]!];
      return [
        ...[address, its.sizes[i], its.counts[i], its.kinds[i], its.taken[i], its.notTaken[i]],
        ...[functions[its.functions[i]!]?.name, line?.file, line?.line],
      ];
    });
    return ok(undefined);
  },
  async *lines({ trace, task }, [from, to]) {
    const range = rangeOf(trace, from, to);
    if (range.from >= range.to) return ok(undefined);
    const found = await coverage(trace, { ...range, level: 'line' }, task);
    if (!found.ok) return found;
    yield found.value.lines.map(({ file, line, most, sum }) => [file, line, most, sum]);
    return ok(undefined);
  },
  diagnostics: ({ trace }) => at(diagnosticRows(trace)),
  async *notes({ trace }) {
    const found = await notebook(trace);
    if (!found.ok) return found;
    yield found.value.notes.map(({ place, title, text, colour, tags, created, changed }) => [
      ...[place.n, place.to, place.address, place.address === undefined ? undefined : (place.length ?? 1)],
      ...[title, text, colour, tags.join(','), created, changed],
    ]);
    return ok(undefined);
  },
};

/** Returns the rows of a table that are known at once. */
async function* at(rows: Result<readonly (readonly Cell[])[]>): Rows {
  const found = await Promise.resolve(rows);
  if (!found.ok) return found;
  yield found.value;
  return ok(undefined);
}

function diagnosticRows(trace: Trace): Result<readonly (readonly Cell[])[]> {
  const found = diagnostics(trace);
  if (!found.ok) return found;
  const rows = found.value.groups.flatMap(({ code, text, shapes }) =>
    shapes.map(({ shape, count, firstOffset, firstRecord }) => [code, shape, count, firstOffset, firstRecord, text]),
  );
  return ok(rows);
}

const MEMORY: readonly Kind[] = [...READS, ...WRITES];

async function* accesses(question: TableQuestion, [from, to, low, high, kind]: readonly Cell[]): Rows {
  const range = rangeOf(question.trace, from, to);
  const kinds = MEMORY.filter((one) => kind === undefined || one === kind);
  if (kinds.length === 0)
    return fail('usage', `accesses: there is no kind '${String(kind)}' of access; kinds are ${MEMORY.join(', ')}`);
  return yield* touching(question, 'accesses', range, kinds, low, high);
}

/** Returns the records of these kinds that touch addresses from low to high. */
async function* touching(
  question: TableQuestion,
  table: string,
  range: Range,
  kinds: readonly Kind[],
  low: Cell,
  high: Cell,
): Rows {
  if (low === undefined && high === undefined) return yield* recordRows(question, table, range, kinds);
  const [lowest, highest] = [(low ?? 0n) as bigint, (high ?? 2n ** 64n - 1n) as bigint];
  if (lowest > highest) return ok(undefined);
  const columns = sqlTable(table)!.columns.map(({ name }) => name);
  const what = { kinds, address: { low: toHex(lowest), high: toHex(highest) } };
  return yield* matches(question, range, what, (record) => [fieldsOf(columns, record)]);
}

async function* registerSets(question: TableQuestion, [from, to, name]: readonly Cell[]): Rows {
  const range = rangeOf(question.trace, from, to);
  const what = name === undefined ? { kinds: ['register'] as const } : { register: name as string };
  return yield* matches(question, range, what, ({ n, time, cpu, register, value, registers }) =>
    (registers ?? (register === undefined ? [] : [[register, value] as const]))
      .filter(([its]) => name === undefined || its === name)
      .map(([its, held]) => [n, time, cpu, its, held]),
  );
}

type Criteria = Pick<Parameters<typeof find>[1], 'kinds' | 'address' | 'register'>;

async function* matches(
  { trace, task, first, uses }: TableQuestion,
  { from, to }: Range,
  what: Criteria,
  rowsOf: (record: RecordView) => readonly (readonly Cell[])[],
): Rows {
  for (let at = from, limit = first; at < to; limit = Math.min(MOST_ROWS, limit * 8)) {
    const found = await find(trace, { ...what, from: at, to, limit }, task);
    if (!found.ok) return found;
    const { records } = found.value;
    yield (await described({ trace, uses }, records)).flatMap(rowsOf);
    if (records.length < limit) break;
    at = records.at(-1)!.n + 1;
  }
  return ok(undefined);
}

async function* branches({ trace, task, first }: TableQuestion, [from, to, kind]: readonly Cell[]): Rows {
  const range = rangeOf(trace, from, to);
  const kinds = BRANCH_KINDS.filter((one) => one === kind);
  if (kind !== undefined && kinds.length === 0)
    return fail('usage', `branches: there is no kind '${String(kind)}'; kinds are ${BRANCH_KINDS.join(', ')}`);
  let next: RecordNumber | null = range.from;
  for (let count = first; next !== null && next < range.to; count = Math.min(MOST_ROWS, count * 8)) {
    const args: Parameters<typeof branchEvents>[1] = {
      from: next,
      to: range.to,
      count,
      ...(kind !== undefined && { kinds }),
    };
    const found = await branchEvents(trace, args, task);
    if (!found.ok) return found;
    yield found.value.events.map(({ n, cpu, kind: its, source, target, sourceSymbol, targetSymbol, inferred }) => [
      ...[n, cpu, its, source, target, sourceSymbol, targetSymbol, Number(inferred)],
    ]);
    next = found.value.next;
  }
  return ok(undefined);
}

function contextRows(roots: readonly CallTreeNode[]): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [];
  const waiting = roots.toReversed().map((node) => ({ node, parent: null as number | null, depth: 0 }));
  for (let next; (next = waiting.pop()) !== undefined;) {
    const { node, parent, depth } = next;
    const id = rows.length;
    rows.push([id, parent, depth, node.function, node.calls, node.self, node.total, node.first]);
    for (const child of node.children.toReversed()) waiting.push({ node: child, parent: id, depth: depth + 1 });
  }
  return rows;
}
