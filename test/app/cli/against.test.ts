// `calls`, `tree` and `heat` with --against: two runs of a program of four functions, worked out by hand.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { BYU, cli, folder } from './driver.ts';

/** Instructions of each function; each takes its place in a run when main calls it. The last one returns. */
const FUNCTIONS = { f: { at: 0x8100, length: 2 }, g: { at: 0x8200, length: 3 }, h: { at: 0x8300, length: 1 } };
type Name = keyof typeof FUNCTIONS;
const MAIN = 0x8000;

/** Main calls the functions one after the other, and executes one more instruction. */
function run(calls: readonly Name[], shift = 0): string {
  const lines: string[] = [];
  const step = (address: number, opcode: number, text: string): void => {
    const n = String(lines.length + 1);
    const [its, code] = [address + shift, opcode].map((value) => value.toString(16).padStart(8, '0'));
    lines.push(`${n} clk 0 IT (${n}) ${its!} ${code!} A svc : ${text}\n`);
  };
  for (const [k, name] of calls.entries()) {
    const { at, length } = FUNCTIONS[name];
    const site = MAIN + 4 * k;
    step(site, 0xeb000000 + (((at - site - 8) >> 2) & 0xffffff), `BL 0x${(at + shift).toString(16)}`);
    for (let i = 0; i < length - 1; i++) step(at + 4 * i, 0xe1a00000, 'NOP');
    step(at + 4 * (length - 1), 0xe1a0f00e, 'MOV pc, lr');
  }
  step(MAIN + 4 * calls.length, 0xe1a00000, 'NOP');
  return lines.join('');
}

const files = Object.fromEntries(
  ['a.txt', 'b.txt', 'moved.txt', 'a.nm', 'moved.nm', 'f.svg', 'g.svg', 'h.svg', 'h.json'].map((name) => [
    name,
    join(folder, `against-${name}`),
  ]),
) as Record<string, string>;
const [a, b, moved] = [files['a.txt']!, files['b.txt']!, files['moved.txt']!];
const SHIFT = 0x1000;
const ofA = (names: Readonly<Record<string, number>>): string =>
  Object.entries(names)
    .map(([name, at]) => `${at.toString(16).padStart(8, '0')} T ${name}\n`)
    .join('');

beforeAll(() => {
  writeFileSync(a, run(['f', 'f', 'g']));
  writeFileSync(b, run(['f', 'g', 'h']));
  writeFileSync(moved, run(['f', 'g', 'h'], SHIFT));
  writeFileSync(files['a.nm']!, ofA({ main: 0x8000, f: 0x8100, g: 0x8200, h: 0x8300 }));
  writeFileSync(files['moved.nm']!, ofA({ main: 0x9000, f: 0x9100, g: 0x9200, h: 0x9300 }));
});

const CHANGES = {
  f: { a: { calls: 2, self: 4, total: 4 }, b: { calls: 1, self: 2, total: 2 } },
  g: { a: { calls: 1, self: 3, total: 3 }, b: { calls: 1, self: 3, total: 3 } },
  h: { a: null, b: { calls: 1, self: 1, total: 1 } },
  main: { a: { calls: 0, self: 4, total: 11 }, b: { calls: 0, self: 4, total: 10 } },
};

interface Changes {
  readonly unit: string;
  readonly shift: string;
  readonly functions: readonly { readonly name: string }[];
  readonly edges: readonly unknown[];
}

async function changes(args: readonly string[]): Promise<Changes> {
  return JSON.parse((await cli([...args, '--json', '--quiet'])).stdout) as Changes;
}

const byName = ({ functions }: Changes): object =>
  Object.fromEntries(functions.map(({ name, ...costs }) => [name, costs]));

