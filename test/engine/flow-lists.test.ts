/**
 * Values shown next to records in lists (depths, the next call of an edge, instructions between messages), for programs with known
 * truth.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import { AGAINST_TIME, type RanInstruction } from '../../shared/requests/flow.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import { createRandom } from '../laws/random.ts';
import { findSamples } from '../laws/samples.ts';
import { encode } from '../unit/xscale-encoder.ts';
import { createProgram, runProgram as runXscale } from '../unit/xscale-program.ts';
import type { Arguments } from '../../shared/requests/requests.ts';
import { ask, refusal } from './ask.ts';
import { asCapture, runPentium } from './btm-programs.ts';
import { asQemu, runProgram, type Run } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';
import { few } from '../short-form.ts';

const place = scratch();
const engines = [480, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
/** One record per block. */
const cutApart = sharedEngine(48);
afterAll(async () => {
  await Promise.all([...engines, cutApart].map((engine) => engine.close()));
  place.dispose();
});

const BASE = 0x8000;
const SIZE = 0x100;
const symbols = place.file(
  'symbols.txt',
  ['00000008 00000004 T handler', ...Array.from({ length: 6 }, (_, i) => nmLine(BASE + i * SIZE, `f${i}`))].join('\n'),
);

function nmLine(address: number, name: string): string {
  return `${address.toString(16).padStart(8, '0')} ${SIZE.toString(16).padStart(8, '0')} T ${name}`;
}

interface Truth {
  /** Depth per record. */
  readonly depths: readonly number[];
  /** Records at which a call or an exception entered a function. */
  readonly entered: readonly number[];
}

/** Truth from the program's branches, with one record per step. */
function truthOf({ steps, taken }: Run): Truth {
  const depths: number[] = [];
  const entered: number[] = [];
  let [depth, branch, since] = [0, 0, 0];
  for (const n of steps.keys()) {
    depths.push(depth);
    since++;
    if (taken[branch]?.instructions !== since) continue;
    const { kind } = taken[branch]!;
    [branch, since] = [branch + 1, 0];
    if (kind === 'return') depth--;
    if (kind !== 'call' && kind !== 'exception') continue;
    depth++;
    if (n + 1 < steps.length) entered.push(n + 1);
  }
  return { depths, entered };
}

async function openQemu(engine: Engine, name: string, run: Run): Promise<string> {
  const file = place.file(name, asQemu(run));
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: symbols }] });
  await ask(engine, 'index', { trace });
  return trace;
}

