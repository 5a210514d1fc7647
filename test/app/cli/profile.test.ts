// `profile` of a program worked through by hand.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, cli, folder, json } from './driver.ts';

/** start calls f, which calls g twice; then start jumps to f by a tail call, which is interrupted in g. */
const STEPS = [
  '00008000 e3a00000 A svc : mov r0, #0', // 0 start
  '00008004 eb000001 A svc : bl #0x8010', // 1
  '00008010 e92d4010 A svc : push {r4, lr}', // 2 f
  '00008014 eb000001 A svc : bl #0x8020', // 3
  '00008020 e12fff1e A svc : bx lr', // 4 g
  '00008018 ebfffffe A svc : bl #0x8020', // 5
  '00008020 e12fff1e A svc : bx lr', // 6 g
  '0000801c e8bd8010 A svc : pop {r4, pc}', // 7
  '00008008 ea000000 A svc : b #0x8010', // 8
  '00008010 e92d4010 A svc : push {r4, lr}', // 9 f, tail-called by start
  '00008014 eb000001 A svc : bl #0x8020', // 10
  '00008020 ef000000 A svc : svc #0', // 11 g
  '00000008 e1b0f00e A svc : movs pc, lr', // 12 the handler
  '00008024 e12fff1e A svc : bx lr', // 13 g
  '00008018 e3a00000 A svc : mov r0, #0', // 14 f
];

const trace = join(folder, 'profile.txt');
const symbols = join(folder, 'profile.nm');
writeFileSync(trace, STEPS.map((step, i) => `${i + 1} clk 0 IT (${i + 1}) ${step}\n`).join(''));
writeFileSync(symbols, '00008000 00000010 T start\n00008010 00000010 T f\n00008020 00000008 T g\n');
const ARGUMENTS = [trace, '--image', symbols];

const START = { id: '0x8000', name: 'start', address: '0x8000', aliases: [], calls: 0, self: 3, total: 9 };
const F = { id: '0x8010', name: 'f', address: '0x8010', aliases: [], calls: 2, self: 7, total: 12 };
const G = { id: '0x8020', name: 'g', address: '0x8020', aliases: [], calls: 3, self: 4, total: 5 };
const HANDLER = { id: '0x8', name: 'exception 0x8', address: '0x8', aliases: [], calls: 1, self: 1, total: 1 };

test('profile prints functions by their own cost, and pairs of caller and callee', async () => {
  expect(await json(['profile', ...ARGUMENTS])).toEqual({
    evidence: 'instructions',
    unit: 'instructions',
    cost: 15,
    functions: [
      // Both stays last six records.
      { ...F, first: 2, longest: { from: 2, to: 8 } },
      { ...G, first: 4, longest: { from: 11, to: 14 } },
      { ...START, longest: { from: 0, to: 9, open: true } },
      { ...HANDLER, first: 12, longest: { from: 12, to: 13 } },
    ],
    pairs: [
      // The second f replaced start: nothing known is below it.
      { caller: '0x8000', callee: '0x8010', calls: 2, kinds: ['call', 'tail call'], first: 2, total: 6 },
      { caller: '0x8010', callee: '0x8020', calls: 3, kinds: ['call'], first: 4, total: 5 },
      { caller: '0x8020', callee: '0x8', calls: 1, kinds: ['exception'], first: 12, total: 1 },
    ],
    notes: [],
  });
});

test('profile of a range cuts stays to it and says so', async () => {
  const { functions } = (await json(['profile', ...ARGUMENTS, '--from', '5', '--to', '13'])) as { functions: unknown };
  expect(functions).toMatchObject([
    { name: 'f', first: 9, longest: { from: 9, to: 13, open: true } },
    { name: 'g', first: 6, longest: { from: 11, to: 13, open: true } },
    { name: 'start', longest: { from: 5, to: 9, open: true } },
    { name: 'exception 0x8', first: 12, longest: { from: 12, to: 13, open: true } },
  ]);
});

test('profile counts a recursive function once in its total, and a recursive pair', async () => {
  const file = join(folder, 'recursion.txt');
  const image = join(folder, 'recursion.nm');
  writeFileSync(image, '00008000 00000010 T main\n00008010 00000010 T down\n');
  const steps = [
    '00008000 eb000002 A svc : bl #0x8010', // 0 main
    '00008010 0a000000 A svc : beq #0x8018', // 1 down
    '00008014 ebfffffd A svc : bl #0x8010', // 2
    '00008010 0a000000 A svc : beq #0x8018', // 3 down in down
    '00008014 ebfffffd A svc : bl #0x8010', // 4
    '00008010 0a000000 A svc : beq #0x8018', // 5 down in down in down
    '00008018 e12fff1e A svc : bx lr', // 6
    '00008018 e12fff1e A svc : bx lr', // 7 down in down
    '00008018 e12fff1e A svc : bx lr', // 8 down
    '00008004 e1a00000 A svc : nop', // 9 main
  ];
  writeFileSync(file, steps.map((step, i) => `${i + 1} clk 0 IT (${i + 1}) ${step}\n`).join(''));
  expect(await json(['profile', file, '--image', image])).toMatchObject({
    cost: 10,
    functions: [
      { name: 'down', calls: 3, self: 8, total: 8, first: 1, longest: { from: 1, to: 9 } },
      { name: 'main', calls: 0, self: 2, total: 10 },
    ],
    pairs: [
      { caller: '0x8000', callee: '0x8010', calls: 1, total: 8 },
      { caller: '0x8010', callee: '0x8010', calls: 2, total: 5, first: 3 },
    ],
  });
});

