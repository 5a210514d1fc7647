// Instructions proved by trace buffers: the test runs the programs; encoder and truth are independent of the decoder.
import { describe, expect, test } from 'vitest';
import { createCode } from '../../electron/engine/flow/captures/xscale/code.ts';
import type { Entry } from '../../electron/engine/flow/captures/xscale/entries.ts';
import { REASON, type Followed } from '../../electron/engine/flow/captures/xscale/findings.ts';
import { createKnownSteps } from '../../electron/engine/flow/captures/xscale/known-steps.ts';
import { createFollower, follow, type Question } from '../../electron/engine/flow/captures/xscale/follow.ts';
import { createCodeStates } from '../../electron/engine/image/code-states.ts';
import { createImages, type Images } from '../../electron/engine/image/images.ts';
import { machineOf } from '../../electron/engine/image/machine.ts';
import { createSymbolTable } from '../../electron/engine/image/symbols.ts';
import { MESSAGE } from '../../shared/xscale/messages.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { read } from './xscale-entries.ts';
import { encode, type Encoded, type TrueEntry, type Options } from './xscale-encoder.ts';
import { createProgram, runProgram, type Place, type Program, type Troubles } from './xscale-program.ts';
import { rounds } from '../short-form.ts';

interface ImageOptions {
  /** Mapping symbols of ARM and Thumb code. */
  readonly marked: boolean;
  readonly without?: (address: number) => boolean;
  readonly patches?: ReadonlyMap<number, number>;
}

function imagesOf(program: Program, { marked, without = () => false, patches }: ImageOptions): Images {
  const segments = program.segments
    .filter(({ address }) => !without(address))
    .map(({ address, bytes }) => {
      const patched = bytes.slice();
      for (const [at, byte] of patches ?? [])
        if (at >= address && at < address + bytes.length) patched[at - address] = byte;
      return { address: BigInt(address), bytes: patched, memory: BigInt(bytes.length) };
    });
  const marks = program.marks.map(({ address, end, thumb }) => ({
    address: BigInt(address),
    end: BigInt(end),
    state: thumb ? ('thumb' as const) : ('arm' as const),
  }));
  const image = {
    path: 'program',
    size: 0,
    digest: () => 'model',
    form: marked ? ('elf' as const) : ('raw' as const),
    shift: 0n,
    ...(marked && { machine: machineOf(40, 0, 32, true) }),
    segments,
    symbols: createSymbolTable([]),
    states: createCodeStates(marked ? marks : []),
    notices: [],
  };
  return createImages([image]);
}

interface Case {
  readonly program: Program;
  readonly encoded: Encoded;
  readonly wanted: Options;
}

function createCase(random: Random, troubles: Troubles = { interrupts: 6, aborts: 3 }): Case {
  const program = createProgram(random, random.below(8), random.below(4) === 0 ? 0xffff0000 : 0);
  const wanted = {
    mode: random.below(2) === 0 ? ('wrap' as const) : ('fill' as const),
    fromDebugger: random.below(2) === 0,
    marksThumb: random.below(2) === 0,
    registersMarkThumb: random.below(2) === 0,
    checkpoints: [0, 64, 128, 200][random.below(4)]!,
    wholeCalls: troubles.wholeCalls === true,
  };
  const events = runProgram(program, random, 40 + random.below(random.below(3) === 0 ? 200 : 4000), troubles);
  return { program, encoded: encode(events, program.start, wanted), wanted: wanted };
}

function followed({ program, encoded }: Case, images: Images | undefined, more: Partial<Question> = {}): Followed {
  return follow({
    entries: read(encoded.buffer, encoded.checkpoints),
    code: images && createCode(images),
    base: program.base,
    ...more,
  });
}

