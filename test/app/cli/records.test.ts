// `records`, compared with the goldens of the samples, which the decoders' own tests check.
import { expect, test } from 'vitest';
import { BYU, traceOf, golden, cli, lines } from './driver.ts';

test.each([
  ['byu6/complete', []],
  ['byu6/garbage-inside', []],
  ['tarmac/seed', []],
])('records of %s equal its golden', async (sample, options) => {
  const trace = traceOf(sample);
  const records = await lines(['records', trace, '--count', '100000', ...options]);
  const expected = golden(trace).map(({ n, offset, bytes, kind, native }) => ({ n, offset, bytes, kind, native }));
  expect(records.map(({ n, offset, bytes, kind, native }) => ({ n, offset, bytes, kind, native }))).toEqual(expected);
});

test('a record has its keys in the promised order and omits absent ones', async () => {
  const [record] = await lines(['records', BYU, '--from', '2', '--count', '1']);
  expect(JSON.stringify(record)).toBe(
    '{"n":2,"offset":12,"bytes":6,"kind":"read","native":"NC_D_READ","address":"0x1007c8","size":2}',
  );
});

test('records from a position: with grouping, short at the end, none beyond it', async () => {
  const all = golden(BYU).length;
  expect((await lines(['records', BYU, '--from', '1_0', '--count', '3'])).map(({ n }) => n)).toEqual([10, 11, 12]);
  expect((await lines(['records', BYU, '--from', String(all - 2)])).map(({ n }) => n)).toEqual([all - 2, all - 1]);
  expect(await lines(['records', BYU, '--from', '1,000,000'])).toEqual([]);
  expect(await lines(['records', BYU, '--count', '0'])).toEqual([]);
});

test('tables for people are aligned and have grouped numbers', async () => {
  const { code, stdout } = await cli(['records', BYU, '--from', '0', '--count', '3']);
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      'record  kind   native       address  size',
      '     0  fetch  NC_I_FETCH  0x100000     8',
      '     1  fetch  NC_I_FETCH  0x100008     8',
      '     2  read   NC_D_READ   0x1007c8     2',
      '',
    ].join('\n'),
  );
});
