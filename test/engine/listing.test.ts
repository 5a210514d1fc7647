/** The static code as rows: a program of ARM and Thumb code with data between, whose functions overlap, ran, or never ran. */
import { afterAll, expect, test } from 'vitest';
import { writeElf } from '../unit/elf-writer.ts';
import { ask } from './ask.ts';
import { expectListing } from './expect-listing.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const engine = sharedEngine();
const place = scratch();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

const words = (...list: readonly number[]): number[] =>
  list.flatMap((word) => [0, 8, 16, 24].map((shift) => (word >>> shift) & 255));
const halves = (...list: readonly number[]): number[] => list.flatMap((half) => [half & 255, half >> 8]);

const BYTES = [
  // 0x8000 start (ARM): ldr r0, [pc, #4]; blx 0x8010; b 0x8000; data.
  ...words(0xe59f0004, 0xfa000001, 0xeafffffc, 0xe1a00000),
  // 0x8010 pick (Thumb): cmp; ite eq; moveq; movne; bl 0x8024; bx lr; at 0x801e data.
  ...halves(0x2800, 0xbf0c, 0x2101, 0x2102, 0xf000, 0xf804, 0x4770, 0x1234),
  // 0x8020 never (Thumb): a word that is no instruction. Then at 0x8024 tail, a function within it: movs, bx lr.
  ...halves(0xffff, 0xffff, 0x2207, 0x4770),
  // 0x8028 outside of functions: mov r1, r1.
  ...words(0xe1a01001),
];

const mapping = (name: string, value: number) => ({ name, value, type: 0, binding: 0 });
const ELF = writeElf({
  bits: 32,
  endian: 'little',
  machine: 40,
  sections: [{ name: '.text', address: 0x8000, bytes: BYTES }],
  symbols: [
    { name: 'start', value: 0x8000, size: 16 },
    { name: 'pick', value: 0x8011, size: 16 },
    { name: 'never', value: 0x8021, size: 8 },
    { name: 'tail', value: 0x8025, size: 4 },
    ...(['$a 8000', '$d 800c', '$t 8010', '$d 801e', '$t 8020', '$a 8028'] as const).map((mark) =>
      mapping(mark.slice(0, 2), Number.parseInt(mark.slice(3), 16)),
    ),
  ],
});

/** Address, opcode and state of the instructions that ran. */
const ROUND = [
  '00008000 e59f0004 A',
  '00008004 fa000001 A',
  '00008010 2800 T',
  '00008012 bf0c T',
  '-00008014 2101 T',
  '00008016 2102 T',
  '00008018 f000f804 T',
  '00008024 2207 T',
  '00008026 4770 T',
  '0000801c 4770 T',
  '00008008 eafffffc A',
];

test('has the rows of coverage, whether their functions ran or not', async () => {
  const lines = [...ROUND, ...ROUND, '00008028 e1a01001 A'].map((line, at) => {
    const kind = line.startsWith('-') ? 'IS' : 'IT';
    return `${at + 1} clk ${kind} (${at + 1}) ${line.replace('-', '')} usr : x\n`;
  });
  const images = [{ path: place.file('mixed.elf', Buffer.from(ELF)) }];
  const path = place.file('mixed.txt', lines.join(''));
  const { trace } = await ask(engine, 'open', { path, format: 'tarmac', images });
  await ask(engine, 'index', { trace });
  // The first request disassembles only what it shows.
  const last = await ask(engine, 'code', { trace, address: '0x8024', count: 2 });
  expect(last.rows.at(-1)).toMatchObject({ address: '0x8024', count: 2 });
  for (const range of [{ from: 0, to: 3 }, {}, { from: 9, to: 23 }]) await expectListing(engine, trace, range);
  const rows = await expectListing(engine, trace);
  expect(rows.map((row) => ('heading' in row ? row.heading : row.address))).toEqual([
    ...['start', '0x8000', '0x8004', '0x8008'],
    ...['pick', '0x8010', '0x8012', '0x8014', '0x8016', '0x8018', '0x801c'],
    ...['tail', '0x8024', '0x8026', '0x8028'],
  ]);
  await ask(engine, 'close', { trace });
});
