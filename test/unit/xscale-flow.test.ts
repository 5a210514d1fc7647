// What trace buffers prove: programs run here, encoders and the truth are written apart; and pages worked out by hand.
import { describe, expect, test } from 'vitest';
import { createCode } from '../../electron/engine/flow/xscale/code.ts';
import type { Entry } from '../../electron/engine/flow/xscale/entries.ts';
import { REASON, type Followed } from '../../electron/engine/flow/xscale/findings.ts';
import { createKnownSteps } from '../../electron/engine/flow/xscale/known-steps.ts';
import { createFollower, follow, type Question } from '../../electron/engine/flow/xscale/follow.ts';
import { createCodeStates, type StateMark } from '../../electron/engine/image/code-states.ts';
import { createImages, type Images } from '../../electron/engine/image/images.ts';
import { machineOf } from '../../electron/engine/image/machine.ts';
import { createSymbolTable } from '../../electron/engine/image/symbols.ts';
import { entriesOf } from '../../shared/xscale/buffer.ts';
import { instructionsOf, MESSAGE, MESSAGE_OF } from '../../shared/xscale/messages.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { encode, type Encoded, type TrueEntry, type Wishes } from './xscale-encoder.ts';
import { createProgram, runProgram, type Place, type Program } from './xscale-program.ts';

/** Entries of a buffer as they are handed to what follows them. */
function read(buffer: Uint8Array, [chkpt0, chkpt1]: readonly (number | undefined)[] = []): readonly Entry[] {
  return entriesOf(buffer).map(({ byte, start, end, target, checkpoint }) => {
    const register = checkpoint === 0 ? chkpt0 : checkpoint === 1 ? chkpt1 : undefined;
    const to = target ?? register;
    const message = MESSAGE_OF[byte]!;
    return {
      message,
      count: message === MESSAGE.reserved ? 0 : instructionsOf(byte),
      ...(to !== undefined && { target: to }),
      bytes: end - start === 5 ? 5 : 1,
    };
  });
}

interface ImageWishes {
  /** Says which code is ARM and which is Thumb. */
  readonly marked: boolean;
  readonly without?: (address: number) => boolean;
  readonly patches?: ReadonlyMap<number, number>;
}

function imagesOf(program: Program, { marked, without = () => false, patches }: ImageWishes): Images {
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
  readonly wishes: Wishes;
}

function createCase(random: Random, troubles = { interrupts: 6, aborts: 3 }): Case {
  const program = createProgram(random, random.below(8), random.below(4) === 0 ? 0xffff0000 : 0);
  const wishes = {
    mode: random.below(2) === 0 ? ('wrap' as const) : ('fill' as const),
    fromDebugger: random.below(2) === 0,
    marksThumb: random.below(2) === 0,
    checkpoints: random.below(4) === 0 ? 0 : 128,
  };
  const events = runProgram(program, random, 40 + random.below(random.below(3) === 0 ? 200 : 4000), troubles);
  return { program, encoded: encode(events, program.start, wishes), wishes };
}

function followed({ program, encoded }: Case, images: Images | undefined, more: Partial<Question> = {}): Followed {
  return follow({
    entries: read(encoded.buffer, encoded.checkpoints),
    code: images && createCode(images),
    base: program.base,
    ...more,
  });
}

