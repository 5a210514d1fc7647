/** Diagnostics of Pentium bus captures, grouped by shape; rows and units are worked out by hand. */
import { expect, test } from 'vitest';
import type { Settings } from '../../shared/format/format.ts';
import { btm } from '../../shared/formats/btm/btm.ts';
import { decodeAll } from '../laws/drive.ts';
import { columns } from '../laws/same.ts';

const HEADER = 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';
const MAGIC = [0x42, 0x54, 0x4d, 0x43, 0x41, 0x50, 13, 10, 26, 10, 1, 0, 0, 0, 0, 0];
/** Second and first cycle of a message, distinguished by D59, without the time. */
const FIRST = '0,0,1,DF,00401238,5000000000000000';
const SECOND = '0,0,1,DF,00400FF0,F800000000000000';

/** Code, shape, count and first record of each diagnostic, sorted by code. */
function found(bytes: Uint8Array, settings: Settings): readonly string[] {
  const decoder = btm.open(settings);
  if (!decoder.ok) throw new Error(decoder.error.message);
  return decodeAll(decoder.value, bytes).diagnostics.map(
    ({ code, shape, count, firstRecord }) => `${code} | ${shape} | ${String(count)} from ${String(firstRecord)}`,
  );
}

function inText(rows: readonly string[], settings: Settings = {}): readonly string[] {
  const header = settings['header'] ?? HEADER;
  const lines = [header, ...rows.map((row, k) => `${String(k)},${row}`), ''];
  return found(new TextEncoder().encode(lines.join('\n')), { header, ...settings });
}

function inBinary(units: readonly (readonly number[])[]): readonly string[] {
  return found(Uint8Array.from([MAGIC, ...units].flat()), { dialect: 'binary' });
}

/** A unit 30 ns after the previous one, with an empty data bus. */
function unit(enables: number, control: number, address: readonly number[] = [0x38, 0x12, 0x40, 0]): readonly number[] {
  return [...address, enables, control, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0];
}

test.each([
  // 0x5a = 0101 1010: bytes 0, 2, 5 and 7. Pins in the order M/IO# D/C# W/R#.
  ['1,1,0', 0b110, '5A', 'split-byte-enables | MEM_READ BE 5a | 1 from 0'],
  ['0,1,1', 0b011, 'ed', 'split-byte-enables | IO_WRITE BE ed | 1 from 0'],
  ['1,1,1', 0b111, 'FF', 'no-byte-enabled | MEM_WRITE BE ff | 1 from 0'],
  ['1,0,0', 0b100, 'ff', 'no-byte-enabled | CODE_READ BE ff | 1 from 0'],
  ['1,0,1', 0b101, '0f', 'reserved-cycle | RESERVED BE 0f | 1 from 0'],
  ['0,0,1', 0b001, '77', 'unknown-special | SPECIAL BE 77 | 1 from 0'],
])('reports pins %s (%i) with byte enables %s as %s', (pins, control, enables, expected) => {
  expect(inText([`${pins},${enables},00401238,0000000000000000`])).toEqual([expected]);
  // CACHE# was not captured.
  expect(inBinary([unit(Number.parseInt(enables, 16), control + 8)])).toEqual([expected]);
});

test('groups unpaired messages by the messages before them', () => {
  const rows = [SECOND, FIRST, FIRST, FIRST, FIRST, SECOND, SECOND, SECOND, FIRST, SECOND, SECOND];
  const alone = [
    'first-without-second | after a first cycle | 1 from 2',
    'first-without-second | after several first cycles | 2 from 3',
    'interleaved |  | 1 from 6',
    'second-without-first | after nothing known | 1 from 0',
    'second-without-first | after a first cycle alone and a pair | 1 from 6',
  ];
  expect(inText(rows, { mode: 'normal' })).toEqual([
    ...alone,
    'second-without-first | after a second cycle alone | 1 from 7',
    'second-without-first | after a pair | 1 from 10',
  ]);
  // The second one of two in a row is a fast message.
  expect(inText(rows)).toEqual([...alone, 'second-without-first | after a pair | 1 from 10']);
});

test('reports an unpaired first cycle after sixteen second cycles if two processors share the stream', () => {
  const pairs = Array.from({ length: 16 }, () => [SECOND, FIRST]).flat();
  expect(inText([FIRST, FIRST, FIRST, ...pairs.slice(0, -1)], { processors: 'two' })).toEqual([
    'first-without-second | after several first cycles | 1 from 2',
  ]);
  expect(inText([FIRST, FIRST, FIRST, ...pairs], { processors: 'two' })).toEqual([
    'first-without-second | after several first cycles | 1 from 2',
    'first-without-second | after several first cycles and sixteen second ones | 1 from 34',
  ]);
});

