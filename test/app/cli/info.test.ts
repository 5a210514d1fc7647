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

test.each([
  [
    'ES lines',
    'es',
    [
      '  ES (00001000:2000) T thrd: MOVS r0,#0',
      '          R R0 00000000',
      '  ES (00001002:3001) T thrd: ADDS r0,#1',
      '          R R0 00000001',
      '  ES (00001004:e7fd) T thrd: B 0x1002',
      '  ES (00001002:3001) T thrd: ADDS r0,#1',
    ],
    { instruction: 4, register: 2 },
  ],
  [
    'IT lines of T16',
    'rtl',
    [
      'IT 00001000 2000 T16 MOVS r0,#0',
      'IT 00001002 3001 T16 ADDS r0,#1',
      'IT 00001004 e7fd T16 B 0x1002',
      'IT 00001002 3001 T16 ADDS r0,#1',
      'IT 00001004 e7fd T16 B 0x1002',
      'IT 00001002 3001 T16 ADDS r0,#1',
      'IS 00001006 2002 T16 MOVS r0,#2',
    ],
    { instruction: 6, skipped: 1 },
  ],
  [
    'ES lines of AArch64 with a store',
    'es',
    [
      '  ES (0000000080001000:d2800020) O el1h_n: MOV x0,#1',
      '          R X0 0000000000000001',
      '  ES (0000000080001004:b9000020) O el1h_n: STR w0,[x1,#0]',
      '          ST 0000000080002000 ........ ........ ........ 00000001 0000000080002000 NM',
    ],
    { instruction: 2, register: 1, write: 1 },
  ],
  [
    'IT lines of T16 and T32 with accesses',
    'rtl',
    [
      'IT (00001000:00000001) 00001000 4808 T16 LDR r0,[pc,#32]',
      'MNR4___D 00001024 10000020',
      'R r0 20000010',
      'IT (00001002:00000002) 00001002 f7ffffcb T32 BL 0xf9c',
      'R r14 00001007',
    ],
    { instruction: 2, read: 1, register: 2 },
  ],
  [
    'IT lines of Fast Models',
    'fastmodels',
    [
      'cpu0 IT (1) 00008000 e3a00001 A svc_s : MOV r0,#1',
      'cpu0 R r0 00000001',
      'cpu0 IT (2) 00008004 e5810000 A svc_s : STR r0,[r1,#0]',
      'cpu0 MW4 00009000 00000001',
    ],
    { instruction: 2, register: 1, write: 1 },
  ],
])('info reads %s without a time, also if the format is given', async (name, dialect, text, kinds) => {
  const path = join(folder, `${name}.log`);
  writeFileSync(path, `${text.join('\n')}\n`);
  for (const forced of [[], ['--format', 'tarmac']])
    expect(await json(['info', path, ...forced])).toMatchObject({
      format: { id: 'tarmac', dialect },
      records: text.length,
      kinds,
      diagnostics: [],
    });
});
