// `coverage` of a sample whose source is short enough to count by hand: test/engine/compiled/programs/fault-off-by-one.c.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BYU, cli, folder, json, traceOf } from './driver.ts';

const trace = traceOf('tarmac/fault-off-by-one');
const image = join(dirname(trace), 'program.elf');
const source = fileURLToPath(new URL('../../engine/compiled/programs/fault-off-by-one.c', import.meta.url));
const ARGUMENTS = [trace, '--image', image];

interface Document {
  readonly instructions: readonly {
    readonly address: string;
    readonly count: number;
    readonly notTaken?: number;
    readonly left?: boolean;
  }[];
  readonly lines: readonly { readonly file: string; readonly line: number; readonly count: number }[];
  readonly functions: readonly { readonly name: string; readonly count: number }[];
  readonly totals: { readonly lines: { readonly covered: number; readonly total: number } };
}

test('coverage counts functions, and lines by the largest count of their instructions', async () => {
  const { lines, functions, totals } = (await json(['coverage', ...ARGUMENTS])) as Document;
  const entered = Object.fromEntries(functions.map(({ name, count }) => [name, count]));
  expect(entered).toMatchObject({ _start: 1, program: 1, sum_of: 1, copy: 1, show: 1, swi_handler: 0, irq_handler: 0 });
  const own = Object.fromEntries(lines.map(({ line, count }) => [line, count]));
  // Four prices are added, and five are copied. The early return for no prices never runs.
  expect(own).toMatchObject({ 13: 1, 15: 4, 17: 0, 21: 5, 24: 1, 28: 1 });
  expect(totals.lines).toEqual({ covered: 11, total: 12 });
});

test('coverage of a range counts only its records', async () => {
  const all = ((await json(['coverage', ...ARGUMENTS])) as Document).instructions;
  const parts = await Promise.all(
    [
      ['--to', '60'],
      ['--from', '60'],
    ].map(async (range) => ((await json(['coverage', ...ARGUMENTS, ...range])) as Document).instructions),
  );
  const sums = all.map((_, row) => parts.reduce((sum, part) => sum + part[row]!.count, 0));
  expect(sums).toEqual(all.map(({ count }) => count));
  expect(parts.every((part) => part.some(({ count }) => count > 0))).toBe(true);
});

test('coverage of several traces adds their counts, and --minus leaves out what another one ran', async () => {
  const all = (await json(['coverage', ...ARGUMENTS])) as Document;
  const text = readFileSync(trace, 'utf8');
  const cut = text.indexOf('\n', text.indexOf('IT (40)')) + 1;
  const beginning = join(folder, 'beginning.txt');
  writeFileSync(beginning, text.slice(0, cut));
  const part = (await json(['coverage', beginning, '--image', image])) as Document;
  const both = (await json(['coverage', trace, beginning, '--image', image])) as Document & { traces: string[] };
  expect(both.traces).toEqual([trace, beginning]);
  expect(both.instructions.map(({ count }) => count)).toEqual(
    all.instructions.map(({ count }, row) => count + part.instructions[row]!.count),
  );
  const rest = (await json(['coverage', ...ARGUMENTS, '--minus', beginning])) as Document;
  const open = all.instructions.filter((_, row) => part.instructions[row]!.count === 0);
  expect(rest.instructions.filter(({ left }) => left !== true)).toEqual(open);
  // The first 40 instructions end in the loop of `sum_of`; `copy`, `show` and the end of `program` remain.
  expect(rest.lines.map(({ line, count }) => [line, count])).toEqual([
    [17, 0],
    [19, 1],
    [21, 5],
    [24, 1],
    [28, 1],
    [29, 1],
    [31, 1],
  ]);
  const range = await cli(['coverage', trace, beginning, '--image', image, '--from', '5']);
  expect([range.code, range.stderr]).toEqual([
    2,
    'tracebench: coverage: --from and --to are records of one trace; give one trace with them\n',
  ]);
  const missing = await cli(['coverage', trace, join(folder, 'none.txt'), '--image', image]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('none.txt')]);
});

