// Text exports of logic analysers: column names, times, split signals and missing cells.
import { describe, expect, test } from 'vitest';
import type { Settings } from '../../shared/format/format.ts';
import { FLAG } from '../../shared/records/batch.ts';
import { btm } from '../../shared/formats/btm/btm.ts';
import { bytesOf, HEADER, opened, pairsOf, read, refusal, reported } from './btm-captures.ts';

test.each([
  'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0],D/P#',
  'TIME_NS;m/io;d/c;w/r;be;a;d;d/p',
  'Time (ns)\tM_IO_N\tD_C_N\tW_R_N\tBE7#-BE0#\tA31-A3\tD63-D0\tD_P_N',
  '"Timestamp","M/IO","D/C","W/R","BE7..BE0","Addr<31:3>","Data(63:0)","D/P"',
  'time|mio|dc|wr|byte enables|address|data|dp',
])('recognises all signals in the header %s', (header) => {
  const separator = /[\t;|]/.exec(header)?.[0] ?? ',';
  const rows = ['1030,0,0,1,DF,00401238,5000000000000000,1', '1060,0,0,1,DF,00400FF0,F800000000000000,1'];
  const driven = read([header, ...rows.map((row) => row.replaceAll(',', separator)), ''].join('\n'));
  expect(pairsOf(driven)).toEqual(['1060 1 0x400fff 0x401235']);
});

test.each([
  ['Time [us]', '1.5', 1500],
  ['time_ms', '-2', -2_000_000],
  ['Time(s)', '0.000001015', 1015],
  ['time_ps', '1500', 1.5],
  ['time', '12 µs', 12_000],
  ['Time (µs)', '12', 12_000],
])('reads time from the title %s with the cell %s as %d ns', (title, cell, time) => {
  const driven = read(`${HEADER.replace('time_ns', title)}\n${cell},1,1,0,F0,00100000,0000000000000000\n`);
  expect(driven.records.map((record) => [record.time, Number(record.fields?.time)])).toEqual([[time, time]]);
});

test.each([
  ['time_us', '1000000000000.000', false],
  ['time_us', '1000000000000.0001', true],
  ['time_ns', '4503599627370497.00001', true],
  ['time_ns', '4503599627370497.00000', false],
  ['time_ps', '1500', true],
])('under %s, marks %s as inexact: %s', (title, cell, isWide) => {
  const driven = read(`${HEADER.replace('time_ns', title)}\n${cell},1,1,0,F0,00100000,0000000000000000\n`);
  const [record] = driven.records;
  expect((record!.flags & FLAG.wideTime) !== 0).toBe(isWide);
  expect(Number.isSafeInteger(record!.fields?.time)).toBe(!isWide);
});

test('prefers the column mapping over titles, by title or by number', () => {
  const rows = ['5,1,0,0,1,DF,00401238,5000000000000000', '6,1,0,0,1,DF,00400FF0,F800000000000000'];
  const text = ['time,cpu,a,b,c,be,pins,bus', ...rows, ''].join('\n');
  const columns = 'M/IO#:a,dc:4,w/r:C,a:Pins,d:8,cpu:-';
  expect(pairsOf(read(text, { columns }))).toEqual(['6 -1 0x400fff 0x401235']);
});

/** Time, kind, address, target and value of every record. */
function facts(text: string, settings: Settings = {}): string[] {
  return read(text, settings).records.map(({ fields }) =>
    [fields?.time, fields?.kind, fields?.address, fields?.target ?? fields?.value].map((each) => each ?? '-').join(' '),
  );
}

/** Rows like those of the first known capture, with the given time cells. */
function timed(title: string, separator: string, times: readonly string[]): string {
  const rows = [
    '1,0,0,00,00100000,EA0010065015010F',
    '0,0,1,DF,00401238,5700000000000000',
    '0,0,1,DF,00400FF0,FAAAAAAAAAAAAAAA',
  ];
  const lines = [
    `${title},M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]`,
    ...rows.map((row, k) => `${times[k] ?? ''}\0${row}`),
  ];
  return lines
    .map((line) => `${line.replaceAll(',', separator).replace('\0', separator)}\n`)
    .join('')
    .replaceAll('@', ',');
}

const THREE_CYCLES = [
  '1000 fetch 0x100000 0xea0010065015010f',
  '1030 special 0x401235 -',
  '1120.5 branch 0x400fff 0x401235',
];

