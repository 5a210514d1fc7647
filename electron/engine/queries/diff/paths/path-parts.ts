/** The aligned parts of two paths in order, and their regions of records. */
import type { DiffRegion, RegionKind } from '../../../../../shared/requests/diff.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import type { PathChunks } from '../../../flow/path/path-chunks.ts';
import { visitBatches } from '../../records/block-reader.ts';
import { elementTest } from './executed.ts';
import type { Side } from './side.ts';

/** The instruction that counts after `skip` other ones, at or after a record. It is looked up only if it is part of the answer. */
export interface Place {
  readonly record: RecordNumber;
  readonly skip: number;
}

/** Returns where a chunk begins, or where all end. */
export function placeOfChunk({ record, skip }: PathChunks, chunk: number): Place {
  return { record: record[chunk]!, skip: skip?.[chunk] ?? 0 };
}

/** A part begins at these places, and ends where the next one begins. */
export interface PathPart {
  readonly kind: RegionKind;
  readonly a: Place;
  readonly b: Place;
  readonly instructionsA: number;
  readonly instructionsB: number;
  /** Of kind `values`: pairs of instructions whose effects differ. */
  readonly differing?: number;
}

/** Adds a part, or makes the last one longer if it has the same kind. Parts without instructions are left out. */
export function addPart(parts: PathPart[], part: PathPart): void {
  if (part.instructionsA === 0 && part.instructionsB === 0) return;
  const last = parts.at(-1);
  if (last?.kind !== part.kind) parts.push(part);
  else
    parts[parts.length - 1] = {
      ...last,
      instructionsA: last.instructionsA + part.instructionsA,
      instructionsB: last.instructionsB + part.instructionsB,
    };
}

/** Returns the first `most` parts as regions, which begin and end at instructions. */
export function regionsOf(
  [one, other]: readonly [Side, Side],
  parts: readonly PathPart[],
  most: number,
): Result<readonly DiffRegion[]> {
  const wanted = parts.slice(0, most + 1);
  const a = recordsOf(
    one,
    wanted.map((part) => part.a),
  );
  if (!a.ok) return a;
  const b = recordsOf(
    other,
    wanted.map((part) => part.b),
  );
  if (!b.ok) return b;
  return ok(
    wanted.slice(0, most).map(({ kind, instructionsA, instructionsB, differing }, at) => ({
      kind,
      a: [a.value[at]!, a.value[at + 1]!],
      b: [b.value[at]!, b.value[at + 1]!],
      instructionsA,
      instructionsB,
      ...(differing !== undefined && { differing }),
    })),
  );
}

/** Returns the records of places in order, and the end of the path. */
function recordsOf(side: Side, places: readonly Place[]): Result<readonly RecordNumber[]> {
  const records: RecordNumber[] = [];
  for (const place of places) {
    const record = recordOf(side, place);
    if (!record.ok) return record;
    records.push(record.value);
  }
  const { record, count } = side.chunks;
  return ok([...records, record[count]!]);
}

/** Returns the record of the instruction at a place, or the number of records. */
export function recordOf(side: Side, { record, skip }: Place): Result<RecordNumber> {
  const { trace, ignored } = side;
  if (skip === 0 && ignored === undefined) return ok(record);
  const { blocks } = trace;
  const isElement = elementTest(side);
  let left = skip;
  let found: RecordNumber | undefined;
  for (let next = record; found === undefined && next < blocks.records;) {
    const block = blocks.blockOfRecord(next);
    const read = visitBatches(trace, block, next - blocks.firstRecord(block), ({ batch, first }) => {
      for (let k = Math.max(0, next - first); k < batch.count && found === undefined; k++)
        if (isElement(batch, k, first + k) && left-- === 0) found = first + k;
      next = first + batch.count;
      return found === undefined;
    });
    if (!read.ok) return read;
  }
  return ok(found ?? blocks.records);
}
