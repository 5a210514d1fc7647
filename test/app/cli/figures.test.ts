// Figures and the overview on the command line: drawings, output and refusals.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, cli, folder, golden, json } from './driver.ts';

/** start calls f, which calls g. */
const trace = join(folder, 'figures.txt');
const symbols = join(folder, 'figures.nm');
writeFileSync(
  trace,
  [
    ['00008000', 'e3a00000', 'mov r0, #0'],
    ['00008004', 'eb000001', 'bl #0x8010'],
    ['00008010', 'e92d4010', 'push {r4, lr}'],
    ['00008014', 'eb000001', 'bl #0x8020'],
    ['00008020', 'e12fff1e', 'bx lr'],
    ['00008018', 'e8bd8010', 'pop {r4, pc}'],
    ['00008008', 'e3a00000', 'mov r0, #0'],
  ]
    .map(([at, opcode, text], i) => `${i + 1} clk 0 IT (${i + 1}) ${at} ${opcode} A svc : ${text}\n`)
    .join(''),
);
writeFileSync(
  symbols,
  '00008000 00000010 T start\n00008010 00000010 T f\n00008020 00000008 T g\n00008020 00000008 T other_g\n',
);
const ARGUMENTS = [trace, '--image', symbols];

test.each([
  [['calls', '--centre', 'g'], 'Call graph around g in figures.txt'],
  [['calls', '--centre', 'other_g'], 'Call graph around g in figures.txt'],
  [['calls', '--centre', '0x8010'], 'Call graph around f in figures.txt'],
  [['tree'], 'Flame graph of figures.txt'],
  [['tree', '--order', 'bottom-up'], 'Bottom-up flame graph of figures.txt'],
  [['tree', '--order', 'time', '--title', 'Once & again'], 'Once &amp; again'],
  [['overview'], 'Overview of figures.txt'],
])('%j draws %s', async ([command = '', ...options], title) => {
  const path = join(folder, 'drawn.svg');
  const written = await json([command, ...ARGUMENTS, ...options, '-o', path]);
  expect(written).toEqual({ path, bytes: readFileSync(path).length });
  expect(readFileSync(path, 'utf8')).toContain(`<title>${title}</title>`);
});

test('overview draws the tracks that a person names, and says which exist', async () => {
  const traced = join(folder, 'tracks.txt');
  writeFileSync(traced, `${readFileSync(trace, 'utf8')}8 clk R r1 00000007\n9 clk MW4 00009000 00000001\n`);
  const path = join(folder, 'tracks.svg');
  const named = [
    'phases',
    'function',
    'Call depth',
    'interrupts',
    'accesses',
    'R1',
    '0x9000-0x9003',
    'memory 0x9000 2',
  ];
  const tracks = named.flatMap((name) => ['--track', name]);
  await json(['overview', traced, '--image', symbols, '-o', path, ...tracks]);
  const titles = [
    'Phases',
    'Function',
    'Call depth',
    'Interrupts',
    'Accesses',
    'r1',
    '0x9000, 4 bytes',
    '0x9000, 2 bytes',
  ];
  const drawn = readFileSync(path, 'utf8');
  const places = titles.map((title) => drawn.indexOf(`>${title}<`));
  expect(places.every((place, i) => place > (places[i - 1] ?? 0))).toBe(true);
  const unknown = await cli(['overview', traced, '-o', path, '--track', 'r99']);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining("there is no track 'r99'; tracks are phases"),
  ]);
  const long = await cli(['overview', traced, '-o', path, '--track', '0x9000-0x9010']);
  expect(long.stderr).toContain('0x9000-0x9010 has 17 bytes, but a track shows at most 8');
  expect((await cli(['overview', traced, '--track', 'phases'])).stderr).toContain('name its file with -o FILE.svg');
});

test('refuses invalid figure options in a sentence', async () => {
  const path = join(folder, 'drawn.svg');
  const refusals = [
    ['calls', '--centre', 'g'],
    ['calls', '--dot', '-o', path],
    ['tree', '--order', 'time'],
    ['tree', '--depth', '2', '-o', path],
    ['overview', '-o', 'x.jpg'],
    ['calls', '-o', path, '--centre', 'nobody'],
    ['overview', '-o', path, '--scale', '3'],
  ];
  const results = [];
  for (const [command = '', ...options] of refusals) {
    const { code, stdout, stderr } = await cli([command, ...ARGUMENTS, ...options]);
    results.push([code, stdout, stderr.split('\n')[0]]);
  }
  expect(results).toEqual([
    [2, '', 'tracebench: calls: --centre needs a figure; add -o FILE.svg or -o FILE.png'],
    [2, '', 'tracebench: calls: give only one of --dot, --folded and -o'],
    [2, '', 'tracebench: tree: --order needs a figure; add -o FILE.svg or -o FILE.png'],
    [2, '', 'tracebench: tree: --depth applies to the table; leave it out with -o'],
    [2, '', "tracebench: overview: --output must end in .svg or .png, not 'x.jpg'"],
    [
      2,
      '',
      'tracebench: calls: no function nobody calls or is called in these records; `tracebench calls` lists the functions',
    ],
    [2, '', "tracebench: --scale must be one of 1, 2, not '3'"],
  ]);
});

