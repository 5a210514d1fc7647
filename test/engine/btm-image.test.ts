/** Kinds of branch messages derived from the image of a program with known branches: everything provable, and nothing wrong. */
import { afterAll, describe, expect, test } from 'vitest';
import type { BranchEvent } from '../../shared/requests/flow.ts';
import { createRandom } from '../laws/random.ts';
import { ask } from './ask.ts';
import { writeElf } from '../unit/elf-writer.ts';
import { asCapture, runPentium, type Report, type TakenBranch } from './btm-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';
import { few } from '../short-form.ts';

const place = scratch();
const engines = [480, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

const SEEDS = few([1, 2, 3, 4, 5, 6, 7, 8], 3);

/** Events of each engine for the capture. */
async function explained(
  seed: number,
  report: Report,
): Promise<{
  readonly taken: readonly TakenBranch[];
  readonly walks: readonly (readonly BranchEvent[])[];
}> {
  const run = runPentium(createRandom(seed), 600);
  const file = place.file(`${report}-${seed}.csv`, asCapture(run, report));
  const images = [{ path: place.file(`${seed}.elf`, run.elf) }];
  const options = { mode: report === 'fast' ? 'fast' : 'normal', header: 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]' };
  const walks = [];
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'btm', options, images });
    await ask(engine, 'index', { trace });
    walks.push((await ask(engine, 'branchEvents', { trace, count: 10_000 })).events);
    await ask(engine, 'close', { trace });
  }
  return { taken: run.taken, walks };
}

function hex(address: number): string {
  return `0x${address.toString(16)}`;
}

describe.each(['normal', 'pairing'] as const)('%s messages', (report) => {
  test.each(SEEDS)('classifies all provable branches and none wrongly, with the seed %i', async (seed) => {
    const { taken, walks } = await explained(seed, report);
    for (const events of walks) {
      const found = events.map(({ source, target, kind }) => `${kind} ${source ?? ''} ${target ?? ''}`);
      const wanted = taken.map(({ source, reported, target, kind, how }, i) => {
        // The capture ends before the handler that interrupted an IRET, or that returned to its beginning.
        const isOpen = found[i]!.startsWith('unknown') && (how === 'irq' || how === 'iret');
        return `${isOpen ? 'unknown' : kind} ${hex(report === 'pairing' ? reported : source)} ${hex(target)}`;
      });
      expect(found).toEqual(wanted);
      expect(found.filter((line) => line.startsWith('unknown')).length).toBeLessThan(2);
    }
  });
});

test.each(SEEDS)('classifies fast messages, with the seed %i', async (seed) => {
  const { taken, walks } = await explained(seed, 'fast');
  for (const events of walks) {
    expect(events.map(({ source }) => source)).toEqual(taken.map(({ source }) => hex(source)));
    const wrong = events.flatMap(({ kind, target }, i) => {
      const truth = taken[i]!;
      const badKind = kind !== 'unknown' && kind !== truth.kind && truth.how !== 'irq';
      return badKind || (target !== undefined && target !== hex(truth.target)) ? [{ i, kind, target, truth }] : [];
    });
    expect(wrong).toEqual([]);
    const provable = taken.flatMap(({ how }, i) =>
      (how === 'jcc' || how === 'call') && i + 1 < taken.length ? [events[i]!] : [],
    );
    expect(provable.filter(({ target }) => target === undefined)).toEqual([]);
  }
});

// 16-bit code starting at 0x1000: CALL 0x1020 (E8 001D), MOV AX (B8, three bytes), JMP 0x1010 (EB 08); at 0x1020 RET.
const CODE_16 = 'e81d00b83412eb08'.padEnd(0x40, '90') + 'c3';
const BRANCHES_16 = [
  [0x1000, 0x1020, 'call'],
  [0x1020, 0x1003, 'return'],
  // In the v pipe, after MOV.
  [0x1003, 0x1010, 'jump'],
] as const;

const hexOf = (value: number, digits: number): string => (value >>> 0).toString(16).padStart(digits, '0');

test.each([
  ['of the Pentium', 'A[31:3]', BRANCHES_16.map(([, , kind]) => kind)],
  // RET is one byte in both sizes, but its target follows a call that exists in 16-bit code only.
  ['of the Pentium without A3', 'A[31:4]', ['call', 'unknown', 'jump']],
  ['of the K5', 'A[31:3]', BRANCHES_16.map(([, , kind]) => kind)],
])('recognises 16-bit code in %s messages', async (whose, title, kinds) => {
  const k5 = whose.endsWith('K5');
  const rows = BRANCHES_16.flatMap(([source, target]) => {
    // The K5: source first, A31 0; then the target, A31 1; both as EIP, in real mode with 16-bit operands.
    if (k5) return [`00000000,${hexOf(source, 16)}`, `80000000,${hexOf(target, 16)}`];
    const shift = title === 'A[31:4]' ? 4 : 0;
    const cycle = (address: number, second: number): string =>
      `${hexOf((address & ~15) >>> shift, 8 - shift / 4)},${hexOf(((address & 15) << 4) | second, 2).padEnd(16, '0')}`;
    return [cycle(target, 0), cycle(source, 8)];
  });
  const header = `M/IO#,D/C#,W/R#,BE[7:0],${title},D[63:0]`;
  const text = [header, ...rows.map((row) => `0,0,1,DF,${row}`), ''].join('\n');
  const file = place.file(`16 bits ${whose}.csv`, text);
  const images = [{ path: place.file('16 bits.bin', Buffer.from(CODE_16, 'hex')), base: '0x1000' as const }];
  const options = { header, vendor: k5 ? 'k5' : 'intel', shift: title === 'A[31:4]' ? '4' : '0' };
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'btm', options, images });
    await ask(engine, 'index', { trace });
    const { events } = await ask(engine, 'branchEvents', { trace, count: 10 });
    expect(events.map(({ source, target, kind }) => [source, target, kind])).toEqual(
      BRANCHES_16.map(([source, target], i) => [hex(source), hex(target), kinds[i]]),
    );
    await ask(engine, 'close', { trace });
  }
});