test('blank lines between records change nothing', async () => {
  // Without records of skipped instructions, the instruction behind a branch shows that it was not taken.
  const text = readFileSync(trace, 'utf8').replaceAll(' IS ', ' IT ');
  const [dense, spaced] = [join(folder, 'dense.txt'), join(folder, 'spaced.txt')];
  writeFileSync(dense, text);
  writeFileSync(spaced, text.replaceAll('\n', '\n\n'));
  const expected = (await json(['coverage', dense, '--image', image])) as Document;
  expect(expected.instructions.some(({ notTaken }) => notTaken !== undefined && notTaken > 0)).toBe(true);
  expect(await json(['coverage', spaced, '--image', image])).toEqual(expected);
});

test('coverage prints tables of functions, lines, instructions and branches', async () => {
  const functions = await cli(['coverage', ...ARGUMENTS]);
  expect(functions.stdout).toMatch(/^100\.0 % +8\/8 +2\/2 +2\/2 +1 +0x\w+ +copy$/m);
  expect(functions.stdout).toContain('11 of 12 lines (91.6 %)');
  const lines = await cli(['coverage', ...ARGUMENTS, '--level', 'line', '--source-map', 'fault=src/fault']);
  expect(lines.stdout).toMatch(/^ +5 +src\/fault-off-by-one\.c:21$/m);
  const branches = await cli(['coverage', ...ARGUMENTS, '--level', 'branch']);
  // The loop of `copy` goes back four times, and ends once.
  expect(branches.stdout).toMatch(/^ +0x\w+ +5 +4 +1 +copy +fault-off-by-one\.c:21$/m);
});

test('coverage ends with status 3 if fewer lines ran than --fail-under says', async () => {
  expect((await cli(['coverage', ...ARGUMENTS, '--fail-under', '91'])).code).toBe(0);
  expect((await cli(['coverage', ...ARGUMENTS, '--fail-under', '92'])).code).toBe(3);
});

test('coverage says what it needs', async () => {
  expect((await cli(['coverage', trace])).stderr).toContain(
    "coverage needs the program's image; give an ELF file with --image",
  );
  const bus = await cli(['coverage', BYU, '--image', image]);
  expect(bus.code).toBe(1);
  expect(bus.stderr).toContain('its records do not show which instructions ran');
  expect((await cli(['coverage', ...ARGUMENTS, '--lcov', '--level', 'line'])).code).toBe(2);
});

const lcov = lcovMissing();
if (lcov !== undefined) console.warn(`The tracefile is not given to lcov: ${lcov}`);

test('coverage writes a tracefile with lines, functions and branches', async () => {
  const file = join(folder, 'program.info');
  const written = await cli([
    'coverage',
    ...ARGUMENTS,
    '--lcov',
    '--source-map',
    `fault-off-by-one.c=${source}`,
    '-o',
    file,
  ]);
  expect(written.code).toBe(0);
  const text = readFileSync(file, 'utf8').split('\n');
  expect(text).toEqual(
    expect.arrayContaining([`SF:${source}`, 'FN:19,copy', 'FNDA:1,copy', 'BRDA:21,0,0,4', 'BRDA:21,0,1,1', 'DA:21,5']),
  );
  expect(text.slice(-3)).toEqual(['LH:11', 'end_of_record', '']);
});

