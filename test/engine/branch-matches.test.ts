/**
 * Images compared with branches: those of branch messages, of branch stacks and of trace buffers. Expectations are worked out by hand from
 * the code below, or come from programs whose branches are known.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Arguments, ImageMatch, ImagePlace } from '../../shared/requests/requests.ts';
import { createRandom } from '../laws/random.ts';
import { writeElf, type ElfContent } from '../unit/elf-writer.ts';
import { encode } from '../unit/xscale-encoder.ts';
import { createProgram, runProgram, type Program } from '../unit/xscale-program.ts';
import { ask } from './ask.ts';
import { asCapture, runPentium, type Report } from './btm-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

let files = 0;
function file(content: string | Uint8Array): string {
  return place.file(`branches-${files++}`, content);
}

/** Compares images with a trace. */
async function compare(
  trace: Pick<Arguments<'open'>, 'path' | 'format' | 'options'>,
  ...images: readonly (string | ImagePlace)[]
): Promise<readonly ImageMatch[]> {
  const places = images.map((image) => (typeof image === 'string' ? { path: image } : image));
  const opened = await ask(engine, 'open', { ...trace, images: places });
  await ask(engine, 'index', { trace: opened.trace });
  const answer = await ask(engine, 'imageMatches', { trace: opened.trace });
  await ask(engine, 'close', { trace: opened.trace });
  return answer.images;
}

interface Taken {
  readonly source: number;
  readonly target: number;
  /** Instruction that a Pentium reports as the source. */
  readonly reported?: number;
}

const BASE = 0x1000;
const STEP = 16;
const STEPS = 16;
const NOP = 0x90;
/** Sixteen times at 0x1000, 0x1010, ..: three NOP, a jump to the next sixteen bytes, eleven NOP. */
const CODE = Array.from({ length: STEPS }, () => [NOP, NOP, NOP, 0xeb, 11, ...new Array<number>(11).fill(NOP)]).flat();
const JUMPS = Array.from({ length: STEPS }, (_, i): Taken => ({
  source: BASE + STEP * i + 3,
  target: BASE + STEP * (i + 1),
}));
/** Another build has one more NOP at 0x1040, so the first four jumps stay where they are. */
const SHIFTED = [...CODE.slice(0, 4 * STEP), NOP, ...CODE.slice(4 * STEP)];
/** The handler of interrupts is IRET, at 0x1200. */
const HANDLER = 0x1200;
const WITH_HANDLER = [...CODE, ...new Array<number>(HANDLER - BASE - CODE.length).fill(NOP), 0xcf];

function elf(bytes: readonly number[] | Uint8Array, more: Partial<ElfContent> = {}): string {
  const sections = [{ name: '.text', address: BASE, bytes }];
  return file(writeElf({ bits: 32, endian: 'little', machine: 3, sections, ...more }));
}

/** Returns branches with an interrupt two instructions before each jump. */
function interrupted(taken: readonly Taken[]): readonly Taken[] {
  return taken.flatMap((jump) => {
    const at = jump.source - 2;
    return [{ source: at, target: HANDLER }, { source: HANDLER, target: at }, jump];
  });
}