// `@` stands for a comma that separates no cells. 1.1205 us are 1120.5 ns.
test.each([
  ['decimal commas between semicolons', 'Time [us]', ';', ['1@000', '1@03', '1@1205']],
  ['decimal commas between tabs', 'Time (s)', '\t', ['0@000001', '0@00000103', '0@0000011205']],
  ['powers of ten', 'Time (s)', ',', ['1.000000000E-06', '1.03e-6', '+11.205E-7']],
  ['powers of ten with decimal commas', 'Time (s)', ';', ['1@000000E-06', '1@03E-06', '1@1205E-06']],
  ['units in the cells', 'Timestamp', ',', ['1 us', '1030 ns', '1.1205 us']],
  ['seconds without a unit in the title', 'Time', ',', ['0.000001', '0.00000103', '0.0000011205']],
])('reads times as instruments write them: %s', (_, title, separator, times) => {
  expect(facts(timed(title, separator, times))).toEqual(THREE_CYCLES);
});

test('does not read an ambiguous thousands comma as a decimal mark, and reports the cell', () => {
  const text = timed('Time [ns]', '\t', ['1@000', '1@030', '1@120']);
  const bytes = bytesOf(text);
  const claim = btm.sniff({ bytes, size: bytes.length });
  expect(claim?.confidence).toBeLessThan(0.5);
  expect(claim?.reasons[0]).toContain("the first has '1,000' for Time [ns]");
});

test('shows times in an unknown unit as they are', () => {
  const decoder = opened({ header: 'Time [clk],M/IO#,D/C#,W/R#,BE,A,D' });
  expect(decoder.timeUnit).toBe('clk');
  expect(opened({ header: 'Time,M/IO#,D/C#,W/R#,BE,A,D' }).timeUnit).toBe('ns');
  expect(facts(timed('Time', ',', ['1', '2', '3']), { unit: 'us' })[2]).toBe('3000 branch 0x400fff 0x401235');
});

const CYCLE_FACTS = ['1 fetch 0x100000 0xea0010065015010f', '2 special 0x401235 -', '3 branch 0x400fff 0x401235'];

describe('a damaged write with its address in several columns', () => {
  const header = 'T,M/IO#,D/C#,W/R#,BE7#,BE6#,BE5#,BE4#,BE3#,BE2#,BE1#,BE0#,A[31:16],A[15:3],D[63:32],D[31:0]';
  const first = '10,1,1,1,1,1,1,1,0,0,0,0,0014,0020,00000000,00112233';
  const written = (line: string): readonly unknown[] => {
    const { records, diagnostics } = read(`${header}\n${first}\n${line}\n${first.replace('0020', '0040')}\n`);
    const [, { fields } = {}] = records;
    const codes = diagnostics.map(({ code }) => code);
    return [fields?.kind, fields?.address, fields?.size, fields?.value, codes.includes('lost-address')];
  };

  test.each([
    ['an unreadable digit of the data', '20,1,1,1,1,1,1,1,0,0,0,0,0014,0020,00000000,0011g233', '0x140020', 4],
    ['an unreadable pin', '20,1,1,?,1,1,1,1,0,0,0,0,0014,0020,00000000,44556677', '0x140020', 4],
    ['an unreadable byte enable', '20,1,1,1,1,1,1,1,0,0,0,?,0014,0020,00000000,44556677', '0x140020', 4],
    ['an unreadable time', 'g0,1,1,1,1,1,1,1,1,1,0,0,0014,0020,00000000,44556677', '0x140020', 2],
  ])('leaves its bytes unknown after %s', (_name, line, address, size) => {
    expect(written(line)).toEqual(['write', address, size, undefined, false]);
  });

  test.each([
    ['an unreadable part of the address', '20,1,1,1,1,1,1,1,0,0,0,0,0g14,0020,00000000,44556677'],
    ['two unreadable byte enables', '20,1,1,1,1,1,1,1,0,0,?,?,0014,0020,00000000,44556677'],
    ['a missing cell', '20,1,1,1,1,1,1,1,0,0,0,0,0014,00000000,44556677'],
  ])('is counted after %s', (_name, line) => {
    expect(written(line)).toEqual(['other', undefined, undefined, undefined, true]);
  });

  test('is not counted if its pins are those of a read', () => {
    expect(written('20,1,1,0,1,1,1,1,0,0,0,0,0014,0020,00000000,0011g233').at(-1)).toBe(false);
  });
});

