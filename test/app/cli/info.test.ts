// `info` on intact and damaged traces.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, CUT, traceOf, golden, tally, hex, cli, json, folder } from './driver.ts';

test('info describes the file with keys in the promised order', async () => {
  const info = (await json(['info', BYU])) as Record<string, unknown>;
  expect(Object.keys(info)).toEqual([
    'file',
    'format',
    'records',
    'kinds',
    'native',
    'address',
    'diagnostics',
    'index',
  ]);
  const records = golden(BYU);
  const addresses = records.map(({ address }) => address);
  expect(info).toMatchObject({
    file: { path: BYU, bytes: readFileSync(BYU).length },
    format: { id: 'byu6', options: { endian: 'big' } },
    records: records.length,
    kinds: tally(records.map(({ kind }) => kind)),
    native: tally(records.map(({ native }) => native)),
    address: {
      lowest: hex(Math.min(...addresses)),
      pages: new Set(addresses.map((address) => Math.floor(address / 4096))).size,
    },
    diagnostics: [],
    index: { complete: true },
  });
});

test('a damaged trace is an error only with --strict', async () => {
  const info = await json(['info', CUT]);
  expect(info).toMatchObject({ diagnostics: [{ count: 1, firstOffset: 120 }] });
  const { code, stderr } = await cli(['records', CUT, '--count', '1', '--strict', '--json']);
  expect(stderr).toMatch(
    /^tracebench: .*trace\.byu: one place is malformed, at byte 120: .*; leave out --strict to continue\n$/,
  );
  expect(code).toBe(1);
  expect((await cli(['info', BYU, '--strict'])).code).toBe(0);
});

test('info groups bad input by shape, with a sample of each', async () => {
  const info = (await json(['info', CUT])) as { diagnostics: Record<string, unknown>[] };
  expect(info.diagnostics.map((row) => Object.keys(row))).toEqual([
    ['code', 'count', 'firstOffset', 'firstRecord', 'text', 'shapes'],
  ]);
  const sample = [...readFileSync(CUT).subarray(120)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  expect(info.diagnostics[0]?.['shapes']).toEqual([
    { shape: expect.any(String) as unknown, count: 1, firstOffset: 120, firstRecord: 20, sample, sampleIs: 'hex' },
  ]);
  const { stdout } = await cli(['info', CUT]);
  expect(stdout).toMatch(new RegExp(`problem .* starts with\\n[^]* 120 +20  ${sample}\\n`));
});

test('NUL bytes in a text trace do not hide its records', async () => {
  const lines = readFileSync(traceOf('tarmac/arm-sort'), 'latin1').split('\n');
  const path = join(folder, 'hole.txt');
  writeFileSync(path, [...lines.slice(0, 100), '\0'.repeat(5000), ...lines.slice(100)].join('\n'));
  const info = (await json(['info', path])) as { records: number };
  const whole = (await json(['info', traceOf('tarmac/arm-sort')])) as { records: number };
  expect(info).toMatchObject({ format: { id: 'tarmac' }, records: whole.records + 1, kinds: { other: 1 } });
});
