/** Rows of two aligned runs as records, and the row of a record with its partner. */
import { instructionsBefore, isPaired, regionAt } from '../../../../../shared/requests/answers/aligned-rows.ts';
import type { AlignedRows, Counterpart } from '../../../../../shared/requests/compare.ts';
import type { Arguments } from '../../../../../shared/requests/requests.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { comparedBy } from '../differences.ts';
import type { PathPart, Place } from '../paths/path-parts.ts';
import { compareValues } from '../values/compare-values.ts';
import { alignmentOf, type Alignment } from './alignment.ts';
import { instructionsBeforeRecord, recordsOfInstructions } from './places.ts';

export async function alignedRows(
  a: Trace,
  b: Trace,
  { from, count, ...pair }: Arguments<'alignedRows'>,
  task: Task<FlowProgress>,
): Promise<Result<AlignedRows>> {
  const alignment = await alignmentOf(a, b, pair, task);
  if (!alignment.ok) return alignment;
  const { table } = alignment.value;
  const all = table.rows.at(-1)!;
  const first = Math.min(from, all);
  const to = Math.min(all, first + count);
  const columns = { a: new Float64Array(to - first).fill(-1), b: new Float64Array(to - first).fill(-1) };
  for (const [side, name] of (['a', 'b'] as const).entries()) {
    const own = table[name];
    const start = instructionsBefore(own, table, first);
    const records = recordsOfInstructions(alignment.value.sides[side]!, start, instructionsBefore(own, table, to));
    if (!records.ok) return records;
    let region = regionAt(table.rows, first);
    for (let row = first; row < to; row++) {
      while (row >= table.rows[region + 1]!) region++;
      const number = own[region]! + row - table.rows[region]!;
      if (number < own[region + 1]!) columns[name][row - first] = records.value[number - start] ?? -1;
    }
  }
  const differs = await differingRows(alignment.value, { from: first, ...columns }, task);
  return differs.ok ? ok({ from: first, ...columns, differs: differs.value }) : differs;
}

/**
 * Compares the instructions of rows in regions of kind `values`: those of a region do not all differ. Without values in the alignment,
 * compares those of all regions that both runs executed.
 */
async function differingRows(
  { found, table, sides }: Alignment,
  { from, a, b }: Omit<AlignedRows, 'differs'>,
  task: Task<FlowProgress>,
): Promise<Result<Uint8Array>> {
  const differs = new Uint8Array(a.length);
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
      [part],
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
  const { table, sides, found } = alignment.value;
  const own = table[name];
  const before = instructionsBeforeRecord(sides[name === 'a' ? 0 : 1], at + 1);
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

function recordAt({ sides }: Alignment, name: 'a' | 'b', number: number): Result<RecordNumber | null> {
  if (number < 0) return ok(null);
  const records = recordsOfInstructions(sides[name === 'a' ? 0 : 1], number, number + 1);
  return records.ok ? ok(records.value[0] ?? null) : records;
}