test('reads a signal that is split over several columns', () => {
  // Analysers have at most 32 bits in a column, and some export one column per pin.
  const halves = `T,M/IO#,D/C#,W/R#,BE,A[31:16],A[15:3],D[31:0],D[63:32]
1,1,0,0,00,0010,0000,5015010F,EA001006
2,0,0,1,DF,0040,1238,00000000,57000000
3,0,0,1,DF,0040,0FF0,AAAAAAAA,FAAAAAAA
`;
  expect(facts(halves)).toEqual(CYCLE_FACTS);
  const named = `T,M/IO#,D/C#,W/R#,BE7#,BE6#,BE5#,BE4#,BE3#,BE2#,BE1#,BE0#,Address,Data_Hi,Data_Lo
1,High,Low,Low,0,0,0,0,0,0,0,0,00100000,EA00 1006,5015 010F
2,L,L,H,1,1,0,1,1,1,1,1,00401238,5700 0000,0000 0000
3,0,0,1,1,1,0,1,1,1,1,1,00400FF0,FAAA AAAA,AAAA AAAA
`;
  expect(facts(named)).toEqual(CYCLE_FACTS);
});

test('accepts the columns of a split signal in any order', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE4#,BE5#,BE6#,BE7#,BE0#,BE1#,BE2#,BE3#,A[15:3],A[31:16],D[63:56],D[31:0],D[55:32]
1,1,0,0,0,0,0,0,0,0,0,0,0000,0010,EA,5015010F,001006
2,0,0,1,1,0,1,1,1,1,1,1,1238,0040,57,00000000,000000
3,0,0,1,1,0,1,1,1,1,1,1,0FF0,0040,FA,AAAAAAAA,AAAAAA
`;
  expect(facts(text)).toEqual(CYCLE_FACTS);
});

test('reads a data bus that is split around D59, as in the manual', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE,A,D[63:60],D[59],D[58:0]
1,1,0,0,00,00100000,E,1,20010065015010F
2,0,0,1,DF,00401238,5,0,700000000000000
3,0,0,1,DF,00400FF0,F,1,2AAAAAAAAAAAAAA
`;
  expect(facts(text)).toEqual(CYCLE_FACTS);
});

test('leaves a message without target and an access without value if half of the data bus is missing', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE,A,D[63:32],D[31:0]
1,0,0,1,DF,00401238,57000000,xxxxxxxx
2,1,1,0,F0,00140398,,44556677
3,1,1,0,F0,00140398,00112233,44556677
`;
  expect(facts(text)).toEqual(['1 branch 0x401230 -', '2 read 0x140398 -', '3 read 0x140398 0x44556677']);
});

test('asks the user about decimal addresses instead of taking them for shifted ones', () => {
  const row = (k: number): string => `${String(k)},1,1,0,F0,${String(0x140398 + 8 * k * k)},1122334455667788`;
  const text = [`T,M/IO#,D/C#,W/R#,BE,A,D`, ...Array.from({ length: 20 }, (_, k) => row(k)), ''].join('\n');
  const bytes = bytesOf(text);
  const claim = btm.sniff({ bytes, size: bytes.length });
  expect(claim?.confidence).toBeLessThan(0.5);
  expect(claim?.reasons[0]).toContain('decimal');
  expect(claim?.options['shift']).toBeUndefined();
});

test.each([
  ['Time, us', ';'],
  ['time.us', ','],
  ['Time_in_us', ','],
  ['t/us', ','],
  ['TIME (us)', ','],
])('reads the unit from the title: %s', (title, separator) => {
  const text = timed(title.replace(',', '@'), separator, ['1', '1.03', '1.1205']);
  expect(facts(text)).toEqual(THREE_CYCLES);
});

test('refuses a header with only part of the address pins', () => {
  expect(refusal({ header: 'T,M/IO#,D/C#,W/R#,BE,A[31:16],D' })).toContain('no column for a');
  expect(refusal({ header: 'T,M/IO#,D/C#,W/R#,BE7#,BE6#,A,D' })).toContain('no column for be');
});

test.each(['BE[3:0]', 'BE[0]', 'BE0'])('refuses a header with only part of the byte enables: %s', (title) => {
  expect(refusal({ header: `T,M/IO#,D/C#,W/R#,${title},A,D` })).toContain('no column for be');
});

