// `profile` as files of other profilers, for a sample that can be counted by hand: test/engine/compiled/programs/fault-off-by-one.c.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { cli, folder, json, traceOf } from './driver.ts';

const trace = traceOf('tarmac/fault-off-by-one');
const image = join(dirname(trace), 'program.elf');
const ARGUMENTS = [trace, '--image', image];

/** Instructions of each function itself, counted in the trace: 15 of `_start` come before it calls `program`. */
const SELF = { _start: 15, program: 15, sum_of: 26, copy: 24, show: 3 };

test('profile lists lines and instructions by how often they ran', async () => {
  const lines = (await json(['profile', ...ARGUMENTS, '--level', 'line', '--limit', '2'])) as object;
  // The loop of `copy` has four instructions that run five times, then returns; that of `sum_of` has five, four times, and more before.
  expect(lines).toEqual({
    unit: 'instructions',
    cost: 83,
    lines: [
      { file: 'fault-off-by-one.c', line: 15, self: 24, count: 4 },
      { file: 'fault-off-by-one.c', line: 21, self: 21, count: 5 },
    ],
    notes: [],
  });
  const { stdout } = await cli(['profile', ...ARGUMENTS, '--level', 'instruction', '--limit', '1']);
  expect(stdout).toMatch(/^ +6\.0 +5 +0x8168 +ldr ip, \[r3, #4\]! +copy +fault-off-by-one\.c:21$/m);
  const loops = await cli(['profile', ...ARGUMENTS, '--level', 'loop']);
  expect(loops.stdout).toBe((await cli(['loops', ...ARGUMENTS])).stdout);
});

const callgrind = join(folder, 'callgrind.out');

test('profile writes costs by instruction and calls at their sites for callgrind', async () => {
  expect((await cli(['profile', ...ARGUMENTS, '--callgrind', '-o', callgrind])).code).toBe(0);
  const text = readFileSync(callgrind, 'utf8');
  expect(text).toContain('\nsummary: 83\n');
  expect(text).toContain('\n0x8174 21 5\n');
  // The second call of `program` is at 0x81b4, on line 28; the cost of a call is on the line after it.
  expect(text).toMatch(/\ncfn=\(\d+\)[^\n]*\ncalls=1 0x815c 19\n0x81b4 28 24\n/);
  const own = text.split('\n\n').map((part) => ({
    name: /^fn=\(\d+\)(.*)$/m.exec(part)?.[1],
    self: [...part.replaceAll(/^calls=.*\n.*$/gm, '').matchAll(/^0x\w+ \d+ (\d+)$/gm)].reduce((a, [, n]) => a + +n!, 0),
  }));
  expect(
    own
      .map(({ self }) => self)
      .filter((self) => self > 0)
      .sort(),
  ).toEqual(Object.values(SELF).sort());
});

const annotate = annotateMissing();
if (annotate !== undefined) console.warn(`The profile is not given to callgrind_annotate: ${annotate}`);

test.skipIf(annotate !== undefined)('callgrind_annotate reads the profile', () => {
  const text = execFileSync('callgrind_annotate', ['--threshold=100', callgrind], { encoding: 'utf8', stdio: 'pipe' });
  for (const [name, self] of Object.entries(SELF))
    expect(text).toMatch(new RegExp(`^ *${self} \\([\\d. ]+%\\) +\\S+:${name} `, 'm'));
  const whole = execFileSync('callgrind_annotate', ['--inclusive=yes', callgrind], { encoding: 'utf8', stdio: 'pipe' });
  expect(whole).toMatch(/^ *83 \(100\.0%\) +\S+:_start /m);
  expect(whole).toMatch(/^ *68 \([\d. ]+%\) +\S+:program /m);
});

const STACKS: readonly (readonly [path: readonly string[], self: number])[] = [
  [['_start'], 15],
  [['_start', 'program'], 15],
  [['_start', 'program', 'sum_of'], 26],
  [['_start', 'program', 'copy'], 24],
  [['_start', 'program', 'show'], 3],
];

test('profile writes the cost of each call path for speedscope', async () => {
  const { stdout } = await cli(['profile', ...ARGUMENTS, '--speedscope']);
  const document = JSON.parse(stdout) as {
    readonly $schema: string;
    readonly shared: { readonly frames: readonly { readonly name: string; readonly file?: string }[] };
    readonly profiles: readonly [{ type: string; endValue: number; samples: number[][]; weights: number[] }];
  };
  expect(document.$schema).toBe('https://www.speedscope.app/file-format-schema.json');
  const { frames } = document.shared;
  expect(frames).toContainEqual({ name: 'copy', file: 'fault-off-by-one.c', line: 19 });
  const [{ type, endValue, samples, weights }] = document.profiles;
  expect([type, endValue]).toEqual(['sampled', 83]);
  expect(samples.map((stack, at) => [stack.map((frame) => frames[frame]!.name), weights[at]])).toEqual(STACKS);
});

test('profile writes a profile.proto for pprof', async () => {
  const file = join(folder, 'profile.pb.gz');
  expect((await cli(['profile', ...ARGUMENTS, '--pprof', '-o', file])).code).toBe(0);
  const profile = fieldsOf(gunzipSync(readFileSync(file)));
  const strings = all(profile, 6).map((text) => text.toString());
  expect(strings[0]).toBe('');
  const types = all(profile, 1).map((type) => [1, 2].map((field) => strings[one(fieldsOf(type), field)]));
  expect(types).toEqual([
    ['calls', 'count'],
    ['instructions', 'count'],
  ]);
  const functions = new Map(
    all(profile, 5).map((data) => {
      const fields = fieldsOf(data);
      return [one(fields, 1), { name: strings[one(fields, 2)]!, file: strings[one(fields, 4)], line: one(fields, 5) }];
    }),
  );
  const locations = new Map(
    all(profile, 4).map((data) => {
      const fields = fieldsOf(data);
      const line = fieldsOf(all(fields, 4)[0]!);
      return [one(fields, 1), { address: one(fields, 3), function: one(line, 1) }];
    }),
  );
  expect([...functions.values()]).toContainEqual({ name: 'copy', file: 'fault-off-by-one.c', line: 19 });
  const samples = all(profile, 2).map((data) => {
    const [path, values] = [1, 2].map((field) => numbersOf(all(fieldsOf(data), field)[0]!));
    return [path!.reverse().map((id) => functions.get(locations.get(id)!.function)!.name), values![1]];
  });
  expect(samples).toEqual(STACKS);
  expect([...locations.values()].map(({ address }) => address)).toContain(0x815c);
});

test('profile says which outputs cannot be combined', async () => {
  const refused = async (...options: readonly string[]) => (await cli(['profile', ...ARGUMENTS, ...options])).stderr;
  expect(await refused('--pprof')).toContain('profile: --pprof writes a binary file; name it with -o FILE');
  expect(await refused('--callgrind', '--pprof')).toContain('profile: give --callgrind or --pprof, not both');
  expect(await refused('--speedscope', '--function', 'copy')).toContain('give --speedscope or --function, not both');
  expect(await refused('-o', join(folder, 'x'))).toContain(
    'profile: -o needs one of --callgrind, --speedscope, --pprof',
  );
});

/** A field of a message: a number, or the bytes of a text, a message or packed numbers. */
type Field = readonly [number: number, value: number | Buffer];

function fieldsOf(data: Buffer): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < data.length;) {
    const [key, afterKey] = varintAt(data, at);
    const [value, after] = varintAt(data, afterKey);
    const isDelimited = (key & 7) === 2;
    expect([0, 2]).toContain(key & 7);
    fields.push([key >> 3, isDelimited ? data.subarray(after, after + value) : value]);
    at = isDelimited ? after + value : after;
  }
  return fields;
}