describe.each(few([4, 3], 1))('a program with the seed %i', (seed) => {
  const run = runProgram(createRandom(seed), false, 300);
  const truth = truthOf(run);

  test('returns the depth of each record for any requested part', async () => {
    const records = run.steps.length;
    expect(Math.max(...truth.depths)).toBeGreaterThan(1);
    for (const engine of engines) {
      const trace = await openQemu(engine, `depths-${seed}.txt`, run);
      for (const [from, count] of [
        [0, 10_000],
        [0, 7],
        [Math.floor(records / 3), 40],
        [records - 1, 1],
      ] as const) {
        const { start, changes } = await ask(engine, 'depths', { trace, from, count });
        let depth = start[0]?.depth;
        const found = Array.from({ length: Math.min(count, records - from) }, (_, i) => {
          for (const change of changes) if (change.n === from + i) ({ depth } = change);
          return depth;
        });
        expect(found, `from ${from}`).toEqual(truth.depths.slice(from, from + count));
        const entered = changes.filter(({ enters }) => enters).map(({ n }) => n);
        expect(entered).toEqual(truth.entered.filter((n) => n >= from && n < from + count));
      }
      expect((await refusal(engine, 'depths', { trace, from: records, count: 1 })).code).toBe('beyond-index');
    }
  });

  test('walks from one call of an edge to the next and back', async () => {
    for (const engine of engines) {
      const trace = await openQemu(engine, `calls-${seed}.txt`, run);
      const { edges } = await ask(engine, 'calls', { trace });
      const last = run.steps.length - 1;
      const found: number[] = [];
      for (const edge of edges) {
        const requested = { trace, caller: edge.caller, callee: edge.callee, kind: edge.kind, inferred: edge.inferred };
        const there = await walk(engine, { ...requested, direction: 'next', at: 0 });
        const back = await walk(engine, { ...requested, direction: 'previous', at: last });
        expect(back.toReversed().filter((n) => n !== 0)).toEqual(there.filter((n) => n !== last));
        const all = [...new Set([...back.toReversed(), ...there])];
        expect([all.length, all[0], all.at(-1)], `${edge.kind} ${edge.caller} ${edge.callee}`).toEqual([
          edge.count,
          edge.first,
          edge.last,
        ]);
        found.push(...there);
      }
      // Without a caller, a kind and a certainty: every call of a function.
      for (const callee of new Set(edges.map((edge) => edge.callee))) {
        const into = edges.filter((edge) => edge.callee === callee);
        const all = await walk(engine, { trace, callee, direction: 'next', at: 0 });
        const back = await walk(engine, { trace, callee, direction: 'previous', at: last });
        const either = new Set([...back.toReversed(), ...all]);
        expect(either.size).toBe(into.reduce((sum, { count }) => sum + count, 0));
        expect([Math.min(...either), Math.max(...either)]).toEqual([
          Math.min(...into.map(({ first }) => first)),
          Math.max(...into.map((edge) => edge.last)),
        ]);
      }
      // Only jumps to functions are calls of an edge besides real calls.
      const tails = edges.filter(({ kind }) => kind === 'tail call').reduce((sum, { count }) => sum + count, 0);
      const within = truth.entered.filter((n) => n !== last || found.includes(n));
      expect(within.every((n) => found.includes(n))).toBe(true);
      expect(found.length - truth.entered.length).toBe(tails);
      const none = {
        trace,
        caller: '0x0',
        callee: '0x1',
        kind: 'call',
        inferred: false,
        at: 0,
        direction: 'next',
      } as const;
      expect((await ask(engine, 'nextCall', none)).n).toBe(null);
    }
  });

  test('limits the listed edges of the requested kinds and counts all edges by kind', async () => {
    for (const engine of engines) {
      const trace = await openQemu(engine, `kinds-${seed}.txt`, run);
      const all = await ask(engine, 'branches', { trace });
      const sumOf = (edges: typeof all.edges) => ({
        edges: edges.length,
        count: edges.reduce((sum, edge) => sum + edge.count, 0),
      });
      const kinds = ['jump', 'return'] as const;
      const some = await ask(engine, 'branches', { trace, kinds, most: 2 });
      const wanted = all.edges.filter(({ kind }) => kind === 'jump' || kind === 'return');
      expect(wanted.length).toBeGreaterThan(2);
      expect(some.edges).toEqual(wanted.slice(0, 2));
      expect(some.left).toEqual(sumOf(wanted.slice(2)));
      const byKind = new Map(some.kinds.map(({ kind, ...sum }) => [kind, sum]));
      expect(byKind).toEqual(
        new Map([...Map.groupBy(all.edges, ({ kind }) => kind)].map(([kind, edges]) => [kind, sumOf(edges)])),
      );
      expect(all.left).toBeUndefined();
      expect(all.kinds).toEqual(some.kinds);
    }
  });

  test('lists only branches with the requested ends', async () => {
    for (const engine of engines) {
      const trace = await openQemu(engine, `ends-${seed}.txt`, run);
      const { events } = await ask(engine, 'branchEvents', { trace, count: 10_000 });
      const { source, target } = events[Math.floor(events.length / 2)]!;
      if (source === undefined || target === undefined) throw new Error('both ends of these branches are known');
      const only = await ask(engine, 'branchEvents', { trace, count: 10_000, source, target });
      expect(only.events).toEqual(events.filter((event) => event.source === source && event.target === target));
      const backwards = await ask(engine, 'branchEvents', { trace, count: 10_000, source, backwards: true });
      expect(backwards.events.toReversed()).toEqual(events.filter((event) => event.source === source));
      expect((await ask(engine, 'branchEvents', { trace, count: 10, target: null })).events).toEqual(
        events.filter((event) => event.target === undefined).slice(0, 10),
      );
    }
  });
});

test('counts the last instruction of a cpu at its record, for every division into blocks', async () => {
  // Cpu 0 ends in f0 before cpu 1 begins in f1.
  const steps = ['0 8000', '0 8004', '1 8100', '1 8104', '1 8108'];
  const lines = steps.map((step, i) => {
    const [cpu, address] = step.split(' ');
    return `${i} clk ${cpu!} IT (${i}) 0000${address!} e1a00000 A svc : mov r0, r0\n`;
  });
  const file = place.file('ends-early.txt', lines.join(''));
  for (const engine of [...engines, cutApart]) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: symbols }] });
    await ask(engine, 'index', { trace });
    const selves = async (from: number, to: number): Promise<string> => {
      const { functions } = await ask(engine, 'calls', { trace, from, to });
      return functions.map(({ name, self }) => `${name} ${self}`).join(', ');
    };
    expect(await selves(0, 5)).toBe('f1 3, f0 2');
    expect([await selves(0, 2), await selves(2, 5)]).toEqual(['f0 2', 'f1 3']);
    expect([await selves(0, 1), await selves(3, 4), await selves(4, 5)]).toEqual(['', '', 'f1 3']);
  }
});