describe('calls', () => {
  test('pairs functions by name, wherever the programs were loaded', async () => {
    const same = await changes(['calls', a, '--image', files['a.nm']!, '--against', b]);
    const elsewhere = await changes([
      'calls',
      a,
      '--image',
      files['a.nm']!,
      '--against',
      moved,
      '--image-b',
      files['moved.nm']!,
      '--shift',
      '0',
    ]);
    for (const found of [same, elsewhere]) {
      expect(byName(found)).toEqual(CHANGES);
      expect(found.functions[0]!.name).toBe('f');
      expect(found.edges).toEqual([
        { caller: 'main', callee: 'f', kind: 'call', a: 2, b: 1 },
        { caller: 'main', callee: 'h', kind: 'call', a: 0, b: 1 },
        { caller: 'main', callee: 'g', kind: 'call', a: 1, b: 1 },
      ]);
    }
  });

  test('pairs functions without names by address and shift', async () => {
    const found = await changes(['calls', a, '--against', moved, '--shift', String(SHIFT)]);
    const { f, g, h, main } = CHANGES;
    expect(byName(found)).toEqual({ '0x8100': f, '0x8200': g, '0x9300': h, '(unknown)': main });
    const apart = await changes(['calls', a, '--against', moved, '--shift', '0']);
    expect(apart.functions.map(({ name }) => name).sort()).toEqual([
      '(unknown)',
      '0x8100',
      '0x8200',
      '0x9100',
      '0x9200',
      '0x9300',
    ]);
  });

  test('shows people what changed, and tools both costs', async () => {
    const { stdout } = await cli(['calls', a, '--image', files['a.nm']!, '--against', b]);
    expect(stdout).toContain('B took -1. 1 function of 4 cost the same in both.');
    expect(stdout).toMatch(/\n +4 +2 +-2 +4 +2 +-2 +2 +1 +-1 +f\n/);
    expect(stdout).not.toMatch(/ g\n/);
    const folded = await cli(['calls', a, '--image', files['a.nm']!, '--against', b, '--folded']);
    expect(folded.stdout.split('\n').sort()).toEqual(['', 'main 4 4', 'main;f 4 2', 'main;g 3 3', 'main;h 0 1']);
    const dot = await cli(['calls', a, '--image', files['a.nm']!, '--against', b, '--dot']);
    expect(dot.stdout).toMatch(/label="2 to 1", color="#0b62b8"\];/);
    expect(dot.stdout).toMatch(/label="0 to 1", color="#b3261e", style=dashed\];/);
  });
});

describe('tree', () => {
  test('prints each call path with both costs', async () => {
    const { stdout } = await cli(['tree', a, '--image', files['a.nm']!, '--against', b, '--json', '--quiet']);
    const { f, g, h, main } = CHANGES;
    const leaf = (name: string, costs: object): object => ({ function: name, ...costs, children: [] });
    expect(JSON.parse(stdout)).toEqual({
      unit: 'instructions',
      shift: '0',
      roots: [{ function: 'main', ...main, children: [leaf('f', f), leaf('h', h), leaf('g', g)] }],
    });
    const table = await cli(['tree', a, '--image', files['a.nm']!, '--against', b]);
    expect(table.stdout).toMatch(/\n +11 +10 +-1 +4 +4 +0 +0 +0 +0 +main\n/);
    expect(table.stdout).toMatch(/\n +- +1 +\+1 +- +1 +\+1 +- +1 +\+1 +h\n/);
  });

  test('calls draws the functions that changed, and what is next to them', async () => {
    await cli(['calls', a, '--image', files['a.nm']!, '--against', b, '-o', files['g.svg']!]);
    const svg = readFileSync(files['g.svg']!, 'utf8');
    const texts = new Set([...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) => words));
    // Each box has the cost that changed, each line the calls of both runs.
    for (const words of [
      'self 4 to 2 (-2)',
      'self 3',
      'self - to 1 (+1)',
      'total 11 to 10 (-1)',
      '2 to 1',
      '1',
      '0 to 1',
    ])
      expect(texts).toContain(words);
    // The box of h and its call are dashed: only B executed it.
    expect(svg.match(/<(?:rect|path)[^>]*stroke-dasharray="(?:4 3|5 4)"/g)).toHaveLength(2);
    expect(svg).toContain('-1 instructions in all');
  });

  test('draws boxes as wide as the change, and lists what only one run executed', async () => {
    await cli(['tree', b, '--image', files['a.nm']!, '--against', a, '-o', files['f.svg']!]);
    const svg = readFileSync(files['f.svg']!, 'utf8');
    const widths = [...svg.matchAll(/<rect x="[\d.]+" y="(\d+)" width="([\d.]+)" height="18"/g)].map(([, y, width]) => [
      y,
      width,
    ]);
    // Two instructions more in f, one less in h: of 912 pixels two thirds and one third, with a gap of one pixel.
    expect(widths).toEqual([
      ['0', '911'],
      ['19', '607'],
      ['19', '303'],
    ]);
    expect(svg).toContain('Only in A, with their instructions: h (1).');
    expect(svg).toContain('+1 instructions');
  });
});

