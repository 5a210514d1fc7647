/** Coverage of compiled programs: counts of every instruction against the instructions that ran, and of every line against gcov. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Coverage } from '../../../shared/requests/answers/coverage.ts';
import type { Arguments } from '../../../shared/requests/requests.ts';
import type { Hex } from '../../../shared/base/units.ts';
import { createRandom } from '../../laws/random.ts';
import { encode } from '../../unit/xscale-encoder.ts';
import { ask } from '../ask.ts';
import { asCapture } from '../btm-programs.ts';
import { asQemu } from '../flow-programs.ts';
import { few, pairs, rounds } from '../../short-form.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { runArm } from './arm-machine.ts';
import { interruptsOf, stepsOf } from './arm-trace.ts';
import { ARM, compileArm, compileX86, PROGRAMS, X86, type Compiled } from './compile.ts';
import type { Ran, Run } from './run.ts';
import { runX86 } from './x86-machine.ts';
import { messagesOf } from './x86-trace.ts';
import { beginning, reportsOf } from './xscale-trace.ts';

for (const { missing } of [ARM, X86])
  if (missing !== undefined) console.warn(`Coverage is skipped in part: ${missing}`);

const place = scratch();
const engine = sharedEngine(12_000);
afterAll(async () => {
  await engine.close();
  place.dispose();
});
const objects = path.join(place.folder, 'objects');
fs.mkdirSync(objects);

function runOf({ image, at }: Compiled, interrupt: Parameters<typeof runArm>[0]['interrupt'] = () => undefined): Run {
  return runArm({ image, start: at('_start'), finished: at('finished'), interrupt });
}

async function opened(args: Arguments<'open'>): Promise<string> {
  const { trace } = await ask(engine, 'open', args);
  await ask(engine, 'index', { trace });
  return trace;
}

function asText(done: Run, compiled: Compiled): Arguments<'open'> {
  const text = asQemu({ steps: stepsOf(done, compiled), taken: [], rest: 0 });
  return { path: place.file('trace.txt', text), format: 'tarmac', images: [{ path: compiled.elf }] };
}

type Counts = ReadonlyMap<number, number>;

function countsOf({ instructions: { addresses, counts } }: Coverage): Counts {
  return new Map(addresses.map((address, row) => [Number(address), counts[row]!] as const).filter(([, n]) => n > 0));
}

function timesOf(addresses: readonly number[]): Counts {
  const times = new Map<number, number>();
  for (const address of addresses) times.set(address, (times.get(address) ?? 0) + 1);
  return times;
}

const sorted = (counts: Counts): readonly (readonly [number, number])[] => [...counts].sort(([a], [b]) => a - b);
const sum = (counts: Counts): number => [...counts.values()].reduce((all, count) => all + count, 0);

/** Instructions that are counted more often than they ran. */
function tooMany(found: Counts, truth: Counts): readonly number[] {
  return [...found].filter(([address, count]) => count > (truth.get(address) ?? 0)).map(([address]) => address);
}

const CASES = few(
  pairs(PROGRAMS, ['-O2 -marm -g', '-Os -mthumb -g', '-O1 -marm -march=armv4t -g']).map(([program, how]) => ({
    program,
    how,
  })),
  2,
);

