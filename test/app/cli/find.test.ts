// `find` against a walk over the goldens.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, golden, lines, folder } from './driver.ts';

test('find walks forward and backward', async () => {
  const writes = golden(BYU)
    .filter(({ kind }) => kind === 'write')
    .map(({ n }) => n);
  const found = async (...args: string[]) => (await lines(['find', BYU, ...args])).map(({ n }) => n);
  expect(await found('--kind', 'write')).toEqual(writes.slice(0, 1));
  expect(await found('--kind', 'write', '--limit', '100000')).toEqual(writes);
  expect(await found('--kind', 'write', '--after', String(writes[0]))).toEqual(writes.slice(1, 2));
  expect(await found('--kind', 'write', '--before', '1000000', '--limit', '3')).toEqual(writes.slice(-3).reverse());
  const touching = golden(BYU).filter(({ address, size }) => address <= 0x1007cb && address + size > 0x1007c9);
  expect(await found('--address', '0x1007c9-0x1007cb', '--limit', '1000')).toEqual(touching.map(({ n }) => n));
  expect(await found('--address', '0xfffffff0')).toEqual([]);
});

test('find takes values wider than an address', async () => {
  const path = join(folder, 'wide.txt');
  const value = '0x112233445566778899aabbccddeeff';
  const access = '1 clk MR16 00001000 00112233445566778899aabbccddeeff';
  writeFileSync(path, `1 clk 0 IT (1) 00008000 e59f0060 A svc : ldr r0, [pc, #0x60]\n${access}\n`);
  expect(await lines(['find', path, '--format', 'tarmac', '--value', value])).toMatchObject([{ n: 1, value }]);
});
