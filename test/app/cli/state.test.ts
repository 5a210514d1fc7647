// Registers, memory and accesses on a trace of eleven lines whose answers can be worked out by eye.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, cli, folder, json, lines } from './driver.ts';

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

/** Bytes and writers in [address, bytes, writer]; registers as [name, value, since], without a value if it is unknown. */
type State = {
  readonly registers: readonly (readonly [name: string, value?: string, since?: number])[];
  readonly memory: readonly (readonly [address: string, bytes: string, writer?: number])[];
};

test.each<readonly [name: string, options: readonly string[], lines: readonly string[], state: State]>([
  [
    'words behind values of RTL',
    ['dialect=rtl'],
    [
      '100 ps R r13_mn 20010000', // 0
      '101 ps R r5 00000001', // 1
      '104 ps BNR4___I 00004000 20002100', // 2
      '104 ps MNR4___I 00004000 20002100', // 3
      '109 ps IT (00004000:00000000) 00004000 2100 T16 MOVS r1,#0', // 4
      '109 ps MW4 20000010 00000001', // 5
      '110 ps IT (00004002:00000001) 00004002 2000 T16 MOVS r0,#0', // 6
      '110 ps R r13_mn 20018000 Invoke:0 Mode:1', // 7
      '110 ps MW4 20000010 00000002 NS', // 8
      '111 ps IT (00004004:00000002) 00004004 2200 T16 MOVS r2,#0', // 9
    ],
    {
      registers: [
        ['r13_mn', '0x20018000', 7],
        ['r5', '0x1', 1],
      ],
      memory: [['0x20000010', '02000000', 8]],
    },
  ],
  [
    'a write behind a register in one line of ES',
    [],
    [
      'Tarmac Text Rev 3t', // 0
      '       1000 tic ES  EXC [1] Reset', // 1
      '                    R R1 00000005', // 2
      '                    BR (00000100) T', // 3
      '       1100 tic ES  (00000100:2107) T thrd_s:         MOVS     r1,#7', // 4
      '                    R R1 00000007       ST 20000010 ........ ........ ........ 00000007    S:20000010    NM NSH', // 5, 6
      '       1200 tic ES  (00000102:bf00) T thrd_s:         NOP', // 7
    ],
    { registers: [['R1', '0x7', 5]], memory: [['0x20000010', '07000000', 6]] },
  ],
  [
    'words behind values of Fast Models',
    ['dialect=fastmodels'],
    [
      '1 clk cpu0 R r1 00000001', // 0
      '1 clk cpu0 MW4 00009000 00000011', // 1
      '2 clk cpu0 IT (2) 00008000 e3a01002 A svc_s : MOV r1,#2', // 2
      '2 clk cpu0 R r1 00000002 <- new', // 3
      '2 clk cpu0 MW4 00009000 00000022 ; note', // 4
      '3 clk cpu0 IT (3) 00008004 e1a00000 A svc_s : NOP', // 5
    ],
    { registers: [['r1', '0x2', 3]], memory: [['0x9000', '22000000', 4]] },
  ],
  [
    'unknown digits in values of RTL',
    ['dialect=rtl'],
    [
      '100 ps R r5 00000001', // 0
      '100 ps MW4 20000010 00000001', // 1
      '101 ps R r5 0000000Z', // 2
      '101 ps MW4 20000010 zzzzzzzz', // 3
      '102 ps IT (00004000:00000000) 00004000 2100 T16 MOVS r1,#0', // 4
    ],
    { registers: [['r5']], memory: [['0x20000010', '????????', 3]] },
  ],
  [
    'writes of RTL without a time or a port',
    ['dialect=rtl'],
    [
      'R r5 00000001', // 0
      'MNW4___I 20000010 00000001', // 1
      'MNW4___D 20000014 01000000', // 2
      'IT (00004000:00000001) 00004000 2100 T16 MOVS r1,#0', // 3
      'MNW4____ 20000010 00000002', // 4
      'MNW4___D 20000014 02000000', // 5
      'IT (00004002:00000002) 00004002 2200 T16 MOVS r2,#0', // 6
    ],
    {
      registers: [['r5', '0x1', 0]],
      memory: [
        ['0x20000010', '02000000', 4],
        ['0x20000014', '02000000', 5],
      ],
    },
  ],
  [
    'two registers in one line of ES',
    [],
    [
      'Tarmac Text Rev 3t', // 0
      '       1000 tic ES  (00000100:2107) T thrd_s:         MOVS     r1,#7', // 1
      '                    R R1 00000001', // 2
      '                    R R2 00000002', // 3
      '       1100 tic ES  (00000102:2208) T thrd_s:         MOVS     r2,#8', // 4
      '                    R R1 00000007       R R2 00000008', // 5, 6
      '       1200 tic ES  (00000104:bf00) T thrd_s:         NOP', // 7
    ],
    {
      registers: [
        ['R1', '0x7', 5],
        ['R2', '0x8', 6],
      ],
      memory: [],
    },
  ],
  [
    'a register behind a write in one line of Fast Models',
    ['dialect=fastmodels'],
    [
      '1 clk cpu0 R r1 00000001', // 0
      '1 clk cpu0 MW2 00009000 1111', // 1
      '2 clk cpu0 IT (2) 00008000 e3a01002 A svc_s : MOV r1,#2', // 2
      '2 clk cpu0 MW2 00009000 2222 2 clk cpu0 R r1 00000002', // 3, 4
      '3 clk cpu0 IT (3) 00008004 e1a00000 A svc_s : NOP', // 5
    ],
    { registers: [['r1', '0x2', 4]], memory: [['0x9000', '2222', 3]] },
  ],
])('registers and memory keep no older value after %s', async (name, options, text, { registers, memory }) => {
  const path = join(folder, `${name}.tarmac`);
  writeFileSync(path, `${text.join('\n')}\n`);
  const chosen = [path, '--format', 'tarmac', ...options.flatMap((option) => ['--option', option])];
  const { n } = (await lines(['records', ...chosen])).at(-1) as { n: number };
  const at = ['--at', String(n)];
  const answer = (await json(['registers', ...chosen, ...at])) as {
    registers: Record<string, { value?: string; since?: number }>;
  };
  for (const [register, value, since] of registers) {
    const { [register]: known } = answer.registers;
    expect(known?.value).toBe(value);
    if (since !== undefined) expect(known?.since).toBe(since);
  }
  for (const [address, bytes, writer] of memory) {
    const length = bytes.length / 2;
    const span = ['--address', address, '--length', String(length)];
    expect(await json(['memory', ...chosen, ...span, ...at])).toMatchObject({
      bytes,
      writers: new Array<number | undefined>(length).fill(writer),
    });
  }
});