test('reads rows with another number of digits of byte enables than the title has as damaged if it must have all', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE[15:0],A[31:3],D[63:0]
1,1,1,0,00F0,00100000,0000000050150110
2,1,1,0,F0,00100008,0000000050150111
`;
  expect(facts(text, { digits: 'all' })).toEqual(['1 read 0x100000 0x50150110', '- other - -']);
  expect(facts(text, { digits: 'any' })).toEqual(['1 read 0x100000 0x50150110', '2 read 0x100008 0x50150111']);
});

test('counts a level that is a word as one digit', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE7#,BE6#,BE5#,BE4#,BE3#,BE2#,BE1#,BE0#,A[31:3],D[63:0]
1,High,High,Low,High,High,High,High,Low,Low,Low,Low,00100000,0000000050150110
`;
  expect(facts(text, { digits: 'all' })).toEqual(['1 read 0x100000 0x50150110']);
});

test('ignores missing or quoted cells of other columns at the end of a row, but rejects a truncated row', () => {
  const header = 'T,M/IO#,D/C#,W/R#,BE,A,D,Comment,State';
  const cut = '3,0,0,1,DF,00400FF0,FAAA';
  const rows = ['1,0,0,1,DF,00401238,5700000000000000', '2,0,0,1,DF,00400FF0,FAAAAAAAAAAAAAAA,"say ""x, y""",1'];
  const driven = read([header, ...rows, cut].join('\n'));
  expect(reported(driven)).toEqual([
    'special BTM_FIRST - - 0x401235',
    'branch BTM_SECOND 0x400fff 0x401235 0x400fff',
    'other OTHER - - -',
  ]);
  expect(driven.diagnostics.map(({ code }) => code)).toEqual(['cut-line']);
  // A row without its data cell is rejected anywhere in the file.
  expect(reported(read([header, '1,0,0,1,DF,00401238', ...rows, ''].join('\n'))).length).toBe(2);
});

test.each([
  ['T,M/IO#,D/C#,W/R#,BE,A,D[63:0]', '2,0,0,1,DF,00400FF0,0xF', 'AAAAAAAAAAAAAAA'],
  ['T,M/IO#,D/C#,W/R#,BE,A,D', '2,0,0,1,DF,00400FF0,F', 'AAAAAAAAAAAAAAA'],
  ['T,M/IO#,D/C#,W/R#,BE,D,A', '2,0,0,1,DF,FAAAAAAAAAAAAAAA,0', '0400FF0'],
  ['T,M/IO#,D/C#,W/R#,A,D,BE[7:0]', '2,0,0,1,00400FF0,FAAAAAAAAAAAAAAA,D', 'F'],
])('makes no cycle from a row that is truncated within the digits of %s', (header, row, rest) => {
  for (let length = 0; length <= rest.length; length++) {
    const text = `${header}\n${row}${rest}\n${row}${rest.slice(0, length)}`;
    const second = length === rest.length ? '2 branch 0x400fff -' : '- other - -';
    expect(facts(text, { mode: 'fast' })).toEqual(['2 branch 0x400fff -', second]);
  }
});

test('prefers the column of a whole signal over a column named like one pin', () => {
  const text = `D0,T,M/IO#,D/C#,W/R#,BE,A,D[63:0]\n1,2,0,0,1,DF,00401238,5700000000000000\n`;
  expect(facts(text)).toEqual(['2 special 0x401235 -']);
});

test('accepts seven digits for pins A31-A4 whatever the lowest digit is', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE,A[31:4],D
1,0,0,1,DF,0040120,5700000000000000
2,0,0,1,DF,0040008,FAAAAAAAAAAAAAAA
`;
  expect(facts(text)).toEqual(['1 special 0x401205 -', '2 branch 0x40008f 0x401205']);
});

// A31 0, then 1; A30-A29 10, protected mode; A28 1; A19-A4 the selector 8: 0x50000080 and 0xd0000080, whose pins are shifted.
test.each([
  ['A[31:4]', '5000008', 'D000008'],
  ['A[31:3]', 'A000010', '1A000010'],
])('recognises K5 messages if %s is shifted', (title, first, second) => {
  const rows = Array.from({ length: 3 }, (_, k) => [
    `1,0,0,1,DF,${first},0000000000001${String(k)}00`,
    `2,0,0,1,DF,${second},0000000000002${String(k)}00`,
    // Makes the column a shifted one: 0x00100138.
    `3,1,1,0,F0,${title === 'A[31:4]' ? '0010013' : '00020027'},1122334455667788`,
  ]).flat();
  const driven = read([`T,M/IO#,D/C#,W/R#,BE,${title},D`, ...rows, ''].join('\n'));
  expect(pairsOf(driven)).toEqual(['2 -1 0x1000 0x2000', '2 -1 0x1100 0x2100', '2 -1 0x1200 0x2200']);
});