test('lists branches newest first in exactly the reverse order of oldest first', async () => {
  // An interrupt comes before the called function begins.
  const steps = [
    ['8000', 'eb00003e', 'svc', 'bl #0x8100'],
    ['0018', 'e25ef004', 'irq', 'subs pc, lr, #4'],
    ['8100', 'e1a00000', 'svc', 'mov r0, r0'],
  ] as const;
  const lines = steps.map(
    ([address, opcode, mode, text], i) => `${i} clk 0 IT (${i}) 0000${address} ${opcode} A ${mode} : ${text}\n`,
  );
  const file = place.file('two-at-once.txt', lines.join(''));
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: symbols }] });
    await ask(engine, 'index', { trace });
    const { events } = await ask(engine, 'branchEvents', { trace, count: 10 });
    expect(events.map(({ n, kind }) => `${n} ${kind}`)).toEqual(['1 call', '1 interrupt', '2 return']);
    const back = await ask(engine, 'branchEvents', { trace, count: 10, backwards: true });
    expect(back.events.toReversed()).toEqual(events);
  }
});

test('walks calls and tail calls between the same functions separately', async () => {
  // f2 calls f0, which calls f1 and at its end jumps to f1.
  const round = [
    ['8200', 'ebffff7e'],
    ['8000', 'eb00003e'],
    ['8100', 'e1a00000'],
    ['8104', 'e12fff1e'],
    ['8004', 'ea00003d'],
    ['8100', 'e1a00000'],
    ['8104', 'e12fff1e'],
    ['8204', 'eafffffd'],
  ];
  const lines = [...round, ...round].map(
    ([address, opcode], i) => `${i} clk 0 IT (${i}) 0000${address!} ${opcode!} A svc : -\n`,
  );
  const file = place.file('both-ways.txt', lines.join(''));
  for (const engine of [...engines, cutApart]) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: symbols }] });
    await ask(engine, 'index', { trace });
    const { edges } = await ask(engine, 'calls', { trace });
    const walked = async (wanted: string): Promise<readonly number[]> => {
      const edge = edges.find(({ callee, kind }) => callee === '0x8100' && kind === wanted);
      if (edge === undefined) throw new Error(`there is no ${wanted}`);
      const requested = { trace, caller: edge.caller, callee: edge.callee, kind: edge.kind, inferred: edge.inferred };
      const there = await walk(engine, { ...requested, direction: 'next', at: 0 });
      expect(await walk(engine, { ...requested, direction: 'previous', at: 15 })).toEqual(there.toReversed());
      return there;
    };
    expect([await walked('call'), await walked('tail call')]).toEqual([
      [2, 10],
      [5, 13],
    ]);
  }
});

test('does not count the return of a call from before the trace as an earlier call of its edge', async () => {
  // f1 returns to f0, which calls it twice.
  const steps = [
    ['8104', 'e12fff1e'],
    ['8004', 'e1a00000'],
    ['8008', 'eb00003c'],
    ['8100', 'e1a00000'],
    ['8104', 'e12fff1e'],
    ['800c', 'eb00003b'],
    ['8100', 'e1a00000'],
    ['8104', 'e12fff1e'],
    ['8010', 'e1a00000'],
  ];
  const lines = steps.map(([address, opcode], i) => `${i} clk 0 IT (${i}) 0000${address} ${opcode} A svc : -\n`);
  const file = place.file('begins-inside.txt', lines.join(''));
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: symbols }] });
    await ask(engine, 'index', { trace });
    const { edges } = await ask(engine, 'calls', { trace });
    expect(edges).toMatchObject([{ caller: '0x8000', callee: '0x8100', count: 2, first: 3, last: 6 }]);
    const [edge] = edges;
    const requested = { trace, caller: '0x8000', callee: '0x8100', kind: 'call', inferred: edge?.inferred === true };
    expect(await walk(engine, { ...requested, direction: 'previous', at: 8 })).toEqual([6, 3]);
    expect(await walk(engine, { ...requested, direction: 'next', at: 0 })).toEqual([3, 6]);
  }
});

