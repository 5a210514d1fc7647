import { expect, test } from 'vitest';
import { createTextTable } from '../../electron/parquet/text-table.ts';

test('numbers distinct texts in order, whether they come as strings or as bytes', () => {
  const table = createTextTable();
  const texts = ['', 'number-1', 'ü', 'number-1 ', ...Array.from({ length: 5000 }, (_, n) => `pa-0x${n.toString(16)}`)];
  const codes = texts.map((text, n) => (n % 2 === 0 ? table.codeOf(text) : codeOfBytes(text)));
  expect(codes).toEqual(texts.map((_, n) => n));
  expect(texts.map((text, n) => (n % 2 === 0 ? codeOfBytes(text) : table.codeOf(text)))).toEqual(codes);
  expect(codes.map((code) => table.text(code))).toEqual(texts);

  function codeOfBytes(text: string): number {
    const bytes = Buffer.from(text);
    return table.codeOfBytes(Buffer.concat([bytes, Buffer.from('rest')]), bytes.length);
  }
});

test('stores each text after its length', () => {
  const table = createTextTable();
  for (const text of ['ab', '', 'ab', 'é']) table.codeOf(text);
  expect(Buffer.from(table.stored()).toString('hex')).toBe('02000000' + '6162' + '00000000' + '02000000' + 'c3a9');
});

test('orders texts by their bytes, which is not the order of their UTF-16 units', () => {
  const table = createTextTable();
  expect(table.extremes()).toBeUndefined();
  for (const text of ['\u{10000}', '\uffff', 'b', 'ab', 'a']) table.codeOf(text);
  expect(table.extremes()).toEqual(['a', '\u{10000}']);
});