test('profile prints a table in the wanted order, and one function between its callers and callees', async () => {
  const { stdout } = await cli(['profile', ...ARGUMENTS, '--sort', 'total', '--limit', '3']);
  expect(stdout.split('\n')).toEqual([
    'From instructions; 15 instructions.',
    '',
    'self %  self  total %  total  calls  first  longest  at  function',
    '  46.7     7     80.0     12      2      2       6    2  f',
    '  20.0     3     60.0      9      0              9+   0  start',
    '  26.7     4     33.3      5      3      4       3   11  g',
    '',
  ]);
  const around = await cli(['profile', ...ARGUMENTS, '--function', 'f']);
  expect(around.stdout.split('\n').slice(2)).toEqual([
    'self %  self  total %  total  calls  first  longest  at  function',
    '  46.7     7     80.0     12      2      2       6    2  f',
    '',
    'total %  total  calls  first  kinds            caller',
    '   40.0      6      2      2  call, tail call  start',
    '',
    'total %  total  calls  first  callee',
    '   33.3      5      3      4  g',
    '',
  ]);
  expect(await json(['profile', ...ARGUMENTS, '--function', '0x8000'])).toMatchObject({
    function: { name: 'start' },
    callers: [],
    callees: [{ callee: '0x8010' }],
  });
  const unknown = await cli(['profile', ...ARGUMENTS, '--function', 'nothing']);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('no function nothing calls or is called'),
  ]);
});

test('profile of a trace without code is empty', async () => {
  expect(await json(['profile', BYU])).toMatchObject({ functions: [], pairs: [], cost: 0 });
  expect((await cli(['profile', BYU])).stdout).toContain('The trace contains no calls.\n');
});

/** main falls into an outer loop (8004 to 8014, three times) around an inner one (8008 to 800c), then ends. */
const LOOPS: readonly (readonly [address: number, code: string])[] = [
  [0x8000, 'e3a00000 A svc : mov r0, #0'],
  ...[3, 1, 2].flatMap((inner): (readonly [number, string])[] => [
    [0x8004, 'e3a01000 A svc : mov r1, #0'],
    ...Array.from({ length: inner }, (): (readonly [number, string])[] => [
      [0x8008, 'e2511001 A svc : subs r1, r1, #1'],
      [0x800c, '1afffffd A svc : bne #0x8008'],
    ]).flat(),
    [0x8010, 'e2500001 A svc : subs r0, r0, #1'],
    [0x8014, '1afffffa A svc : bne #0x8004'],
  ]),
  [0x8018, 'e1a00000 A svc : nop'],
];

test('loops prints bodies, entries, iterations, shares and nesting', async () => {
  const file = join(folder, 'loops.txt');
  const image = join(folder, 'loops.nm');
  writeFileSync(image, '00008000 00000020 T main\n');
  writeFileSync(
    file,
    LOOPS.map(([at, code], i) => `${i + 1} clk 0 IT (${i + 1}) 0000${at.toString(16)} ${code}\n`).join(''),
  );
  const whole = { id: '0x8000', function: 'main' };
  expect(await json(['loops', file, '--image', image])).toEqual({
    unit: 'instructions',
    cost: 23,
    loops: [
      {
        header: '0x8004',
        end: '0x8014',
        ...whole,
        backEdges: 1,
        iterations: 2,
        entries: 1,
        first: 0,
        least: 21,
        most: 21,
        depth: 0,
      },
      {
        header: '0x8008',
        end: '0x800c',
        ...whole,
        backEdges: 1,
        iterations: 3,
        entries: 3,
        first: 0,
        least: 12,
        most: 12,
        depth: 1,
        outer: '0x8004',
      },
    ],
    notes: [],
  });
  const { stdout } = await cli(['loops', file, '--image', image, '--limit', '1']);
  expect(stdout.split('\n')).toEqual([
    'share %  iterations  entries  first  header     end  depth  function',
    '   91.3           2        1      0  0x8004  0x8014      0  main',
    '',
  ]);
  // Records 8 to 17: the end of the outer loop's first iteration, its second with one inner one, and the third up to its first inner one.
  expect(await json(['loops', file, '--image', image, '--from', '8', '--to', '18'])).toMatchObject({
    cost: 10,
    loops: [
      { header: '0x8004', iterations: 2, entries: 0, first: 10, least: 10, most: 10, begunBefore: true },
      { header: '0x8008', iterations: 0, entries: 2, first: 10, least: 4, most: 4, depth: 1, outer: '0x8004' },
    ],
  });
  const { stdout: ranged } = await cli(['loops', file, '--image', image, '--from', '8', '--to', '18']);
  expect(ranged.split('\n').slice(0, 2)).toEqual([
    'share %  iterations  entries  first  header     end  marks           depth  function',
    '  100.0           2        0     10  0x8004  0x8014  entered before      0  main',
  ]);
  expect((await cli(['loops', ...ARGUMENTS])).stdout).toBe('No loops are known in these records.\n');
});
