/** Samples the value of a register or of memory over time: its value after the last record of each column. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments } from '../../../../shared/requests/requests.ts';
import { KNOWN, type SearchProgress } from '../../../../shared/requests/records.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type Hex, type RecordNumber } from '../../../../shared/base/units.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from '../find/find.ts';
import { evenEdges } from '../heat/grid.ts';
import { memory } from './memory.ts';
import { registers } from './registers.ts';

type Question = Omit<Arguments<'values'>, 'trace'>;

export async function values(
  trace: Trace,
  question: Question,
  task: Task<SearchProgress>,
): Promise<Result<Answer<'values'>>> {
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, question);
  const first = Math.min(from, to);
  const edges = columnEdges(trace, first, to, Math.min(question.columns, to - first));
  const found: (Hex | null)[] = [];
  for (let column = 0; column + 1 < edges.length; column++) {
    const at = edges[column + 1]! - 1;
    const value = await valueAt(trace, question, at, task);
    if (!value.ok) return value;
    found.push(value.value);
    task.progress(() => ({ at }));
    await breathe();
    if (task.cancelled()) return task.cancel();
  }
  return ok({ edges, values: found, reach });
}

/** Returns edges of columns. If there are many blocks, columns end where blocks do, because values there need no decoding. */
function columnEdges({ blocks }: Trace, from: RecordNumber, to: RecordNumber, columns: number): Float64Array {
  const edges = evenEdges(from, to, columns);
  const inside = edges.subarray(1, Math.max(1, edges.length - 1));
  const starts = inside.map((edge) => blocks.firstRecord(blocks.blockOfRecord(edge)));
  const isAscending = starts.every((start, at) => start > (at === 0 ? from : starts[at - 1]!));
  if (isAscending) inside.set(starts);
  return edges;
}

async function valueAt(
  trace: Trace,
  { register, cpu, address, length = 4, bigEndian = false }: Question,
  at: RecordNumber,
  task: Task<SearchProgress>,
): Promise<Result<Hex | null>> {
  if (register !== undefined) {
    const found = registers(trace, { at, ...(cpu !== undefined && { cpu }) });
    if (!found.ok) return found;
    const own = found.value.files[0]?.registers.find(({ name }) => name === register);
    return ok(own?.value ?? null);
  }
  const found = await memory(trace, { at, address: address ?? '0x0', length }, withoutProgress(task));
  if (!found.ok) return found;
  const { bytes, known } = found.value;
  if (known.includes(KNOWN.not)) return ok(null);
  const ordered = bigEndian ? bytes : bytes.toReversed();
  return ok(toHex(ordered.reduce((value, byte) => value * 256n + BigInt(byte), 0n)));
}