async function walk(engine: Engine, requested: Arguments<'nextCall'>): Promise<number[]> {
  const found: number[] = [];
  for (let { at } = requested; ;) {
    const { n } = await ask(engine, 'nextCall', { ...requested, at });
    if (n === null) return found;
    expect(requested.direction === 'next' ? n > at : n < at).toBe(true);
    found.push(n);
    at = n;
  }
}

describe.each(['normal', 'pairing', 'fast'] as const)('%s messages of a Pentium', (report) => {
  test.each(few([11, 12, 13, 14, 15], 2))(
    'give the instructions executed between them, with the seed %i',
    async (seed) => {
      const run = runPentium(createRandom(seed), 400);
      const file = place.file(`${report}-${seed}.csv`, asCapture(run, report));
      const images = [{ path: place.file(`${seed}.elf`, run.elf) }];
      const options = {
        mode: report === 'fast' ? 'fast' : 'normal',
        header: 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]',
      };
      for (const engine of engines) {
        const { trace } = await ask(engine, 'open', { path: file, format: 'btm', options, images });
        const { records } = await ask(engine, 'index', { trace });
        const { events } = await ask(engine, 'branchEvents', { trace, count: 10_000 });
        const runs = await allRuns(engine, trace, records, 97);
        let whole = 0;
        run.taken.forEach(({ ran }, i) => {
          const found = runs.get(events[i]!.n)?.map(({ address }) => Number(address)) ?? [];
          expect(found, `before branch ${i}`).toEqual(ran.slice(0, found.length));
          if (found.length === ran.length) whole++;
        });
        // All except runs after an unknown address and runs that may have been interrupted, which are frequent for fast messages.
        expect(whole).toBeGreaterThan(report === 'fast' ? 10 : run.taken.length * 0.85);
        expect([...runs.values()].flat().every(({ text, symbol }) => text !== undefined && symbol !== undefined)).toBe(
          true,
        );
        await ask(engine, 'close', { trace });
      }
    },
  );
});

test('trace buffer entries give the instructions executed before each', async () => {
  const random = createRandom(5);
  const program = createProgram(random, 0);
  const made = Array.from({ length: 4 }, () =>
    encode(runXscale(program, random, 500, { interrupts: 3, aborts: 1 }), program.start, {
      mode: 'wrap',
      fromDebugger: false,
      marksThumb: false,
      checkpoints: 128,
    }),
  );
  const file = place.file('buffers.bin', Buffer.concat(made.map(({ buffer }) => buffer)));
  const checkpoints = made.flatMap((each) => each.checkpoints.map((value) => `0x${value.toString(16)}`)).join(',');
  const images = program.segments.map(({ address, bytes }, i) => ({
    path: place.file(`segment-${i}.bin`, bytes),
    base: `0x${address.toString(16)}` as const,
  }));
  for (const engine of engines) {
    const options = { dialect: 'raw', state: 'arm', checkpoints };
    const { trace } = await ask(engine, 'open', { path: file, format: 'xscale', options, images });
    const { records } = await ask(engine, 'index', { trace });
    const runs = await allRuns(engine, trace, records, 61);
    const entries = made.flatMap((each) => each.entries);
    expect(records).toBe(entries.length);
    let whole = 0;
    entries.forEach(({ ran }, n) => {
      const found = runs.get(n)?.map(({ address }) => Number(address));
      if (found === undefined) return;
      expect(found, `entry ${n}`).toEqual(ran.map(({ address }) => address));
      whole++;
    });
    expect(whole).toBeGreaterThan(entries.length / 2);
  }
});

