/** Decoding of fixed-size records begins at `placeBefore` as if everything before had been decoded. */
import { describe, expect, test } from 'vitest';
import { createBatch, resetBatch } from '../../shared/records/batch.ts';
import type { ByteOffset } from '../../shared/base/units.ts';
import type { Format, State } from '../../shared/format/format.ts';
import { byu12 } from '../../shared/formats/byu12/byu12.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';

const RECORDS = 200;
const CASES = [
  { format: byu6, record: [0x00, 0x10, 0x07, 0xc8, 0xfc, 0xd0] },
  { format: byu12, record: [0x00, 0x00, 0x40, 0x00, 0x01, 0x08, 0, 0, 10, 0, 0, 0] },
];

describe.each(CASES)('$format.id', ({ format, record }) => {
  const unit = record.length;
  /**
   * Cells of both formats have 16 records, and 48 likely ones among 64 make another phase. Record 3 is broken. Records 12 to 75 are 50 likely
   * ones in the middle between two records, and 13 broken ones. Seen from record 12 they are another phase, from records 3 and 16 they are not.
   */
  const bytes = Uint8Array.from({ length: RECORDS * unit }, (_, at) => record[at % unit]!);
  bytes.fill(255, 3 * unit, 4 * unit);
  bytes.fill(255, 12 * unit, 76 * unit);
  for (let n = 12; n < 75; n++) if (n < 32 || n >= 45) bytes.set(record, n * unit + unit / 2);
  const whole = decoded(format, bytes, { position: 0, state: opened(format).initial });

  test('a second search in a cell would find another phase, but is not made', () => {
    expect(whole).toEqual({ starts: Array.from({ length: RECORDS }, (_, n) => n * unit), gaps: 0 });
    const again = decoded(format, bytes, { position: 12 * unit, state: { phase: 0, searched: 0 } });
    expect(again.gaps).toBeGreaterThan(0);
  });

  test('decoding gives the same records from the place before any record', () => {
    for (let n = 0; n < RECORDS; n++) {
      const place = opened(format).placeBefore!(n * unit, opened(format).initial);
      expect(n * unit - place.position).toBeLessThan(16 * unit);
      const expected = { starts: whole.starts.slice(place.position / unit), gaps: 0 };
      expect(decoded(format, bytes, place), `record ${n}`).toEqual(expected);
    }
  });

  test('finds the place at every phase', () => {
    const decoder = opened(format);
    for (let phase = 0; phase < unit; phase++) {
      for (let n = 0; n < 40; n++) {
        const { position, state } = decoder.placeBefore!(phase + n * unit, { phase, searched: 1 });
        expect([position, state]).toEqual([phase + (n - (n % 16)) * unit, { phase, searched: 0 }]);
      }
    }
  });
});

function opened(format: Format) {
  const decoder = format.open({});
  if (!decoder.ok) throw new Error(decoder.error.message);
  return decoder.value;
}

/** Returns the offsets of the records starting at a place, and the number of gaps between them. */
function decoded(format: Format, bytes: Uint8Array, { position, state }: { position: ByteOffset; state: State }) {
  const end = bytes.length;
  const window = { bytes, length: end, base: 0, position, end, lastLineEnd: end, fileEnd: end };
  const batch = createBatch(RECORDS);
  resetBatch(batch, 0);
  opened(format).decode(window, state, batch);
  return { starts: [...batch.start.subarray(0, batch.count)], gaps: batch.gaps.length };
}
