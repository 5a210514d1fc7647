/** Rows of the table `branches`: one for each branch event of a range, as `tracebench branches --events` lists them. */
import { BRANCH_KINDS, EVENT, type Events } from '../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import type { RowGroup } from '../../../shared/requests/tables/row-group.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { joinAddress, type RecordNumber } from '../../../shared/base/units.ts';
import {
  codeOfHalves,
  dictionaryColumn,
  differenceColumn,
  setCode,
  setInteger,
  setValue,
  type DictionaryColumn,
} from '../../parquet/column.ts';
import { encodeGroup } from '../../parquet/encode-group.ts';
import { moveColumns } from '../collections/columns.ts';
import { walkFlow } from '../flow/events/walk.ts';
import { applyInferredKinds } from '../flow/infer/infer-kinds.ts';
import { inferredKinds } from '../flow/infer/inferred-kinds.ts';
import { doubtBranchesToHandlers } from '../flow/interrupts/handlers.ts';
import { withHandlers } from '../flow/interrupts/with-handlers.ts';
import { symbolText } from '../image/symbols.ts';
import { marksOf } from '../queries/calls/branches.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';

export interface RowRange {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly signed: boolean;
}

export async function branchRows(
  trace: Trace,
  { from, to, signed }: RowRange,
  task: Task<FlowProgress>,
): Promise<Result<RowGroup>> {
  const { records } = trace.blocks;
  const inferred = await inferredKinds(trace, records, task);
  if (!inferred.ok) return inferred;
  const columns = await withHandlers(trace, records, task, async (handlers) => {
    const rows = createBranchColumns(trace, signed);
    const walked = await walkFlow(trace, { from, to }, task, {
      take(events) {
        if (!handlers.suffice(events)) return false;
        if (inferred.value !== undefined) applyInferredKinds(events, inferred.value);
        doubtBranchesToHandlers(events, handlers);
        rows.add(events);
        return true;
      },
    });
    return walked.ok ? ok(rows) : walked;
  });
  return columns.ok ? ok(columns.value.encode()) : columns;
}

/** Branches of a row group, in the order in which they were met. */
function createBranches(capacity: number) {
  return {
    n: new Float64Array(capacity),
    cpu: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
    flags: new Uint8Array(capacity),
    operandSize: new Uint8Array(capacity),
    sourceLow: new Uint32Array(capacity),
    sourceHigh: new Uint32Array(capacity),
    targetLow: new Uint32Array(capacity),
    targetHigh: new Uint32Array(capacity),
  };
}

function createBranchColumns({ images }: Trace, signed: boolean): { add(events: Events): void; encode(): RowGroup } {
  const wide = signed ? 'int64' : 'uint64';
  const n = differenceColumn('n');
  const cpu = dictionaryColumn('cpu', 'int32');
  const kind = dictionaryColumn('kind', 'text', false);
  const source = dictionaryColumn('source', wide);
  const target = dictionaryColumn('target', wide);
  const sourceSymbol = dictionaryColumn('source_symbol', 'text');
  const targetSymbol = dictionaryColumn('target_symbol', 'text');
  const inferred = dictionaryColumn('inferred', 'boolean', false);
  const operandSize = dictionaryColumn('operand_size', 'int32');
  const flags = dictionaryColumn('flags', 'text');
  const symbols = new Map<bigint, string | undefined>();
  /** Texts by the flags of an event. */
  const marks: (string | undefined)[] = [];
  const branches = createBranches(1024);
  let count = 0;
  let isSorted = true;
  return {
    add(events) {
      const { length } = branches.n;
      if (count + events.count > length)
        moveColumns(branches, createBranches(Math.max(2 * length, count + events.count)));
      for (let at = 0; at < events.count; at++, count++) {
        branches.n[count] = events.record[at]!;
        branches.cpu[count] = events.cpu[at]!;
        branches.kind[count] = events.kind[at]!;
        branches.flags[count] = events.flags[at]!;
        branches.operandSize[count] = events.operandSize[at]!;
        branches.sourceLow[count] = events.sourceLow[at]!;
        branches.sourceHigh[count] = events.sourceHigh[at]!;
        branches.targetLow[count] = events.targetLow[at]!;
        branches.targetHigh[count] = events.targetHigh[at]!;
        if (count > 0 && branches.n[count]! < branches.n[count - 1]!) isSorted = false;
      }
    },
    encode() {
      const order = Uint32Array.from({ length: count }, (_, at) => at);
      // Samples list the newest branch first.
      if (!isSorted) order.sort((a, b) => branches.n[a]! - branches.n[b]! || a - b);
      for (let row = 0; row < count; row++) {
        const at = order[row]!;
        const mark = branches.flags[at]!;
        setInteger(n, row, branches.n[at]!);
        if (branches.cpu[at]! >= 0) setValue(cpu, row, branches.cpu[at]);
        setValue(kind, row, BRANCH_KINDS[branches.kind[at]!] ?? 'unknown');
        if ((mark & EVENT.source) !== 0)
          setAddress(source, sourceSymbol, row, branches.sourceLow[at]!, branches.sourceHigh[at]!);
        if ((mark & EVENT.target) !== 0)
          setAddress(target, targetSymbol, row, branches.targetLow[at]!, branches.targetHigh[at]!);
        setValue(inferred, row, (mark & EVENT.inferred) !== 0);
        if (branches.operandSize[at]! > 0) setValue(operandSize, row, branches.operandSize[at]);
        const text = (marks[mark] ??= marksOf(mark).join(' '));
        if (text !== '') setValue(flags, row, text);
      }
      const columns = [n, cpu, kind, source, target, sourceSymbol, targetSymbol, inferred, operandSize, flags];
      return encodeGroup(columns, count);
    },
  };

  function setAddress(column: DictionaryColumn, names: DictionaryColumn, row: number, low: number, high: number): void {
    setCode(column, row, codeOfHalves(column, low, high));
    if (images.list.length === 0) return;
    const address = joinAddress(low, high);
    if (!symbols.has(address)) {
      const symbol = images.symbolAt(address);
      symbols.set(address, symbol && symbolText(symbol));
    }
    setValue(names, row, symbols.get(address));
  }
}