test('reports no entry for the function in which a trace buffer begins', async () => {
  // From the third word of main; the fourth calls leaf, which returns at its second word.
  const entries = [0x00, 0x00, 0x80, 0x08, 0x90, 0x81, 0x00, 0x00, 0x80, 0x10, 0x91];
  const buffer = [...new Uint8Array(256 - entries.length), ...entries];
  const code = new DataView(new ArrayBuffer(0x200));
  for (let at = 0; at < 0x200; at += 4) code.setUint32(at, 0xe1a00000, true);
  code.setUint32(0x0c, 0xeb00003b, true);
  code.setUint32(0x104, 0xe12fff1e, true);
  const file = place.file('inside.bin', Uint8Array.from(buffer));
  const images = [
    { path: place.file('inside.img', new Uint8Array(code.buffer)), base: '0x8000' },
    { path: place.file('inside.nm', '00008000 100 T main\n00008100 100 T leaf\n') },
  ] as const;
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', {
      path: file,
      format: 'xscale',
      options: { dialect: 'raw', state: 'arm' },
      images,
    });
    expect((await ask(engine, 'index', { trace })).records).toBe(3);
    const stacks = [];
    for (const at of [0, 1, 2]) {
      const { frames } = await ask(engine, 'stack', { trace, at });
      stacks.push(frames.map(({ function: name, since }) => [name, since]));
    }
    expect(stacks).toEqual([
      [['main', undefined]],
      [
        ['leaf', 1],
        ['main', undefined],
      ],
      [['main', undefined]],
    ]);
  }
});

test('an entry names the reason for unknown instructions if part of the image is missing', async () => {
  const random = createRandom(9);
  const program = createProgram(random, 0);
  const made = encode(runXscale(program, random, 800, { interrupts: 0, aborts: 0 }), program.start, {
    mode: 'wrap',
    fromDebugger: false,
    marksThumb: false,
    checkpoints: 128,
  });
  const file = place.file('partly.bin', Buffer.from(made.buffer));
  const [code] = program.segments.toSorted((a, b) => b.bytes.length - a.bytes.length);
  // Only the first half of the code.
  const bytes = code!.bytes.slice(0, Math.ceil(code!.bytes.length / 8) * 4);
  const images = [{ path: place.file('half.bin', bytes), base: `0x${code!.address.toString(16)}` as const }];
  const checkpoints = made.checkpoints.map((value) => `0x${value.toString(16)}`).join(',');
  const options = { dialect: 'raw', state: 'arm', checkpoints };
  const { trace } = await ask(engines[0]!, 'open', { path: file, format: 'xscale', options, images });
  await ask(engines[0]!, 'index', { trace });
  const { runs } = await ask(engines[0]!, 'between', { trace, from: 0, count: 10_000 });
  const { gaps } = await ask(engines[0]!, 'captureFlow', { trace, at: 0 });
  const partial = runs.filter(({ unknown }) => unknown !== undefined);
  expect(partial.length).toBeGreaterThan(0);
  const reasons = partial.flatMap(({ unknown }) => unknown?.split(', or ') ?? []);
  expect(new Set(reasons)).toEqual(new Set(gaps.map(({ reason }) => reason)));
  for (const { n, instructions, unknown } of runs) {
    const ran = made.entries[n]!.ran.map(({ address }) => `0x${address.toString(16)}`);
    const reported = instructions.map(({ address }) => address);
    expect(reported).toEqual(ran.slice(0, reported.length));
    expect(reported.length === ran.length).toBe(unknown === undefined);
  }
});

test('switches to the next function at a fall-through', async () => {
  const step = (address: number, opcode: number, text: string) => ({ address, opcode, size: 4, executed: true, text });
  const next = BASE + SIZE;
  const steps = [
    step(BASE + 0x40, 0xeb000000 + (((next - 4 - BASE - 0x48) / 4) & 0xffffff), `bl 0x${(next - 4).toString(16)}`),
    step(next - 4, 0xe1a00000, 'nop'),
    step(next, 0xe1a00000, 'nop'),
    step(next + 4, 0xe12fff1e, 'bx lr'),
    step(BASE + 0x44, 0xe1a00000, 'nop'),
  ];
  // The first instruction of the next function, at record 2, sets a register: its effect is in the same function.
  const lines = asQemu({ steps, taken: [], rest: 0 }).split('\n').toSpliced(3, 0, '2 clk R r0 00000001');
  const file = place.file('on.txt', lines.join('\n'));
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: symbols }] });
    await ask(engine, 'index', { trace });
    const stacks = [];
    for (let at = 0; at <= steps.length; at++) {
      const { frames } = await ask(engine, 'stack', { trace, at });
      stacks.push(frames.map((frame) => frame.function).join(' '));
    }
    expect(stacks).toEqual(['f0', 'f0 f0', 'f1 f0', 'f1 f0', 'f1 f0', 'f0']);
  }
});

