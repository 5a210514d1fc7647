/** Rows of the table `branches`: one for each branch event of a range, as `tracebench branches --events` lists them. */
import { BRANCH_KINDS, EVENT, type Events } from '../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import type { RowGroup } from '../../../shared/requests/tables/row-group.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
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

interface Branch {
  readonly n: RecordNumber;
  readonly cpu: number;
  readonly kind: number;
  readonly flags: number;
  readonly operandSize: number;
  readonly source: readonly [low: number, high: number];
  readonly target: readonly [low: number, high: number];
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
  const branches: Branch[] = [];
  return {
    add(events) {
      for (let at = 0; at < events.count; at++) {
        branches.push({
          n: events.record[at]!,
          cpu: events.cpu[at]!,
          kind: events.kind[at]!,
          flags: events.flags[at]!,
          operandSize: events.operandSize[at]!,
          source: [events.sourceLow[at]!, events.sourceHigh[at]!],
          target: [events.targetLow[at]!, events.targetHigh[at]!],
        });
      }
    },
    encode() {
      // Samples list the newest branch first.
      branches.sort((a, b) => a.n - b.n);
      for (const [row, branch] of branches.entries()) {
        setInteger(n, row, branch.n);
        if (branch.cpu >= 0) setValue(cpu, row, branch.cpu);
        setValue(kind, row, BRANCH_KINDS[branch.kind] ?? 'unknown');
        if ((branch.flags & EVENT.source) !== 0) setAddress(source, sourceSymbol, row, branch.source);
        if ((branch.flags & EVENT.target) !== 0) setAddress(target, targetSymbol, row, branch.target);
        setValue(inferred, row, (branch.flags & EVENT.inferred) !== 0);
        if (branch.operandSize > 0) setValue(operandSize, row, branch.operandSize);
        const marks = marksOf(branch.flags);
        if (marks.length > 0) setValue(flags, row, marks.join(' '));
      }
      const columns = [n, cpu, kind, source, target, sourceSymbol, targetSymbol, inferred, operandSize, flags];
      return encodeGroup(columns, branches.length);
    },
  };

  function setAddress(
    column: DictionaryColumn,
    names: DictionaryColumn,
    row: number,
    [low, high]: readonly [number, number],
  ): void {
    setCode(column, row, codeOfHalves(column, low, high));
    if (images.list.length === 0) return;
    const address = (BigInt(high) << 32n) | BigInt(low);
    if (!symbols.has(address)) {
      const symbol = images.symbolAt(address);
      symbols.set(address, symbol && symbolText(symbol));
    }
    setValue(names, row, symbols.get(address));
  }
}
