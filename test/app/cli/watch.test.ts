// `watch` and `history` on a trace of ten records whose changes can be worked out by eye, and `phases` of two functions.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import fixtures from '../../unit/debug-programs.json' with { type: 'json' };
import { cli, folder, json } from './driver.ts';

/** main::calls is a long int at 0x910c. */
const PROGRAM = join(folder, 'watch.elf');
writeFileSync(PROGRAM, gunzipSync(Buffer.from(fixtures.programs.arm5, 'base64')));

const TRACE = join(folder, 'watch.txt');
writeFileSync(
  TRACE,
  [
    '1 clk 0 IT (1) 00008000 e5801000 A svc : str r1, [r0]', // 0
    '1 clk MW4 0000910c fffffffe', // 1: -2
    '1 clk R r1 00000007', // 2
    '2 clk 0 IT (2) 00008004 e5801000 A svc : str r1, [r0]', // 3
    '2 clk MW4 0000910c fffffffe', // 4: the same value
    '3 clk 0 IT (3) 00008008 e5c01001 A svc : strb r1, [r0, #1]', // 5
    '3 clk MW1 0000910d 07', // 6: fe 07 ff ff is 0xffff07fe, -63490
    '4 clk 0 IT (4) 0000800c e5901000 A svc : ldr r1, [r0]', // 7
    '4 clk MR4 0000910c 00000000', // 8: changed without a record
    '4 clk R r1 00000000', // 9
    '',
  ].join('\n'),
);

const UNKNOWN = { contents: '????????' };
const FIRST = { contents: 'feffffff', value: -2 };
const SECOND = { contents: 'fe07ffff', value: -63490 };
const THIRD = { contents: '00000000', value: 0 };

test('watch prints values with their last and next change', async () => {
  const given = ['--image', PROGRAM, '--variable', 'main::calls', '--register', 'r1', '--address', '0x910d'];
  expect(await json(['watch', TRACE, '--at', '6', ...given])).toEqual({
    at: 6,
    values: [
      {
        register: 'r1',
        cpu: 0,
        contents: '0x7',
        last: { n: 2, how: 'set', before: { contents: '' }, after: { contents: '0x7' } },
        next: { n: 9, how: 'set', before: { contents: '0x7' }, after: { contents: '0x0' } },
      },
      {
        address: '0x910d',
        bytes: 1,
        contents: '07',
        value: '0x7',
        here: 'changed',
        before: { contents: 'ff', value: '0xff' },
        last: {
          n: 6,
          how: 'write',
          before: { contents: 'ff', value: '0xff' },
          after: { contents: '07', value: '0x7' },
        },
        next: { n: 8, how: 'read', before: { contents: '07', value: '0x7' }, after: { contents: '00', value: '0x0' } },
      },
      {
        variable: 'main::calls',
        type: 'long int',
        address: '0x910c',
        bytes: 4,
        ...SECOND,
        here: 'changed',
        before: FIRST,
        last: { n: 6, how: 'write', before: FIRST, after: SECOND },
        next: { n: 8, how: 'read', before: SECOND, after: THIRD },
      },
    ],
  });
  // Nothing is known before the first record that shows a value, and nothing changes after the last.
  expect(await json(['watch', TRACE, '--at', '0', '--register', 'r1', '--register', 'r2'])).toMatchObject({
    values: [
      { contents: '', last: null, next: { n: 2 } },
      { contents: '', last: null, next: null },
    ],
  });
});

test('watch for people marks what the record did', async () => {
  const { stdout } = await cli(['watch', TRACE, '--at', '4', '--address', '0x910c-0x910f', '--register', 'r1']);
  expect(stdout).toBe(
    [
      'record 4',
      'watched        cpu       value  here       last change  by           from  next change  by             to',
      'r1               0         0x7                       2  set             ?            9  set           0x0',
      '0x910c-0x910f       0xfffffffe  rewritten            1  write  0x????????            6  write  0xffff07fe',
      '',
    ].join('\n'),
  );
});

test('history lists the changes, counts rewrites between them and continues at a record', async () => {
  const memory = ['history', TRACE, '--address', '0x910c-0x910f', '--form', 'signed'];
  const changes = [
    { n: 1, how: 'write', before: UNKNOWN, after: FIRST, rewrites: 0, by: { n: 0, address: '0x8000' } },
    { n: 6, how: 'write', before: FIRST, after: SECOND, rewrites: 1, by: { n: 5, address: '0x8008' } },
    { n: 8, how: 'read', before: SECOND, after: THIRD, rewrites: 0, by: { n: 7, address: '0x800c' } },
  ];
  const place = { address: '0x910c', bytes: 4 };
  expect(await json(memory)).toEqual({ ...place, start: UNKNOWN, changes, rewrites: 0, next: null });
  expect(await json([...memory, '--limit', '1'])).toMatchObject({ changes: [{ n: 1 }], rewrites: 1, next: 6 });
  expect(await json([...memory, '--from', '2', '--to', '6'])).toEqual({
    ...place,
    start: FIRST,
    changes: [],
    rewrites: 1,
    next: null,
  });
  expect((await cli(memory)).stdout).toBe(
    [
      '0x910c-0x910f: 0x???????? at the start',
      'record  by       value  rewrites before  instruction  address',
      '     1  write       -2                             0   0x8000',
      '     6  write  -63,490                1            5   0x8008',
      '     8  read         0                             7   0x800c',
      '',
    ].join('\n'),
  );
});

