/** Callers of what stacks began in, which only later returns tell: in columns, since a trace of messages may have very many. */
import { assert } from '../../../shared/result.ts';
import { lastNotAbove } from './ascending.ts';

export interface LateCallers {
  /** `fn` became known with the record as the next caller of the stack that began with `begun`. Not once anything was asked. */
  add(begun: number, fn: number, record: number): void;
  /** Those of the stack that became known behind `record`, innermost first. */
  of(begun: number, record: number): readonly number[];
  /** All of them as a plain value. */
  table(): LateCallersTable;
}

/** A row for each: by stack, and of a stack in the order in which they became known. */
export interface LateCallersTable {
  readonly begun: Float64Array;
  readonly fn: Int32Array;
  readonly record: Float64Array;
}

export function createLateCallers(from?: LateCallersTable): LateCallers {
  let sorted = from;
  const [begun, fn, record]: [number[], number[], number[]] = [[], [], []];
  return {
    add(stack, caller, at) {
      assert(sorted === undefined, 'callers are added before they are asked for');
      begun.push(stack);
      fn.push(caller);
      record.push(at);
    },
    of(stack, behind) {
      const rows = table();
      const callers: number[] = [];
      for (let row = lastNotAbove(rows.begun, stack - 1) + 1; rows.begun[row] === stack; row++)
        if (rows.record[row]! > behind) callers.push(rows.fn[row]!);
      return callers;
    },
    table,
  };

  function table(): LateCallersTable {
    sorted ??= sort();
    return sorted;
  }

  function sort(): LateCallersTable {
    const order = Uint32Array.from(begun.keys()).sort((a, b) => begun[a]! - begun[b]! || a - b);
    const columns = {
      begun: Float64Array.from(order, (row) => begun[row]!),
      fn: Int32Array.from(order, (row) => fn[row]!),
      record: Float64Array.from(order, (row) => record[row]!),
    };
    for (const column of [begun, fn, record]) column.length = 0;
    return columns;
  }
}
