/**
 * Finds the records of notes in the open trace. A note made in another reading of the file keeps its byte offset, and its record is looked
 * up. A new note gets its byte offset and reading here.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { readingOf, type Note, type NoteDraft, type NotePlace } from '../../../shared/requests/notes.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { ByteOffset, RecordNumber } from '../../../shared/base/units.ts';
import { visitBatches } from '../queries/records/block-reader.ts';
import { records } from '../queries/records/records.ts';
import type { Trace } from '../trace.ts';

const SLICE_MS = 8;

/** Returns the notes with their records in this reading. */
export async function placed(trace: Trace, notes: readonly Note[]): Promise<Result<readonly Note[]>> {
  const reading = readingOf(trace.format);
  const foreign = notes.filter(({ place }) => place.reading !== reading);
  if (foreign.length === 0) return ok(notes);
  const found = await recordsOf(
    trace,
    [...new Set(foreign.map(({ place }) => place.offset))].sort((a, b) => a - b),
  );
  if (!found.ok) return found;
  return ok(
    notes.map((note) => {
      if (note.place.reading === reading) return note;
      const { offset, address, length } = note.place;
      const n = found.value.get(offset);
      const where: NotePlace = {
        n: n ?? trace.blocks.records,
        ...(address === undefined ? {} : { address }),
        ...(length === undefined ? {} : { length }),
        offset,
        reading: note.place.reading,
        elsewhere: true,
        ...(n === undefined ? { unreached: true } : {}),
      };
      return { ...note, place: where };
    }),
  );
}

/**
 * Returns the records that contain these bytes or start next after them, or the last record for bytes after all records. Bytes beyond
 * the indexed part are omitted. `offsets` must ascend. Each block is decoded once, in slices.
 */
async function recordsOf(
  trace: Trace,
  offsets: readonly ByteOffset[],
): Promise<Result<ReadonlyMap<ByteOffset, RecordNumber>>> {
  const found = new Map<ByteOffset, RecordNumber>();
  let next = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  while (next < offsets.length) {
    const wanted = offsets[next]!;
    if (trace.blocks.length === 0 || (wanted >= trace.blocks.bytes && !trace.ingest.complete)) break;
    const block = trace.blocks.blockOfOffset(wanted);
    const limit = block + 1 < trace.blocks.length ? trace.blocks.row(block + 1).position : Number.POSITIVE_INFINITY;
    const read = visitBatches(trace, block, 0, ({ batch, first }) => {
      for (let i = 0; i < batch.count && next < offsets.length; i++) {
        while (next < offsets.length && offsets[next]! < batch.end[i]! && offsets[next]! < limit)
          found.set(offsets[next++]!, first + i);
      }
      return next < offsets.length && offsets[next]! < limit;
    });
    if (!read.ok) return read;
    // The remaining offsets in this block are after its last record.
    const last = Math.max(0, Math.min(trace.blocks.firstRecord(block + 1), trace.blocks.records - 1));
    while (next < offsets.length && offsets[next]! < limit) found.set(offsets[next++]!, last);
    if (performance.now() < sliceEnd) continue;
    await breathe();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return ok(found);
}

/** Returns the byte offset of each of these records, as far as they are indexed. Runs in slices. */
export async function offsetsOf(
  trace: Trace,
  numbers: readonly RecordNumber[],
): Promise<Result<ReadonlyMap<RecordNumber, ByteOffset>>> {
  const wanted = [...new Set(numbers)].filter((n) => n < trace.blocks.records).sort((a, b) => a - b);
  const found = new Map<RecordNumber, ByteOffset>();
  let sliceEnd = performance.now() + SLICE_MS;
  for (let next = 0; next < wanted.length;) {
    const block = trace.blocks.blockOfRecord(wanted[next]!);
    const firstRecord = trace.blocks.firstRecord(block);
    const end = trace.blocks.firstRecord(block + 1);
    const read = visitBatches(trace, block, wanted[next]! - firstRecord, ({ batch, first }) => {
      while (next < wanted.length && wanted[next]! < first + batch.count) {
        found.set(wanted[next]!, batch.start[wanted[next]! - first]!);
        next++;
      }
      return next < wanted.length && wanted[next]! < end;
    });
    if (!read.ok) return read;
    if (performance.now() < sliceEnd) continue;
    await breathe();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return ok(found);
}

/**
 * Returns the place of a submitted note. A note that was not moved keeps its place in the reading in which it was made. `shown` is that
 * note as sent to the client, and `kept` as stored in the notebook. `offsets` contains the known offsets of its records.
 */
export function placeOf(
  trace: Trace,
  draft: NoteDraft['place'],
  offsets: ReadonlyMap<RecordNumber, ByteOffset>,
  kept: Note | undefined,
  shown: Note | undefined,
): Result<NotePlace> {
  const what = {
    ...(draft.address === undefined ? {} : { address: draft.address }),
    ...(draft.length === undefined ? {} : { length: draft.length }),
  };
  if (kept !== undefined && shown?.place.n === draft.n && shown.place.to === draft.to) {
    const { n, to, offset, reading } = kept.place;
    return ok({ n, ...(to === undefined ? {} : { to }), ...what, offset, reading });
  }
  if (draft.to !== undefined && draft.to <= draft.n)
    return fail('usage', `a range must end after record ${group(draft.n)}, its first record`);
  const first = offsetOf(trace, draft.n, offsets);
  if (!first.ok) return first;
  if (draft.to !== undefined && draft.to > trace.blocks.records) {
    const last = offsetOf(trace, draft.to - 1, offsets);
    if (!last.ok) return last;
  }
  const to = draft.to === undefined ? {} : { to: draft.to };
  return ok({ n: draft.n, ...to, ...what, offset: first.value, reading: readingOf(trace.format) });
}

/** Records of the first block can be read before any block is indexed. */
function offsetOf(trace: Trace, n: RecordNumber, offsets: ReadonlyMap<RecordNumber, ByteOffset>): Result<ByteOffset> {
  const known = offsets.get(n);
  if (known !== undefined) return ok(known);
  const found = records(trace, { from: n, count: 1 });
  if (!found.ok) return found;
  const record = found.value.records[0];
  if (record !== undefined) return ok(record.offset);
  const count = trace.blocks.records;
  return fail('no-such-record', `there is no record ${group(n)}; the trace has ${group(count)}`);
}

function group(n: number): string {
  return n.toLocaleString('en');
}