test('counts diagnostics per processor if the capture distinguishes processors', () => {
  const rows = [`${SECOND},0`, `${SECOND},2`, `${SECOND},4`, `${SECOND},31`, `${SECOND},31`];
  expect(inText(rows, { header: `${HEADER},CPU` })).toEqual([
    'cpu-range | processor 4 | 1 from 2',
    'cpu-range | processor 31 | 2 from 3',
    'second-without-first | processor 0, after nothing known | 1 from 0',
    'second-without-first | processor 2, after nothing known | 1 from 1',
  ]);
});

test('reports messages without data, in one record or in the whole capture', () => {
  const empty = '0,0,1,DF,00401238,';
  const upper = HEADER.replace('D[63:0]', 'D[63:32]');
  const lower = HEADER.replace('D[63:0]', 'D[31:0]');
  const row = '0,0,1,DF,00401238,50000000';
  expect(inText([empty, FIRST])).toEqual(['message-without-data | no data in the record | 1 from 0']);
  expect(inText([row], { header: upper })).toEqual([]);
  expect(inText([row], { header: lower })).toEqual(['message-without-data | D63-D59 not in the column | 1 from 0']);
  expect(inText([row], { header: upper, vendor: 'k5' })).toEqual([
    'message-without-data | D31-D0 not in the column | 1 from 0',
  ]);
  // Bit 6 of control: the data bus was not captured.
  expect(inBinary([unit(0xdf, 0x49)])).toEqual(['message-without-data | no data in the record | 1 from 0']);
});

test('groups reserved bits by position', () => {
  const low = (byte: number): readonly number[] => unit(0, 0x0e, [byte, 0x12, 0x40, 0]);
  expect(inBinary([low(0x3d), low(0x4d), low(0x3a), low(0x38)])).toEqual([
    'reserved-bits | .d .. .. .. .. .. | 2 from 0',
    'reserved-bits | .a .. .. .. .. .. | 1 from 2',
  ]);
  // D/P# (bit 4) that was not captured (bit 5), also without data (bit 6); time marks (bit 7) with a cycle, and with an address.
  expect(inBinary([unit(0, 0x1e), unit(0, 0x3e), unit(0, 0x5e), unit(0, 0x1c)])).toEqual([
    'reserved-bits | .. .. .. .. .. 1. | 2 from 0',
    'reserved-bits | .. .. .. .. .. 5. | 1 from 2',
  ]);
  expect(inBinary([unit(0, 0x81), unit(0, 0x80), unit(0, 0xf0)])).toEqual([
    'lost-address | .. .. .. .. .. 8. | 2 from 0',
    'lost-address | .. .. .. .. .. f. | 1 from 0',
    'reserved-bits | .. .. .. .. .. 8. | 2 from 0',
    'reserved-bits | .. .. .. .. .. f. | 1 from 0',
  ]);
});

test.each([
  ['address bit 1', 0x0f, 0x3a],
  ['D/P# that was not captured', 0x1f, 0x38],
  ['a time mark', 0x8f, 0x38],
])('makes the bytes of a write with reserved bits unknown: %s', (_name, control, low) => {
  // Bytes 3-0, first with a value.
  const units = [unit(0xf0, 0x0f), unit(0xf0, control, [low, 0x12, 0x40, 0])];
  const decoder = btm.open({ dialect: 'binary' });
  if (!decoder.ok) throw new Error(decoder.error.message);
  const { records } = decodeAll(decoder.value, Uint8Array.from([MAGIC, ...units].flat()), { describe: () => true });
  expect(records.map(({ fields }) => fields)).toMatchObject([
    { kind: 'write', address: '0x401238', size: 4, value: '0x0' },
    { kind: 'write', address: '0x401238', size: 4, flags: ['malformed', 'value-lost'] },
  ]);
  expect(records[1]!.value).toBe('');
  expect(records[1]!.fields?.value).toBeUndefined();
});

test('reports the byte counts of phase slips and cut records', () => {
  const units = Array.from({ length: 40 }, () => unit(0, 0x0e));
  // Six bytes of the eleventh unit are lost.
  expect(inBinary([...units.slice(0, 10), units[10]!.slice(6), ...units.slice(11)])).toEqual([
    'phase-slip | 10 of 16 bytes | 1 from 10',
  ]);
  expect(inBinary([...units, units[0]!.slice(0, 5)])).toEqual(['cut-record | 5 of 16 bytes | 1 from 40']);
});