describe('branch trace messages', () => {
  const capture = (taken: readonly Taken[], report: Report = 'normal') => ({
    path: file(
      asCapture({ taken: taken.map((branch) => ({ ...branch, reported: branch.reported ?? branch.source })) }, report),
    ),
    format: 'btm',
    options: { mode: report === 'fast' ? 'fast' : 'normal' },
  });

  test('the right image has a branch at every source', async () => {
    const [match] = await compare(capture([...JUMPS, ...JUMPS, ...JUMPS]), elf(CODE));
    expect(match).toMatchObject({
      evidence: 'branches',
      verdict: 'match',
      checked: 48,
      matching: 48,
      share: 1,
      outside: 0,
      distinct: { checked: 16, matching: 16 },
    });
    expect(match!.text).toMatch(/^branches-\d+ matches 100 % of 16 branch sources\.$/);
  });

  test('another build has no branch at the sources, or one that goes elsewhere', async () => {
    const [match] = await compare(capture(JUMPS), elf(SHIFTED));
    expect(match).toMatchObject({
      verdict: 'other-build',
      checked: 16,
      matching: 4,
      distinct: { checked: 16, matching: 4 },
      // The fifth message, in the second of its cycles.
      first: { n: 9, address: '0x1043', target: '0x1050', instruction: 'nop' },
    });
    expect(match!.text).toMatch(
      /is probably another program or another build: it matches 25\.0 % of 16 branch sources\. First difference: record 9 branches from 0x1043 to 0x1050, and the image has "nop" there\.$/,
    );
    const [shorter] = await compare(capture(JUMPS), elf(CODE.map((byte) => (byte === 11 ? 12 : byte))));
    expect(shorter).toMatchObject({
      verdict: 'other-build',
      matching: 0,
      first: { address: '0x1003', target: '0x1010', instruction: 'jmp 0x1011' },
    });
  });

  test('a source may be the instruction before a direct branch', async () => {
    const paired = JUMPS.map((jump) => ({ ...jump, reported: jump.source - 1 }));
    expect(await compare(capture(paired, 'pairing'), elf(CODE), elf(SHIFTED))).toMatchObject([
      { verdict: 'match', distinct: { checked: 16, matching: 16 } },
      { verdict: 'other-build', distinct: { checked: 16, matching: 4 } },
    ]);
  });

  test('serialising instructions send messages', async () => {
    // WRMSR in place of each jump.
    const code = CODE.map((byte, i) => (i % STEP === 3 ? 0x0f : i % STEP === 4 ? 0x30 : byte));
    const taken = JUMPS.map(({ source }) => ({ source, target: source + 2 }));
    expect(await compare(capture(taken), elf(code), elf(CODE))).toMatchObject([
      { verdict: 'match', distinct: { checked: 16, matching: 16 } },
      { verdict: 'other-build', distinct: { checked: 16, matching: 0 } },
    ]);
  });

  test('interrupts are left out, whether the image has the handler or not', async () => {
    const trace = capture(interrupted(JUMPS));
    const [match, without, other] = await compare(trace, elf(WITH_HANDLER), elf(CODE), elf(SHIFTED));
    expect(match).toMatchObject({ verdict: 'match', distinct: { checked: 17, matching: 17 } });
    expect(without).toMatchObject({ verdict: 'match', outside: 16, distinct: { checked: 16, matching: 16 } });
    expect(other).toMatchObject({ verdict: 'other-build', distinct: { checked: 16, matching: 4 } });
    // The trace ends before the handlers return, as after a switch of tasks.
    const open = interrupted(JUMPS).filter(({ source }) => source !== HANDLER);
    expect(await compare(capture(open), elf(WITH_HANDLER))).toMatchObject([
      { verdict: 'match', distinct: { checked: 16, matching: 16 } },
    ]);
  });

  test('fast messages with interrupts are no evidence of another build', async () => {
    const rounds = Array.from({ length: 20 }, () => JUMPS).flat();
    const [right, other] = await compare(
      capture([...rounds, ...interrupted(JUMPS).slice(0, 24)], 'fast'),
      elf(WITH_HANDLER),
      elf([...CODE.slice(0, 4 * STEP), NOP, ...SHIFTED.slice(4 * STEP)]),
    );
    expect(right).toMatchObject({ verdict: 'differs', distinct: { checked: 25, matching: 17 } });
    expect(right!.text).toMatch(/ and the image has "nop" there\. Interrupts may cause such differences\.$/);
    expect(other).toMatchObject({ verdict: 'other-build' });
  });

  test('a few branches are no evidence', async () => {
    const [right, other] = await compare(capture(JUMPS.slice(4, 11)), elf(CODE), elf(SHIFTED));
    expect(right).toMatchObject({ verdict: 'unknown', distinct: { checked: 7, matching: 7 } });
    expect(right!.text).toMatch(/matches 100 % of 7 branch sources, too few to distinguish builds\.$/);
    expect(other).toMatchObject({ verdict: 'differs', distinct: { checked: 7, matching: 0 } });
  });

  test('says if no branch lies in the image', async () => {
    const sections = [{ name: '.text', address: 0x8000, bytes: CODE }];
    const [match] = await compare(capture(JUMPS), elf([], { sections }));
    expect(match).toMatchObject({ evidence: 'branches', verdict: 'unknown', checked: 0, outside: 16 });
    expect(match!.text).toMatch(/^No branch of the trace lies in branches-\d+: /);
  });

  test.each(['normal', 'pairing', 'fast'] as const)(
    'programs with %s messages have the right image',
    async (report) => {
      for (const seed of [1, 2]) {
        const run = runPentium(createRandom(seed), 600);
        const other = runPentium(createRandom(seed + 100), 600);
        const [match, wrong] = await compare(capture(run.taken, report), file(run.elf), file(other.elf));
        // Messages without a target do not distinguish interrupts from branches.
        expect(match!.verdict).toBe(report === 'fast' ? 'differs' : 'match');
        expect(wrong!.verdict).toBe('other-build');
      }
    },
  );
});