/** What must hold whatever is known: every address is that of an instruction that ran then, every end one that it had. */
function soundness(found: Followed, entries: readonly TrueEntry[]): void {
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

/** All that ran from the first known entry on is told, or its number is. */
function completeness(found: Followed, entries: readonly TrueEntry[]): void {
  if (found.knownFrom === null || found.gaps.some(({ instructions }) => instructions === undefined)) return;
  const unseen = found.gaps.reduce((sum, { instructions = 0 }) => sum + instructions, 0);
  const first = found.ends[found.knownFrom]! > 0 ? 0 : found.knownFrom + 1;
  // Whether an aborting load was counted is not always known.
  const behind = entries.slice(first);
  const doubtful = behind.filter(({ vector, ran }) => vector === 0x10 && ran.length > 0).length;
  const ran = behind.reduce((sum, entry) => sum + entry.ran.length, 0);
  expect(found.addresses.length + unseen).toBeLessThanOrEqual(ran);
  expect(found.addresses.length + unseen).toBeGreaterThanOrEqual(ran - doubtful);
}

const RUNS = 150;

test('buffers are followed alike by whoever has followed many before and by whoever has not', () => {
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
      // Among others where it comes from, as when a debugger returns, and where it leads.
      const { does } = program.lines.get(start + 4 * count) ?? {};
      const goals = does?.way === 'indirect' && Array.isArray(does.among) ? (does.among as readonly Place[]) : [];
      const targets = [start + 4 * count, start + 2 * count + 1, ...goals.map(({ address }) => address)];
      const target = random.below(3) === 0 ? undefined : targets[random.below(targets.length)]!;
      const isTold = message >= 8 && message < 15 && target !== undefined;
      entries.push(isTold ? { message, count, target, bytes: 1 } : { message, count, bytes: 1 });
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
      REASON.state,
      REASON.outside,
      REASON.call,
      REASON.damage,
    ]),
  );
});

test('what ran right before an entry is not remembered with its step', () => {
  const follower = createFollower();
  for (let program = 0; program < 10; program++) {
    const { base, ...its } = createProgram(createRandom(program), program);
    const images = imagesOf({ base, ...its }, { marked: true });
    const code = createCode(images);
    for (let seed = 1; seed <= 12; seed++) {
      const random = createRandom(100 * program + seed);
      const events = runProgram({ base, ...its }, random, 40 + random.below(1000), { interrupts: 20, aborts: 10 });
      const wishes = { mode: 'wrap', fromDebugger: false, marksThumb: false, checkpoints: 64 } as const;
      const { buffer, checkpoints } = encode(events, its.start, wishes);
      // Checkpoint registers of another run, as if the dump told the wrong ones, do not fit now and then.
      const entries = read(buffer, seed % 4 === 0 ? [0x8000, 0x9000] : checkpoints);
      const found = follower.follow({ entries, base, code });
      expect(found, `program ${program}, seed ${seed}`).toEqual(follow({ entries, base, code: createCode(images) }));
    }
  }
});