function varintAt(data: Buffer, at: number): readonly [value: number, after: number] {
  let value = 0;
  for (let shift = 1; ; shift *= 128) {
    const byte = data[at++]!;
    value += (byte % 128) * shift;
    if (byte < 128) return [value, at];
  }
}

function numbersOf(data: Buffer): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < data.length;) {
    const [value, after] = varintAt(data, at);
    numbers.push(value);
    at = after;
  }
  return numbers;
}

function all(fields: readonly Field[], wanted: number): readonly Buffer[] {
  return fields.flatMap(([number, value]) => (number === wanted && typeof value !== 'number' ? [value] : []));
}

/** Returns the number of a field; 0 without it. */
function one(fields: readonly Field[], wanted: number): number {
  const found = fields.find(([number]) => number === wanted)?.[1] ?? 0;
  return typeof found === 'number' ? found : NaN;
}

function annotateMissing(): string | undefined {
  // It ends with a status of its own for --version.
  const { error } = spawnSync('callgrind_annotate', ['--version']);
  return error === undefined ? undefined : 'there is no Valgrind here';
}

/** The sample on a clock that runs twice as fast after instruction 26. */
const slow = join(folder, 'slow.txt');

test('profile --by time measures functions, lines and files of other profilers in the time of the trace', async () => {
  // Each instruction takes one clock until the loop of sum_of begins, then two.
  const begins = 26;
  const text = readFileSync(trace, 'utf8').replaceAll(/^\d+(?= clk)/gm, (clock) =>
    String(Number(clock) > begins ? 2 * Number(clock) - begins : Number(clock)),
  );
  writeFileSync(slow, text);
  const args = ['profile', slow, '--image', image, '--by', 'time'];
  const { unit, cost, functions, notes } = (await json(args)) as {
    readonly unit: string;
    readonly cost: number;
    readonly functions: readonly { readonly name: string; readonly self: number }[];
    readonly notes: readonly string[];
  };
  const self = Object.fromEntries(functions.map((one) => [one.name, one.self]));
  // sum_of runs from clock 21 to 46. The last instruction, of program, has no next one.
  expect([unit, cost, self]).toEqual([
    'clk',
    82 + 57,
    { _start: 15, program: 5 + 2 * 9, sum_of: 5 + 2 * 21, copy: 2 * 24, show: 2 * 3 },
  ]);
  expect(notes.join(' ')).toContain('The time of 1 straight run is unknown');
  const { lines } = (await json([...args, '--level', 'line', '--limit', '2'])) as { readonly lines: readonly object[] };
  expect(lines).toEqual([
    { file: 'fault-off-by-one.c', line: 15, time: 3 + 2 * 20 + 2, count: 4 },
    { file: 'fault-off-by-one.c', line: 21, time: 42, count: 5 },
  ]);
  const form = await cli([...args, '--callgrind']);
  expect(form.stdout).toContain('\nevents: Time\n');
  expect(form.stdout).toContain('\n0x8174 21 10\n');
  expect(form.stdout).toContain(`\ntotals: ${82 + 57}\n`);
  const scope = await cli([...args, '--speedscope']);
  expect(JSON.parse(scope.stdout)).toMatchObject({ profiles: [{ unit: 'none', endValue: 82 + 57 }] });
  expect((await cli([...args, '--level', 'loop'])).stderr).toContain('not --level loop');
});