describe('branch stacks', () => {
  /** One sample of branches, oldest first. `kind` is a type of perf. */
  const stack = (taken: readonly (Taken & { readonly kind?: string })[], high = '') => {
    const address = (low: number): string => `0x${high}${low.toString(16).padStart(high === '' ? 1 : 8, '0')}`;
    const branches = taken.map(
      ({ source, target, kind = '-' }) => `${address(source)}/${address(target)}/P/-/-/1/${kind}/-`,
    );
    return { path: file(`prog 7 [000] 1.000000: cycles:u: ${branches.toReversed().join('  ')}\n`), format: 'brstack' };
  };
  const x64 = { bits: 64, machine: 62 } as const;

  test('the right image has a branch at every source, and another build has not', async () => {
    const [right, other] = await compare(stack(JUMPS), elf(CODE, x64), elf(SHIFTED, x64));
    expect(right).toMatchObject({
      evidence: 'branches',
      verdict: 'match',
      checked: 16,
      matching: 16,
      distinct: { checked: 16, matching: 16 },
    });
    // The newest branch is the first record.
    expect(other).toMatchObject({
      verdict: 'other-build',
      checked: 16,
      matching: 4,
      first: { n: 0, address: '0x10f3', target: '0x1100', instruction: 'nop' },
    });
    expect(other!.text).toMatch(/ matches 25\.0 % of 16 branch sources\. /);
  });

  test('interrupts are left out, by their kind or by their target in the kernel', async () => {
    const irqs = JUMPS.map(({ source }) => ({ source: source - 2, target: HANDLER + 0x1000, kind: 'IRQ' }));
    const trace = stack([...JUMPS, ...irqs, ...irqs.map((irq) => ({ ...irq, source: irq.source + 1, kind: '-' }))]);
    expect(await compare(trace, elf(CODE, x64))).toMatchObject([{ verdict: 'match', checked: 16, matching: 16 }]);
  });

  test('branches that a kernel patches count if a branch is there', async () => {
    // Each RET was a jump to a thunk when the kernel was built.
    const patched = JUMPS.map(({ source }) => ({ source, target: BASE + 1 }));
    const at = (bytes: readonly number[], high: bigint) =>
      elf([], { ...x64, sections: [{ name: '.text', address: high + BigInt(BASE), bytes }] });
    const kernel = 0xffffffff_00000000n;
    expect(
      await compare(stack(patched, 'ffffffff'), at(CODE, kernel), at(new Array<number>(256).fill(NOP), kernel)),
    ).toMatchObject([
      { verdict: 'match', distinct: { checked: 16, matching: 16 } },
      { verdict: 'other-build', distinct: { checked: 16, matching: 0 } },
    ]);
    // Programs do not patch themselves.
    expect(await compare(stack(patched), elf(CODE, x64))).toMatchObject([{ verdict: 'other-build' }]);
  });

  test('AArch64 code is compared too', async () => {
    // NOP, NOP, NOP and a branch to the next instruction.
    const words = Array.from({ length: STEPS }, () => [0xd503201f, 0xd503201f, 0xd503201f, 0x14000001]).flat();
    const bytes = (code: readonly number[]) => new Uint8Array(Uint32Array.from(code).buffer);
    const taken = JUMPS.map(({ source, target }) => ({ source: source + 9, target }));
    const arm64 = { bits: 64, machine: 183 } as const;
    const moved = [...words.slice(0, 16), 0xd503201f, ...words.slice(16)];
    expect(await compare(stack(taken), elf(bytes(words), arm64), elf(bytes(moved), arm64))).toMatchObject([
      { verdict: 'match', distinct: { checked: 16, matching: 16 } },
      { verdict: 'other-build', distinct: { checked: 16, matching: 4 } },
    ]);
  });

  test('code of an unknown instruction set is not compared', async () => {
    const [raw, arm] = await compare(
      stack(JUMPS),
      { path: file(Uint8Array.from(CODE)), base: '0x1000' },
      elf(CODE, { machine: 40 }),
    );
    for (const match of [raw, arm]) {
      expect(match).toMatchObject({ evidence: 'none', verdict: 'unknown', checked: 0 });
      expect(match!.text).toMatch(
        /^No branch of the trace could be compared, so another build of branches-\d+ would not be noticed\.$/,
      );
    }
  });
});