describe.skipIf(ARM.missing !== undefined).each(CASES)('$program compiled with $how', ({ program, how }) => {
  test('counts every instruction and both ways of every branch, in all records and in ranges', async () => {
    const compiled = compileArm(objects, program, how);
    const done = runOf(compiled, interruptsOf(createRandom(7), compiled, 'quietly'));
    const trace = await opened(asText(done, compiled));
    const whole = await ask(engine, 'coverage', { trace });
    expect(whole.notes).toEqual([]);
    expect(sorted(countsOf(whole))).toEqual(sorted(timesOf(done.ran.map(({ address }) => address))));
    const { addresses, kinds, taken, notTaken } = whole.instructions;
    const branches = new Set(addresses.filter((_, row) => kinds[row] === 'conditional-branch').map(Number));
    const ways = (test: (one: Ran) => boolean): Counts =>
      timesOf(done.ran.filter((one) => branches.has(one.address) && test(one)).map(({ address }) => address));
    const found = (column: typeof taken): Counts =>
      new Map(
        addresses
          .map((address, row) => [Number(address), column[row] ?? 0] as const)
          .filter(([address, count]) => branches.has(address) && count > 0),
      );
    expect(branches.size).toBeGreaterThan(5);
    expect(sorted(found(taken))).toEqual(sorted(ways(({ branch }) => branch !== undefined)));
    expect(sorted(found(notTaken))).toEqual(sorted(ways(({ branch }) => branch === undefined)));

    const skipped = ({ instructions }: Coverage): Counts =>
      new Map(addresses.map((address, row) => [Number(address), instructions.skipped[row] ?? 0] as const));
    const failed = timesOf(done.ran.filter(({ executed }) => !executed).map(({ address }) => address));
    expect(sorted(skipped(whole)).filter(([, times]) => times > 0)).toEqual(sorted(failed));

    await compareSkips(trace, whole);

    const random = createRandom(program.length);
    const { records } = await ask(engine, 'info', { trace });
    for (let round = 0; round < rounds(6, 100); round++) {
      const from = random.below(records);
      const to = from + random.below(records - from);
      const ran = await ranIn(trace, from, to);
      const part = await ask(engine, 'coverage', { trace, from, to });
      expect(sorted(countsOf(part)), `records ${from} to ${to}`).toEqual(
        sorted(timesOf(ran.map(([address]) => address))),
      );
      const fails = timesOf(ran.filter(([, kind]) => kind === 'skipped').map(([address]) => address));
      expect(sorted(skipped(part)).filter(([, times]) => times > 0)).toEqual(sorted(fails));
    }
    await ask(engine, 'close', { trace });
  });

  test('counts what trace buffers prove, and nothing else', async () => {
    const compiled = compileArm(objects, program, how);
    const reports = reportsOf(runOf(compiled));
    const random = createRandom(how.length);
    const made = Array.from({ length: 20 }, () => {
      const { first, start } = beginning(reports, random.below(reports.length - 60));
      const options = { mode: 'wrap', fromDebugger: false, marksThumb: false, checkpoints: 128 } as const;
      return encode(reports.slice(first, first + 40 + random.below(300)), start, options);
    });
    const trace = await opened({
      path: place.file('captures.bin', Buffer.concat(made.map(({ buffer }) => buffer))),
      format: 'xscale',
      options: {
        dialect: 'raw',
        checkpoints: made.flatMap((each) => each.checkpoints.map((value) => `0x${value.toString(16)}`)).join(','),
      },
      images: [{ path: compiled.elf }],
    });
    const truth = timesOf(
      made.flatMap(({ entries }) => entries.flatMap(({ ran }) => ran.map(({ address }) => address))),
    );
    const found = countsOf(await ask(engine, 'coverage', { trace }));
    expect(tooMany(found, truth)).toEqual([]);
    expect(sum(found)).toBeGreaterThan(0.5 * sum(truth));
    const { records } = await ask(engine, 'info', { trace });
    const [hottest] = [...found].sort(([, a], [, b]) => b - a)[0]!;
    const of = { address: `0x${hottest.toString(16)}` } as const;
    const forwards = await executions(trace, of, 0, 2 * records);
    expect(forwards.length).toBeGreaterThan(4);
    const { runs } = await ask(engine, 'between', { trace, from: 1, count: Math.min(1000, records - 1) });
    const within = runs.filter(({ instructions }) => instructions.some(({ address }) => address === of.address));
    expect(forwards).toEqual(expect.arrayContaining(within.map(({ n }) => n)));
    expect((await executions(trace, of, records - 1, 2 * records)).toReversed()).toEqual(
      forwards.filter((n) => n < records - 1),
    );
    await ask(engine, 'close', { trace });
  });
});

/** Lines and their instructions say of skipped instructions what the counts of all instructions say. */
async function compareSkips(trace: string, { instructions, lines }: Coverage): Promise<void> {
  const { addresses, counts, kinds, skipped, lines: lineOf } = instructions;
  const shown = await ask(engine, 'sourceLines', { trace, file: lines[0]!.file, first: 1, last: 4000 });
  for (const { line, skipped: always = 0 } of shown.lines) {
    const row = lines.findIndex((one) => one.file === lines[0]!.file && one.line === line);
    const own = [...addresses.keys()].filter((at) => lineOf[at] === row);
    const are = own.filter((at) => kinds[at] === 'conditional' && counts[at]! > 0 && skipped[at] === counts[at]);
    expect(always, `line ${line}`).toBe(are.length);
    if (!own.some((at) => skipped[at] !== null)) continue;
    const { instructions: code } = await ask(engine, 'lineInstructions', { trace, file: lines[0]!.file, line });
    expect(code.map((one) => one.skipped ?? null)).toEqual(own.slice(0, code.length).map((at) => skipped[at]));
  }
}

/** The instructions that the records [from, to) say the program came to, with the kind of the record. */
async function ranIn(trace: string, from: number, to: number): Promise<readonly (readonly [number, string])[]> {
  const ran: (readonly [number, string])[] = [];
  for (let at = from; at < to;) {
    const { records } = await ask(engine, 'records', { trace, from: at, count: Math.min(10_000, to - at) });
    for (const { kind, address } of records)
      if (kind === 'instruction' || kind === 'skipped') ran.push([Number(address), kind]);
    at += records.length;
  }
  return ran;
}

