/** Rows of two aligned runs as records, and the row of a record with its partner. */
import { instructionsBefore, isPaired, regionAt } from '../../../../../shared/requests/answers/aligned-rows.ts';
import {
  SIDES,
  type AlignedRows,
  type Counterpart,
  type ProvedBranch,
  type SideName,
} from '../../../../../shared/requests/compare.ts';
import type { Arguments } from '../../../../../shared/requests/requests.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { comparedBy } from '../differences.ts';
import { endedQueue } from '../paths/part-queue.ts';
import type { PathPart, Place } from '../paths/path-parts.ts';
import { compareValues } from '../values/compare-values.ts';
import { alignmentOf, type Alignment } from './alignment.ts';

export async function alignedRows(
  a: Trace,
  b: Trace,
  { from, count, ...pair }: Arguments<'alignedRows'>,
  task: Task<FlowProgress>,
): Promise<Result<AlignedRows>> {
  const alignment = await alignmentOf(a, b, pair, task);
  if (!alignment.ok) return alignment;
  const { table, places, branches } = alignment.value;
  const all = table.rows.at(-1)!;
  const first = Math.min(from, all);
  const to = Math.min(all, first + count);
  const columns = { a: new Float64Array(to - first).fill(-1), b: new Float64Array(to - first).fill(-1) };
  const shown: Record<SideName, (ProvedBranch | null)[]> = { a: [], b: [] };
  for (const [side, name] of SIDES.entries()) {
    const own = table[name];
    const [start, end] = [instructionsBefore(own, table, first), instructionsBefore(own, table, to)];
    const records = places[side]!.records(start, end);
    if (!records.ok) return records;
    const proved = branches?.[side]!.branches(start, end, (side === 0 ? a : b).images);
    let region = regionAt(table.rows, first);
    for (let row = first; row < to; row++) {
      while (row >= table.rows[region + 1]!) region++;
      const number = own[region]! + row - table.rows[region]!;
      const isHere = number < own[region + 1]!;
      if (isHere) columns[name][row - first] = records.value[number - start] ?? -1;
      shown[name].push(isHere ? (proved?.[number - start] ?? null) : null);
    }
  }
  const differs = await differingRows(alignment.value, { from: first, ...columns }, task);
  if (!differs.ok) return differs;
  return ok({ from: first, ...columns, differs: differs.value, ...(branches !== undefined && { branches: shown }) });
}

/**
 * Compares the instructions of rows in regions of kind `values`: those of a region do not all differ. Without values in the alignment,
 * compares those of all regions that both runs executed. Proved branches have no values.
 */
async function differingRows(
  { found, table, sides }: Alignment,
  { from, a, b }: Omit<AlignedRows, 'differs'>,
  task: Task<FlowProgress>,
): Promise<Result<Uint8Array>> {
  const differs = new Uint8Array(a.length);
  if (sides === undefined) return ok(differs);
  const by = comparedBy(sides, undefined);
  if (!by.ok) return by;
  const isOpen = found.by === 'path' && by.value === 'values';
  const to = from + a.length;
  for (let region = regionAt(table.rows, from); region < found.regions.length; region++) {
    const [start, end] = [Math.max(from, table.rows[region]!), Math.min(to, table.rows[region + 1]!)];
    if (start >= to) break;
    const { kind } = found.regions[region]!;
    if (kind !== 'values' && !(isOpen && isPaired(kind))) continue;
    const count = end - start;
    const place = (records: Float64Array): Place => ({ record: records[start - from]!, skip: 0 });
    const part: PathPart = { kind: 'same', a: place(a), b: place(b), instructionsA: count, instructionsB: count };
    const compared = await compareValues(
      sides,
      endedQueue([part]),
      {
        ignored: found.ignored?.registers ?? [],
        decodes: true,
        firstOnly: false,
        most: 1,
        differs: (at) => (differs[start - from + at] = 1),
      },
      task,
    );
    if (!compared.ok) return compared;
  }
  return ok(differs);
}

export async function counterpart(
  a: Trace,
  b: Trace,
  { at, side: name, ...pair }: Arguments<'counterpart'>,
  task: Task<FlowProgress>,
): Promise<Result<Counterpart>> {
  const alignment = await alignmentOf(a, b, pair, task);
  if (!alignment.ok) return alignment;
  const { table, places, found } = alignment.value;
  const own = table[name];
  const before = places[name === 'a' ? 0 : 1].before(at + 1);
  if (!before.ok) return before;
  const number = Math.min(Math.max(0, before.value - 1), Math.max(0, own.at(-1)! - 1));
  const region = regionAt(own, number);
  const kind = found.regions[region]?.kind ?? 'same';
  const within = number - own[region]!;
  const row = table.rows[region]! + within;
  const others = name === 'a' ? 'b' : 'a';
  const otherNumber = table[others][region]! + within;
  if (isPaired(kind)) {
    const other = recordAt(alignment.value, others, otherNumber);
    return other.ok ? ok({ row, kind, other: other.value, before: null, after: null }) : other;
  }
  const nearest = recordAt(alignment.value, others, table[others][region]! - 1);
  if (!nearest.ok) return nearest;
  const next = recordAt(alignment.value, others, table[others][region + 1]!);
  return next.ok ? ok({ row, kind, other: null, before: nearest.value, after: next.value }) : next;
}

function recordAt({ places }: Alignment, name: SideName, number: number): Result<RecordNumber | null> {
  if (number < 0) return ok(null);
  const records = places[name === 'a' ? 0 : 1].records(number, number + 1);
  return records.ok ? ok(records.value[0] ?? null) : records;
}
