// `find` compared with a walk over the goldens.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, cli, folder, golden, json, lines } from './driver.ts';

test('find searches forward and backward', async () => {
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

test('find accepts registers, parts of values and ranges, and counts', async () => {
  const path = join(folder, 'parts.txt');
  const trace = [
    '1 clk 0 IT (1) 00008000 e59f0060 A svc : ldr r0, [pc, #0x60]',
    '1 clk MR8 00001001 11beef2233445566',
    '1 clk R r0 33445566',
    '2 clk MW2 00001000 beef',
    '2 clk R r1 0000beef',
    '3 clk R r0 00000000',
  ];
  writeFileSync(path, `${trace.join('\n')}\n`);
  const find = ['find', path, '--format', 'tarmac', '--limit', '10'];
  const found = async (...args: string[]) => (await lines([...find, ...args])).map(({ n }) => n);
  expect(await found('--value', '0xbeef')).toEqual([3, 4]);
  expect(await found('--value', '0xbeef', '--width', '2')).toEqual([1, 3, 4]);
  expect(await found('--value', '0xbeef', '--width', '4')).toEqual([4]);
  expect(await found('--register', 'r0')).toEqual([2, 5]);
  expect(await found('--register', 'r0', '--from', '3')).toEqual([5]);
  expect(await found('--kind', 'register', '--to', '5', '--before', '6')).toEqual([4, 2]);
  expect(await found('--text', '^\\d clk R.*[1-9a-f]$', '--kind', 'register')).toEqual([2, 4]);
  expect(await json(['find', path, '--format', 'tarmac', '--text', 'clk', '--from', '1', '--count'])).toEqual({
    count: 5,
    from: 1,
    to: 6,
  });
  const counted = await cli(['find', path, '--format', 'tarmac', '--register', 'r0', '--count']);
  expect(counted).toMatchObject({ code: 0, stdout: '2 of 6 records match\n' });
});

test.each([
  [['--width', '2'], 'give at least one of --address, --kind, --value, --register and --text'],
  [['--kind', 'read', '--width', '2'], '--width needs --value'],
  [['--value', '0x10000', '--width', '2'], 'does not fit into 2 bytes'],
  [['--kind', 'read', '--count', '--limit', '3'], '--count counts'],
  [['--kind', 'read', '--from', '5', '--to', '2'], '--from must not be greater'],
  [['--text', '('], 'regular expression'],
])('find refuses %s', async (args, problem) => {
  const refused = await cli(['find', BYU, ...args]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(problem);
  expect(refused.stdout).toBe('');
});

test('find finds accesses of a Cortex-M0 that the bus answered with an error', async () => {
  const path = join(folder, 'bus-error.log');
  const trace = [
    '           100 ns E RESET', // 0
    '           220 ns MR4_D 00000000 20001000', // 1
    '           240 ns MR4_D 00000004 00000101', // 2
    '           260 ns MR4_I 00000100 60082007', // 3
    '           320 ns R r0 00000007', // 4
    '           320 ns IT 00000100 2007        MOVS     r0,#7', // 5
    '           340 ns MW4ED 40400004 00000007', // 6
    '           360 ns IT 00000102 6008        STR      r0,[r1,#0]', // 7
    '           380 ns MR4EI 10000000 zzzzzzzz', // 8
    '           400 ns MW1ED 40400009 0000005a', // 9
    '           420 ns MR2ED 40500002 zzzzzzzz', // 10
    '           440 ns MR2EI 10000102 zzzzzzzz', // 11
  ];
  writeFileSync(path, `${trace.join('\n')}\n`);
  const at = async (address: string) => lines(['find', path, '--address', address, '--limit', '10']);
  const aborted: unknown = expect.arrayContaining(['aborted']);
  expect(await at('0x40400004')).toMatchObject([{ n: 6, kind: 'write', size: 4, flags: aborted }]);
  expect(await at('0x10000000')).toMatchObject([{ n: 8, kind: 'fetch', size: 4, flags: aborted }]);
  expect(await at('0x40400009')).toMatchObject([{ n: 9, kind: 'write', size: 1, flags: aborted }]);
  expect(await at('0x40500003')).toMatchObject([{ n: 10, kind: 'read', size: 2, flags: aborted }]);
  expect(await at('0x10000102')).toMatchObject([{ n: 11, kind: 'fetch', size: 2, flags: aborted }]);
  expect(await at('0x10000004')).toEqual([]);
});