/** A row per cycle: a first and a second one for each branch, with 32-bit operands. */
function rowsOf(branches: readonly (readonly [source: number, target: number])[]): string {
  const cycle = (address: number, second: number): string =>
    `0,0,1,DF,${hexOf((address & ~15) | 8, 8)},${hexOf(((address & 15) << 4) | second, 2).padEnd(16, '0')}`;
  return branches.flatMap(([source, target]) => [cycle(target, 0), cycle(source, 8)]).join('\n');
}

function elfOf(code: Readonly<Record<number, string>>, names: readonly string[]): Uint8Array {
  const bytes = Buffer.alloc(0x100, 0x90);
  for (const [offset, text] of Object.entries(code)) bytes.write(text, Number(offset), 'hex');
  const symbols = names.map((name, i) => ({ name, value: 0x1000 + 0x20 * i, size: 0x20 }));
  return writeElf({
    bits: 32,
    endian: 'little',
    machine: 3,
    sections: [{ name: '.text', address: 0x1000, bytes }],
    symbols,
  });
}

// caller: CALL pusher. pusher: PUSH 0x1040, RET. pushed: INC EAX, CALL leaf, RET. leaf: RET.
const PUSHED = elfOf({ 0: 'e81b000000c3', 0x20: '6840100000c3', 0x40: '40e81a000000c3', 0x60: 'c3' }, [
  'caller',
  'pusher',
  'pushed',
  'leaf',
]);
// The same with a trampoline that replaces the return address of its inner call: CALL 0x102c, (PAUSE, LFENCE, JMP), MOV [ESP],EAX, RET.
// Its target calls the leaf and leaves by JMP EAX, so nothing shows whether it is a handler.
const REPLACED = elfOf(
  { 0: 'e81b000000c3', 0x20: 'e807000000f3900faee8ebf9890424c3', 0x40: '40e81a000000ffe0', 0x60: 'c3' },
  ['caller', 'trampoline', 'replaced', 'leaf'],
);

test.each([
  [
    'pushed',
    PUSHED,
    [
      [0x1000, 0x1020],
      [0x1025, 0x1040],
      [0x1041, 0x1060],
    ],
    1,
  ],
  [
    'replaced',
    REPLACED,
    [
      [0x1000, 0x1020],
      [0x1020, 0x102c],
      [0x102f, 0x1040],
      [0x1041, 0x1060],
    ],
    2,
  ],
] as const)(
  'leaves no closed function as certainly open after a return by an address that was %s',
  async (name, elf, branches, back) => {
    const header = 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';
    const file = place.file(`${name}.csv`, `${header}\n${rowsOf(branches)}\n`);
    const images = [{ path: place.file(`${name}.elf`, elf) }];
    for (const engine of engines) {
      const { trace } = await ask(engine, 'open', {
        path: file,
        format: 'btm',
        options: { mode: 'normal', header },
        images,
      });
      await ask(engine, 'index', { trace });
      const { events } = await ask(engine, 'branchEvents', { trace, count: 10 });
      expect(events[back]).toMatchObject({ kind: 'unknown', inferred: true });
      const { frames } = await ask(engine, 'stack', { trace, at: events.at(-1)!.n });
      expect(frames.slice(0, 2).map((frame) => frame.function)).toEqual(['leaf', name]);
      expect(frames.filter(({ inferred }) => inferred !== true).map((frame) => frame.function)).toEqual(['leaf']);
      await ask(engine, 'close', { trace });
    }
  },
);

test('marks a branch to a function without a known end, which may be a handler', async () => {
  // caller: CALL EAX, RET. endless: JMP to itself. leaf: RET.
  const elf = elfOf({ 0: 'ffd0ffd0c3', 0x20: 'ebfe', 0x40: 'c3' }, ['caller', 'endless', 'leaf']);
  const header = 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';
  const branches = [
    [0x1000, 0x1040],
    [0x1040, 0x1002],
    [0x1002, 0x1020],
    [0x1020, 0x1020],
  ] as const;
  const file = place.file('endless.csv', `${header}\n${rowsOf(branches)}\n`);
  const images = [{ path: place.file('endless.elf', elf) }];
  const options = { mode: 'normal', header };
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'btm', options, images });
    await ask(engine, 'index', { trace });
    const { events } = await ask(engine, 'branchEvents', { trace, count: 10 });
    expect(events.map(({ kind, inferred }) => `${kind}${inferred ? ' inferred' : ''}`)).toEqual([
      'call',
      'return',
      'call inferred',
      'jump',
    ]);
    await ask(engine, 'close', { trace });
  }
});
