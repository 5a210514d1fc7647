import { expect, test } from 'vitest';
import {
  createFindRowWriter,
  someFindEntry,
  type FindEntry,
  type FindRow,
} from '../../electron/engine/index/builders/find.ts';
import { IndexDamaged } from '../../electron/engine/collections/varint.ts';
import { createRandom, type Random } from '../laws/random.ts';

test('visits exactly the entries of the requested pages', () => {
  const random = createRandom(7);
  for (let round = 0; round < 100; round++) {
    const entries = anyEntries(random);
    const rows = rowsOf(entries);
    const pages = entries.map(({ page }) => page);
    for (let question = 0; question < 20; question++) {
      const first = pages[random.below(pages.length)]! + random.below(3) - 1;
      const last = first + random.below(1 << random.below(12));
      const visited = rows.flatMap(({ low, bytes }) => {
        const found: FindEntry[] = [];
        someFindEntry(bytes, low, first, last, (entry) => {
          found.push(entry);
          return false;
        });
        return found;
      });
      expect(visited).toEqual(entries.filter(({ page }) => page >= first && page <= last));
    }
  }
});

test('stops at the first accepted entry', () => {
  const entries = anyEntries(createRandom(8));
  const [row] = rowsOf(entries);
  let visits = 0;
  const found = someFindEntry(row!.bytes, row!.low, 0, Number.MAX_SAFE_INTEGER, () => ++visits === 3);
  expect([found, visits]).toEqual([true, 3]);
});

test('reports a truncated entry as damage', () => {
  const [row] = rowsOf([{ page: 5, kind: 1, lineLow: 0x5555, lineHigh: 0x5555 }]);
  const cut = row!.bytes.subarray(0, row!.bytes.length - 1);
  expect(() => someFindEntry(cut, row!.low, 0, 10, () => false)).toThrow(IndexDamaged);
});

/** Entries by page and kind: a single line, a run, a few lines or many. */
function anyEntries(random: Random): readonly FindEntry[] {
  const entries: FindEntry[] = [];
  let page = random.below(1000);
  for (let i = 0; i < 400; i++) {
    page += 1 + random.below(1 << random.below(20));
    for (let kind = random.below(8); kind < 20; kind += 1 + random.below(20)) {
      const one = 1n << BigInt(random.below(64));
      const run = ((1n << BigInt(8 + random.below(57))) - 1n) << BigInt(random.below(8));
      const few = one | (1n << BigInt(random.below(64))) | (1n << BigInt(random.below(64)));
      const many = (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32)) | 1n;
      const lines = BigInt.asUintN(64, [one, run, few, many][random.below(4)]!);
      entries.push({ page, kind, lineLow: Number(lines & 0xffffffffn), lineHigh: Number(lines >> 32n) });
    }
  }
  return entries;
}

function rowsOf(entries: readonly FindEntry[]): readonly FindRow[] {
  const rows: FindRow[] = [];
  const writer = createFindRowWriter((row) => rows.push(row));
  for (const { page, kind, lineLow, lineHigh } of entries) writer.push(page, kind, lineLow, lineHigh);
  writer.finish();
  return rows;
}
