/** A heatmap of the command line decodes stretches of blocks, and counts exactly, whatever bytes between the records belong to none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOpenTraces } from '../../electron/engine/open/open-traces.ts';
import { heat } from '../../electron/engine/queries/heat/heat.ts';
import { placeBefore } from '../../electron/engine/queries/records/block-places.ts';
import { createPool } from '../../electron/engine/threads/pool.ts';
import { createTask } from '../../electron/engine/threads/task.ts';
import type { Trace } from '../../electron/engine/trace.ts';
import type { Settings } from '../../shared/format/format.ts';
import type { Result } from '../../shared/base/result.ts';
import type { Hex } from '../../shared/base/units.ts';
import { createRandom } from '../laws/random.ts';
import { readAll, type OracleRecord } from './oracle.ts';
import { nastyBtm, nastyByu, nastyTarmac, scratch } from './traces.ts';

const place = scratch();
const pool = createPool(2);
afterAll(async () => {
  await pool.close();
  place.dispose();
});

/** Rows of each band. */
const ROWS = 20;

type AddressSpan = readonly [low: number, high: number];

/** Bands of addresses. */
const SPANS: readonly (readonly AddressSpan[])[] = [
  [[0, 0x1234]],
  [[0, 2 ** 32]],
  [
    [0, 0x900],
    [0x900, 0x9000],
    [0x4000_0000, 0xffff_fff0],
  ],
  [[0, 2 ** 33]],
  [[0x80_0000, 0x8100_0000]],
];

/** Requests of two processors, with bytes lost or added now and then, and stretches without any likely request. */
function nastyByu12(records: number, seed: number): Uint8Array {
  const random = createRandom(seed);
  const out: number[] = [];
  while (out.length < 12 * records) {
    const address = random.below(3) === 0 ? random.bytes(4) : [random.below(256), 0, 0x40, 0];
    out.push(...address, random.below(4), 8, 0, random.below(2), random.below(50), 0, 0, 0);
    if (random.below(2000) === 0) out.push(...random.bytes(1 + random.below(11)));
    if (random.below(2000) === 0) out.push(...random.bytes(12 * 40));
  }
  return Uint8Array.from(out);
}

/** Records with bytes lost or added, and stretches of unlikely records, where the decoder searches another phase in vain. */
function unlikelyByu(records: number, seed: number): Uint8Array {
  const random = createRandom(seed);
  const bytes = nastyByu(records, seed);
  for (let k = 0; k < 20; k++) bytes.set(random.bytes(6 * 40), 6 * random.below(records - 40));
  return bytes;
}

const CASES = [
  { format: 'byu6', bytes: unlikelyByu(40_000, 5), blockBytes: 12_000, options: { endian: 'big' } },
  { format: 'byu12', bytes: nastyByu12(20_000, 6), blockBytes: 12_000, options: {} },
  { format: 'btm', bytes: Buffer.from(nastyBtm(40_000, 7)), blockBytes: 150_000, options: {} },
  { format: 'tarmac', bytes: Buffer.from(nastyTarmac(20_000, 8)), blockBytes: 150_000, options: { dialect: 'qemu4v' } },
] satisfies { format: string; bytes: Uint8Array; blockBytes: number; options: Settings }[];

describe.each(CASES)('$format', ({ format, bytes, blockBytes, options }) => {
  const file = place.file(`${format}.bin`, bytes);
  const { records } = readAll(file, format, options);
  const traces = createOpenTraces(pool, { indexDirectory: place.folder, blockBytes });
  let trace: Trace;

  beforeAll(async () => {
    trace = value(await traces.open({ path: file, format, options }, task()));
    value(await traces.build(trace, () => true));
  });

  afterAll(() => {
    traces.close();
  });

  test('counts every record of any columns', async () => {
    const random = createRandom(1);
    for (let question = 0; question < 30; question++) {
      const from = question % 2 === 0 ? 0 : random.below(records.length / 2);
      const to = question % 3 === 0 ? records.length : from + 1 + random.below(records.length - from);
      const columns = 1 + random.below(40);
      // Cells of the index fit whole pages only, so narrow bands are decoded whole.
      const spans = SPANS[question % SPANS.length]!;
      const bands = spans.map(([low, high]) => ({ low: hex(low), high: hex(high), rows: ROWS }));
      const wanted = { trace: trace.id, from, to, columns, bands, precision: 'even' } as const;
      const { counts } = value(await heat(trace, wanted, task()));
      expect([...counts], JSON.stringify(wanted)).toEqual(cellsOf(records, { from, to, columns, spans }));
    }
  });

  test('begins only where the offset and the state of a record are known', () => {
    let [known, unknown] = [0, 0];
    for (let block = 0; block < trace.blocks.length; block++) {
      const first = trace.blocks.firstRecord(block);
      const middle = Math.floor((trace.blocks.firstRecord(block + 1) - first) / 2);
      const found = placeBefore(trace, block, middle);
      if (found === undefined) unknown++;
      else {
        known++;
        expect(found.record).toBeLessThanOrEqual(middle);
        expect(found.position).toBe(records[first + found.record]!.offset);
      }
    }
    expect(known).toBeGreaterThan(0);
    // Blocks of text have parts; those of fixed-size records need to be without gaps.
    if (format === 'btm' || format === 'tarmac') expect(known).toBeGreaterThan(unknown);
    else expect(unknown).toBeGreaterThan(3);
  });
});

interface Shape {
  readonly from: number;
  readonly to: number;
  readonly columns: number;
  readonly spans: readonly AddressSpan[];
}

/** Counts the accesses in each cell, column after column. */
function cellsOf(records: readonly OracleRecord[], { from, to, columns, spans }: Shape): readonly number[] {
  const height = ROWS * spans.length;
  const cells = new Array<number>(columns * height).fill(0);
  for (const { n, low: address } of records.slice(from, to)) {
    if (address === undefined) continue;
    const band = spans.findIndex(([low, high]) => address >= BigInt(low) && address < BigInt(high));
    if (band < 0) continue;
    const [low, high] = spans[band]!.map(BigInt) as [bigint, bigint];
    const column = Math.floor(((n - from) * columns) / (to - from));
    cells[column * height + band * ROWS + Number(((address - low) * BigInt(ROWS)) / (high - low))]!++;
  }
  return cells;
}

function hex(address: number): Hex {
  return `0x${address.toString(16)}`;
}

function task() {
  return createTask<never>(
    () => false,
    () => undefined,
  );
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
