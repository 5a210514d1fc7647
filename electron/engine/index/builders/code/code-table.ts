/**
 * The code that ran in a stretch: straight runs of instructions, and outcomes of single instructions. The tables grow with the code, not with
 * the trace. An outcome belongs to the stretch that contains the next instruction of the same CPU.
 */
import { moveColumns } from '../../../collections/columns.ts';
import { RowTable } from '../../../collections/row-table.ts';
import { IndexDamaged, type ByteReader, type ByteWriter } from '../../../collections/varint.ts';

/** Stretches of code, a row each. The upper half is that of both addresses. */
export interface StretchColumns {
  high: Uint32Array;
  /** First and last instruction. */
  low: Uint32Array;
  last: Uint32Array;
  times: Float64Array;
}

export interface Stretches {
  readonly count: number;
  readonly columns: StretchColumns;
}

export interface GrowingStretches extends Stretches {
  /** Halves of addresses may have a sign. */
  add(high: number, low: number, last: number, times: number): void;
  addAll(others: Stretches): void;
  clear(): void;
}

export const PARTS = ['runs', 'skipped', 'taken', 'followed', 'broken'] as const;
type Part = (typeof PARTS)[number];

/**
 * `runs`: each instruction directly follows the one before in memory. The others have single instructions. `skipped`: the condition failed;
 * empty if the trace does not show it. `taken`: it branched. `followed`: the instruction behind it in memory ran next, in another run.
 * `broken`: a run goes on with it although instructions may be missing before it.
 */
export type CodeTable = Readonly<Record<Part, Stretches>>;
export type CodeSum = Readonly<Record<Part, GrowingStretches>>;

export function createCodeSum(): CodeSum {
  return {
    runs: createStretches(),
    skipped: createStretches(),
    taken: createStretches(),
    followed: createStretches(),
    broken: createStretches(),
  };
}

const NONE = -1;

function createStretches(): GrowingStretches {
  const rows = new RowTable(256);
  const columns = createColumns(256);
  /** The row that was added last, and per row the one that came next when it was added before: programs go round. */
  let latest = NONE;
  let followers = new Int32Array(256).fill(NONE);
  const list = {
    count: 0,
    columns,
    add(high: number, low: number, last: number, times: number): void {
      let row = latest === NONE ? NONE : followers[latest]!;
      if (row === NONE || !has(row, high | 0, low | 0, last | 0)) {
        row = rowOf(high, low, last);
        if (latest !== NONE) followers[latest] = row;
      }
      columns.times[row]! += times;
      latest = row;
    },
    addAll({ count, columns: its }: Stretches): void {
      for (let row = 0; row < count; row++) list.add(its.high[row]!, its.low[row]!, its.last[row]!, its.times[row]!);
    },
    clear(): void {
      rows.clear();
      columns.times.fill(0, 0, list.count);
      followers.fill(NONE, 0, list.count);
      list.count = 0;
      latest = NONE;
    },
  };
  return list;

  function has(row: number, high: number, low: number, last: number): boolean {
    return (columns.low[row]! | 0) === low && (columns.last[row]! | 0) === last && (columns.high[row]! | 0) === high;
  }

  function rowOf(high: number, low: number, last: number): number {
    const hash = hashOf(low, last);
    for (let row = rows.first(hash); row >= 0; row = rows.next()) if (has(row, high | 0, low | 0, last | 0)) return row;
    const row = rows.add(hash);
    if (row === columns.low.length) {
      moveColumns(columns, createColumns(2 * row));
      const more = new Int32Array(2 * row).fill(NONE);
      more.set(followers);
      followers = more;
    }
    list.count++;
    columns.high[row] = high;
    columns.low[row] = low;
    columns.last[row] = last;
    return row;
  }
}

function hashOf(a: number, b: number): number {
  const hash = Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

function createColumns(capacity: number): StretchColumns {
  return {
    high: new Uint32Array(capacity),
    low: new Uint32Array(capacity),
    last: new Uint32Array(capacity),
    times: new Float64Array(capacity),
  };
}

/** Writes column by column, because values of one column are similar. Addresses are differences. */
export function writeTable(out: ByteWriter, table: CodeTable): void {
  for (const part of PARTS) {
    const { count, columns } = table[part];
    const { high, low, last, times } = columns;
    out.varint(count);
    for (const column of [high, low])
      for (let row = 0, before = 0; row < count; before = column[row++]!) out.signed(column[row]! - before);
    for (let row = 0; row < count; row++) out.varint(last[row]! - low[row]!);
    for (let row = 0; row < count; row++) out.varint(times[row]!);
  }
}

export function readTable(reader: ByteReader, bytes: number): CodeTable {
  const read = (): Stretches => {
    const count = reader.varint();
    // Each takes a byte or more.
    if (count > bytes) throw new IndexDamaged('a row has more code than bytes');
    const columns = createColumns(count);
    const { high, low, last, times } = columns;
    for (const column of [high, low])
      for (let row = 0, before = 0; row < count; row++) column[row] = before += reader.signed();
    for (let row = 0; row < count; row++) last[row] = low[row]! + reader.varint();
    for (let row = 0; row < count; row++) times[row] = reader.varint();
    return { count, columns };
  };
  return { runs: read(), skipped: read(), taken: read(), followed: read(), broken: read() };
}