test('steps that nobody keeps do not fill the memory, and what is forgotten with them is found no more', () => {
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

describe('programs', () => {
  test('a whole image with mapping symbols gives all from the first known entry on', () => {
    const seen = { all: 0, thumb: 0, exceptions: 0, aborts: 0, never: 0 };
    for (let seed = 1; seed <= RUNS; seed++) {
      const each = createCase(createRandom(seed));
      const { entries } = each.encoded;
      const found = followed(each, imagesOf(each.program, { marked: true }));
      soundness(found, entries);
      completeness(found, entries);
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
    // The programs have something of everything.
    expect(seen.all).toBeGreaterThan(RUNS * 200);
    expect(seen.thumb).toBeGreaterThan(RUNS * 20);
    expect(seen.exceptions).toBeGreaterThan(RUNS);
  });

  test('a raw image proves nothing wrong, and most of it', () => {
    const seen = { proved: 0, ran: 0, whole: 0 };
    for (let seed = 1; seed <= RUNS; seed++) {
      const each = createCase(createRandom(seed));
      const found = followed(each, imagesOf(each.program, { marked: false }));
      soundness(found, each.encoded.entries);
      completeness(found, each.encoded.entries);
      const whole = followed(each, imagesOf(each.program, { marked: true }));
      seen.proved += found.addresses.length;
      seen.ran += whole.addresses.length;
      seen.whole += Number(found.addresses.length === whole.addresses.length);
    }
    expect(seen.proved / seen.ran).toBeGreaterThan(0.9);
    expect(seen.whole / RUNS).toBeGreaterThan(0.5);
  });

  test('without an image what is proved is true, and the rest is counted', () => {
    let proved = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const each = createCase(createRandom(seed));
      const found = followed(each, undefined);
      soundness(found, each.encoded.entries);
      completeness(found, each.encoded.entries);
      proved += found.addresses.length;
    }
    expect(proved).toBeGreaterThan(RUNS * 5);
  });

  test.each([true, false])('an image that lacks some of the code (mapping symbols: %s)', (marked) => {
    let gaps = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = createRandom(seed);
      const each = createCase(random);
      const lost = 0x8000 + 0x1000 * random.below(6);
      const withoutVectors = random.below(4) === 0;
      const without = (address: number): boolean =>
        (address >= lost && address < lost + 0x1000) || (withoutVectors && address === each.program.base);
      const found = followed(each, imagesOf(each.program, { marked, without }));
      soundness(found, each.encoded.entries);
      completeness(found, each.encoded.entries);
      gaps += found.gaps.length;
    }
    expect(gaps).toBeGreaterThan(RUNS);
  });

  test('an image in which branches are missing, or are where none were, is found out', () => {
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
      soundness(found, entries);
      // A branch to itself that the image lacks looks like the return of a debugger that had stopped there.
      if (!entries.some(({ source, target }) => source === address && target === address)) completeness(found, entries);
      seen.disagreements += Number(found.gaps.some(({ reason }) => reason === REASON.disagree));
      seen.proved += found.addresses.length;
      seen.ran += ran.length;
    }
    expect(seen.disagreements).toBeGreaterThan(RUNS / 2);
    expect(seen.proved / seen.ran).toBeGreaterThan(0.2);
  });

  test('from where tracing was enabled all is known that a buffer which has not wrapped holds', () => {
    let whole = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const each = createCase(createRandom(seed));
      const { entries } = each.encoded;
      if (entries.length === 0 || entries[0]!.wrapped || each.wishes.fromDebugger) continue;
      const enabledAt = each.program.start.address;
      const found = followed(each, imagesOf(each.program, { marked: true }), { enabledAt });
      soundness({ ...found, knownFrom: -1 }, entries);
      expect([found.knownFrom, found.gaps], `seed ${seed}`).toEqual([0, []]);
      expect(found.ends[0], `seed ${seed}`).toBeGreaterThanOrEqual(entries[0]!.ran.length - 1);
      whole++;
    }
    expect(whole).toBeGreaterThan(RUNS / 10);
  });

  test('wrong bytes in a buffer never do more harm than wrong answers', () => {
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

describe('pages worked out by hand', () => {
  const NOP = 0xe1a00000;
  const branchTo = (from: number, to: number): number => (0xea000000 | (((to - from - 8) / 4) & 0xffffff)) >>> 0;
  /** ARM code by address, anything else NOP, from 0 up to 0x9000. */
  const arm = (
    words: Readonly<Record<number, number>>,
    state: 'arm' | 'thumb' = 'arm',
    marks: readonly StateMark[] = [{ address: 0n, end: 0x9000n, state }],
  ): Images => {
    const bytes = new Uint8Array(0x9000);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < bytes.length; at += 4) view.setUint32(at, state === 'arm' ? NOP : 0x1c001c00, true);
    for (const [at, word] of Object.entries(words)) {
      if (state === 'arm') view.setUint32(Number(at), word, true);
      else view.setUint16(Number(at), word, true);
    }
    return createImages([
      {
        path: 'program',
        digest: () => 'program',
        form: 'elf',
        shift: 0n,
        machine: machineOf(40, 0, 32, true),
        segments: [{ address: 0n, bytes, memory: BigInt(bytes.length) }],
        symbols: createSymbolTable([]),
        states: createCodeStates(marks),
        notices: [],
      },
    ]);
  };
  const buffer = (text: string): Uint8Array => {
    const bytes = Buffer.from(text.replaceAll(' ', ''), 'hex');
    return Uint8Array.from([...new Uint8Array(256 - bytes.length), ...bytes]);
  };
  const ask = (text: string, images: Images | undefined, registers: readonly number[] = []): Followed =>
    follow({ entries: read(buffer(text), registers), code: images && createCode(images), base: 0 });
  const from = (start: number, many: number, size = 4): number[] =>
    Array.from({ length: many }, (_, i) => start + size * i);

  const EXAMPLE = '00 00 80 00 90 83 FF 85 22 81';
  const PROGRAM = arm({
    0x800c: branchTo(0x800c, 0x8100),
    0x8154: branchTo(0x8154, 0x8200),
    0x8208: 0xef000001,
    0xc: branchTo(0xc, 0x8300),
  });

  test('an indirect branch, direct ones, a roll-over and a software interrupt: 31 instructions', () => {
    const found = ask(EXAMPLE, PROGRAM);
    expect(found.addresses).toEqual([
      ...from(0x8000, 4),
      ...from(0x8100, 16),
      ...from(0x8140, 6),
      ...from(0x8200, 3),
      ...from(8, 2),
    ]);
    expect(found.addresses).toHaveLength(31);
    expect(found).toMatchObject({ knownFrom: 0, before: 1, gaps: [], ends: [0, 4, 20, 26, 29, 31] });
    expect(found.branches).toEqual([
      { entry: 0, target: 0x8000, kind: 'unknown' },
      { entry: 1, source: 0x800c, target: 0x8100, kind: 'jump' },
      { entry: 3, source: 0x8154, target: 0x8200, kind: 'jump' },
      { entry: 4, source: 0x8208, target: 8, kind: 'exception', resume: 0x820c },
      { entry: 5, source: 0xc, target: 0x8300, kind: 'jump' },
    ]);
  });

  test('without an image the first instruction alone is sure, and the others are counted', () => {
    const found = ask(EXAMPLE, undefined);
    expect(found.addresses).toEqual([0x8000]);
    expect(found.gaps).toEqual([{ after: 1, reason: REASON.noImage, instructions: 30 }]);
    expect(found.thumb).toEqual([-1]);
    expect(found.branches).toEqual([
      { entry: 0, target: 0x8000, kind: 'unknown' },
      { entry: 4, kind: 'exception' },
    ]);
  });

  test('without an image an address of half a word is one of Thumb code', () => {
    expect(ask('00 00 80 02 90 83 84', undefined)).toMatchObject({
      addresses: from(0x8002, 4, 2),
      thumb: [1, 1, 1, 1],
      gaps: [{ after: 4, reason: REASON.noImage, instructions: 5 }],
    });
  });

  test('what the newest branch led to did not run yet', () => {
    expect(ask('00 00 80 00 90', PROGRAM)).toMatchObject({ knownFrom: 0, addresses: [], gaps: [] });
  });

  test('where the image has another word nothing of the stretch is believed, and it goes on at the next known place', () => {
    // Four before the branch where the image has three; then back to 0x8000.
    const found = ask('00 00 80 00 90 84 82 00 00 80 00 95 83', PROGRAM);
    expect(found).toMatchObject({
      addresses: from(0x8000, 4),
      ends: [0, 0, 0, 0, 4],
      gaps: [{ after: 0, reason: REASON.disagree, instructions: 5 + 3 + 6 }],
    });
  });

  test('a checkpoint that is not where the branch leads is not believed either', () => {
    const right = ask('00 00 80 00 90 c3 82', PROGRAM, [0x8100]);
    expect(right).toMatchObject({ gaps: [{ after: 4, reason: REASON.disagree, instructions: 3 }] });
    expect(right.addresses).toEqual(from(0x8000, 4));
    const wrong = ask('00 00 80 00 90 c3 ff', PROGRAM, [0x8104]);
    expect(wrong).toMatchObject({
      addresses: from(0x8104, 16),
      gaps: [{ after: 0, reason: REASON.disagree, instructions: 4 }],
    });
  });

  test('a byte that is no message may have been one with an address: what lies before it is not believed', () => {
    // An indirect branch to 0x81828384, its last byte broken: its address then looks like four direct branches.
    const found = ask('00 00 80 00 90 83 81 82 83 84 b3 00 00 80 00 90 83', PROGRAM);
    expect(found.addresses).toEqual([...from(0x8000, 4), ...from(0x8000, 4)]);
    expect(found.gaps).toEqual([{ after: 4, reason: REASON.damage, instructions: undefined }]);
    // An indirect branch to 0x00908384, with what is before it cut otherwise, is another reading.
    const other = ask('00 00 80 00 90 83 84 b3 00 00 80 00 90 83', PROGRAM);
    expect(other.addresses).toEqual(from(0x8000, 4));
  });

  test('an aborting load is counted, one of the program counter is not', () => {
    const LOAD = 0xe5912000;
    const LOAD_PC = 0xe591f000;
    const images = arm({ 0x8008: LOAD, 0x800c: LOAD_PC, 0x8108: LOAD_PC });
    expect(ask('00 00 80 00 90 43', images).addresses).toEqual(from(0x8000, 3));
    expect(ask('00 00 81 00 90 42', images).addresses).toEqual(from(0x8100, 3));
  });

  test('an instruction that could not be fetched did not run', () => {
    expect(ask('00 00 80 00 90 32', PROGRAM).addresses).toEqual(from(0x8000, 2));
  });

  test('a Thumb call in halves, between which the count rolls over', () => {
    const images = arm({ 0x801e: 0xf000, 0x8020: 0xf810 }, 'thumb');
    const found = ask('00 00 80 00 90 ff 80', images);
    expect(found.addresses).toEqual(from(0x8000, 17, 2));
    expect(found.branches[1]).toEqual({ entry: 2, source: 0x8020, target: 0x8042, kind: 'call', resume: 0x8022 });
  });

  test('a jump is what the instruction before it makes of it: a Thumb return was called a jump, and so was a call by B', () => {
    const kindsOf = (text: string, images: Images): unknown[] =>
      ask(text, images)
        .branches.slice(1)
        .map(({ kind, resume }) => (resume === undefined ? kind : [kind, resume]));
    // POP {R1} or {R0, R2}, BX R1
    const pops = arm({ 0x8000: 0xbc02, 0x8002: 0x4708, 0x8008: 0xbc05, 0x800a: 0x4708 }, 'thumb');
    expect(kindsOf('00 00 80 00 90 00 00 80 08 91 00 00 81 00 91', pops)).toEqual(['return', 'jump']);
    // The register may come from anywhere where POP did not run.
    expect(kindsOf('00 00 80 02 90 00 00 80 10 90', pops)).toEqual(['unknown']);
    // An interrupt between them changes nothing.
    const between = arm({ 0x8000: 0xbc02, 0x8002: 0x4708, 0x18: 0xf004, 0x1a: 0xe25e }, 'thumb', [
      { address: 0n, end: 0x8000n, state: 'arm' },
      { address: 0x8000n, end: 0x9000n, state: 'thumb' },
    ]);
    expect(kindsOf('00 00 80 00 90 61 00 00 80 02 90 00 00 80 10 90', between)).toEqual([
      ['interrupt', 0x8002],
      'return',
      'return',
    ]);
    // MOV LR, PC
    const links = arm({ 0x8000: 0xe1a0e00f, 0x8004: branchTo(0x8004, 0x8100) });
    expect(kindsOf('00 00 80 00 90 81', links)).toEqual([['call', 0x8008]]);
    expect(kindsOf('00 00 80 04 90 80', links)).toEqual(['unknown']);
    const thumbLinks = arm({ 0x8000: 0x46fe, 0x8002: 0x4718 }, 'thumb');
    expect(kindsOf('00 00 80 00 90 00 00 81 00 91', thumbLinks)).toEqual([['call', 0x8004]]);
  });

  test('the second half of a call alone leads nobody knows where', () => {
    const images = arm({ 0x801e: 0xf000, 0x8020: 0xf810 }, 'thumb');
    expect(ask('00 00 80 20 90 80 82', images)).toMatchObject({
      addresses: [0x8020],
      gaps: [{ after: 1, reason: REASON.call, instructions: 3 }],
    });
  });

  test('a debugger that stopped the core goes on where it was', () => {
    expect(ask('00 00 80 00 90 00 00 80 08 92 81', PROGRAM)).toMatchObject({ addresses: from(0x8000, 4), gaps: [] });
  });

  test('an odd address is one of Thumb code, which ARM code is not', () => {
    expect(ask('00 00 80 01 90 83', PROGRAM)).toMatchObject({
      addresses: [],
      gaps: [{ after: 0, reason: REASON.disagree, instructions: 4 }],
    });
  });

  test('a way into code of the other instruction set is none', () => {
    const images = arm({}, 'arm', [
      { address: 0n, end: 0x8008n, state: 'arm' },
      { address: 0x8008n, end: 0x8010n, state: 'thumb' },
      { address: 0x8010n, end: 0x9000n, state: 'arm' },
    ]);
    expect(ask('00 00 80 10 90 ff', images).addresses).toEqual(from(0x8010, 16));
    expect(ask('00 00 80 00 90 ff', images)).toMatchObject({
      addresses: [],
      gaps: [{ after: 0, reason: REASON.disagree, instructions: 16 }],
    });
  });

  test('a call that changes the instruction set leads where it says', () => {
    const thumbCode = Object.fromEntries(from(0x8108, 12).map((address) => [address, 0x1c001c00]));
    const images = arm({ 0x8008: 0xfa00003e, ...thumbCode }, 'arm', [
      { address: 0n, end: 0x8108n, state: 'arm' },
      { address: 0x8108n, end: 0x9000n, state: 'thumb' },
    ]);
    expect(ask('00 00 80 00 90 00 00 81 08 92 ff', images).addresses).toEqual([
      ...from(0x8000, 3),
      ...from(0x8108, 16, 2),
    ]);
    expect(ask('00 00 80 00 90 00 00 81 0c 92 ff', images)).toMatchObject({
      addresses: from(0x810c, 16, 2),
      gaps: [{ after: 0, reason: REASON.disagree, instructions: 3 }],
    });
  });

  test('of code that can be of either instruction set only the first address is sure, until others tell', () => {
    // At 0x8000 a Thumb branch to 0x8008 and an ARM instruction are the same bytes; at 0x8004 both have a branch.
    const unmarked = arm({ 0x8000: 0xe1a01c00, 0x8004: 0xea00e07c }, 'arm', []);
    expect(ask('00 00 80 00 90 81', unmarked)).toMatchObject({
      addresses: [0x8000],
      thumb: [-1],
      gaps: [{ after: 1, reason: REASON.state, instructions: 1 }],
    });
    // One branch more that fits ARM code is no proof, where Thumb code would lead out of the image.
    const atEnd = arm(
      { 0x8f00: 0xe3fe1c00, 0x8f04: branchTo(0x8f04, 0x8100), 0x8100: branchTo(0x8100, 0x8200) },
      'arm',
      [],
    );
    expect(ask('00 00 8f 00 90 81 80', atEnd)).toMatchObject({
      addresses: [0x8f00],
      gaps: [{ after: 1, reason: REASON.state, instructions: 2 }],
    });
    const told = follow({
      entries: read(buffer('00 00 80 00 90 81')),
      code: createCode(unmarked),
      base: 0,
      state: 'arm',
    });
    expect(told).toMatchObject({ addresses: from(0x8000, 2), thumb: [0, 0], gaps: [] });
  });

  test('a way out of the image is a gap up to the next known place', () => {
    const images = arm({ 0x800c: branchTo(0x800c, 0x9100) });
    expect(ask('00 00 80 00 90 83 82 00 00 80 00 91 82', images)).toMatchObject({
      addresses: from(0x8000, 4),
      gaps: [
        { after: 4, reason: REASON.outside, instructions: 3 + 2 },
        { after: 4, reason: REASON.disagree, instructions: 3 },
      ],
    });
  });

  test('a buffer without anything that is known', () => {
    expect(ask('81 82 ff', PROGRAM)).toMatchObject({
      knownFrom: null,
      before: 2 + 3 + 16,
      addresses: [],
      branches: [],
    });
    expect(ask('', PROGRAM)).toMatchObject({ knownFrom: null, before: 0, addresses: [], ends: [] });
  });
});