/** Checks every known answer: each instruction ran at that time, and each branch had that source or target. */
function expectSound(found: Followed, entries: readonly TrueEntry[]): void {
  expect(found.ends).toHaveLength(entries.length);
  let at = 0;
  for (const [k, { ran }] of entries.entries()) {
    const end = found.ends[k]!;
    const own = found.addresses.slice(at, end);
    const began = found.knownFrom !== null && (k > found.knownFrom || end > 0);
    if (!began) expect(own, `entry ${k}`).toEqual([]);
    expect(own, `entry ${k}`).toEqual(ran.slice(0, own.length).map(({ address }) => address));
    const states = found.thumb.slice(at, end);
    for (const [i, state] of states.entries()) if (state >= 0) expect(state === 1, `entry ${k}`).toBe(ran[i]!.thumb);
    at = Math.max(at, end);
  }
  expect(at).toBe(found.addresses.length);
  for (const { entry, source, target, kind } of found.branches) {
    const truth = entries[entry]!;
    if (source !== undefined && truth.kind !== 'interrupt' && truth.vector === undefined) {
      expect(source, `source of entry ${entry}`).toBe(truth.source);
    }
    if (target !== undefined) {
      expect(target - (target % 2), `target of entry ${entry}`).toBe(truth.target ?? target);
    }
    if (kind !== 'unknown') expect(kind, `kind of entry ${entry}`).toBe(truth.kind);
  }
}

/**
 * True for an indirect branch to itself, unless its address differs each time (from the stack, or from exception to exception).
 * Programs restart at a return without a caller, repeatedly if they begin with a return.
 */
function mayBeResumed({ source, target, ran }: TrueEntry, { program: { start } }: Case): boolean {
  const does = ran.at(-1)?.does;
  if (does?.way !== 'indirect' || source !== target) return false;
  if (does.among === 'interrupted') return false;
  return does.kind !== 'return' || does.loads !== true || source === start.address;
}

/** Checks that every instruction after the first known entry is reported or counted. */
function expectComplete(found: Followed, each: Case): void {
  const { entries } = each.encoded;
  if (found.knownFrom === null || found.gaps.some(({ instructions }) => instructions === undefined)) return;
  const unseen = found.gaps.reduce((sum, { instructions = 0 }) => sum + instructions, 0);
  const first = found.ends[found.knownFrom]! > 0 ? 0 : found.knownFrom + 1;
  const behind = entries.slice(first);
  // An aborted load may or may not have been counted; a jump or BX LR to itself may be a debugger's return.
  const doubtful = behind.filter(
    (entry) => mayBeResumed(entry, each) || (entry.vector === 0x10 && entry.ran.length > 0),
  ).length;
  const ran = behind.reduce((sum, entry) => sum + entry.ran.length, 0);
  expect(found.addresses.length + unseen).toBeLessThanOrEqual(ran);
  expect(found.addresses.length + unseen).toBeGreaterThanOrEqual(ran - doubtful);
}

const RUNS = rounds(50, 150);