test.skipIf(lcov !== undefined)('lcov and genhtml read the tracefile', () => {
  const file = join(folder, 'program.info');
  const summary = execFileSync('lcov', ['--summary', file, '--rc', 'lcov_branch_coverage=1'], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(summary).toContain('11 of 12 lines');
  expect(summary).toContain('5 of 6 branches');
  execFileSync('genhtml', ['-q', '-o', join(folder, 'html'), file], { stdio: 'pipe' });
  expect(readFileSync(join(folder, 'html', 'index.html'), 'utf8')).toContain('91.7');
});

test('coverage writes the blocks that ran for drcov', async () => {
  const file = join(folder, 'program.drcov');
  expect((await cli(['coverage', ...ARGUMENTS, '--drcov', '-o', file])).code).toBe(0);
  const data = readFileSync(file);
  const head =
    /^DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\nModule Table: version 2, count 1\nColumns: id, base, end, entry, path\n0, 0x(\w+), 0x\w+, 0x0+, (.+)\nBB Table: (\d+) bbs\n/;
  const [whole = '', base = '', path, blocks] = head.exec(data.toString('latin1'))!;
  expect(path).toBe(image);
  const table = data.subarray(whole.length);
  expect(table).toHaveLength(8 * Number(blocks));
  const bytes = new Set<number>();
  for (let at = 0; at < table.length; at += 8) {
    expect(table.readUInt16LE(at + 6)).toBe(0);
    const start = parseInt(base, 16) + table.readUInt32LE(at);
    for (let byte = 0; byte < table.readUInt16LE(at + 4); byte++) bytes.add(start + byte);
  }
  const { instructions } = (await json(['coverage', ...ARGUMENTS])) as Document;
  const ran = instructions.filter(({ count }) => count > 0).map(({ address }) => Number(address));
  expect([...bytes]).toEqual(ran.flatMap((address) => [0, 1, 2, 3].map((byte) => address + byte)));
});

test('coverage writes XML of Cobertura', async () => {
  const { stdout } = await cli(['coverage', ...ARGUMENTS, '--cobertura']);
  const open: string[] = [];
  for (const [, end, name = '', alone] of stdout.matchAll(/<(\/?)([a-z]+)(?: [^<>]*?)?(\/?)>/g)) {
    if (end === '/') expect(open.pop()).toBe(name);
    else if (alone !== '/') open.push(name);
  }
  expect(open).toEqual([]);
  expect(stdout).toMatch(/ lines-covered="11" lines-valid="12" branches-covered="5" branches-valid="6" /);
  expect(stdout).toContain(
    '<line number="21" hits="5" branch="true" condition-coverage="100% (2/2)">' +
      '<conditions><condition number="0" type="jump" coverage="100%"/></conditions></line>',
  );
  expect(stdout).toContain('<line number="17" hits="0" branch="false"/>');
});

test('coverage marks each instruction of the disassembly', async () => {
  const { stdout } = await cli(['coverage', ...ARGUMENTS, '--asm']);
  expect(stdout).toMatch(/^copy \+: 0x815c-0x817b 100\.0 % of 8$/m);
  expect(stdout).toMatch(/^0x8174 \+: 5 {2}bne #0x8168 {2}; taken 4, not taken 1$/m);
  // `sum_of` is called with some prices, so its check for none never branches.
  expect(stdout).toMatch(/^sum_of !: 0x8128-0x815b 84\.6 % of 13$/m);
  expect(stdout).toMatch(/^0x\w+ v: 1 {2}b\w+ #0x8154 {2}; taken 0, not taken 1$/m);
  expect(stdout).toMatch(/^ *0x0 -: 0 {2}\w/m);
  expect(stdout).toMatch(/^; fault-off-by-one\.c:21\n0x8168 \+: 5/m);
});

test('coverage writes a page with the source lines and their counts', async () => {
  const file = join(folder, 'program.html');
  const sources = ['--sources', dirname(source)];
  expect((await cli(['coverage', ...ARGUMENTS, '--html', ...sources, '-o', file])).code).toBe(0);
  const page = readFileSync(file, 'utf8');
  expect(page).toMatch(
    /<tr id="line-1-21" class="heat-6"><td class="line">21<\/td><td class="count">5<\/td>.*for \(i = 0; i &lt;= count; i\+\+\)/,
  );
  expect(page).toMatch(/<tr id="line-1-17" class="never"><td class="line">17<\/td><td class="count">0<\/td>/);
  expect(page).toContain('title="taken 4, not taken 1">2/2<');
  expect(page).not.toMatch(/<script|https?:|@import|url\(/);
  const without = await cli(['coverage', ...ARGUMENTS, '--html']);
  expect(without.stdout).toContain('The source file is not here');
});

test('coverage says which outputs cannot be combined', async () => {
  const refused = async (...options: readonly string[]) => (await cli(['coverage', ...ARGUMENTS, ...options])).stderr;
  expect(await refused('--html', '--asm')).toContain('coverage: give --asm or --html, not both');
  expect(await refused('--drcov')).toContain('coverage: --drcov writes a binary file; name it with -o FILE');
  expect(await refused('--sources', folder)).toContain('coverage: --sources needs --html');
});

test.each([
  ['text', []],
  ['json', ['--json']],
  ['lcov', ['--lcov']],
  ['asm', ['--asm']],
])('coverage takes --format %s for a form of output, beside the format of the trace', async (form, options) => {
  const named = await cli(['coverage', ...ARGUMENTS, '--format', 'tarmac', '--format', form]);
  expect(named).toEqual(await cli(['coverage', ...ARGUMENTS, ...options]));
  expect(named.code).toBe(0);
  expect(await cli(['coverage', ...ARGUMENTS, `--format=${form}`])).toEqual(named);
});

function lcovMissing(): string | undefined {
  try {
    execFileSync('genhtml', ['--version'], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'there is no lcov here';
  }
}

const stray = traceOf('tarmac/fault-stray-write');
const STRAY = [
  stray,
  '--image',
  join(dirname(stray), 'program.elf'),
  '--against',
  join(dirname(stray), 'without-fault.txt'),
];

// Without the fault, the name has 3 letters instead of 8, and the limit stays: one branch of line 23 goes the other way.
test('coverage --against says which parts of functions ran in one run only', async () => {
  const { stdout } = await cli(['coverage', ...STRAY]);
  expect(stdout).toMatch(/\n100\.0 % +50\.0 % +0 +0 +2 +2 +measure\n/);
  expect(stdout).not.toContain('set_name');
  expect(stdout).toContain(
    '7 lines ran in both runs, 0 only in A, 0 only in B, 5 in neither. The same parts of 19 of 20',
  );
  const { lines, totals } = (await json(['coverage', ...STRAY])) as {
    readonly lines: readonly { readonly a: object; readonly b: object }[];
    readonly totals: object;
  };
  expect(totals).toEqual({ lines: { both: 7, onlyA: 0, onlyB: 0, neither: 5, notComparedA: 0, notComparedB: 0 } });
  expect(lines.find(({ a }) => 'line' in a && a.line === 16)).toEqual({
    a: { file: 'fault-stray-write.c', line: 16, count: 14, self: 72 },
    b: { file: 'fault-stray-write.c', line: 16, count: 9, self: 47 },
  });
});

test('profile --against shows the change of the cost of functions and lines', async () => {
  const functions = await cli(['profile', ...STRAY]);
  expect(functions.stdout).toContain('Costs in instructions: 138 in A, 109 in B, -29.');
  expect(functions.stdout).toMatch(/\n +74 +49 +-25 +-18\.1 % +74 +49 +-25 +2 +2 +0 +set_name\n/);
  const lines = await cli(['profile', ...STRAY, '--level', 'line', '--limit', '1']);
  expect(lines.stdout).toMatch(/\n +72 +47 +-25 +14 +9 +fault-stray-write\.c:16\n$/);
});

test.each([
  [['coverage', ...STRAY, '--level', 'branch'], '--against compares functions and lines, not --level branch'],
  [['coverage', ...STRAY, '--count', 'sum'], '--against cannot be combined with --count'],
  [['profile', ...STRAY, '--level', 'loop'], '--against compares functions and lines, not --level loop'],
  [['profile', ...STRAY, '--callgrind'], '--against cannot be combined with --callgrind'],
  [['profile', ...ARGUMENTS, '--shift', '4'], '--shift needs --against'],
])('refuses %s', async (args, text) => {
  const { code, stderr } = await cli(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
});

test('report --tables adds tables of the code, which verify computes again', async () => {
  const report = join(folder, 'code.html');
  await cli(['report', ...ARGUMENTS, '--parts', 'text', '--tables', 'coverage,lines,instructions', '-o', report]);
  expect(readFileSync(report, 'utf8')).toContain('Hottest source lines');
  expect((await cli(['verify', report, ...ARGUMENTS])).stdout).toContain('3 parts were recomputed');
});

test('report --changes adds the changes to another run, which verify computes again', async () => {
  const report = join(folder, 'changes.md');
  const wanted = ['--parts', 'text', '--changes', 'profile,lines,coverage', '--no-sha256', '-o', report];
  expect(await cli(['report', ...STRAY, ...wanted])).toMatchObject({ code: 0 });
  const text = readFileSync(report, 'utf8');
  expect(text).toContain('| `set_name` | 74 | 49 | -25 | 74 | 49 | -25 | 2 | 2 | 0 |');
  expect(text).toContain('| `fault-stray-write.c:16` | 72 | 47 | -25 | 14 | 9 |');
  expect(text).toContain('| `measure` | 8 of 8 instructions | 4 of 8 instructions | 0 | 0 | 2 | 2 |');
  expect((await cli(['verify', report, ...STRAY])).stdout).toContain('3 parts were recomputed');
  expect((await cli(['verify', report, ...STRAY.slice(0, -1), stray])).code).toBe(1);
  const alone = await cli(['report', stray, '--changes', 'profile', '-o', report]);
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--changes needs --against')]);
});
