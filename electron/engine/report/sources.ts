/** Determines the file bytes that an answer is based on. */
import { ok, type Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { records } from '../queries/records/records.ts';
import type { Trace } from '../trace.ts';
import type { Source, Stretch } from './document.ts';

/** Describes a query of the records [from, to), by default all records, with the file bytes of these records. */
export function sourceOf(
  trace: Trace,
  call: string,
  args: Source['arguments'],
  range: { readonly from?: RecordNumber | undefined; readonly to?: RecordNumber | undefined } = {},
): Result<Source> {
  const all = trace.blocks.records;
  const from = Math.min(range.from ?? 0, all);
  const to = Math.max(from, Math.min(range.to ?? all, all));
  const bytes = bytesOf(trace, from, to);
  return bytes.ok ? ok({ call, arguments: args, records: { from, to }, bytes: bytes.value }) : bytes;
}

function bytesOf(trace: Trace, from: RecordNumber, to: RecordNumber): Result<Stretch> {
  const isAll = from === 0 && to === trace.blocks.records;
  if (isAll) return ok({ from: 0, to: trace.file.bytes });
  if (from >= to) return ok({ from: 0, to: 0 });
  const first = records(trace, { from, count: 1 });
  if (!first.ok) return first;
  const last = to === from + 1 ? first : records(trace, { from: to - 1, count: 1 });
  if (!last.ok) return last;
  const [head] = first.value.records;
  const [tail] = last.value.records;
  return ok({ from: head?.offset ?? 0, to: tail === undefined ? 0 : tail.offset + tail.bytes });
}
