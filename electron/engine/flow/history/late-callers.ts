/**
 * Callers of the outermost functions of stacks, which only later returns show. A trace of messages may have very many of them, so
 * each takes a few bytes.
 */
import { assert } from '../../../../shared/base/result.ts';
import { ByteReader, ByteWriter } from '../../collections/varint.ts';
import { lastNotAbove } from '../../collections/ascending.ts';

export interface LateCaller {
  readonly fn: number;
  /** The first record after the return that shows it. */
  readonly record: number;
}

export interface LateCallers {
  /** Notes that a return at `record` shows `fn` as the next caller of the stack `begun`. Not allowed after the first read. */
  add(begun: number, fn: number, record: number): void;
  /** Returns the callers of the stack that were found after `record`, innermost first. */
  of(begun: number, record: number): readonly LateCaller[];
  /** Returns all of them as a plain value. */
  table(): LateCallersTable;
}

/** Encoded rows, ordered by stack, and within a stack by the order in which they were found. */
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
  let read: Columns | undefined;
  const added = new ByteWriter(256);
  let count = 0;
  let before = 0;
  /** True while rows come in the order in which their stacks began, as they do if no stack is suspended. */
  let isAscending = true;
  return {
    add(stack, caller, at) {
      assert(sorted === undefined, 'callers are added before they are read');
      write(added, before, stack, caller, at);
      isAscending &&= stack >= before;
      before = stack;
      count++;
    },
    of(stack, after) {
      read ??= decode(table());
      const { begun, fn, record } = read;
      const callers: LateCaller[] = [];
      for (let row = lastNotAbove(begun, stack - 1) + 1; begun[row] === stack; row++)
        if (record[row]! > after) callers.push({ fn: fn[row]!, record: record[row]! });
      return callers;
    },
    table,
  };

  function table(): LateCallersTable {
    if (sorted === undefined) {
      const asAdded = { count, bytes: added.take() };
      sorted = isAscending ? asAdded : encodeSorted(decode(asAdded));
    }
    return sorted;
  }
}

/** Encodes rows in the order of their stacks. */
function encodeSorted({ begun, fn, record }: Columns): LateCallersTable {
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

function decode({ count, bytes }: LateCallersTable): Columns {
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

/** Writes one row. `before`: the beginning of the previous row's stack. */
function write(out: ByteWriter, before: number, begun: number, fn: number, record: number): void {
  out.signed(begun - before);
  out.signed(fn);
  out.signed(record - begun);
}