test('reports no depth before the first instruction', async () => {
  const file = place.file(
    'messages.txt',
    '==1== Lackey\n==1== Command: ./f\nI  00008000,4\n==1== done\nI  00008004,4\n',
  );
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'lackey' });
    await ask(engine, 'index', { trace });
    expect(await ask(engine, 'depths', { trace, from: 0, count: 5 })).toMatchObject({
      start: [],
      changes: [{ n: 2, depth: 0, enters: false }],
    });
    expect(await ask(engine, 'depths', { trace, from: 3, count: 2 })).toMatchObject({
      start: [{ depth: 0 }],
      changes: [],
    });
  }
});

test('reports no depths and no calls over time if records run against time, also for a part', async () => {
  const [engine] = engines;
  const lines = ['0x4011f0/0x4011d8/M/-/-/5/RET 0x4011d0/0x4011e8/P/-/-/7/CALL 0x401000/0x4011d0/P/-/-/9/CALL'];
  const file = place.file('samples.txt', `${lines.join('\n')}\n${lines.join('\n')}\n`);
  const { trace } = await ask(engine!, 'open', { path: file, format: 'brstack' });
  expect((await ask(engine!, 'index', { trace })).records).toBe(6);
  const { start, changes } = await ask(engine!, 'depths', { trace, from: 0, count: 6 });
  expect([start, changes]).toEqual([[], []]);
  for (const range of [{}, { from: 0, to: 3 }]) {
    const { spans, notes } = await ask(engine!, 'spans', { trace, ...range });
    expect([spans, notes]).toEqual([[], [AGAINST_TIME]]);
  }
});

test('visits every call of an edge if records run against time', async () => {
  // Newest first, as perf prints them: `run` is called and calls `leaf` three times, which returns each time.
  const sample = [
    ...['0x4011dd 0x4011e2', '0x4011d8 0x4011dd', '0x4011d3 0x4011d8'].flatMap((site) => {
      const [call = '', next = ''] = site.split(' ');
      return [`0x4012f0/${next}/P/-/-/5/RET`, `${call}/0x4012e8/P/-/-/7/CALL`];
    }),
    '0x401000/0x4011d0/P/-/-/9/CALL',
  ].join(' ');
  const file = place.file('thrice.txt', `${sample}\n${sample}\n`);
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'brstack' });
    expect((await ask(engine, 'index', { trace })).records).toBe(14);
    const { edges } = await ask(engine, 'calls', { trace });
    const forwards: number[] = [];
    const back: number[] = [];
    for (const { caller, callee, kind, inferred, count } of edges.filter((edge) => edge.callee === '0x4012e8')) {
      const requested = { trace, caller, callee, kind, inferred };
      const there = await walk(engine, { ...requested, direction: 'next', at: 0 });
      expect(there).toHaveLength(count);
      forwards.push(...there);
      back.push(...(await walk(engine, { ...requested, direction: 'previous', at: 13 })));
    }
    expect(forwards.toSorted((x, y) => x - y)).toEqual([1, 3, 5, 8, 10, 12]);
    expect(back.toSorted((x, y) => x - y)).toEqual([1, 3, 5, 8, 10, 12]);
  }
});

test('reports no instructions between messages without an image', async () => {
  const run = runPentium(createRandom(1), 50);
  const [engine] = engines;
  const { trace } = await ask(engine!, 'open', { path: place.file('bare.csv', asCapture(run, 'normal')) });
  await ask(engine!, 'index', { trace });
  expect((await ask(engine!, 'between', { trace, from: 0, count: 1000 })).runs).toEqual([]);
});

test('opening a trace reports whether its records are messages', async () => {
  const [engine] = engines;
  const reported: string[] = [];
  const samples = new Map(findSamples().map((sample) => [sample.format, sample]));
  for (const [format, { bytes, options }] of samples) {
    const opened = await ask(engine!, 'open', { path: place.file(`sample.${format}`, bytes), format, options });
    if (opened.messages === true) reported.push(format);
    await ask(engine!, 'close', { trace: opened.trace });
  }
  expect(samples.size).toBe(FORMATS.length);
  expect(reported.sort()).toEqual(['brstack', 'btm', 'xscale']);
});

/** Requests `count` records at a time. */
async function allRuns(
  engine: Engine,
  trace: string,
  records: number,
  count: number,
): Promise<Map<number, readonly RanInstruction[]>> {
  const all = new Map<number, readonly RanInstruction[]>();
  for (let from = 0; from < records; from += count) {
    const { runs } = await ask(engine, 'between', { trace, from, count });
    for (const { n, instructions, left = 0 } of runs) {
      expect(left).toBe(0);
      all.set(n, instructions);
    }
  }
  return all;
}
