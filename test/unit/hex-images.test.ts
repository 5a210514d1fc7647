// Intel HEX and Motorola S-record files as images.
import { expect, test } from 'vitest';
import { intelHex } from '../../electron/engine/image/hex/intel-hex.ts';
import { sRecords } from '../../electron/engine/image/hex/s-records.ts';
import type { ImageReader } from '../../electron/engine/image/image.ts';
import type { ImagePlace } from '../../shared/requests/requests.ts';

/** The program of both files: mov r0, #1; bl 0x800c; b .; str r0, [pc, #4] ...; the last word is data. */
const LE_HEX = [
  ':108000000100A0E3000000EBFEFFFFEA04109FE583',
  ':0C801000001080E51EFF2FE178563412AE',
  ':040000030000800079',
  ':00000001FF',
];
const LE_SREC = [
  'S00A00006C652E7372656349',
  'S11380000100A0E3000000EBFEFFFFEA04109FE57F',
  'S10F8010001080E51EFF2FE178563412AA',
  'S90380007C',
];
const PROGRAM = '8000: 0100a0e3000000ebfeffffea04109fe5001080e51eff2fe178563412';

function read(reader: ImageReader, lines: readonly string[] | string, place: Partial<ImagePlace> = {}) {
  const bytes = Buffer.from(typeof lines === 'string' ? lines : `${lines.join('\n')}\n`, 'latin1');
  expect(reader.recognises(bytes)).toBe(true);
  return reader.read(bytes, { path: 'image', ...place });
}

/** Each segment as its address and bytes, then the notices. */
function contents(...args: Parameters<typeof read>): readonly string[] {
  const content = read(...args);
  if (!content.ok) throw new Error(content.error.message);
  const { segments, shift, notices, machine } = content.value;
  expect(machine).toBeUndefined();
  expect(new Set(segments.map(({ bytes }) => bytes.buffer)).size).toBe(1);
  return [
    ...segments.map(
      ({ address, bytes }) =>
        `${BigInt.asUintN(64, address + shift).toString(16)}: ${Buffer.from(bytes).toString('hex')}`,
    ),
    ...notices,
  ];
}

function refusal(...args: Parameters<typeof read>): string {
  const content = read(...args);
  return content.ok ? 'none' : content.error.message;
}

