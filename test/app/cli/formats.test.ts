// `formats` for scripts and for people.
import { expect, test } from 'vitest';
import { FORMATS } from '../../../shared/formats/index.ts';
import { cli, json } from './driver.ts';

test('formats lists ids, dialects and options', async () => {
  const formats = (await json(['formats'])) as {
    id: string;
    dialects: string[];
    options: { name: string; values: string[] }[];
  }[];
  expect(formats.map(({ id }) => id)).toEqual(FORMATS.map(({ id }) => id));
  const [byu6, tarmac] = ['byu6', 'tarmac'].map((name) => formats.find(({ id }) => id === name));
  expect(byu6?.dialects).toEqual(['binary', 'ascii']);
  expect(tarmac?.dialects).toContain('qemu4v');
  expect(Object.keys(byu6 ?? {})).toEqual(['id', 'name', 'dialects', 'extensions', 'options']);
  expect(byu6?.options.find(({ name }) => name === 'endian')?.values).toEqual(['auto', 'big', 'little']);
});

test('formats prints each option on its own line with its values', async () => {
  const { code, stdout, stderr } = await cli(['formats']);
  expect([code, stderr]).toEqual([0, '']);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  for (const { id, options } of FORMATS) {
    for (const { name, values, text } of options) {
      const row = rows.find((cells) => cells[0] === id && cells[1] === name);
      expect(row?.[2], `${id} ${name}`).toBe(values.length === 0 ? 'any text' : values.join(', '));
      expect(row?.at(-1)).toBe(text.replaceAll(/ {2,}/g, ' '));
    }
  }
});