// Pins A31-A4 of 0x00100138, 0x00401235 and 0x00400fff as 28 bits, and shifted to their places in 32 bits.
test.each([
  ['A[31:4]', ['0010013', '0040123', '00400FF']],
  ['A[31:4]', ['00100130', '00401230', '00400FF0']],
  ['A[31:16],A[15:4]', ['0010,013', '0040,123', '0040,0FF']],
])('reports no operand size and no access half if %s begins at A4', (title, pins) => {
  const text = [
    `T,M/IO#,D/C#,W/R#,BE,${title},D[63:0]`,
    `1,1,1,1,0F,${pins[0]!},0010054500000000`,
    `2,0,0,1,DF,${pins[1]!},5700000000000000`,
    `3,0,0,1,DF,${pins[2]!},FAAAAAAAAAAAAAAA`,
    '',
  ].join('\n');
  const driven = read(text);
  expect(driven.records.map(({ fields }) => [fields?.address, fields?.size, fields?.value, fields?.flags])).toEqual([
    ['0x100130', undefined, '0x100545', ['address-of-16-bytes']],
    ['0x401235', undefined, undefined, ['linear-address']],
    ['0x400fff', undefined, undefined, ['linear-address']],
  ]);
  // A write to an unknown address proves no bytes.
  expect(driven.records.map(({ value }) => value)).toEqual(['', '', '']);
});

test.each([
  ['CPU', 'A', 'B'],
  ['D/P#', 'Primary', 'Dual'],
  ['CPU', '70000', '70001'],
])('does not ignore processor cells of %s that it cannot read (%s, %s)', (title, one, other) => {
  const text = `T,M/IO#,D/C#,W/R#,BE,A,D,${title}
1,0,0,1,DF,00401238,5700000000000000,${one}
2,0,0,1,DF,00500FF0,FAAAAAAAAAAAAAAA,${other}
`;
  expect(facts(text)).toEqual([]);
  const bytes = bytesOf(text);
  expect(btm.sniff({ bytes, size: bytes.length })?.reasons[0]).toContain(`the first has '${one}' for ${title}`);
});

test('does not pair a message without a processor with messages that have one', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE,A,D,CPU
1,0,0,1,DF,00401238,5700000000000000,0
2,0,0,1,DF,00500FF0,FAAAAAAAAAAAAAAA,
3,0,0,1,DF,00402238,5700000000000000,?
4,0,0,1,DF,00500FF0,FAAAAAAAAAAAAAAA,0
5,0,0,1,DF,00403238,5700000000000000,0
6,1,1,0,F0,00140398,0011223344556677,
7,0,0,1,DF,00500FF0,FAAAAAAAAAAAAAAA,0
`;
  expect(pairsOf(read(text))).toEqual(['2 -1 0x500fff ', '4 0 0x500fff ', '7 0 0x500fff 0x403235']);
});

test('takes the width of a cell from its digits if no title gives bit numbers', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE,A,Data
1,1,0,0,00,00100000,5015010F
2,1,1,0,F0,00100008,5015010F
3,1,1,1,0F,00100008,5015010F
4,1,1,1,FD,00100010,0FF
5,1,1,1,FE,00100010,0FF
6,0,0,1,DF,00401238,57
7,1,1,1,00,00100018,00000000FA000000
8,0,0,1,DF,00400FF0,FAAAAAAAAAAAAAAA
`;
  expect(facts(text)).toEqual([
    '1 fetch 0x100000 -',
    '2 read 0x100008 0x5015010f',
    '3 write 0x10000c -',
    '4 write 0x100011 -',
    '5 write 0x100010 0xff',
    '6 branch 0x401230 -',
    '7 write 0x100018 0xfa000000',
    '8 branch 0x400fff -',
  ]);
});