test.each([1, 2, 4, 7, 8, 12, 15])('reads the remaining units the same after %i lost bytes', (lost) => {
  // Writes of bytes 3-0 at 0x1000 and up, each with a different number, around one message; all 30 ns apart.
  const write = (n: number): readonly number[] => [
    8 * (n & 31),
    0x10 + (n >> 5),
    0,
    0,
    0xf0,
    0x0f,
    30,
    0,
    n,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
  ];
  const units = [
    ...Array.from({ length: 60 }, (_, n) => write(n)),
    unit(0xdf, 0x09),
    ...Array.from({ length: 40 }, (_, n) => write(60 + n)),
  ];
  const cut = [...units.slice(0, 20), units[20]!.slice(lost), ...units.slice(21)];
  const decoder = btm.open({ dialect: 'binary' });
  if (!decoder.ok) throw new Error(decoder.error.message);
  const reported = (its: readonly (readonly number[])[]): readonly unknown[] =>
    decodeAll(decoder.value, Uint8Array.from([MAGIC, ...its].flat())).records.map(
      ({ kind, native, address, size, value, flags }) => ({ kind, native, address, size, value, flags }),
    );
  const whole = reported(units);
  expect(whole[59]).toMatchObject({ kind: 'write', address: '0x11d8', size: 4, value: '3b000001' });
  const after = reported(cut);
  expect(after).toHaveLength(units.length - 1);
  // The first unit after the lost bytes may begin with bytes of the damaged one.
  const { address, size } = whole[21] as { address: string; size: number };
  expect(after[20]).toMatchObject({ kind: 'write', address, size, value: '' });
  expect(after.slice(21)).toEqual(whole.slice(22));
});

test('groups lines that are no rows by shape, regardless of their length', () => {
  const row = '1,1,0,F0,00100000,0000000000000000';
  expect(inText([row, 'stopped', 'stopped', `ready ${'x'.repeat(70_000)}`, row])).toEqual([
    `long-line | #,ready ${'x'.repeat(52)} | 1 from 3`,
    'lost-address | #,stopped | 2 from 1',
    'unknown-line | #,stopped | 2 from 1',
  ]);
});

test('reports the assumed columns of a file without a header row, unless the user named them', () => {
  const rows = (...lines: readonly string[]): Uint8Array => new TextEncoder().encode(lines.join('\n'));
  const [first, second] = ['10,1,0,0,FE,00100010,000000000000000F\n', '20,1,1,0,00,00100020,00000000000000FF\n'];
  expect(found(rows('captured on Tuesday', '', first, second), {})).toEqual(['no-header-row |  | 1 from 0']);
  expect(found(rows(first, second), { header: HEADER })).toEqual([]);
  expect(found(rows(HEADER, first, second), {})).toEqual([]);
});

test('reports a missing header row at the first row, regardless of header rows below it and of the size of blocks', () => {
  const row = '10,1,0,0,FE,00100010,000000000000000F\n';
  const long = `${'x'.repeat(70_000)}\n`;
  const inBlocks = (text: string): readonly string[][] => {
    const decoder = btm.open({});
    if (!decoder.ok) throw new Error(decoder.error.message);
    const bytes = new TextEncoder().encode(text);
    return [bytes.length, 40, 1000].map((blockBytes) =>
      decodeAll(decoder.value, bytes, { blockBytes, batchRecords: blockBytes > 40 ? 4096 : 1 })
        .diagnostics.filter(({ code }) => code === 'no-header-row')
        .map(
          ({ count, firstRecord, firstOffset }) =>
            `${String(count)} from ${String(firstRecord)} at ${String(firstOffset)}`,
        ),
    );
  };
  const always = (...expected: string[]): readonly string[][] => [expected, expected, expected];
  // A header row below the first row is late, however near it is.
  expect(inBlocks(`${row}${HEADER}\n${row}`)).toEqual(always('1 from 0 at 0'));
  expect(inBlocks(`${row.repeat(200)}${HEADER}\n${row}`)).toEqual(always('1 from 0 at 0'));
  // Blank lines fill batches between the header row and the first row.
  expect(inBlocks(`${HEADER}\n${'\n'.repeat(50)}${row}`)).toEqual(always());
  // The long line is a record, but no row.
  expect(inBlocks(`captured\n${long}${row}`)).toEqual(always('1 from 1 at 70010'));
});

test.each([2000, 20_000])(
  'reads a header row %i rows below the first row the same for every size of blocks',
  (rows) => {
    const row = '10,1,0,0,FE,00100010,000000000000000F\n';
    const other = `${HEADER},x\n`;
    const decoder = btm.open({});
    if (!decoder.ok) throw new Error(decoder.error.message);
    for (const [text, codes, records] of [
      [row.repeat(rows) + HEADER + '\n' + row, ['no-header-row'], rows + 1],
      // Rows below the other header are kept as text until the first header returns.
      [row.repeat(rows) + other + row + HEADER + '\n' + row, ['no-header-row', 'other-layout'], rows + 3],
    ] as const) {
      const bytes = new TextEncoder().encode(text);
      const whole = decodeAll(decoder.value, bytes);
      expect(whole.records).toHaveLength(records);
      expect([...new Set(whole.diagnostics.map(({ code }) => code))]).toEqual(codes);
      const blocks = decodeAll(decoder.value, bytes, { blockBytes: rows * 17 });
      expect(columns(blocks)).toEqual(columns(whole));
      expect(blocks.gaps).toEqual(whole.gaps);
      expect(blocks.diagnostics).toEqual(whole.diagnostics);
    }
  },
);
