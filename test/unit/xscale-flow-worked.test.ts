// Instructions proved by trace buffers, worked out by hand on programs of a few words.
import { describe, expect, test } from 'vitest';
import { createCode } from '../../electron/engine/flow/captures/xscale/code.ts';
import { REASON, type Followed } from '../../electron/engine/flow/captures/xscale/findings.ts';
import { follow } from '../../electron/engine/flow/captures/xscale/follow.ts';
import { createCodeStates, type StateMark } from '../../electron/engine/image/code-states.ts';
import { createImages, type Images } from '../../electron/engine/image/images.ts';
import { machineOf } from '../../electron/engine/image/machine.ts';
import { createSymbolTable } from '../../electron/engine/image/symbols.ts';
import { read } from './xscale-entries.ts';

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
      size: 0,
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

test('where the image has another word nothing of the stretch is believed, and it continues at the next known place', () => {
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
    addresses: [],
    gaps: [
      { after: 0, reason: REASON.disagree, instructions: 4 },
      { after: 0, reason: REASON.registers, instructions: 16 },
    ],
  });
  expect(wrong.branches).toEqual([{ entry: 0, target: 0x8000, kind: 'unknown' }]);
});

describe('checkpoint registers, one of which cannot be right,', () => {
  const BX = 0xe12fff1e;
  const program = arm({
    0x800c: branchTo(0x800c, 0x8100),
    0x8100: BX,
    0x8108: branchTo(0x8108, 0x8200),
    0x8240: BX,
    0x8300: NOP,
  });
  /** From an older checkpoint over known places to a newer one and on to 0x8000, where the next four instructions run. */
  const known = '83 00 00 81 04 90 c1 ff 00 00 80 00 90 83';
  const gapsOf = ({ gaps }: Followed): unknown[] =>
    gaps.map(({ after, reason, instructions }) => [after, reason, instructions]);

  test('are followed where both fit', () => {
    const found = ask(`c0 ${known}`, program, [0x8200, 0x8000]);
    expect(found).toMatchObject({ knownFrom: 0, gaps: [] });
    expect(found.addresses).toEqual([
      ...from(0x8000, 4),
      0x8100,
      ...from(0x8104, 2),
      ...from(0x8200, 17),
      ...from(0x8000, 4),
    ]);
  });

  test('led from the newer one, which is not where its branch goes, and from the older one', () => {
    const found = ask(`c0 ${known}`, program, [0x8300, 0x8000]);
    expect(found.addresses).toEqual(from(0x8000, 4));
    expect(gapsOf(found)).toEqual([
      [0, REASON.registers, 4 + 1],
      [0, REASON.disagree, 2],
      [0, REASON.registers, 16 + 1],
    ]);
    expect(found.branches.map(({ entry, target }) => [entry, target])).toEqual([
      [2, 0x8104],
      [5, 0x8000],
      [6, 0x8100],
    ]);
  });

  test('led from the newer one where the image does not fit what follows the older one', () => {
    const found = ask('c0 82 c1 ff 00 00 80 00 90 83', program, [0x8200, 0x8300]);
    expect(found.addresses).toEqual(from(0x8000, 4));
    expect(gapsOf(found)).toEqual([[0, REASON.registers, 3 + 2 + 16 + 1]]);
  });

  test('lead on where the way up to there leads to the same', () => {
    const found = ask(`00 00 80 00 90 c3 00 00 81 04 90 c1 ff 00 00 80 00 90 83`, program, [0x8300, 0x8100]);
    expect(found.addresses).toEqual([...from(0x8000, 4), 0x8100, ...from(0x8000, 4)]);
    expect(gapsOf(found)).toEqual([
      [5, REASON.disagree, 2],
      [5, REASON.registers, 16 + 1],
    ]);
  });

  test('led from the one that nothing contradicts where the other holds another address than the bytes of its entry', () => {
    const entries = read(buffer('c0 83 00 00 81 04 d0 c1 ff 00 00 80 00 90 83'.replace('c1', '81')), [0x9990, 0x8000]);
    const code = createCode(program);
    expect(follow({ entries, code, base: 0 }).addresses.slice(0, 5)).toEqual([...from(0x8000, 4), 0x8100]);
    const found = follow({ entries, code, base: 0, registersDiffer: true });
    expect(found.addresses).toEqual([...from(0x8104, 2), ...from(0x8200, 17), ...from(0x8000, 4)]);
    expect(gapsOf(found)).toEqual([[0, REASON.registers, 4 + 1]]);
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
  // MOVNE LR, PC, and behind it BXNE R3, or BXEQ R3, which follows one that did not run.
  const maybe = arm({ 0x8000: 0x11a0e00f, 0x8004: 0x112fff13 });
  expect(kindsOf('00 00 80 00 90 00 00 81 00 91', maybe)).toEqual([['call', 0x8008]]);
  const other = arm({ 0x8000: 0x11a0e00f, 0x8004: 0x012fff13 });
  expect(kindsOf('00 00 80 00 90 00 00 81 00 91', other)).toEqual(['jump']);
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

test('a debugger that stopped the core before BX R3 did not make that lead to itself', () => {
  const images = arm({ 0x8008: 0xe12fff13, 0x8100: 0xe12fff13 });
  // From 0x8000 through BX at 0x8008, where it is stopped in one of two rounds, to BX at 0x8100 and back.
  const stopped = '00 00 80 08 92 00 00 81 00 90 00 00 80 00 90';
  const straight = '00 00 81 00 92 00 00 80 00 90';
  const back = { kind: 'unknown', source: undefined, target: 0x8008 };
  const round = [
    { kind: 'jump', source: 0x8008, target: 0x8100 },
    { kind: 'jump', source: 0x8100, target: 0x8000 },
  ];
  const ran = [...from(0x8000, 3), 0x8100];
  for (const [bytes, rest] of [
    [`${stopped} ${straight} ${stopped}`, [back, ...round, ...round, back, ...round]],
    [`${straight} ${stopped} ${straight}`, [...round, back, ...round, ...round]],
  ] as const) {
    const { addresses, branches, gaps } = ask(`00 00 80 00 90 ${bytes}`, images);
    expect(addresses).toEqual([...ran, ...ran, ...ran]);
    expect(gaps).toEqual([]);
    expect(branches.slice(1).map(({ kind, source, target }) => ({ kind, source, target }))).toEqual(rest);
  }
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

test('what mapping symbols call data was reported as instructions that ran', () => {
  const images = arm({}, 'arm', [
    { address: 0n, end: 0x9000n, state: 'arm' },
    { address: 0x8008n, end: 0x9000n, state: 'data' },
    { address: 0x8010n, end: 0x9000n, state: 'arm' },
  ]);
  expect(ask('00 00 80 00 90 ff 00 00 80 10 90 ff', images)).toMatchObject({
    addresses: from(0x8010, 16),
    gaps: [{ after: 0, reason: REASON.outside, instructions: 16 + 1 }],
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

test('of code that can be of either instruction set only the first address is sure, until others report', () => {
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
  const reported = follow({
    entries: read(buffer('00 00 80 00 90 81')),
    code: createCode(unmarked),
    base: 0,
    state: 'arm',
  });
  expect(reported).toMatchObject({ addresses: from(0x8000, 2), thumb: [0, 0], gaps: [] });
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
