// Registers, memory and accesses on a trace of eleven lines whose answers can be worked out by eye.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, cli, folder, json } from './driver.ts';

const TRACE = join(folder, 'state.txt');
writeFileSync(
  TRACE,
  [
    '1 clk 0 IT (1) 00008000 e59f0060 A svc : ldr r0, [pc, #0x60]', // 0
    '1 clk MR4 00008068 0007c000', // 1
    '1 clk R r0 0007c000', // 2
    '2 clk 1 IT (2) 00008004 e1c010b1 A svc : strh r1, [r0, #1]', // 3
    '2 clk MW2 0007c001 abcd', // 4
    '2 clk R r0 00000005', // 5
    '2 clk R cpsr 600001d3', // 6
    '2 clk R r13 (IRQ) 00001000', // 7
    '3 clk 0 IS (3) 00008008 01a00000 A svc : moveq r0, r0', // 8
    '3 clk R r1 xxxxxxxx', // 9
    '3 clk MR1 0007c002 ab', // 10
    '',
  ].join('\n'),
);

test("registers prints the registers of the record's cpu, or of all", async () => {
  const first = { r0: { value: '0x7c000', since: 2 } };
  const second = {
    cpsr: { value: '0x600001d3', since: 6 },
    r0: { value: '0x5', since: 5 },
    'r13 (IRQ)': { value: '0x1000', since: 7 },
  };
  expect(await json(['registers', TRACE, '--at', '1'])).toEqual({ at: 1, cpu: 0, registers: {} });
  expect(await json(['registers', TRACE, '--at', '4'])).toEqual({ at: 4, cpu: 0, registers: first });
  const cpus = [
    { cpu: 0, registers: first },
    { cpu: 1, registers: second },
  ];
  expect(await json(['registers', TRACE, '--at', '7'])).toEqual({ at: 7, cpu: 1, registers: second, cpus });
  expect(await json(['registers', TRACE, '--at', '10'])).toEqual({ at: 10, cpu: 0, registers: first, cpus });
  expect(await json(['registers', TRACE, '--at', '10', '--cpu', '1'])).toEqual({ at: 10, cpu: 1, registers: second });
  expect(await json(['registers', TRACE, '--at', '10', '--cpu', '4'])).toEqual({ at: 10, cpu: 4, registers: {} });
});

test('registers for people: flags as letters, registers by bank, and changes of the record', async () => {
  const { stdout } = await cli(['registers', TRACE, '--at', '7']);
  expect(stdout).toBe(
    [
      'record 7, CPU 1',
      'bank  register        value  set by  changed  flags',
      '      cpsr       0x600001d3       6           nZCv q A I F t svc',
      '      r0                0x5       5',
      'irq   r13 (IRQ)      0x1000       7  here',
      '',
      'record 7, CPU 0',
      'register    value  set by',
      'r0        0x7c000       2',
      '',
    ].join('\n'),
  );
});

test('memory prints each byte with its writer and last access', async () => {
  const requested = ['memory', TRACE, '--address', '0x7c000', '--length', '4'];
  expect(await json([...requested, '--at', '3'])).toEqual({
    at: 3,
    address: '0x7c000',
    length: 4,
    bytes: '????????',
    writers: [null, null, null, null],
    touched: [null, null, null, null],
  });
  expect(await json([...requested, '--at', '10'])).toMatchObject({
    bytes: '??cdab??',
    writers: [null, 4, 4, null],
    touched: [null, 4, 10, null],
  });
});

test('memory includes bytes proved by opcodes, executed or skipped', async () => {
  const requested = ['memory', TRACE, '--address', '0x8000', '--length', '14', '--at', '8'];
  expect(await json(requested)).toMatchObject({ bytes: '??'.repeat(14) });
  expect(await json(requested)).not.toHaveProperty('known');
  expect(await json([...requested, '--opcodes'])).toMatchObject({
    bytes: `60009fe5b110c0e10000a001${'??'.repeat(2)}`,
    touched: Array.from({ length: 14 }, () => null),
    known: [...Array.from({ length: 12 }, () => 'opcode'), null, null],
  });
});

test('memory for people: rows of sixteen bytes, with the writers below', async () => {
  const { stdout } = await cli(['memory', TRACE, '--at', '10', '--address', '0x7bffe', '--length', '6']);
  expect(stdout).toBe(
    [
      'record 10: 2 of 6 bytes known',
      '0x7bff0                                             ?? ??  |              ??|',
      '0x7c000  ?? cd ab ??                                       |?..?            |',
      '',
      '   from       to  bytes  known from  written by  accessed by',
      '0x7c001  0x7c001      1  data                 4            4',
      '0x7c002  0x7c002      1  data                 4           10',
      '',
    ].join('\n'),
  );
});