test('a follower gives the same answers for new and already seen buffers', () => {
  const follower = createFollower();
  const random = createRandom(4711);
  const program = createProgram(createRandom(6), 4);
  const places = [...program.lines.keys()].filter((at) => at < 0xa000);
  const messages = [1, 2, 3, 4, 6, 7, 8, 8, 8, 9, 9, 9, 12, 13, 15];
  const images = [true, false].map((marked) => imagesOf(program, { marked }));
  const codes = images.map((each) => createCode(each));
  const kinds = new Set<string>();
  for (let n = 0; n < 8000; n++) {
    const start = places[random.below(places.length)]!;
    const entries: Entry[] = [{ message: MESSAGE.indirect, count: 0, target: start, bytes: 5 }];
    for (let more = 1 + random.below(3); more > 0; more--) {
      const message = messages[random.below(messages.length)]!;
      const count = message === MESSAGE.rollOver ? 16 : random.below(4);
      // Targets include the source itself, as for a debugger's return, and true targets.
      const { does } = program.lines.get(start + 4 * count) ?? {};
      const goals = does?.way === 'indirect' && Array.isArray(does.among) ? (does.among as readonly Place[]) : [];
      const targets = [start + 4 * count, start + 2 * count + 1, ...goals.map(({ address }) => address)];
      const target = random.below(3) === 0 ? undefined : targets[random.below(targets.length)]!;
      const isKnown = message >= 8 && message < 15 && target !== undefined;
      entries.push(isKnown ? { message, count, target, bytes: 1 } : { message, count, bytes: 1 });
    }
    const which = random.below(2);
    const question = { entries, base: 0 };
    const found = follower.follow({ ...question, code: codes[which] });
    expect(found, JSON.stringify(entries)).toEqual(follow({ ...question, code: createCode(images[which]!) }));
    for (const { kind } of found.branches) kinds.add(kind);
    for (const { reason } of found.gaps) kinds.add(reason);
  }
  expect(kinds).toEqual(
    new Set([
      'call',
      'return',
      'jump',
      'exception',
      'interrupt',
      'unknown',
      REASON.disagree,
      REASON.registers,
      REASON.state,
      REASON.outside,
      REASON.call,
      REASON.damage,
    ]),
  );
});

test('keeps remembered steps independent of the preceding instruction', () => {
  const follower = createFollower();
  for (let program = 0; program < 10; program++) {
    const { base, ...its } = createProgram(createRandom(program), program);
    const images = imagesOf({ base, ...its }, { marked: true });
    const code = createCode(images);
    for (let seed = 1; seed <= 12; seed++) {
      const random = createRandom(100 * program + seed);
      const events = runProgram({ base, ...its }, random, 40 + random.below(1000), { interrupts: 20, aborts: 10 });
      const wanted = { mode: 'wrap', fromDebugger: false, marksThumb: false, checkpoints: 64 } as const;
      const { buffer, checkpoints } = encode(events, its.start, wanted);
      // Checkpoint registers of another run sometimes do not fit, as if the dump named the wrong ones.
      const entries = read(buffer, seed % 4 === 0 ? [0x8000, 0x9000] : checkpoints);
      const found = follower.follow({ entries, base, code });
      expect(found, `program ${program}, seed ${seed}`).toEqual(follow({ entries, base, code: createCode(images) }));
    }
  }
});

test('limits the memory of unkept steps and forgets kept ones with them', () => {
  const steps = createKnownSteps();
  const first = steps.add(0x8000, 7, true);
  let added = 1;
  while (steps.find(0x8000, 7) === first) {
    added++;
    expect(added).toBeLessThan(1_000_000);
    steps.add(0x8004, 9, false);
    expect(steps.find(0x8004, 9)).toBe(-1);
    steps.tidy();
  }
  expect(steps.find(0x8000, 7)).toBe(-1);
  const room = steps.rows.length;
  const again = Array.from({ length: added }, (_, i) => steps.add(4 * i, 7, true));
  expect(again.map((_, i) => steps.find(4 * i, 7))).toEqual(again);
  expect(steps.rows).toHaveLength(room);
});

