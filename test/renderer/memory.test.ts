import { expect, test } from 'vitest';
import {
  clampMemory,
  memoryTable,
  inWords,
  memoryRows,
  memoryText,
  revealAddress,
  touchedAddress,
  touchedRow,
  touchedRows,
  type MemoryImage,
} from '../../renderer/features/memory/memory-rows.ts';
import { tableCsv } from '../../renderer/widgets/table.ts';
import { createMemories, firstMemory } from '../../renderer/features/memory/memories.ts';
import { parseHexAddress } from '../../renderer/trace/place.ts';

/**
 * Nine bytes at 0x1000 after record 50: written by it, read by it, written in the range, touched in it, both before it, known from an
 * opcode, touched without a value, never touched, known from an image.
 */
const image: MemoryImage = {
  at: 50,
  low: 0x1000n,
  bytes: Uint8Array.of(0x41, 0x42, 0x00, 0x7f, 0x20, 0xe5, 0, 0, 0x43),
  known: Uint8Array.of(1, 1, 1, 1, 1, 2, 0, 0, 3),
  writers: Float64Array.of(50, 30, 41, 12, 5, -1, 42, -1, -1),
  touched: Float64Array.of(50, 50, 41, 45, 7, 8, 42, -1, -1),
};
const range = { from: 40, to: 51 };

test('shows value, knowledge and relation to record and range for every byte', () => {
  const [row] = memoryRows(image, 0x1000n, 1, 9, range);
  expect(row?.bytes.map(({ text, character, knowledge, mark }) => `${text} ${character} ${knowledge} ${mark}`)).toEqual(
    [
      '41 A data writes',
      '42 B data reads',
      '00 · data written',
      '7f · data touched',
      '20   data quiet',
      'e5 · opcode quiet',
      '??   unknown written',
      '··   never quiet',
      '43 C image quiet',
    ],
  );
});

test('gives the loaded bytes of a span as CSV, with what is known about each', async () => {
  expect(await tableCsv(memoryTable(image, { low: 0xfffn, bytes: 100 }, 6))).toBe(
    [
      'address,value,known,last written by,last touched by',
      '0x001000,0x41,read or written,50,50',
      '0x001001,0x42,read or written,30,50',
      '0x001002,0x00,read or written,41,41',
      '0x001003,0x7f,read or written,12,45',
      '0x001004,0x20,read or written,5,7',
      '0x001005,0xe5,executed opcode,,8',
      '0x001006,,accessed but value unknown,42,42',
      '0x001007,,never accessed,,',
      '0x001008,0x43,program image,,',
      '',
    ].join('\n'),
  );
});

test('shows bytes that have not arrived as blank, and no row past the end of the address space', () => {
  const rows = memoryRows(image, 0xffff_ffff_ffff_fff0n, 3, 8, range);
  expect(rows.map(({ address }) => address)).toEqual([0xffff_ffff_ffff_fff0n, 0xffff_ffff_ffff_fff8n]);
  expect(rows[0]?.bytes[0]?.text).toBe('  ');
  expect(clampMemory(0xffff_ffff_ffff_fff0n, 4, 8)).toBe(0xffff_ffff_ffff_ffe0n);
  expect(clampMemory(-32n, 4, 8)).toBe(0n);
});

test('writes words from the highest byte to the lowest', () => {
  expect(inWords([1, 2, 3, 4, 5, 6, 7, 8], 4, 'little')).toEqual([
    [4, 3, 2, 1],
    [8, 7, 6, 5],
  ]);
  expect(inWords([1, 2, 3, 4], 2, 'big')).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('copies memory as plain text: bytes or words, unknown ones as ??', () => {
  expect(memoryText(image, { low: 0x1000n, bytes: 4 }, 1, 'little')).toBe('41 42 00 7f');
  expect(memoryText(image, { low: 0x1000n, bytes: 8 }, 4, 'little')).toBe('7f004241 ????e520');
  const two = memoryText(image, { low: 0x1000n, bytes: 20 }, 1, 'big').split('\n');
  expect(two.map((line) => line.split(' ').length)).toEqual([16, 4]);
});

test('does not scroll to an address in sight, and shows others a third below the top edge', () => {
  expect(revealAddress(0x1010n, 0x1000n, 4, 16)).toBe(0x1000n);
  expect(revealAddress(0x1040n, 0x1000n, 4, 16)).toBe(0x1030n);
  expect(revealAddress(0x9005n, null, 10, 16)).toBe(0x8fd0n);
  expect(revealAddress(0xffff_ffff_ffff_ffffn, 0n, 4, 16)).toBe(0xffff_ffff_ffff_ffc0n);
});

test('the scroll bar covers touched addresses, even above 2^53', () => {
  const touched = [
    { low: 0x1000n, high: 0x1100n },
    { low: 0xffff_8000_0000_0000n, high: 0xffff_8000_0000_1000n },
  ];
  expect(touchedRows(touched, 16)).toBe(16 + 256);
  for (const row of [0, 7, 15, 16, 271]) expect(touchedRow(touched, touchedAddress(touched, row, 16), 16)).toBe(row);
  expect(touchedAddress(touched, 17, 16)).toBe(0xffff_8000_0000_0010n);
  expect(touchedRow(touched, 0x5000n, 16)).toBe(16);
});

test('a split pane shows the same address and record, does not follow, and the last pane stays', () => {
  const memories = createMemories({ views: [firstMemory('big')] });
  const [first] = memories.list;
  if (!first) throw new Error('there is no pane');
  first.top = 0x2000n;
  first.pinned = 7;
  memories.split(first);
  expect(memories.list.map(({ top, pinned, follow, endian }) => [top, pinned, follow, endian])).toEqual([
    [0x2000n, 7, true, 'big'],
    [0x2000n, 7, false, 'big'],
  ]);
  memories.close(first);
  memories.close(memories.list[0]!);
  expect(memories.list.length).toBe(1);
});

test('an address box accepts hexadecimal with and without prefix or suffix', () => {
  expect([' 8000', '0xFFFF_0000', '10h', '8000 0000'].map(parseHexAddress)).toEqual([
    0x8000n,
    0xffff_0000n,
    0x10n,
    0x8000_0000n,
  ]);
  expect(['', 'main', '0x', '123456789abcdef01'].map(parseHexAddress)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