test('memory in several parts, up to the top of the address space', async () => {
  const answer = await json(['memory', TRACE, '--at', '10', '--address', '0x70000', '--length', '128k']);
  const { bytes, writers } = answer as { bytes: string; writers: (number | null)[] };
  expect([bytes.length, writers.length]).toEqual([0x40000, 0x20000]);
  expect([bytes.slice(2 * 0xc001, 2 * 0xc003), writers.indexOf(4)]).toEqual(['cdab', 0xc001]);
  const top = ['memory', TRACE, '--at', '10', '--address', '0xffffffffffffffff', '--length'];
  expect(await json([...top, '1'])).toMatchObject({ bytes: '??' });
  expect(await cli([...top, '2'])).toMatchObject({
    code: 2,
    stderr: 'tracebench: memory: 2 bytes starting at 0xffffffffffffffff exceed the highest address\n',
  });
});

test('last-access and next-access print the bytes before and after', async () => {
  const write = { n: 4, kind: 'write', address: '0x7c001', value: '0xabcd', after: 'cdab' };
  const span = ['--address', '0x7c001-0x7c002'];
  const found = (way: string, at: number) => json([way, TRACE, '--at', String(at), ...span]);
  expect(await found('last-write', 10)).toMatchObject(write);
  expect(await found('last-write', 10)).not.toHaveProperty('before');
  expect(await found('last-write', 3)).toBeNull();
  expect(await found('next-write', 3)).toMatchObject(write);
  expect(await found('next-access', 4)).toMatchObject({ n: 10, before: 'cdab', after: 'cdab' });
  expect(await found('last-read', 10)).toMatchObject({ n: 10 });
  expect(await found('next-read', 10)).toBeNull();
  expect(await found('last-access', 9)).toMatchObject({ n: 4 });
});

test('last-write and next-write find a register of one cpu or any', async () => {
  const requested = ['last-write', TRACE, '--at', '10', '--register', 'r0'];
  expect(await json(requested)).toMatchObject({ n: 5, cpu: 1, register: 'r0', after: '0x5' });
  expect(await json([...requested, '--cpu', '0'])).toMatchObject({ n: 2, cpu: 0, after: '0x7c000' });
  expect(await json(['next-read', TRACE, '--at', '0', '--register', 'r0'])).toBeNull();
});

test('access for people: the record, then the bytes before and after', async () => {
  const { stdout } = await cli(['last-write', TRACE, '--at', '10', '--address', '0x7c000-0x7c003']);
  expect(stdout.split('\n').slice(2)).toEqual(['', 'after  ??cdab??', '']);
  const nobody = await cli(['next-write', TRACE, '--at', '4', '--address', '0x7c001']);
  expect([nobody.code, nobody.stdout]).toEqual([0, 'no write of 0x7c001 after record 4\n']);
});

test.each([
  ['registers', ['--at', '11'], 1, `${TRACE}: there is no record 11; the trace has records 0 to 10`],
  ['registers', [], 2, 'registers: give the record with --at N'],
  ['memory', ['--at', '1', '--length', '4'], 2, 'memory: give the first byte with --address A'],
  ['memory', ['--at', '1', '--address', '4'], 2, 'memory: give the number of bytes with --length L'],
  [
    'memory',
    ['--at', '1', '--address', '4', '--length', '0'],
    2,
    'memory: --length must be 1 to 1048576 bytes, not 0; read more in several steps',
  ],
  ['last-write', ['--at', '1'], 2, 'last-write: give --address A or --register NAME'],
  [
    'next-access',
    ['--at', '1', '--address', '4', '--register', 'r0'],
    2,
    'next-access: give --address or --register, not both',
  ],
  ['last-read', ['--at', '1', '--address', '4', '--cpu', '0'], 2, 'last-read: --cpu needs --register'],
] as const)('%s %j is refused', async (command, args, code, message) => {
  expect(await cli([command, TRACE, ...args])).toEqual({ code, stdout: '', stderr: `tracebench: ${message}\n` });
});

test('memory of a trace without values prints accesses and writers', async () => {
  const answer = await json(['memory', BYU, '--at', '100', '--address', '0x100000', '--length', '4096']);
  const { bytes, touched, writers } = answer as {
    bytes: string;
    touched: (number | null)[];
    writers: (number | null)[];
  };
  expect(bytes).toBe('??'.repeat(4096));
  expect(touched.some((n) => n !== null)).toBe(true);
  expect(writers.some((n) => n !== null)).toBe(true);
});
