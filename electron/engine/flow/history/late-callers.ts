/** Callers of what stacks began in, which only later returns tell: in few bytes each, since a trace of messages may have very many. */
import { assert } from '../../../../shared/base/result.ts';
import { ByteReader, ByteWriter } from '../../collections/varint.ts';
import { lastNotAbove } from '../../collections/ascending.ts';

export interface LateCallers {
  /** `fn` became known with the record as the next caller of the stack that began with `begun`. Not once anything was asked. */
  add(begun: number, fn: number, record: number): void;
  /** Those of the stack that became known behind `record`, innermost first. */
  of(begun: number, record: number): readonly number[];
  /** All of them as a plain value. */
  table(): LateCallersTable;
}

/** By stack, and of a stack in the order in which they became known: as `coded` writes them. */
export interface LateCallersTable {
  readonly count: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Columns {
  readonly begun: Float64Array;
  readonly fn: Int32Array;
  readonly record: Float64Array;
}

export function createLateCallers(from?: LateCallersTable): LateCallers {
  let sorted = from;
  let asked: Columns | undefined;
  const added = new ByteWriter(256);
  let count = 0;
  let before = 0;
  /** Stacks were told of in the order in which they began, as they are where none is left aside. */
  let isAscending = true;
  return {
    add(stack, caller, at) {
      assert(sorted === undefined, 'callers are added before they are asked for');
      write(added, before, stack, caller, at);
      isAscending &&= stack >= before;
      before = stack;
      count++;
    },
    of(stack, behind) {
      asked ??= decoded(table());
      const { begun, fn, record } = asked;
      const callers: number[] = [];
      for (let row = lastNotAbove(begun, stack - 1) + 1; begun[row] === stack; row++)
        if (record[row]! > behind) callers.push(fn[row]!);
      return callers;
    },
    table,
  };

  function table(): LateCallersTable {
    if (sorted === undefined) {
      const asAdded = { count, bytes: added.take() };
      sorted = isAscending ? asAdded : coded(decoded(asAdded));
    }
    return sorted;
  }
}

/** In the order of their stacks. */
function coded({ begun, fn, record }: Columns): LateCallersTable {
  const order = new Uint32Array(begun.length);
  for (let row = 0; row < order.length; row++) order[row] = row;
  order.sort((a, b) => begun[a]! - begun[b]! || a - b);
  const out = new ByteWriter(4 * order.length);
  let before = 0;
  for (const row of order) {
    write(out, before, begun[row]!, fn[row]!, record[row]!);
    before = begun[row]!;
  }
  return { count: order.length, bytes: out.take() };
}

function decoded({ count, bytes }: LateCallersTable): Columns {
  const reader = new ByteReader(bytes);
  const begun = new Float64Array(count);
  const fn = new Int32Array(count);
  const record = new Float64Array(count);
  let before = 0;
  for (let row = 0; row < count; row++) {
    before += reader.signed();
    begun[row] = before;
    fn[row] = reader.signed();
    record[row] = before + reader.signed();
  }
  return { begun, fn, record };
}

/** `before`: where the stack of the row before began. */
function write(out: ByteWriter, before: number, begun: number, fn: number, record: number): void {
  out.signed(begun - before);
  out.signed(fn);
  out.signed(record - begun);
}
