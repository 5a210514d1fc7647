/** BYU 6-byte records compared with the format description, worked by hand, and with a second reader written for the test. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createBatch, FLAG, resetBatch } from '../../shared/records/batch.ts';
import type { Decoder, Window } from '../../shared/format/format.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';
import { decodeAll } from '../laws/drive.ts';
import type { Driven } from '../laws/drive.ts';

describe('one record', () => {
  test.each([
    // The two examples of the format description: all eight bytes are 0x00, only the upper four are 0x0f.
    ['00100000 00 90', 'fetch NC_I_FETCH 0x100000 8'],
    ['00100000 0f 90', 'fetch NC_I_FETCH 0x100004 4'],
    // Big endian: the first byte is the most significant.
    ['12345678 00 d0', 'read NC_D_READ 0x12345678 8'],
    // 0xfc = 1111 1100: bytes 0 and 1. 0xc3 = 1100 0011: bytes 2 to 5. 0x7f: byte 7 alone. 0xef = 1110 1111: byte 4.
    ['001007c8 fc d0', 'read NC_D_READ 0x1007c8 2'],
    ['001007c8 c3 d0', 'read NC_D_READ 0x1007ca 4'],
    ['001007c8 7f f0', 'write D_WRITE 0x1007cf 1'],
    ['fffffff8 7f f0', 'write D_WRITE 0xffffffff 1'],
    ['00140020 00 e0', 'write WRITE_BACK 0x140020 8 cacheable'],
    ['00140020 00 c0', 'read D_READ 0x140020 8 cacheable'],
    ['00140020 00 80', 'fetch I_FETCH 0x140020 8 cacheable'],
    // The lower half of the control byte holds no information.
    ['00140020 00 ff', 'write D_WRITE 0x140020 8'],
    // Ports: byte 5 of the eight at 3f8 is port 3fd, the status of a serial line.
    ['000003f8 df 50', 'io-read IO_READ 0x3fd 1'],
    ['000003f8 fe 70', 'io-write IO_WRITE 0x3f8 1'],
    ['00000060 ef 50', 'io-read IO_READ 0x64 1'],
    // The two cycles of an acknowledged interrupt drive address 4, then 0.
    ['00000000 ef 10', 'interrupt-acknowledge INT_ACK 0x4 1 first-of-pair,unpaired'],
    ['00000000 fe 10', 'interrupt-acknowledge INT_ACK 0x0 1 second-of-pair,unpaired'],
    ['00000000 fb 30', 'special SPECIAL 0x0 0'],
    ['00000010 fb 30', 'special SPECIAL 0x10 0'],
    // A branch trace message: pins A31-A3 are 00401238, so A3 = 1 (32 bit) and the branch is in the 16 bytes from 401230.
    [
      '00401238 df 30',
      'branch SPECIAL 0x401230 0 linear-address,address-of-16-bytes,no-data-bus,operand-size-32,mode-unknown,role-unknown',
    ],
    [
      '00401230 df 30',
      'branch SPECIAL 0x401230 0 linear-address,address-of-16-bytes,no-data-bus,operand-size-16,mode-unknown,role-unknown',
    ],
    // An ordinary read with the same byte enables is not a message.
    ['00401238 df d0', 'read NC_D_READ 0x40123d 1'],
  ])('reads %s as %s', (hex, expected) => {
    const driven = decodeHex(hex);
    expect(summary(driven)).toEqual([expected]);
    expect(driven.diagnostics).toEqual([]);
  });

  test.each([
    ['00140020 00 00', 'other INVALID - 0 malformed', 'invalid-control', '.. .. .. .. .. 0.'],
    ['00140020 00 2f', 'other INVALID - 0 malformed', 'invalid-control', '.. .. .. .. .. 2.'],
    ['00140020 00 40', 'other INVALID - 0 malformed', 'invalid-control', '.. .. .. .. .. 4.'],
    ['00140020 00 60', 'other INVALID - 0 malformed', 'invalid-control', '.. .. .. .. .. 6.'],
    ['00140020 00 a0', 'other INVALID - 0 malformed', 'invalid-control', '.. .. .. .. .. a.'],
    ['00140020 00 b0', 'other INVALID - 0 malformed', 'invalid-control', '.. .. .. .. .. b.'],
    ['00140023 00 d0', 'read NC_D_READ 0x140020 8 malformed', 'misaligned-address', '.. .. .. .3 .. ..'],
    ['ffffffff 7f d0', 'read NC_D_READ 0xffffffff 1 malformed', 'misaligned-address', '.. .. .. .f .. ..'],
    ['00140020 ff d0', 'read NC_D_READ 0x140020 0 malformed', 'no-byte-enabled', '.. .. .. .. ff d.'],
    ['000003f8 ff 70', 'io-write IO_WRITE 0x3f8 0 malformed', 'no-byte-enabled', '.. .. .. .. ff 7.'],
    // 0x5a = 0101 1010: bytes 0, 2, 5 and 7 of the eight.
    ['00140020 5a f0', 'write D_WRITE 0x140020 8 split-byte-enables', 'split-byte-enables', '.. .. .. .. 5a f.'],
    // 0xed = 1110 1101: bytes 1 and 4.
    ['00140020 ed f0', 'write D_WRITE 0x140021 4 split-byte-enables', 'split-byte-enables', '.. .. .. .. ed f.'],
    ['00000000 77 30', 'special SPECIAL 0x0 0 malformed', 'unknown-special', '.. .. .. .. 77 3.'],
  ])('keeps %s as %s and counts it as %s with shape %s', (hex, expected, code, shape) => {
    const driven = decodeHex(hex);
    expect(summary(driven)).toEqual([expected]);
    expect(driven.diagnostics).toEqual([{ code, shape, count: 1, firstOffset: 0, firstRecord: 0 }]);
  });

  test.each([
    ['00000000 fe 30', 'shutdown'],
    ['00000000 fd 30', 'flush (caches invalidated)'],
    ['00000000 fb 30', 'halt'],
    ['00000010 fb 30', 'stop grant'],
    ['00000000 f7 30', 'write-back (caches written back and invalidated)'],
    ['00000000 ef 30', 'flush acknowledge'],
    ['00401238 df 30', 'branch trace message'],
    ['00000000 ef 10', 'interrupt acknowledge, first of the pair'],
    ['00000000 fe 10', 'interrupt acknowledge, second of the pair'],
  ])('names %s "%s"', (hex, text) => {
    expect(decodeHex(hex).records[0]?.fields?.text).toBe(text);
  });

  test("names every field of a record's bytes", () => {
    expect(decodeHex('001007c8 fc d5').records[0]?.spans).toEqual([
      { name: 'address A31-A3', start: 0, end: 4, text: '0x001007c8 big endian, physical' },
      { name: 'byte enables BE7#-BE0#', start: 4, end: 5, text: '11111100: bytes 0, 1' },
      {
        name: 'control M/IO# D/C# W/R# CACHE#',
        start: 5,
        end: 6,
        text: 'NC_D_READ: M/IO#=1 D/C#=1 W/R#=0 CACHE#=1, unassigned 0101',
      },
    ]);
  });
});

test("names all control bytes as the format's sample program does", () => {
  const names = PROGRAM_NAMES.map(
    (_, high) => summary(decodeHex(`00000000 fe ${high.toString(16)}0`))[0]?.split(' ')[1],
  );
  expect(names).toEqual(PROGRAM_NAMES);
});

test.each(['complete', 'cached', 'branch-trace', 'every-cycle'])(
  "reads the sample %s as the format's sample program does",
  (name) => {
    const bytes = sample(name);
    const { records, gaps } = decodeAll(open('big'), bytes);
    expect(gaps).toEqual([]);
    expect(records.map((record) => record.native)).toEqual(programLines(bytes).map((line) => line.split(' ')[2]));
    // The program prints the address of the eight bytes, which contain the bytes of the record.
    const lines = records.map((record) => `${eightBytes(record.address)} ${record.native}`);
    expect(lines).toEqual(
      programLines(bytes).map((line) => line.replace(/ .. /, ' ').replace(/8 SPECIAL/, '0 SPECIAL')),
    );
  },
);

test('takes the low digit of an address from its first byte in the other byte order', () => {
  // 0x00140023 and 0x0014002f, both reads.
  const bytes = fromHex('23001400 00 d0 2f001400 00 d0 23001400 fc d5');
  expect(decodeAll(open('little'), bytes).diagnostics).toEqual([
    { code: 'misaligned-address', shape: '.3 .. .. .. .. ..', count: 2, firstOffset: 0, firstRecord: 0 },
    { code: 'misaligned-address', shape: '.f .. .. .. .. ..', count: 1, firstOffset: 6, firstRecord: 1 },
  ]);
});

describe('lost and surplus bytes', () => {
  const bytes = sample('complete');

  test.each([1, 2, 3, 4, 5])('finds the records again within three after %i lost bytes', (lost) => {
    const whole = decodeAll(open('big'), bytes);
    for (let at = 0; at < 900; at += 7) {
      const damaged = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + lost)]);
      const driven = decodeAll(open('big'), damaged);
      const untouched = whole.records.length - Math.ceil((at + lost) / 6) - 3;
      expect(tail(driven, untouched), `lost at byte ${String(at)}`).toEqual(tail(whole, untouched));
      const found = driven.diagnostics.map(({ code, count, shape }) => `${code} ${String(count)}, ${shape}`);
      // The rest of the record with the lost bytes.
      expect(found, `lost at byte ${String(at)}`).toContain(`phase-slip 1, ${String(6 - lost)} of 6 bytes`);
    }
  });

  test('reports no slip if the surplus bytes make whole records', () => {
    const damaged = Uint8Array.from([...bytes.subarray(0, 300), ...bytes.subarray(312)]);
    expect(decodeAll(open('big'), damaged).diagnostics).toEqual([]);
  });

  test('does not shift records after one damaged record', () => {
    const damaged = bytes.slice();
    damaged.set([0xff, 0xff, 0xff, 0xff, 0xff, 0x00], 600);
    const driven = decodeAll(open('big'), damaged);
    expect(driven.gaps).toEqual([]);
    expect(driven.diagnostics.map(({ code, firstOffset, firstRecord }) => [code, firstOffset, firstRecord])).toEqual([
      ['invalid-control', 600, 100],
    ]);
  });

  test('reports the other byte order but keeps the chosen one', () => {
    // Physical memory at 0x17fc0000 and up, so that reading its most significant byte as the least breaks alignment.
    const swapped = new Uint8Array(100 * 6);
    for (let n = 0; n < 100; n++) swapped.set([(n * 8) & 0xff, n >> 5, 0xfc, 0x17, 0x00, 0xd0], n * 6);
    const forced = decodeAll(open('big'), swapped);
    expect(forced.diagnostics.map(({ code }) => code)).toContain('byte-swapped');
    expect(decodeAll(open('little'), swapped).diagnostics).toEqual([]);
    expect(byu6.sniff({ bytes: swapped, size: 600 })?.options).toEqual({ endian: 'little' });
  });
});

test('keeps the tail of a file that ends inside a record as a gap', () => {
  const driven = decodeHex('00100000 00 90 001000');
  expect(summary(driven)).toEqual(['fetch NC_I_FETCH 0x100000 8']);
  expect(driven.gaps).toEqual([{ name: 'tail', start: 6, end: 9 }]);
  expect(driven.diagnostics).toEqual([
    { code: 'cut-record', shape: '3 of 6 bytes', count: 1, firstOffset: 6, firstRecord: 1 },
  ]);
});

test('computes exact offsets beyond 4 GiB', () => {
  const base = 6 * 2 ** 31 + 5;
  const decoder = open('big');
  const state = { phase: 5, searched: 0 };
  expect(decoder.framing.kind === 'units' && decoder.framing.align(base - 4, state)).toBe(base);
  const bytes = fromHex('00100000 00 90 00100008 00 90');
  const window: Window = {
    bytes,
    length: 12,
    base,
    position: base,
    end: base + 12,
    lastLineEnd: base + 12,
    fileEnd: base + 12,
  };
  const batch = createBatch();
  resetBatch(batch, 2 ** 31);
  expect(decoder.decode(window, state, batch)).toEqual({ phase: 5, searched: 0 });
  expect([...batch.start.subarray(0, 2)]).toEqual([12884901893, 12884901899]);
  expect([...batch.end.subarray(0, 2)]).toEqual([12884901899, 12884901905]);
});

test('appends to a batch until it is full', () => {
  const bytes = sample('every-cycle');
  const batch = createBatch(8);
  batch.count = 5;
  batch.flags[4] = FLAG.malformed;
  const window: Window = { bytes, length: 294, base: 0, position: 0, end: 294, lastLineEnd: 294, fileEnd: 294 };
  open('big').decode(window, { phase: 0, searched: 0 }, batch);
  expect([batch.count, window.position, batch.start[5], batch.flags[4]]).toEqual([8, 18, 0, FLAG.malformed]);
});

test.each([
  [{}, 'big'],
  [{ endian: 'auto' }, 'big'],
  [{ endian: 'big' }, 'big'],
  [{ endian: 'little' }, 'little'],
])('reads settings %o as %s endian', (settings, endian) => {
  const opened = byu6.open(settings);
  expect(opened.ok && opened.value.settings).toEqual({ dialect: 'binary', endian });
});

test('refuses unknown settings with a sentence', () => {
  expect(byu6.open({ endian: 'middle' })).toEqual({
    ok: false,
    error: { code: 'unknown-value', message: 'byu6 cannot read endian=middle: choose auto, big or little' },
  });
  expect(byu6.open({ base: '0' })).toMatchObject({ ok: false, error: { code: 'unknown-option' } });
});

/** Text that the C program prints for each bus cycle number. */
const PROGRAM_NAMES = [
  'INVALID',
  'INT_ACK',
  'INVALID',
  'SPECIAL',
  'INVALID',
  'IO_READ',
  'INVALID',
  'IO_WRITE',
  'I_FETCH',
  'NC_I_FETCH',
  'INVALID',
  'INVALID',
  'D_READ',
  'NC_D_READ',
  'WRITE_BACK',
  'D_WRITE',
];

