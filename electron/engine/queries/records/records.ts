/** Reads records by number, by file offset and by time. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments } from '../../../../shared/requests/requests.ts';
import { BEYOND_INDEX } from '../../../../shared/requests/failures.ts';
import type { FieldSpan, RecordView } from '../../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { recordBytes, recordView, visitBatches } from './block-reader.ts';

const SLICE_MS = 8;
const MOST_RECORDS = 10_000;
const MOST_BYTES = 65536;

/**
 * Returns records starting at `from`. The first block can be read before any block is indexed. Fails beyond the indexed prefix. Returns no
 * records at the end of a complete trace.
 */
export function records(
  trace: Trace,
  { from, count }: Pick<Arguments<'records'>, 'from' | 'count'>,
): Result<Answer<'records'>> {
  const views: RecordView[] = [];
  const wanted = Math.min(count, MOST_RECORDS);
  const reach = reachOf(trace);
  if (trace.reader.plan.blocks === 0 || wanted <= 0) return ok({ records: views, reach });
  if (from >= reach.records && reach.complete) return ok({ records: views, reach });
  let block = from < reach.records ? trace.blocks.blockOfRecord(from) : 0;
  if (from >= reach.records && trace.blocks.length > 0) return beyond(from, reach);
  let next = from;
  do {
    const firstRecord = block < trace.blocks.length ? trace.blocks.firstRecord(block) : 0;
    const read = visitBatches(trace, block, Math.max(0, next - firstRecord), (decoded) => {
      for (let i = Math.max(0, next - decoded.first); i < decoded.batch.count && views.length < wanted; i++) {
        views.push(recordView(trace, decoded, i));
        next++;
      }
      return views.length < wanted;
    });
    if (!read.ok) return read;
    block++;
  } while (views.length < wanted && block < trace.blocks.length);
  if (views.length === 0 && !reach.complete) return beyond(from, reach);
  return ok({ records: views, reach });
}

/** Returns records by ascending numbers. Each block with such records is decoded once, in slices. */
export async function recordsAt(
  trace: Trace,
  { numbers }: Pick<Arguments<'recordsAt'>, 'numbers'>,
  task: Task,
): Promise<Result<Answer<'recordsAt'>>> {
  const views: RecordView[] = [];
  const reach = reachOf(trace);
  const end = numbers.findIndex((n) => n >= reach.records);
  const wanted = end < 0 ? numbers : numbers.slice(0, end);
  let sliceEnd = performance.now() + SLICE_MS;
  while (views.length < wanted.length) {
    const block = trace.blocks.blockOfRecord(wanted[views.length]!);
    const first = trace.blocks.firstRecord(block);
    const read = visitBatches(trace, block, wanted[views.length]! - first, (decoded) => {
      const next = decoded.first + decoded.batch.count;
      while (views.length < wanted.length && wanted[views.length]! < next) {
        views.push(recordView(trace, decoded, wanted[views.length]! - decoded.first));
      }
      return views.length < wanted.length && wanted[views.length]! < trace.blocks.firstRecord(block + 1);
    });
    if (!read.ok) return read;
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return ok({ records: views, reach });
}

export function recordAt(trace: Trace, { offset }: Pick<Arguments<'recordAt'>, 'offset'>): Result<Answer<'recordAt'>> {
  const reach = reachOf(trace);
  if (offset >= trace.file.bytes || trace.reader.plan.blocks === 0) return ok({ n: null, reach });
  const unreached = fail(BEYOND_INDEX, `byte ${offset.toLocaleString('en')} is not indexed yet`);
  if (trace.blocks.length > 0 && offset >= trace.blocks.bytes && !reach.complete) return unreached;
  let n: RecordNumber | null = null;
  let end = 0;
  const block = trace.blocks.length === 0 ? 0 : trace.blocks.blockOfOffset(offset);
  const read = visitBatches(trace, block, 0, ({ batch, first }) => {
    for (let i = 0; i < batch.count; i++) {
      end = batch.end[i]!;
      if (batch.start[i]! > offset) return false;
      if (offset >= end) continue;
      n = first + i;
      return false;
    }
    return true;
  });
  if (!read.ok) return read;
  // Before anything is indexed, only the first block is read.
  return trace.blocks.length === 0 && offset >= end ? unreached : ok({ n, reach });
}

/** Returns the first record in file order at or after the given time. */
export function recordAtTime(
  trace: Trace,
  { time }: Pick<Arguments<'recordAtTime'>, 'time'>,
): Result<Answer<'recordAtTime'>> {
  const reach = reachOf(trace);
  for (let block = 0; block < trace.blocks.length; block++) {
    const { timeHighest } = trace.blocks.row(block);
    if (timeHighest === null || timeHighest < time) continue;
    const found: RecordNumber[] = [];
    const read = visitBatches(trace, block, 0, ({ batch, first }) => {
      // A record without a time has NaN, which matches no time.
      const index = batch.time.subarray(0, batch.count).findIndex((itsTime) => itsTime >= time);
      if (index >= 0) found.push(first + index);
      return index < 0;
    });
    if (!read.ok) return read;
    if (found[0] !== undefined) return ok({ n: found[0], reach });
  }
  return ok({ n: null, reach });
}

/** Returns bytes of the file with the records in them and the named fields of each record. */
export function bytes(
  trace: Trace,
  { offset, length }: Pick<Arguments<'bytes'>, 'offset' | 'length'>,
): Result<Answer<'bytes'>> {
  const fileBytes = trace.file.bytes;
  const start = Math.min(Math.max(0, offset), fileBytes);
  const content = new Uint8Array(Math.min(length, MOST_BYTES, fileBytes - start));
  const read = trace.reader.source.read(start, content, 0, content.length);
  if (!read.ok) return read;
  const found = recordsBetween(trace, start, start + content.length);
  if (!found.ok) return found;
  return ok({ offset: start, bytes: content, fileBytes, records: found.value });
}

type SpannedRecord = Answer<'bytes'>['records'][number];

function recordsBetween(trace: Trace, start: ByteOffset, end: ByteOffset): Result<SpannedRecord[]> {
  const found: SpannedRecord[] = [];
  if (start === end) return ok(found);
  let block = trace.blocks.length === 0 ? 0 : trace.blocks.blockOfOffset(start);
  do {
    const read = visitBatches(trace, block, 0, (decoded) => {
      const { batch, first } = decoded;
      for (let i = 0; i < batch.count; i++) {
        const offset = batch.start[i]!;
        if (offset >= end) return false;
        if (batch.end[i]! <= start) continue;
        const fields: readonly FieldSpan[] = trace.reader.decoder.fields(recordBytes(decoded, i), batch, i);
        const native = trace.reader.decoder.nativeName(batch.native[i]!);
        found.push({ n: first + i, offset, bytes: batch.end[i]! - offset, native, fields });
      }
      return true;
    });
    if (!read.ok) return read;
    block++;
  } while (block < trace.blocks.length && trace.blocks.row(block).position < end);
  return ok(found);
}