describe('heat', () => {
  /** Columns are halves of the runs: 11 and 10 instructions. Rows are functions. */
  const grid = ['--columns', '2', '--rows', '4', '--low', '0x8000', '--high', '0x8400'];

  test('counts both runs in equal shares', async () => {
    const { stdout } = await cli(['heat', a, '--against', b, ...grid, '--json', '--quiet']);
    expect(JSON.parse(stdout)).toEqual({
      columns: 2,
      rows: 4,
      low: '0x8000',
      high: '0x8400',
      shift: '0',
      a: {
        from: 0,
        to: 11,
        counts: [
          [2, 2],
          [4, 0],
          [0, 3],
          [0, 0],
        ],
      },
      b: {
        from: 0,
        to: 10,
        counts: [
          [2, 2],
          [2, 0],
          [1, 2],
          [0, 1],
        ],
      },
    });
    const other = await cli(['heat', a, '--against', moved, ...grid, '--shift', String(SHIFT), '--json', '--quiet']);
    expect((JSON.parse(other.stdout) as { readonly b: object }).b).toEqual({
      from: 0,
      to: 10,
      counts: [
        [2, 2],
        [2, 0],
        [1, 2],
        [0, 1],
      ],
    });
  });

  test('sketches and draws the change', async () => {
    const { stdout } = await cli(['heat', a, '--against', b, ...grid]);
    expect(stdout.split('\n').slice(0, 4)).toEqual(['0x8300 │ .', '0x8200 │.,', '0x8100 │%', '0x8000 │']);
    const drawn = await cli(['heat', a, '--against', b, '-o', files['h.svg']!]);
    expect(drawn.code).toBe(0);
    const svg = readFileSync(files['h.svg']!, 'utf8');
    expect(svg).toContain('Columns are equal shares of each run: 11 records of A (its numbers are below), 10 of B.');
  });
});

describe('a report about both runs', () => {
  const report = join(folder, 'against-report.html');

  test('shows where they part, and is recomputed from both traces', async () => {
    const made = await cli(['report', a, '--against', b, '-o', report, '--parts', 'diff']);
    expect(made.code).toBe(0);
    const html = readFileSync(report, 'utf8');
    // The second instruction of main calls f in A, and g in B.
    expect(html).toMatch(
      /They part<\/dt>\s*<dd>[^<]*<bdi[^>]*>record 4 of A, record 4 of B: A is at 0x8100, B is at 0x8200</,
    );
    for (const title of ['The trace', 'The other trace']) expect(html).toContain(`<h2>${title}</h2>`);
    expect(html).toContain('Records 0 to 9 of the other trace');
    const verified = await cli(['verify', report, a, '--against', b]);
    expect([verified.code, verified.stdout]).toEqual([0, 'the report matches the trace: 1 part was recomputed\n']);
  });

  test('is not verified without the other trace, and differs from another one', async () => {
    const alone = await cli(['verify', report, a]);
    expect([alone.code, alone.stderr]).toEqual([
      1,
      expect.stringMatching(
        /the report compares the trace with against-b\.txt \(\d+ bytes, SHA-256 [0-9a-f]{64}\); name it with --against\n$/,
      ),
    ]);
    const wrong = await cli(['verify', report, a, '--against', a]);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^The page around the parts: other\.trace\.bytes: /);
    expect(wrong.stdout).toMatch(/\npart 1, /);
  });

  test('says what its comparison left out', async () => {
    const plan = join(folder, 'ignoring-plan.json');
    const question = { ignoreRanges: [{ low: '0x0', high: '0x3' }] };
    writeFileSync(plan, JSON.stringify({ title: 'Two runs', parts: [{ kind: 'diff', question }] }));
    const ignoring = join(folder, 'ignoring.md');
    const { code } = await cli(['report', a, '--against', b, '--plan', plan, '-o', ignoring]);
    expect(code).toBe(0);
    expect(readFileSync(ignoring, 'utf8')).toContain('0x0-0x3: 0 instructions of A and 0 of B');
  });

  test('is refused if a plan compares with a trace that is not named', async () => {
    const plan = join(folder, 'against-plan.json');
    writeFileSync(plan, JSON.stringify({ title: 'Two runs', parts: [{ kind: 'diff', question: { most: 5 } }] }));
    const { code, stderr } = await cli(['report', a, '--plan', plan, '-o', report]);
    expect([code, stderr]).toEqual([
      2,
      'tracebench: a part of the plan compares the trace with another one; name it with --against\n',
    ]);
  });
});

test('names what cannot be compared', async () => {
  const refused = async (...args: readonly string[]): Promise<readonly [number | null, string]> => {
    const { code, stderr } = await cli([...args]);
    return [code, stderr];
  };
  expect(await refused('calls', a, '--shift', '4')).toEqual([2, 'tracebench: calls: --shift needs --against\n']);
  expect(await refused('tree', a, '--against', b, '--from', '3')).toEqual([
    2,
    'tracebench: tree: --against cannot be combined with --from\n',
  ]);
  expect(await refused('calls', a, '--against', join(folder, 'absent.txt'))).toEqual([
    1,
    `tracebench: ${join(folder, 'absent.txt')}: there is no such file; check the path\n`,
  ]);
  expect(await refused('tree', a, '--against', BYU)).toEqual([
    2,
    'tracebench: costs cannot be compared: the first trace counts instructions, and the other one branches\n',
  ]);
});