// traps has exceptions whose handlers return behind the instruction: its straight run goes on there.
test.skipIf(X86.missing !== undefined).each([
  ['sorts', 'its branches', undefined],
  ['sorts', 'the first instruction of a pair', createRandom(1)],
  ['traps', 'its branches', undefined],
  ['traps', 'the first instruction of a pair', createRandom(2)],
] as const)(
  'counts what branch messages of a Pentium prove for %s: all but the first run, if they name %s',
  async (program, _, random) => {
    const compiled = compileX86(objects, program, '-O2 -g');
    const { image, at } = compiled;
    const start = { image, start: at('_start'), finished: at('finished'), interrupt: () => undefined };
    const done = runX86(start, at('int_handler'));
    const taken = messagesOf(done, compiled, random);
    expect(taken.some(({ source, reported }) => source !== reported)).toBe(random !== undefined);
    const trace = await opened({
      path: place.file('messages.csv', asCapture({ taken }, random === undefined ? 'normal' : 'pairing')),
      format: 'btm',
      options: { mode: 'normal', header: 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]' },
      images: [{ path: compiled.elf }],
    });
    const truth = timesOf(done.ran.map(({ address }) => address));
    const answer = await ask(engine, 'coverage', { trace });
    const found = countsOf(answer);
    expect(tooMany(found, truth)).toEqual([]);
    const first = done.ran.findIndex(({ branch }) => branch !== undefined);
    const last = done.ran.findLastIndex(({ branch }) => branch !== undefined);
    // The run before the first branch is unknown, but the second of a pair is known by its message.
    expect(sum(found)).toBe(last - first + Number(taken[0]!.reported !== taken[0]!.source));
    const branched = done.ran.filter(
      ({ branch }) => branch !== undefined && ['call', 'return', 'jump'].includes(branch.kind),
    );
    expect(sorted(takenOf(answer))).toEqual(sorted(timesOf(branched.map(({ address }) => address))));
    expect(answer.notes).toEqual([
      'A straight run has an unknown beginning or end, as at gaps: instructions may have run more often.',
    ]);
    await compareExecutions(trace, taken, answer);
    await ask(engine, 'close', { trace });
  },
);

type Execution = { readonly address: Hex } | { readonly file: string; readonly line: number };

/** The messages to which executions of a line or instruction lead, one after the other from an end of the trace. */
async function executions(trace: string, of: Execution, start: number, most: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let at = start; found.length < most;) {
    const { n, isProved, reason } = await ask(engine, 'lineExecution', {
      trace,
      at,
      ...of,
      ...(start > 0 && { backwards: true }),
    });
    if (n === null) {
      expect(reason).toMatch(/^The images prove no execution of /);
      return found;
    }
    expect(isProved).toBe(true);
    found.push((at = n));
  }
  return found;
}

/** Executions of some instructions and lines are in the runs between messages that have them, the first one left out. */
async function compareExecutions(
  trace: string,
  taken: readonly { readonly ran: readonly number[] }[],
  { instructions: { addresses, lines: lineOf }, lines }: Coverage,
): Promise<void> {
  const { records } = await ask(engine, 'info', { trace });
  const found = await ask(engine, 'find', { trace, kinds: ['branch'], from: 0, to: records, limit: 10_000 });
  const messages = found.records.map(({ n }) => n);
  expect(messages).toHaveLength(taken.length);
  const most = 12;
  const compare = async (of: Execution, own: ReadonlySet<number>): Promise<void> => {
    const expected = messages.filter((_, k) => k > 0 && taken[k]!.ran.some((address) => own.has(address)));
    expect(await executions(trace, of, 0, most)).toEqual(expected.slice(0, most));
    const back = await executions(trace, of, records - 1, most);
    expect(back).toEqual(
      expected
        .filter((n) => n < records - 1)
        .reverse()
        .slice(0, most),
    );
  };
  const rows = few([...addresses.keys()], 8);
  let compared = 0;
  for (const row of rows) {
    await compare({ address: addresses[row]! }, new Set([Number(addresses[row])]));
    const place = lines[lineOf[row]!];
    if (place === undefined) continue;
    compared++;
    const own = [...addresses.keys()].filter((other) => lineOf[other] === lineOf[row]);
    await compare({ file: place.file, line: place.line }, new Set(own.map((other) => Number(addresses[other]))));
  }
  expect(compared).toBeGreaterThan(4);
}