/** Lines of that program, with the address in the byte order of the format description. */
function programLines(bytes: Uint8Array): readonly string[] {
  const hex = Buffer.from(bytes).toString('hex');
  const records = hex.match(/.{12}/g) ?? [];
  return records.map((record) => {
    const name = PROGRAM_NAMES[Number.parseInt(record.charAt(10), 16)] ?? '';
    return `${record.slice(0, 8)} ${record.slice(8, 10)} ${name}`;
  });
}

function eightBytes(address: string): string {
  return (BigInt(address) & ~7n).toString(16).padStart(8, '0');
}

function tail(driven: Driven, count: number): readonly string[] {
  return driven.records
    .slice(-count)
    .map(({ kind, native, address, size }) => `${kind} ${native} ${address} ${String(size)}`);
}

function summary(driven: Driven): readonly string[] {
  return driven.records.map(({ kind, native, address, size, fields }) => {
    const marks = fields?.flags === undefined ? '' : ` ${fields.flags.join(',')}`;
    return `${kind} ${native} ${address === '' ? '-' : address} ${String(size)}${marks}`;
  });
}

function decodeHex(hex: string): Driven {
  return decodeAll(open('big'), fromHex(hex), { describe: () => true });
}

function fromHex(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
}

function open(endian: string): Decoder {
  const opened = byu6.open({ endian });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

function sample(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../samples/byu6/${name}/trace.byu`, import.meta.url)));
}