test('a flame graph of one frame shows that frame, and has the same call depth as calls', async () => {
  const plan = join(folder, 'flames.json');
  const report = join(folder, 'flames.md');
  const wanted = [
    { order: 'left-heavy' },
    { order: 'left-heavy', path: ['0x8000', '0x8010'] },
    { order: 'bottom-up', path: ['0x8010'] },
    { order: 'bottom-up', path: ['0x8020', '0x8010'] },
    { order: 'time' },
  ];
  const parts = wanted.map((wanted) => ({ kind: 'figure', figure: { figure: 'flame', ...wanted } }));
  writeFileSync(plan, JSON.stringify({ title: 'Flames', parts, sha256: false }));
  expect(await cli(['report', ...ARGUMENTS, '-o', report, '--plan', plan])).toMatchObject({ code: 0, stderr: '' });
  const reported = readFileSync(report, 'utf8').match(/^\*[^*].*\*$/gm);
  expect(reported).toEqual([
    '*Records 0 to 6. Highest self cost, of 7 instructions: start 3 (43 %); f 3 (43 %); g 1 (14 %). Calls nest up to 2 deep.*',
    '*Records 0 to 6, only f, called by start. Highest self cost, of 4 instructions: f 3 (75 %); g 1 (25 %). Calls nest up to 2 deep.*',
    '*Records 0 to 6, only f. Highest self cost, of 3 instructions: f 3 (100 %).*',
    '*Records 0 to 6, only g, called by f. Highest self cost, of 1 instructions: g 1 (100 %).*',
    '*Records 0 to 6. Calls nest up to 2 deep.*',
  ]);
  expect(readFileSync(join(folder, 'flames.2.svg'), 'utf8')).toContain('>Only f, called by start.<');
  expect((await cli(['calls', ...ARGUMENTS])).stdout).toContain('calls nest up to 2 deep');
});

test('overview counts unreadable lines in their columns', async () => {
  const mixed = join(folder, 'mixed.txt');
  const isBad = (n: number): boolean => n % 7 === 3;
  const good = (n: number): string => `${n} clk 0 IT (${n}) 00008000 e3a00000 A svc : mov r0, #0`;
  writeFileSync(mixed, Array.from({ length: 300 }, (_, n) => `${isBad(n) ? 'what is this' : good(n)}\n`).join(''));
  for (const range of [[], ['--from', '101', '--to', '251']]) {
    const { edges, bad } = (await json(['overview', mixed, '--columns', '10', ...range])) as {
      readonly edges: readonly number[];
      readonly bad: readonly number[];
    };
    const numbers = Array.from({ length: 300 }, (_, n) => n);
    const expected = bad.map(
      (_, at) => numbers.filter((n) => n >= edges[at]! && n < edges[at + 1]! && isBad(n)).length,
    );
    expect(bad).toEqual(expected);
  }
});

test('overview and heat show the last record of the range in their title', async () => {
  const sketches = await Promise.all(['overview', 'heat'].map((name) => cli([name, BYU, '--from', '2', '--to', '5'])));
  for (const { stdout } of sketches) expect(stdout).toMatch(/records 2 to 4(;|\n)/);
});

test('overview counts every record in its column', async () => {
  const records = golden(BYU);
  const overview = (await json(['overview', BYU, '--columns', '7'])) as {
    readonly from: number;
    readonly to: number;
    readonly columns: number;
    readonly edges: readonly number[];
    readonly kinds: readonly string[];
    readonly counts: readonly (readonly number[])[];
    readonly bad: readonly number[];
  };
  const { from, to, columns, edges, kinds, counts, bad } = overview;
  expect([from, to, columns, edges.length, bad.length]).toEqual([0, records.length, 7, 8, 7]);
  const expected = Array.from({ length: columns }, (_, column) =>
    kinds.map(
      (kind) =>
        records.filter((one) => one.n >= edges[column]! && one.n < edges[column + 1]! && one.kind === kind).length,
    ),
  );
  expect(counts).toEqual(expected);
  const end = records.length;
  expect(await json(['overview', BYU, '--from', String(end + 1)])).toEqual({
    from: end,
    to: end,
    columns: 0,
    edges: [end],
    kinds,
    counts: [],
    bad: [],
  });
});
