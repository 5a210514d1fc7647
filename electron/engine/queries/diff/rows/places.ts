/** Numbers the elements of one run from 0: finds the number of a record and the records of numbers. */
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { regionAt } from '../../../../../shared/requests/answers/aligned-rows.ts';
import { cachePer } from '../../../collections/cache-per.ts';
import type { PathChunks } from '../../../flow/path/path-chunks.ts';
import { createReader, executedIn } from '../paths/executed.ts';
import type { Side } from '../paths/side.ts';

export interface Places {
  /** Returns the number of elements before a record. */
  before(record: RecordNumber): Result<number>;
  /** Returns the records of the elements [from, to), fewer at the end of the trace. */
  records(from: number, to: number): Result<readonly RecordNumber[]>;
}

/** Returns the places of all elements of the path of a CPU. Each question decodes at most a chunk more than asked. */
export function pathPlaces(side: Side): Places {
  const { chunks } = side;
  return {
    before(record) {
      if (chunks.count === 0 || record <= chunks.record[0]!) return ok(0);
      const chunk = Math.min(chunks.count - 1, regionAt(chunks.record, record));
      const before = executedIn(side, chunks.record[chunk]!, record);
      return before.ok ? ok(startsOf(chunks)[chunk]! - skipOf(chunks, chunk) + before.value.length) : before;
    },
    records(from, to) {
      const found: RecordNumber[] = [];
      if (chunks.count === 0 || from >= to) return ok(found);
      const starts = startsOf(chunks);
      const chunk = Math.min(chunks.count - 1, regionAt(starts, from));
      const reader = createReader(side, chunks.record[chunk]!);
      for (let number = starts[chunk]! - skipOf(chunks, chunk); number < to; number++) {
        const next = reader.next();
        if (!next.ok) return next;
        if (next.value === undefined) break;
        if (number >= from) found.push(next.value.record);
      }
      return ok(found);
    },
  };
}

/** Elements between the record of a chunk and its first element. */
function skipOf({ skip }: PathChunks, chunk: number): number {
  return skip?.[chunk] ?? 0;
}

/** Instructions before each chunk, and of all chunks. */
const startsOf = (() => {
  const kept = cachePer((): { starts?: Float64Array } => ({}));
  return (chunks: PathChunks): Float64Array => {
    const own = kept(chunks);
    if (own.starts === undefined) {
      own.starts = new Float64Array(chunks.count + 1);
      for (let k = 0; k < chunks.count; k++) own.starts[k + 1] = own.starts[k]! + chunks.instructions[k]!;
    }
    return own.starts;
  };
})();