test.skipIf(X86.missing !== undefined)(
  'says that a branch of a pair is not counted if the message before a gap does not prove it',
  async () => {
    const compiled = compileX86(objects, 'sorts', '-O2');
    const { image, at } = compiled;
    const start = { image, start: at('_start'), finished: at('finished'), interrupt: () => undefined };
    const done = runX86(start, at('int_handler'));
    const taken = messagesOf(done, compiled, createRandom(3));
    const before = taken.findIndex(({ source, reported }, index) => index > 20 && source !== reported);
    // Control does not come from the target to a lower address without a branch, whose message is missing.
    const after = taken.findIndex(({ reported }, index) => index > before + 1 && reported < taken[before]!.target);
    const left = [...taken.slice(0, before + 1), ...taken.slice(after)];
    const trace = await opened({
      path: place.file('gap.csv', asCapture({ taken: left.map((one) => ({ ...one, source: one.reported })) }, 'fast')),
      format: 'btm',
      options: { mode: 'fast', header: 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]' },
      images: [{ path: compiled.elf }],
    });
    const answer = await ask(engine, 'coverage', { trace });
    expect(tooMany(countsOf(answer), timesOf(done.ran.map(({ address }) => address)))).toEqual([]);
    expect(answer.notes).toContain(
      'A message names an instruction that does not branch, and no image proves that the one after it did: that one may have run more often.',
    );
    await ask(engine, 'close', { trace });
  },
);

/** How often each branch was taken, by its address. */
function takenOf({ instructions: { addresses, taken } }: Coverage): Counts {
  const counted = addresses.map((address, row) => [Number(address), taken[row] ?? 0] as const);
  return new Map(counted.filter(([, times]) => times > 0));
}

const GCOV = gcovMissing();
if (GCOV !== undefined) console.warn(`The comparison with gcov is skipped: ${GCOV}`);

test.skipIf(ARM.missing !== undefined || GCOV !== undefined).each(['sorts', 'words'] as const)(
  'counts every line of %s as gcov does, without optimisation',
  async (program) => {
    const compiled = compileArm(objects, program, '-O0 -g -marm');
    const trace = await opened(asText(runOf(compiled), compiled));
    const { lines } = await ask(engine, 'coverage', { trace });
    // gcov lists labels, which have no instructions; the end of a function has some, but is no statement for gcov.
    const { counts, labels } = gcovOf(program);
    const own = new Map(
      lines.filter(({ file }) => file.endsWith(`${program}.c`)).map(({ line, most }) => [line, most]),
    );
    const apart = [...counts].filter(([line, count]) => own.get(line) !== count && !labels.has(line));
    expect(apart).toEqual(WITHOUT_CODE[program]);
    await ask(engine, 'close', { trace });
  },
);

function gcovMissing(): string | undefined {
  try {
    execFileSync('gcov', ['--version'], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'there is no gcov here';
  }
}

/**
 * Lines that the compiler has no instructions for on one way or at all: `va_end` is nothing on ARM, and a `break` is left out where it leads
 * to another jump.
 */
const WITHOUT_CODE: Readonly<Record<'sorts' | 'words', readonly (readonly [line: number, count: number])[]>> = {
  sorts: [],
  words: [
    [48, 1],
    [89, 9],
  ],
};

interface OfGcov {
  readonly counts: ReadonlyMap<number, number>;
  /** Lines with nothing but a label. */
  readonly labels: ReadonlySet<number>;
}

/** Runs the program on this machine, and returns what gcov prints about the lines of its source. */
function gcovOf(program: 'sorts' | 'words'): OfGcov {
  const folder = path.join(place.folder, `gcov-${program}`);
  fs.mkdirSync(folder);
  const main = path.join(folder, 'main.c');
  fs.writeFileSync(main, 'unsigned program(void); int main(void) { program(); return 0; }\n');
  const file = path.join(import.meta.dirname, 'programs', `${program}.c`);
  execFileSync('gcc', ['-O0', '-g', '--coverage', '-w', '-o', 'native', main, file], { cwd: folder });
  execFileSync('./native', { cwd: folder });
  const data = fs.readdirSync(folder).find((name) => name.endsWith(`${program}.gcda`))!;
  const text = execFileSync('gcov', ['--stdout', data], { cwd: folder, encoding: 'utf8' });
  // One list after the other: the program's, then those of headers.
  const [, own = ''] = text.split(/^ *-: *0:Source:/m);
  const rows = [...own.matchAll(/^ *(\d+|#####)\*?: *(\d+):(.*)$/gm)];
  return {
    counts: new Map(rows.map(([, count = '', line = '']) => [Number(line), count === '#####' ? 0 : Number(count)])),
    labels: new Set(
      rows.filter(([, , , source = '']) => /^\s*(case .*|default):/.test(source)).map(([, , line]) => Number(line)),
    ),
  };
}
