/**
 * Rows of the table `calls`: one for each call, as `tracebench calls` counts them. The end of a call may be anywhere after it, so one walk
 * over the trace collects all calls of the wanted records, 37 bytes each, before the first row is encoded.
 */
import { EDGE, EDGE_KINDS } from '../flow/tally/call-edges.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import type { RowGroup } from '../../../shared/requests/tables/row-group.ts';
import { parseAddress, type RecordNumber } from '../../../shared/base/units.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import {
  codeOf,
  dictionaryColumn,
  differenceColumn,
  setCode,
  setInteger,
  setValue,
  type DictionaryColumn,
} from '../../parquet/column.ts';
import { encodeGroup } from '../../parquet/encode-group.ts';
import { moveColumns } from '../collections/columns.ts';
import { callsOf, knownCalls } from '../flow/calls.ts';
import { createCallEdges, type CallEdges } from '../flow/tally/call-edges.ts';
import type { SpanSink } from '../flow/tally/span-columns.ts';
import { functionNames, type FunctionName } from '../queries/calls/function-names.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { RowRange } from './branch-rows.ts';

interface Range {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

interface Collected extends Range {
  readonly calls: CallList;
}

/** The calls that were collected last. */
const COLLECTED = new WeakMap<Trace, Collected>();

export async function callRows(
  trace: Trace,
  { from, to, signed, all }: RowRange & { readonly all: Range },
  task: Task<FlowProgress>,
): Promise<Result<RowGroup>> {
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  let collected = COLLECTED.get(trace);
  if (collected === undefined || collected.from !== all.from || collected.to !== all.to) {
    const list = createCallList(all);
    const { records } = known.value;
    const walked = await callsOf(trace, { from: 0, to: records }, task, { spans: list.spans, edges: list.edges });
    if (!walked.ok) return walked;
    collected = { ...all, calls: list };
    COLLECTED.set(trace, collected);
  }
  return ok(encode(collected.calls, { from, to }, functionNames(trace.images, known.value.functions), signed));
}

interface CallColumns {
  n: Float64Array;
  /** Record with which the call ended; -1 if it is not known. */
  end: Float64Array;
  caller: Int32Array;
  callee: Int32Array;
  depth: Int32Array;
  cpu: Int32Array;
  /** Twice the code of the kind, plus one if the call was inferred. */
  kind: Uint8Array;
}

interface CallList {
  readonly edges: CallEdges;
  readonly columns: CallColumns;
  count(): number;
  spans(cpu: number): SpanSink;
}

/** Depth of a call whose frame was not seen. */
const NO_DEPTH = -0x80000000;

function createCallList({ from, to }: Range): CallList {
  const columns = createColumns(1024);
  /** Rows without an end by record. */
  const open = new Map<number, number>();
  let count = 0;
  const edges: CallEdges = {
    ...createCallEdges(),
    add(caller, callee, kind, inferred, record) {
      if (record < from || record >= to || kind === EDGE.unseen) return;
      if (count === columns.n.length) moveColumns(columns, createColumns(2 * count));
      columns.n[count] = record;
      columns.end[count] = -1;
      columns.caller[count] = caller;
      columns.callee[count] = callee;
      columns.depth[count] = NO_DEPTH;
      columns.cpu[count] = -1;
      columns.kind[count] = kind * 2 + Number(inferred);
      open.set(record, count++);
    },
  };
  return {
    edges,
    columns,
    count: () => count,
    spans: (cpu) => ({
      add(fn, depth, _from, end, since = -1, ended = false) {
        const row = open.get(since);
        if (row === undefined || columns.callee[row] !== fn) return;
        columns.depth[row] = depth;
        columns.cpu[row] = cpu;
        if (!ended) return;
        columns.end[row] = end;
        open.delete(since);
      },
    }),
  };
}

function createColumns(capacity: number): CallColumns {
  return {
    n: new Float64Array(capacity),
    end: new Float64Array(capacity),
    caller: new Int32Array(capacity),
    callee: new Int32Array(capacity),
    depth: new Int32Array(capacity),
    cpu: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
  };
}

function encode(calls: CallList, { from, to }: Range, name: (fn: number) => FunctionName, signed: boolean): RowGroup {
  const { columns: list } = calls;
  const wide = signed ? 'int64' : 'uint64';
  const n = differenceColumn('n');
  const end = differenceColumn('end_n', true);
  const cpu = dictionaryColumn('cpu', 'int32');
  const caller = dictionaryColumn('caller', 'text', false);
  const callee = dictionaryColumn('callee', 'text', false);
  const callerAddress = dictionaryColumn('caller_address', wide);
  const calleeAddress = dictionaryColumn('callee_address', wide);
  const kind = dictionaryColumn('kind', 'text', false);
  const inferred = dictionaryColumn('inferred', 'boolean', false);
  const depth = dictionaryColumn('depth', 'int32');
  const rows = Array.from({ length: calls.count() }, (_, row) => row)
    .filter((row) => list.n[row]! >= from && list.n[row]! < to)
    .sort((a, b) => list.n[a]! - list.n[b]! || a - b);
  for (const [row, at] of rows.entries()) {
    setInteger(n, row, list.n[at]!);
    if (list.end[at]! >= 0) setInteger(end, row, list.end[at]!);
    if (list.cpu[at]! >= 0) setValue(cpu, row, list.cpu[at]);
    setFunction(caller, callerAddress, row, name(list.caller[at]!));
    setFunction(callee, calleeAddress, row, name(list.callee[at]!));
    const code = list.kind[at]!;
    setValue(kind, row, EDGE_KINDS[code >> 1] ?? 'unknown');
    setValue(inferred, row, (code & 1) === 1);
    if (list.depth[at]! !== NO_DEPTH) setValue(depth, row, list.depth[at]);
  }
  const columns = [n, end, cpu, caller, callee, callerAddress, calleeAddress, kind, inferred, depth];
  return encodeGroup(columns, rows.length);
}

function setFunction(
  names: DictionaryColumn,
  addresses: DictionaryColumn,
  row: number,
  { name, address }: FunctionName,
): void {
  setValue(names, row, name);
  const value = address === undefined ? undefined : parseAddress(address);
  if (value === undefined) return;
  const stored = addresses.spec.type === 'int64' ? BigInt.asIntN(64, value) : value;
  setCode(addresses, row, codeOf(addresses, stored));
}