const CYCLES_WITHOUT_THE_MIDDLE = [
  '1 fetch 0x100000 -',
  '2 read 0x100008 0x5015010f',
  '3 write 0x10000f 0xea',
  '4 write 0x10000c -',
  '5 special 0x401235 -',
  '6 branch 0x400fff 0x401235',
];

test.each(['D[31:0],D[63:56]', 'D[63:56],D[31:0]'])(
  'reads a data bus that lacks columns in the middle (%s), including its branches',
  (titles) => {
    const rows = [
      '1,1,0,0,00,00100000,5015010F,EA',
      '2,1,1,0,F0,00100008,5015010F,EA',
      '3,1,1,1,7F,00100008,5015010F,EA',
      '4,1,1,1,0F,00100008,5015010F,EA',
      '5,0,0,1,DF,00401238,00000000,57',
      '6,0,0,1,DF,00400FF0,AAAAAAAA,FA',
    ].map((row) => (titles.startsWith('D[31') ? row : row.replace(/(\w+),(\w+)$/, '$2,$1')));
    const text = [`T,M/IO#,D/C#,W/R#,BE,A,${titles}`, ...rows, ''].join('\n');
    expect(facts(text)).toEqual(CYCLES_WITHOUT_THE_MIDDLE);
  },
);

test('reads single data pins next to others only if all columns are pins', () => {
  const low = ['D7', 'D6', 'D5', 'D4', 'D3', 'D2', 'D1', 'D0'].join(',');
  const pins = `T,M/IO#,D/C#,W/R#,BE,A,${low},D63,D62,D61,D60,D59
1,0,0,1,DF,00401238,0,0,0,0,0,0,0,0,0,1,0,1,0
2,0,0,1,DF,00400FF0,0,0,0,0,0,0,0,0,1,1,1,1,1
3,1,1,1,FE,00100010,0,0,0,0,1,1,1,1,0,0,0,0,0
`;
  expect(facts(pins)).toEqual(['1 special 0x401235 -', '2 branch 0x400fff 0x401235', '3 write 0x100010 0xf']);
  const channels = `T,M/IO#,D/C#,W/R#,BE,A,D[63:32],${low}
1,1,1,1,FE,00100010,00000000,0,0,0,0,1,1,1,1
`;
  expect(facts(channels)).toEqual(['1 write 0x100010 -']);
});

test('does not take the parity pins DP7-DP0 for D/P#', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE,A,D,DP[7:0],D/P#[0]
1,0,0,1,DF,00401238,5700000000000000,FF,0
2,0,0,1,DF,00400FF0,FAAAAAAAAAAAAAAA,1,0
3,1,1,1,FE,00100010,000000000000000F,0,1
`;
  expect(facts(text)).toEqual(['1 special 0x401235 -', '2 branch 0x400fff 0x401235', '3 write 0x100010 0xf']);
  expect(read(text).records.map(({ cpu }) => cpu)).toEqual([0, 0, 1]);
});

test('accepts a title with a bit range far wider than the data bus', () => {
  const text = `T,M/IO#,D/C#,W/R#,BE,A,D[99999999999:0]
1,1,1,1,FE,00100010,000000000000000F
`;
  expect(facts(text)).toEqual(['1 write 0x100010 0xf']);
});

test('does not read rows below a second header with other columns', () => {
  const text = `${HEADER}
1,1,1,0,00,00100000,EA0010065015010F
time_ns,W/R#,D/C#,M/IO#,BE[7:0],A[31:3],D[63:0]
2,0,1,1,00,00100008,EA0010065015010F
3,0,1,1,00,00100010,EA0010065015010F
${HEADER}
4,1,1,0,00,00100018,EA0010065015010F
${HEADER.replace('time_ns', 'Time (ns)')}
5,1,1,0,00,00100020,EA0010065015010F
`;
  const driven = read(text);
  expect(driven.records.map(({ kind, fields }) => `${kind} ${fields?.address ?? '-'}`)).toEqual([
    'read 0x100000',
    ...Array.from({ length: 3 }, () => 'other -'),
    'read 0x100018',
    'other -',
    'read 0x100020',
  ]);
  expect(driven.diagnostics.filter(({ code }) => code === 'other-layout').map(({ count }) => count)).toEqual([1, 2]);
});