test.each([
  ['nothing to watch', ['watch', TRACE, '--at', '0'], 'give at least one of --register, --address and --variable'],
  ['two histories', ['history', TRACE, '--register', 'r0', '--register', 'r1'], 'give only one register'],
  ['a long span', ['watch', TRACE, '--at', '0', '--address', '0-0x100'], 'has 257 bytes; at most 256'],
  ['three bytes as float', ['history', TRACE, '--address', '0-2', '--form', 'float'], 'has 4 or 8'],
  ['a variable without a program', ['watch', TRACE, '--at', '0', '--variable', 'x'], '--variable needs the program'],
])('refuses %s', async (_, args, message) => {
  expect(await cli(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) as string });
});

/** head is a pointer at 0x90b8; struct node has next at 0, key at 4, and a word of bits at 12; grid[2][3] is at 0x9104. */
const PARTS = join(folder, 'parts.txt');
writeFileSync(
  PARTS,
  [
    '1 clk MW4 000090b8 0000a000', // 0: head
    '1 clk MW2 0000a004 0029', // 1: head->key = 41
    '1 clk MW4 0000a000 0000a020', // 2: head->next
    '1 clk MW2 0000a024 0007', // 3: head->next->key = 7
    '1 clk MW4 0000a00c 0000002b', // 4: low is 011, high 00101
    '1 clk MW1 00009109 2a', // 5: grid[1][2] = 42
    '2 clk MW4 000090b8 0000a020', // 6: head = head->next
    '',
  ].join('\n'),
);

test('watch and history name members, elements and targets as C does', async () => {
  const names = [
    'head->key',
    '(*head).next->key',
    'head->low',
    'head->high',
    'grid[1][2]',
    '*head->next',
    'head[1].key',
  ];
  const given = names.flatMap((name) => ['--variable', name]);
  const watched = (await json(['watch', PARTS, '--at', '5', '--image', PROGRAM, ...given])) as { values: unknown[] };
  expect(watched.values).toMatchObject([
    { variable: 'head->key', address: '0xa004', bytes: 2, value: 41, last: { n: 1 } },
    { variable: '(*head).next->key', address: '0xa024', value: 7, last: { n: 3 } },
    { variable: 'head->low', type: 'unsigned int : 3', value: 3 },
    { variable: 'head->high', type: 'int : 5', value: 5 },
    { variable: 'grid[1][2]', address: '0x9109', bytes: 1, value: 42, last: { n: 5 } },
    { variable: '*head->next', type: 'struct node', address: '0xa020', bytes: 20 },
    { variable: 'head[1].key', address: '0xa018', contents: '????' },
  ]);
  // A pointer is followed as it is after the record: here head points to the other node.
  const later = ['watch', PARTS, '--at', '6', '--image', PROGRAM, '--variable', 'head->key'];
  expect(await json(later)).toMatchObject({ values: [{ address: '0xa024', value: 7 }] });
  const history = ['history', PARTS, '--from', '1', '--image', PROGRAM, '--variable', 'head->key'];
  expect(await json(history)).toMatchObject({ address: '0xa004', changes: [{ n: 1, after: { value: 41 } }] });
});

test.each([
  ['head->nxt', "struct node has no member 'nxt'; it has next, key, tag, low, high, u"],
  ['head.key', 'head is a pointer; write head->key'],
  ['grid[2]', 'grid has 2 elements, so there is no grid[2]'],
  ['counter->x', 'counter is neither a pointer nor an array; its type is volatile int'],
  ['head->next->key', 'head->next points to an unknown address after record 1: no record up to it shows all bytes'],
  ['heads->key', "no image has a variable 'heads'"],
])('says in one sentence why there is no %s', async (name, message) => {
  const { code, stderr } = await cli(['watch', PARTS, '--at', '1', '--image', PROGRAM, '--variable', name]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test('names similar variables if there is none of that name', async () => {
  const { code, stderr } = await cli(['watch', TRACE, '--at', '0', '--variable', 'calls', '--image', PROGRAM]);
  expect(code).toBe(1);
  expect(stderr).toContain("no image has a variable 'calls'; similar: main::calls");
});

test('phases names the function of each stretch', async () => {
  const steps = Array.from({ length: 16 }, (_, i) => {
    // Eight instructions of f, the last of which calls g, and eight of g.
    const address = (i < 8 ? 0x8000 + 4 * i : 0x8100 + 4 * (i - 8)).toString(16);
    const code = i === 7 ? 'eb000037 A svc : bl #0x8100' : 'e3a00000 A svc : mov r0, #0';
    return `${i + 1} clk 0 IT (${i + 1}) 0000${address} ${code}\n`;
  });
  const trace = join(folder, 'phases.txt');
  const symbols = join(folder, 'phases.nm');
  writeFileSync(trace, steps.join(''));
  writeFileSync(symbols, '00008000 00000020 T f\n00008100 00000020 T g\n');
  const given = ['phases', trace, '--image', symbols];
  const phases = [
    { from: 0, to: 8, functions: [{ name: 'f', share: 1 }] },
    { from: 8, to: 16, functions: [{ name: 'g', share: 1 }] },
  ];
  expect(await json(given)).toEqual({ of: 'functions', cpu: 0, cpus: [0], phases, notes: [] });
  expect((await cli([...given, '--to', '8'])).stdout).toBe(
    ['first  last  records  functions', '    0     7        8  f 100.0 %', ''].join('\n'),
  );
});

test('phases of a trace without program flow names the addresses of each stretch', async () => {
  const trace = join(folder, 'phases.din');
  writeFileSync(trace, '0 1000\n0 1004\n0 1008\n0 100c\n1 9000\n1 9004\n1 9008\n1 900c\n');
  expect(await json(['phases', trace, '--format', 'din'])).toMatchObject({
    of: 'addresses',
    phases: [
      { from: 0, to: 4, functions: [{ name: '0x1000 to 0x10ff', share: 1 }] },
      { from: 4, to: 8, functions: [{ name: '0x9000 to 0x90ff', share: 1 }] },
    ],
  });
});