/** Makes a record of Intel HEX. */
function hex(type: number, offset: number, ...data: readonly number[]): string {
  const body = [data.length, offset >>> 8, offset & 255, type, ...data];
  const sum = body.reduce((total, byte) => total + byte, 0);
  return `:${[...body, (256 - (sum % 256)) % 256].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Makes an S-record whose address has this many bytes. */
function srec(type: number, width: number, address: number, ...data: readonly number[]): string {
  const place = Array.from({ length: width }, (_, i) => Math.floor(address / 256 ** (width - 1 - i)) % 256);
  const body = [width + data.length + 1, ...place, ...data];
  const sum = body.reduce((total, byte) => total + byte, 0);
  return `S${type}${[...body, 255 - (sum % 256)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const END = hex(1, 0);

test.each(['\n', '\r\n', '\r', '  \r\n\n'])('reads both kinds with lines that end in %j', (lineEnd) => {
  expect(contents(intelHex, LE_HEX.join(lineEnd))).toEqual([PROGRAM]);
  expect(contents(sRecords, LE_SREC.join(lineEnd))).toEqual([PROGRAM]);
  expect(contents(intelHex, LE_HEX.join(lineEnd).toLowerCase())).toEqual([PROGRAM]);
  expect(contents(sRecords, LE_SREC.join(lineEnd).toLowerCase())).toEqual([PROGRAM]);
});

test('recognises each kind by its records, whatever precedes them', () => {
  for (const text of ['\ufeff', '; made by a linker\n', '# comment\n\n']) {
    const bytes = Buffer.from(text + LE_HEX.join('\n'));
    expect([intelHex.recognises(bytes), sRecords.recognises(bytes)]).toEqual([true, false]);
  }
  const bytes = Buffer.from(`; comment\n${LE_SREC.join('\n')}`);
  expect([intelHex.recognises(bytes), sRecords.recognises(bytes)]).toEqual([false, true]);
  for (const other of [': label', 'S1 is the first state', '00008000 T _start', '\x7fELF', ':', 'S1']) {
    const text = Buffer.from(other);
    expect([intelHex.recognises(text), sRecords.recognises(text)]).toEqual([false, false]);
  }
});

test('joins records of any order into segments', () => {
  expect(contents(intelHex, [hex(0, 0x10, 5, 6), hex(0, 0x102, 9), hex(0, 0x12, 7), hex(0, 0x100, 1, 2), END])).toEqual(
    ['10: 050607', '100: 010209'],
  );
  expect(contents(sRecords, [srec(1, 2, 0x12, 7), srec(1, 2, 0x10, 5, 6), srec(9, 2, 0)])).toEqual(['10: 050607']);
});

test('places data of Intel HEX by the latest extended address', () => {
  expect(
    contents(intelHex, [
      hex(0, 4, 1),
      hex(4, 0, 0x08, 0x00),
      hex(0, 4, 2),
      hex(2, 0, 0x12, 0x34),
      hex(0, 4, 3),
      hex(4, 0, 0xff, 0xff),
      hex(0, 4, 4),
      hex(5, 0, 0x08, 0, 0, 1),
      END,
    ]),
  ).toEqual(['4: 01', '12344: 03', '8000004: 02', 'ffff0004: 04']);
});

test('wraps offsets around within a segment of 64 KiB, and linear addresses at 4 GiB only', () => {
  expect(contents(intelHex, [hex(2, 0, 0x10, 0), hex(0, 0xffff, 1, 2), END])).toEqual(['10000: 02', '1ffff: 01']);
  expect(contents(intelHex, [hex(4, 0, 0, 1), hex(0, 0xffff, 1, 2), END])).toEqual(['1ffff: 0102']);
  expect(contents(intelHex, [hex(4, 0, 0xff, 0xff), hex(0, 0xffff, 1, 2), END])).toEqual(['0: 02', 'ffffffff: 01']);
});

test('reads S-records with addresses of 16, 24 and 32 bits, a header and counts', () => {
  expect(
    contents(sRecords, [
      srec(0, 2, 0, 0x48, 0x44, 0x52),
      srec(1, 2, 0xfffe, 1, 2),
      srec(2, 3, 0x10000, 3, 4),
      srec(2, 3, 0xfffffe, 5),
      srec(3, 4, 0xfffffffe, 6, 7),
      srec(5, 2, 4),
      srec(6, 3, 4),
      srec(7, 4, 0x8000),
    ]),
  ).toEqual(['fffe: 01020304', 'fffffe: 05', 'fffffffe: 0607']);
  expect(contents(sRecords, [srec(2, 3, 0x8000, 1), srec(8, 3, 0)])).toEqual(['8000: 01']);
});

test('uses bytes that records repeat, and leaves out bytes that they contradict', () => {
  expect(contents(intelHex, [hex(0, 0, 1, 2, 3, 4), hex(0, 2, 3, 4, 5), END])).toEqual(['0: 0102030405']);
  expect(contents(intelHex, [hex(0, 0, 1, 2, 3, 4), hex(0, 1, 2, 9), END])).toEqual([
    '0: 0102',
    '3: 04',
    'image: its records give different values to the byte at 0x2; it is left out',
  ]);
  expect(contents(sRecords, [srec(1, 2, 0, 1, 2), srec(1, 2, 0, 8, 9, 3), srec(9, 2, 0)])).toEqual([
    '2: 03',
    'image: its records give different values to 2 bytes, the first at 0x0; they are left out',
  ]);
});

test('moves the lowest address to a base, and every address by a shift', () => {
  expect(contents(intelHex, LE_HEX, { base: '0x10000' })).toEqual([PROGRAM.replace('8000', '10000')]);
  expect(contents(sRecords, LE_SREC, { shift: '0x1000' })).toEqual([PROGRAM.replace('8000', '9000')]);
});

test.each([
  [intelHex, LE_HEX, 1, /A3$|83$/, '82', /^image: line 2 .*Intel HEX.* checksum 0x82, but its bytes have 0xae; export/],
  [
    intelHex,
    LE_HEX,
    0,
    /01/,
    '02',
    /^image: line 1 .* checksum 0x83, but its bytes have 0x82; export the image again$/,
  ],
  [sRecords, LE_SREC, 2, /AA$/, 'AB', /^image: line 3 of this S-record file has the checksum 0xab, .* 0xaa; export/],
  [sRecords, LE_SREC, 0, /49$/, '48', /^image: line 1 .* checksum 0x48, but its bytes have 0x49; export/],
  [intelHex, LE_HEX, 1, /12AE$/, '', /^image: line 2 .* should have 12 data bytes, but has 10; export/],
  [sRecords, LE_SREC, 2, /12AA$/, '', /^image: line 3 .* should have 15 bytes after its count, but has 13; export/],
  [intelHex, LE_HEX, 1, /1/, 'x', /^image: line 2 .* something other than pairs of hexadecimal digits; export/],
  [intelHex, LE_HEX, 1, /^:/, '', /^image: line 2 .* is not a record, which starts with a colon; export/],
  [sRecords, LE_SREC, 2, /^S1/, 'T1', /^image: line 3 .* is not a record, which starts with S and a digit; export/],
  [intelHex, LE_HEX, 2, /.*/, ':', /^image: line 3 .* is truncated; export/],
  [intelHex, LE_HEX, 2, /.*/, hex(6, 0), /^image: line 3 .* the unknown record type 0x06; export/],
  [intelHex, LE_HEX, 2, /.*/, hex(4, 0, 1), /^image: line 3 .* type 0x04 with 1 data bytes instead of 2; export/],
] as const)('refuses a damaged record of %o with its line', (reader, lines, line, pattern, text, message) => {
  const damaged = lines.map((each, i) => (i === line ? each.replace(pattern, text) : each));
  const bytes = line === 1 && text === '82' ? damaged.map((each) => each.replace(/AE$/, '82')) : damaged;
  expect(refusal(reader, bytes)).toMatch(message);
});

test('refuses files without data, and data beyond the highest address', () => {
  expect(refusal(intelHex, [END])).toBe('image: this file has no data records; choose the program that ran');
  expect(refusal(sRecords, [srec(3, 4, 0xffffffff, 1, 2), srec(7, 4, 0)])).toMatch(
    /line 1 .* past the highest address/,
  );
});

test('reports what is missing at the end, or follows it', () => {
  expect(contents(intelHex, [hex(0, 0, 1)])).toEqual([
    '0: 01',
    'image: its end record is missing, so its last records may be missing too',
  ]);
  expect(contents(sRecords, [srec(1, 2, 0, 1), srec(5, 2, 2), srec(9, 2, 0), srec(1, 2, 8, 1)])).toEqual([
    '0: 01',
    'image: line 2 counts 2 data records, but 1 precede it',
    'image: the records after its end record, starting in line 4, are ignored',
  ]);
  // Compilers for PIC name the processor after the end record.
  expect(contents(intelHex, [hex(0, 0, 1), END, ';PIC16F877A', '\x1a\x1a'])).toEqual(['0: 01']);
});

test('skips the symbols that objcopy -O symbolsrec puts before the records', () => {
  expect(contents(sRecords, ['$$ program', '  start $8000', '$$ ', ...LE_SREC])).toEqual([PROGRAM]);
});
