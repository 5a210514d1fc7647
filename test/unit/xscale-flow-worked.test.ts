// Instructions proved by trace buffers, worked out by hand on short programs.
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
/** ARM code by address, NOP elsewhere, from 0 to 0x9000. */
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

test('proves 31 instructions with an indirect branch, direct branches, a roll-over and a software interrupt', () => {
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

test('without an image, proves the first instruction and counts the others', () => {
  const found = ask(EXAMPLE, undefined);
  expect(found.addresses).toEqual([0x8000]);
  expect(found.gaps).toEqual([{ after: 1, reason: REASON.noImage, instructions: 30 }]);
  expect(found.thumb).toEqual([-1]);
  expect(found.branches).toEqual([
    { entry: 0, target: 0x8000, kind: 'unknown' },
    { entry: 4, kind: 'exception' },
  ]);
});

test('without an image, takes an address with bit 1 set for Thumb code', () => {
  expect(ask('00 00 80 02 90 83 84', undefined)).toMatchObject({
    addresses: from(0x8002, 4, 2),
    thumb: [1, 1, 1, 1],
    gaps: [{ after: 4, reason: REASON.noImage, instructions: 5 }],
  });
});

test('does not report instructions after the newest branch', () => {
  expect(ask('00 00 80 00 90', PROGRAM)).toMatchObject({ knownFrom: 0, addresses: [], gaps: [] });
});

test('rejects a stretch that contradicts the image and continues at the next known address', () => {
  // Four instructions before the branch where the image has three; then back to 0x8000.
  const found = ask('00 00 80 00 90 84 82 00 00 80 00 95 83', PROGRAM);
  expect(found).toMatchObject({
    addresses: from(0x8000, 4),
    ends: [0, 0, 0, 0, 4],
    gaps: [{ after: 0, reason: REASON.disagree, instructions: 5 + 3 + 6 }],
  });
});

test('rejects a checkpoint that is not the target of its branch', () => {
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

describe('checkpoint registers that may contradict each other', () => {
  const BX = 0xe12fff1e;
  const program = arm({
    0x800c: branchTo(0x800c, 0x8100),
    0x8100: BX,
    0x8108: branchTo(0x8108, 0x8200),
    0x8240: BX,
    0x8300: NOP,
  });
  /** From an older checkpoint over known addresses to a newer one and on to 0x8000, where the next four instructions run. */
  const known = '83 00 00 81 04 90 c1 ff 00 00 80 00 90 83';
  const gapsOf = ({ gaps }: Followed): unknown[] =>
    gaps.map(({ after, reason, instructions }) => [after, reason, instructions]);

  test('prove all instructions if both fit', () => {
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

  test('prove nothing after either one if the newer one contradicts its branch', () => {
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

  test('prove nothing after either one if the image contradicts the stretch between them', () => {
    const found = ask('c0 82 c1 ff 00 00 80 00 90 83', program, [0x8200, 0x8300]);
    expect(found.addresses).toEqual(from(0x8000, 4));
    expect(gapsOf(found)).toEqual([[0, REASON.registers, 3 + 2 + 16 + 1]]);
  });

  test('prove a stretch if the path before it leads to the same address', () => {
    const found = ask(`00 00 80 00 90 c3 00 00 81 04 90 c1 ff 00 00 80 00 90 83`, program, [0x8300, 0x8100]);
    expect(found.addresses).toEqual([...from(0x8000, 4), 0x8100, ...from(0x8000, 4)]);
    expect(gapsOf(found)).toEqual([
      [5, REASON.disagree, 2],
      [5, REASON.registers, 16 + 1],
    ]);
  });

  test("prove instructions after the consistent one if the other contradicts its entry's address bytes", () => {
    const entries = read(buffer('c0 83 00 00 81 04 d0 c1 ff 00 00 80 00 90 83'.replace('c1', '81')), [0x9990, 0x8000]);
    const code = createCode(program);
    expect(follow({ entries, code, base: 0 }).addresses.slice(0, 5)).toEqual([...from(0x8000, 4), 0x8100]);
    const found = follow({ entries, code, base: 0, registersDiffer: true });
    expect(found.addresses).toEqual([...from(0x8104, 2), ...from(0x8200, 17), ...from(0x8000, 4)]);
    expect(gapsOf(found)).toEqual([[0, REASON.registers, 4 + 1]]);
  });
});

test('rejects entries before a byte that is no message, since it may have had an address', () => {
  // An indirect branch to 0x81828384 with a damaged last byte: its address then looks like four direct branches.
  const found = ask('00 00 80 00 90 83 81 82 83 84 b3 00 00 80 00 90 83', PROGRAM);
  expect(found.addresses).toEqual([...from(0x8000, 4), ...from(0x8000, 4)]);
  expect(found.gaps).toEqual([{ after: 4, reason: REASON.damage, instructions: undefined }]);
  // Another reading: an indirect branch to 0x00908384, with the preceding entries divided differently.
  const other = ask('00 00 80 00 90 83 84 b3 00 00 80 00 90 83', PROGRAM);
  expect(other.addresses).toEqual(from(0x8000, 4));
});

test('counts an aborted load but not an aborted load of the program counter', () => {
  const LOAD = 0xe5912000;
  const LOAD_PC = 0xe591f000;
  const images = arm({ 0x8008: LOAD, 0x800c: LOAD_PC, 0x8108: LOAD_PC });
  expect(ask('00 00 80 00 90 43', images).addresses).toEqual(from(0x8000, 3));
  expect(ask('00 00 81 00 90 42', images).addresses).toEqual(from(0x8100, 3));
});

test('does not count an instruction that could not be fetched', () => {
  expect(ask('00 00 80 00 90 32', PROGRAM).addresses).toEqual(from(0x8000, 2));
});

test('reads a Thumb call whose halves a roll-over separates', () => {
  const images = arm({ 0x801e: 0xf000, 0x8020: 0xf810 }, 'thumb');
  const found = ask('00 00 80 00 90 ff 80', images);
  expect(found.addresses).toEqual(from(0x8000, 17, 2));
  expect(found.branches[1]).toEqual({ entry: 2, source: 0x8020, target: 0x8042, kind: 'call', resume: 0x8022 });
});

test('classifies a jump by the instruction before it: Thumb return, call by B', () => {
  const kindsOf = (text: string, images: Images): unknown[] =>
    ask(text, images)
      .branches.slice(1)
      .map(({ kind, resume }) => (resume === undefined ? kind : [kind, resume]));
  // POP {R1} or {R0, R2}, BX R1
  const pops = arm({ 0x8000: 0xbc02, 0x8002: 0x4708, 0x8008: 0xbc05, 0x800a: 0x4708 }, 'thumb');
  expect(kindsOf('00 00 80 00 90 00 00 80 08 91 00 00 81 00 91', pops)).toEqual(['return', 'jump']);
  // The register's value is unknown if POP did not run.
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
  // MOVNE LR, PC, followed by BXNE R3; or by BXEQ R3, which means that MOVNE did not run.
  const maybe = arm({ 0x8000: 0x11a0e00f, 0x8004: 0x112fff13 });
  expect(kindsOf('00 00 80 00 90 00 00 81 00 91', maybe)).toEqual([['call', 0x8008]]);
  const other = arm({ 0x8000: 0x11a0e00f, 0x8004: 0x012fff13 });
  expect(kindsOf('00 00 80 00 90 00 00 81 00 91', other)).toEqual(['jump']);
  const thumbLinks = arm({ 0x8000: 0x46fe, 0x8002: 0x4718 }, 'thumb');
  expect(kindsOf('00 00 80 00 90 00 00 81 00 91', thumbLinks)).toEqual([['call', 0x8004]]);
});

test('finds no target if only the second half of a Thumb call ran', () => {
  const images = arm({ 0x801e: 0xf000, 0x8020: 0xf810 }, 'thumb');
  expect(ask('00 00 80 20 90 80 82', images)).toMatchObject({
    addresses: [0x8020],
    gaps: [{ after: 1, reason: REASON.call, instructions: 3 }],
  });
});

test('continues at the same address after a debugger stop', () => {
  expect(ask('00 00 80 00 90 00 00 80 08 92 81', PROGRAM)).toMatchObject({ addresses: from(0x8000, 4), gaps: [] });
});

test('does not treat a debugger stop before BX R3 as a jump to itself', () => {
  const images = arm({ 0x8008: 0xe12fff13, 0x8100: 0xe12fff13 });
  // From 0x8000 through BX at 0x8008, where a debugger stops it in one of two rounds, to BX at 0x8100 and back.
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

test('rejects an odd target in ARM code', () => {
  expect(ask('00 00 80 01 90 83', PROGRAM)).toMatchObject({
    addresses: [],
    gaps: [{ after: 0, reason: REASON.disagree, instructions: 4 }],
  });
});

test('rejects fall-through into code of the other instruction set', () => {
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

describe('code that mapping symbols call data', () => {
  const marks = [
    { address: 0n, end: 0x9000n, state: 'arm' },
    { address: 0x8008n, end: 0x9000n, state: 'data' },
    { address: 0x8010n, end: 0x9000n, state: 'arm' },
  ] as const;
  const BX = 0xe12fff13;

  test('is executed if the path leads there and the bytes allow it', () => {
    // `.word` in place of MAR and LDR, for an assembler that does not know them
    const images = arm({ 0x8008: 0xec432000, 0x800c: 0xe5912004, 0x8040: BX }, 'arm', marks);
    expect(ask('00 00 80 00 90 ff 00 00 80 80 90 ff', images)).toMatchObject({
      addresses: [...from(0x8000, 17), ...from(0x8080, 16)],
      gaps: [],
    });
    const exchange = arm({ 0x8008: 0xe12fff1e }, 'arm', marks);
    expect(ask('00 00 80 00 90 00 00 80 10 92 ff', exchange)).toMatchObject({
      addresses: [...from(0x8000, 3), ...from(0x8010, 16)],
      gaps: [],
    });
  });

  test.each([
    ['an undefined instruction', 0xe7f000f0, '12', 4],
    ['a value that is no undefined instruction, but trapped', 0x00001234, '12', 4],
    ['a software interrupt', 0xef000042, '22', 8],
  ])('makes an exception: %s', (_, word, message, vector) => {
    const images = arm({ 0x8008: word, [vector]: branchTo(vector, 0x8100) }, 'arm', marks);
    const found = ask(`00 00 80 00 90 ${message} 80`, images);
    expect(found).toMatchObject({ addresses: [...from(0x8000, 3), vector], gaps: [] });
    expect(found.branches[1]).toEqual({ entry: 1, source: 0x8008, target: vector, kind: 'exception', resume: 0x800c });
  });

  test('is not followed if it contradicts the buffer or gives a target', () => {
    const gaps = [{ after: 0, reason: REASON.outside, instructions: 16 + 1 }];
    const branches = arm({ 0x8008: BX }, 'arm', marks);
    expect(ask('00 00 80 00 90 ff 00 00 80 10 90 ff', branches)).toMatchObject({ addresses: from(0x8010, 16), gaps });
    const fixed = arm({ 0x8008: branchTo(0x8008, 0x8100) }, 'arm', marks);
    expect(ask('00 00 80 00 90 82', fixed)).toMatchObject({
      addresses: [],
      gaps: [{ reason: REASON.outside, instructions: 3 }],
    });
  });
});

test.each([
  ['ARM: UDF', 'arm', 0xe7f000f0],
  ['ARM: LDREX of ARMv6', 'arm', 0xe1923f9f],
  ['ARM: BXJ of ARMv5TEJ', 'arm', 0xe12fff23],
  ['ARM: SMC of ARMv6', 'arm', 0xe1600070],
  ['ARM: UMAAL of ARMv6', 'arm', 0xe0432190],
  ['ARM: LDRD of R3', 'arm', 0xe1c230d0],
  ['ARM: access to a coprocessor', 'arm', 0xee110f10],
  ['ARM: an encoding without a condition', 'arm', 0xffffffff],
  ['Thumb: UDF', 'thumb', 0xde00],
  ['Thumb: SXTH of ARMv6', 'thumb', 0xb200],
  ['Thumb: a hint of ARMv6T2', 'thumb', 0xbf00],
  ['Thumb: an odd second half of BLX', 'thumb', 0xe801],
] as const)('lists the instruction that raises an undefined-instruction exception, %s', (_, state, word) => {
  const size = state === 'arm' ? 4 : 2;
  const handler = state === 'arm' ? { 0x10: 0xe1b0f00e } : { 0x10: 0xf00e, 0x12: 0xe1b0 };
  const images = arm({ [0x8000 + 2 * size]: word, ...handler }, state, [
    { address: 0n, end: 0x20n, state: 'arm' },
    { address: 0x8000n, end: 0x9000n, state },
  ]);
  const found = ask('00 00 80 00 90 12 00 00 80 20 93', images);
  expect(found.addresses.slice(0, 3)).toEqual(from(0x8000, 3, size));
  expect(found.branches[1]).toMatchObject({ source: 0x8000 + 2 * size, target: 4, resume: 0x8000 + 3 * size });
});

describe('a Thumb call', () => {
  test('counts once in the whole buffer or never', () => {
    // BL at 0x8006 to 0x8100, B at 0x8106 to 0x8000
    const images = arm({ 0x8006: 0xf000, 0x8008: 0xf87b, 0x8106: 0xe77b }, 'thumb');
    const addressesOf = (rounds: string): readonly number[] => ask(`00 00 80 00 90 ${rounds}`, images).addresses;
    const round = (halves: readonly number[]): number[] => [...from(0x8000, 3, 2), ...halves, ...from(0x8100, 4, 2)];
    expect(addressesOf('84 83 84 83')).toEqual([...round([0x8006, 0x8008]), ...round([0x8006, 0x8008])]);
    expect(addressesOf('83 83 83 83')).toEqual([...round([0x8006]), ...round([0x8006])]);
    expect(addressesOf('84 83 83 83')).toEqual([]);
    expect(addressesOf('83 83 00 00 80 00 90 84 83')).toEqual(round([0x8006, 0x8008]));
  });

  test('is one instruction, BLX to ARM code or after a roll-over', () => {
    const marks = [
      { address: 0x8000n, end: 0x8100n, state: 'thumb' },
      { address: 0x8100n, end: 0x9000n, state: 'arm' },
    ] as const;
    // BLX at 0x8020 to 0x8104: a B to 0x8200
    const images = arm({ 0x8020: 0xf000, 0x8022: 0xe870, 0x8104: 0x003d, 0x8106: 0xea00 }, 'thumb', marks);
    const found = ask('00 00 80 00 90 ff 00 00 81 04 90 80', images);
    expect(found).toMatchObject({ addresses: [...from(0x8000, 17, 2), 0x8104], gaps: [] });
    expect(found.branches[1]).toEqual({ entry: 2, source: 0x8020, target: 0x8104, kind: 'call', resume: 0x8024 });
  });

  test('leaves the instruction set open if Thumb code fits only with one instruction per call', () => {
    // Thumb: BLX at 0x8004 to 0x80d8; ARM: STM at 0x8004 and BX R3 at 0x8008
    const images = arm({ 0x8004: 0xf000, 0x8006: 0xe868, 0x8008: 0xff13, 0x800a: 0xe12f }, 'thumb', []);
    expect(ask('00 00 80 00 90 00 00 80 d8 92', images)).toMatchObject({
      addresses: [],
      gaps: [{ reason: REASON.state, instructions: 3 }],
    });
  });

  // From the checkpoint at 0x84e2: BX LR; then 12 instructions and BL; then 8 instructions and MOV PC, R3
  const images = arm({ 0x84e8: 0x4770, 0x8618: 0xf000, 0x861a: 0xf872, 0x8710: 0x469f }, 'thumb');
  const run = (calls: string): string => `c0 00 00 86 00 93 ${calls} 00 00 85 00 98`;

  test.each([
    ['is two instructions, with bit 0 in the checkpoint register', '8d', 0x84e3, [0x8618, 0x861a]],
    ['is two instructions, without bit 0', '8d', 0x84e2, [0x8618, 0x861a]],
    ['is one instruction for the count, with bit 0', '8c', 0x84e3, [0x8618]],
    ['is one instruction for the count, without bit 0', '8c', 0x84e2, [0x8618]],
  ])('%s', (_, call, register, halves) => {
    const found = ask(run(call), images, [register]);
    expect(found).toMatchObject({ knownFrom: 0, gaps: [] });
    expect(found.addresses).toEqual([...from(0x84e2, 4, 2), ...from(0x8600, 12, 2), ...halves, ...from(0x8700, 9, 2)]);
    expect(found.branches[2]).toMatchObject({ source: halves.at(-1), target: 0x8700, kind: 'call', resume: 0x861c });
  });
});

test('follows a call that changes the instruction set', () => {
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

test('proves only the first address if the instruction set is unknown, and all if the caller gives it', () => {
  // At 0x8000 a Thumb branch to 0x8008 and an ARM instruction are the same bytes; at 0x8004 both have a branch.
  const unmarked = arm({ 0x8000: 0xe1a01c00, 0x8004: 0xea00e07c }, 'arm', []);
  expect(ask('00 00 80 00 90 81', unmarked)).toMatchObject({
    addresses: [0x8000],
    thumb: [-1],
    gaps: [{ after: 1, reason: REASON.state, instructions: 1 }],
  });
  // One more branch that fits ARM code is no proof, even if Thumb code would lead out of the image.
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

test('leaves a gap after a branch out of the image up to the next known address', () => {
  const images = arm({ 0x800c: branchTo(0x800c, 0x9100) });
  expect(ask('00 00 80 00 90 83 82 00 00 80 00 91 82', images)).toMatchObject({
    addresses: from(0x8000, 4),
    gaps: [
      { after: 4, reason: REASON.outside, instructions: 3 + 2 },
      { after: 4, reason: REASON.disagree, instructions: 3 },
    ],
  });
});

test('proves nothing in a buffer without a known address', () => {
  expect(ask('81 82 ff', PROGRAM)).toMatchObject({
    knownFrom: null,
    before: 2 + 3 + 16,
    addresses: [],
    branches: [],
  });
  expect(ask('', PROGRAM)).toMatchObject({ knownFrom: null, before: 0, addresses: [], ends: [] });
});