describe('random programs', () => {
  test.each([
    ['two instructions', false],
    ['one instruction', true],
  ])(
    'a whole image with mapping symbols proves every instruction after the first known entry, if a Thumb call counts as %s',
    (_, wholeCalls) => {
      const seen = { all: 0, thumb: 0, exceptions: 0, aborts: 0, never: 0 };
      for (let seed = 1; seed <= RUNS; seed++) {
        const each = createCase(createRandom(seed), { interrupts: 6, aborts: 3, wholeCalls });
        const { entries } = each.encoded;
        const found = followed(each, imagesOf(each.program, { marked: true }));
        expectSound(found, entries);
        expectComplete(found, each);
        const first = entries.findIndex(({ known, vector }) => known || vector !== undefined);
        expect(found.knownFrom, `seed ${seed}`).toBe(first < 0 ? null : first);
        expect(found.gaps, `seed ${seed}`).toEqual([]);
        for (const { entry, source, target, kind } of found.branches) {
          if (entry === first) continue;
          const truth = entries[entry]!;
          if (kind === 'call' || kind === 'return' || kind === 'jump') {
            expect([source, target! - (target! % 2)], `seed ${seed} entry ${entry}`).toEqual([
              truth.source,
              truth.target,
            ]);
          }
        }
        seen.all += found.addresses.length;
        seen.thumb += found.thumb.filter((state) => state === 1).length;
        seen.exceptions += found.branches.filter(({ kind }) => kind === 'exception').length;
        seen.never += Number(first < 0);
      }
      // The programs contain every feature.
      expect(seen.all).toBeGreaterThan(RUNS * 200);
      expect(seen.thumb).toBeGreaterThan(RUNS * 20);
      expect(seen.exceptions).toBeGreaterThan(RUNS);
    },
  );

  test.each([
    ['two instructions', false],
    ['one instruction', true],
  ])('a raw image proves most instructions and none wrongly, if a Thumb call counts as %s', (_, wholeCalls) => {
    const seen = { proved: 0, ran: 0, whole: 0 };
    for (let seed = 1; seed <= RUNS; seed++) {
      const each = createCase(createRandom(seed), { interrupts: 6, aborts: 3, wholeCalls });
      const found = followed(each, imagesOf(each.program, { marked: false }));
      expectSound(found, each.encoded.entries);
      expectComplete(found, each);
      const whole = followed(each, imagesOf(each.program, { marked: true }));
      seen.proved += found.addresses.length;
      seen.ran += whole.addresses.length;
      seen.whole += Number(found.addresses.length === whole.addresses.length);
    }
    expect(seen.proved / seen.ran).toBeGreaterThan(0.9);
    expect(seen.whole / RUNS).toBeGreaterThan(0.5);
  });

  test('without an image, proved instructions are true and the others are counted', () => {
    let proved = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const each = createCase(createRandom(seed));
      const found = followed(each, undefined);
      expectSound(found, each.encoded.entries);
      expectComplete(found, each);
      proved += found.addresses.length;
    }
    expect(proved).toBeGreaterThan(RUNS * 5);
  });

  test.each([true, false])(
    'an image without some of the code proves no wrong instruction (mapping symbols: %s)',
    (marked) => {
      let gaps = 0;
      for (let seed = 1; seed <= RUNS; seed++) {
        const random = createRandom(seed);
        const each = createCase(random);
        const lost = 0x8000 + 0x1000 * random.below(6);
        const withoutVectors = random.below(4) === 0;
        const without = (address: number): boolean =>
          (address >= lost && address < lost + 0x1000) || (withoutVectors && address === each.program.base);
        const found = followed(each, imagesOf(each.program, { marked, without }));
        expectSound(found, each.encoded.entries);
        expectComplete(found, each);
        gaps += found.gaps.length;
      }
      expect(gaps).toBeGreaterThan(RUNS);
    },
  );

  test('finds out that branches in the image are missing or invented', () => {
    const seen = { disagreements: 0, proved: 0, ran: 0 };
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = createRandom(seed);
      const each = createCase(random, { interrupts: 0, aborts: 0 });
      const { entries } = each.encoded;
      const ran = entries.flatMap((entry) => entry.ran);
      if (ran.length === 0) continue;
      const { address, thumb, does } = ran[random.below(ran.length)]!;
      // MOV R0, R0 in place of a branch; a return in place of anything else.
      const word = does.way === 'on' ? (thumb ? 0x4770 : 0xe12fff1e) : thumb ? 0x1c00 : 0xe1a00000;
      const patches = new Map(Array.from({ length: thumb ? 2 : 4 }, (_, i) => [address + i, (word >>> (8 * i)) & 255]));
      const found = followed(each, imagesOf(each.program, { marked: true, patches }));
      expectSound(found, entries);
      // A branch to itself that the image lacks looks like the return of a debugger that had stopped there.
      if (!entries.some(({ source, target }) => source === address && target === address)) expectComplete(found, each);
      seen.disagreements += Number(found.gaps.some(({ reason }) => reason === REASON.disagree));
      seen.proved += found.addresses.length;
      seen.ran += ran.length;
    }
    expect(seen.disagreements).toBeGreaterThan(RUNS / 2);
    expect(seen.proved / seen.ran).toBeGreaterThan(0.2);
  });

  test('checkpoint registers of another run of the same program prove no wrong instruction', () => {
    const seen = { proved: 0, ran: 0 };
    for (let seed = 1; seed <= 2 * RUNS; seed++) {
      const random = createRandom(seed);
      const program = createProgram(random, random.below(8));
      const wanted = { mode: 'wrap', fromDebugger: false, marksThumb: false, checkpoints: 40 } as const;
      const [one, other] = [0, 1].map(() => {
        const events = runProgram(program, random, 200 + random.below(2000), { interrupts: 6, aborts: 3 });
        return encode(events, program.start, wanted);
      });
      const encoded = { ...one!, checkpoints: other!.checkpoints };
      const images = imagesOf(program, { marked: true });
      const { addresses, ends } = followed({ program, encoded, wanted: wanted }, images);
      for (const [k, { ran }] of encoded.entries.entries()) {
        const own = addresses.slice(k === 0 ? 0 : ends[k - 1], ends[k]);
        expect(own, `seed ${seed}, entry ${k}`).toEqual(ran.slice(0, own.length).map(({ address }) => address));
      }
      seen.proved += addresses.length;
      seen.ran += followed({ program, encoded: one!, wanted: wanted }, images).addresses.length;
    }
    expect(seen.proved / seen.ran).toBeGreaterThan(0.85);
  });

  test('the address where tracing was enabled proves a whole buffer that has not wrapped', () => {
    let whole = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const each = createCase(createRandom(seed));
      const { entries } = each.encoded;
      if (entries.length === 0 || entries[0]!.wrapped || each.wanted.fromDebugger) continue;
      const enabledAt = each.program.start.address;
      const found = followed(each, imagesOf(each.program, { marked: true }), { enabledAt });
      expectSound({ ...found, knownFrom: -1 }, entries);
      expect([found.knownFrom, found.gaps], `seed ${seed}`).toEqual([0, []]);
      expect(found.ends[0], `seed ${seed}`).toBeGreaterThanOrEqual(entries[0]!.ran.length - 1);
      whole++;
    }
    expect(whole).toBeGreaterThan(RUNS / 10);
  });

  test('damaged buffers give well-formed answers', () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = createRandom(seed);
      const { program, encoded } = createCase(random);
      const buffer = random.below(4) === 0 ? random.bytes(256) : encoded.buffer.slice();
      for (let many = 1 + random.below(8); many > 0; many--) buffer[random.below(256)] = random.below(256);
      const entries = read(buffer, [random.below(2 ** 32), random.below(2 ** 32)]);
      const code = createCode(imagesOf(program, { marked: random.below(2) === 0 }));
      const found = follow({ entries, code: random.below(8) === 0 ? undefined : code, base: program.base });
      expect(found.addresses.length).toBeLessThanOrEqual(17 * entries.length);
      expect(found.thumb).toHaveLength(found.addresses.length);
      expect(found.ends).toHaveLength(entries.length);
      expect(found.addresses.every((address) => Number.isInteger(address) && address >= 0 && address < 2 ** 32)).toBe(
        true,
      );
      found.gaps.forEach(({ after, instructions }, i) => {
        expect(after).toBeGreaterThanOrEqual(found.gaps[i - 1]?.after ?? 0);
        expect(after).toBeLessThanOrEqual(found.addresses.length);
        expect(instructions ?? 1).toBeGreaterThan(0);
      });
    }
  });
});