describe('trace buffers', () => {
  const NOP_ARM = 0xe1a00000;
  const BX_LR = 0xe12fff1e;
  /** Twelve times at 0x8000, 0x8010, ..: two NOP, BX LR, NOP. */
  const RETURNS = Array.from({ length: 12 }, () => [NOP_ARM, NOP_ARM, BX_LR, NOP_ARM]).flat();
  const arm = (code: readonly number[]): string => {
    const sections = [{ name: '.text', address: 0x8000, bytes: new Uint8Array(Uint32Array.from(code).buffer) }];
    const symbols = [{ name: '$a', value: 0x8000, type: 0 }];
    return file(writeElf({ bits: 32, endian: 'little', machine: 40, sections, symbols }));
  };
  /** Indirect branches to 0x8000 + 0x10 * k, each after two instructions, apart from the first. */
  const buffer = (ks: readonly number[]) => {
    const bytes = ks.flatMap((k, i) => [0, 0, 0x80, k << 4, i === 0 ? 0x90 : 0x92]);
    return { path: file(Buffer.concat([Buffer.alloc(256 - bytes.length), Uint8Array.from(bytes)])), format: 'xscale' };
  };
  const ALL = Array.from({ length: 12 }, (_, k) => k);

  test('the right image allows all paths, and another build does not', async () => {
    const [right, other] = await compare(
      buffer(ALL),
      arm(RETURNS),
      arm([...RETURNS.slice(0, 16), NOP_ARM, ...RETURNS.slice(16)]),
    );
    expect(right).toMatchObject({
      evidence: 'paths',
      verdict: 'match',
      checked: 11,
      matching: 11,
      share: 1,
      distinct: { checked: 11, matching: 11 },
    });
    expect(right!.text).toMatch(/^branches-\d+ matches 100 % of 11 paths between known addresses\.$/);
    expect(other).toMatchObject({
      verdict: 'other-build',
      checked: 11,
      matching: 4,
      first: { n: 5, address: '0x8040' },
    });
    expect(other!.text).toMatch(
      /it matches 36\.3 % of 11 paths between known addresses\. First difference: the image does not allow the branches that begin with record 5 at 0x8040\.$/,
    );
  });

  test('one patched instruction is no other build', async () => {
    expect(await compare(buffer(ALL), arm(RETURNS.with(18, NOP_ARM)))).toMatchObject([
      { verdict: 'differs', distinct: { checked: 11, matching: 10 }, first: { n: 5, address: '0x8040' } },
    ]);
  });

  test('a few paths are no evidence', async () => {
    const [right, other] = await compare(buffer([4, 5, 6]), arm(RETURNS), arm(RETURNS.map(() => NOP_ARM)));
    expect(right).toMatchObject({ verdict: 'unknown', checked: 2, matching: 2 });
    expect(right!.text).toMatch(/ matches 100 % of 2 paths between known addresses, too few to distinguish builds\.$/);
    expect(other).toMatchObject({ verdict: 'differs', checked: 2, matching: 0 });
  });

  test('buffers whose addresses are not in the image are not compared', async () => {
    const sections = [{ name: '.text', address: 0x20000, bytes: new Uint8Array(64) }];
    const image = file(writeElf({ bits: 32, endian: 'little', machine: 40, sections }));
    expect(await compare(buffer(ALL), image)).toMatchObject([{ evidence: 'none', verdict: 'unknown', checked: 0 }]);
  });

  test('generated programs of ARM and Thumb code have the right image', async () => {
    const elfOf = ({ segments, marks }: Program): string => {
      const sections = segments.map(({ address, bytes }, i) => ({ name: `.text${i}`, address, bytes }));
      const symbols = marks.flatMap(({ address, thumb }) => {
        const own = sections.find((each) => address >= each.address && address < each.address + each.bytes.length);
        return own === undefined ? [] : [{ name: thumb ? '$t' : '$a', value: address, type: 0, section: own.name }];
      });
      return file(writeElf({ bits: 32, endian: 'little', machine: 40, sections, symbols }));
    };
    for (const seed of [1, 4, 6]) {
      const random = createRandom(seed);
      const program = createProgram(random, seed);
      const buffers = Array.from({ length: 6 }, (_, i) => {
        const events = runProgram(program, random, 400 + 200 * i, { interrupts: 4, aborts: 2 });
        return encode(events, program.start, {
          mode: i % 2 === 0 ? 'wrap' : 'fill',
          fromDebugger: true,
          marksThumb: true,
          checkpoints: 0,
        }).buffer;
      });
      const trace = { path: file(Buffer.concat(buffers)), format: 'xscale' };
      const [right, other] = await compare(trace, elfOf(program), elfOf(createProgram(createRandom(seed + 50), seed)));
      expect(right).toMatchObject({ evidence: 'paths', verdict: 'match', share: 1 });
      expect(other).toMatchObject({ evidence: 'paths', verdict: 'other-build' });
    }
  });
});
