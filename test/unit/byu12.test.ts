/** BYU 12-byte records against the format's description and header file, worked by hand. */
import { describe, expect, test } from 'vitest';
import { byu12 } from '../../shared/formats/byu12/byu12.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';
import type { Decoder } from '../../shared/format/format.ts';
import { decodeAll } from '../laws/drive.ts';
import type { Driven } from '../laws/drive.ts';

describe('one record', () => {
  test.each([
    // Little endian: 20 00 14 00 is 0x00140020, 11 00 00 00 is 17 ticks.
    ['20001400 01 20 03 00 11000000', '17 cpu0 read MEMREAD 0x140020 32 write-back'],
    ['20001400 00 20 03 01 01000000', '1 cpu1 fetch FETCH 0x140020 32 write-back'],
    ['21001400 03 01 00 00 00000100', '65536 cpu0 write MEMWRITE 0x140021 1 uncacheable'],
    ['f8ffffff 02 10 01 00 ffffffff', '4294967295 cpu0 read MEMREADINV 0xfffffff8 16 write-through'],
    ['00001400 01 08 02 00 00000000', '0 cpu0 read MEMREAD 0x140000 8 write-protected'],
    // Only the low two bits of the attribute have meaning.
    ['00001400 01 08 fd 00 00000000', '0 cpu0 read MEMREAD 0x140000 8 write-through'],
    ['fd030000 10 01 00 00 05000000', '5 cpu0 io-read IOREAD 0x3fd 1'],
    ['f8030000 11 01 00 00 05000000', '5 cpu0 io-write IOWRITE 0x3f8 1'],
    ['00000000 20 00 00 00 05000000', '5 cpu0 special DEFERREPLY 0x0 0'],
    ['00000000 21 00 00 00 05000000', '5 cpu0 interrupt-acknowledge INTA 0x0 0'],
    ['00000000 22 00 00 00 05000000', '5 cpu0 special CNTRLAGNTRES 0x0 0'],
    ['50104000 23 08 00 00 05000000', '5 cpu0 branch BRTRACEREC 0x401050 0 length-8,no-data-bus'],
    ['00000000 31 00 00 00 05000000', '5 cpu0 special SHUTDOWN 0x0 0'],
    ['00000000 32 00 00 00 05000000', '5 cpu0 special FLUSH 0x0 0'],
    ['00000000 33 00 00 00 05000000', '5 cpu0 special HALT 0x0 0'],
    ['00000000 34 00 00 00 05000000', '5 cpu0 special SYNC 0x0 0'],
    ['00000000 35 00 00 00 05000000', '5 cpu0 special FLUSHACK 0x0 0'],
    ['00000000 36 00 00 00 05000000', '5 cpu0 special STOPCLKACK 0x0 0'],
    ['00000000 37 00 00 00 05000000', '5 cpu0 special SMIACK 0x0 0'],
  ])('reads %s as %s', (hex, expected) => {
    const driven = decodeHex(hex);
    expect(summary(driven)).toEqual([expected]);
    expect(driven.diagnostics).toEqual([]);
  });

  test.each([
    ['20001400 04 08 03 00 05000000', '5 cpu0 other UNKNOWN - 0 malformed', 'unknown-request'],
    ['20001400 30 08 03 00 05000000', '5 cpu0 other UNKNOWN - 0 malformed', 'unknown-request'],
    ['20001400 ff 08 03 00 05000000', '5 cpu0 other UNKNOWN - 0 malformed', 'unknown-request'],
    ['20001400 01 00 03 00 05000000', '5 cpu0 read MEMREAD 0x140020 0 malformed,write-back', 'no-size'],
    ['20001400 03 40 03 00 05000000', '5 cpu0 write MEMWRITE 0x140020 64 unusual-size,write-back', 'unusual-size'],
  ])('keeps %s as %s and counts it as %s', (hex, expected, code) => {
    const driven = decodeHex(hex);
    expect(summary(driven)).toEqual([expected]);
    expect(driven.diagnostics.map((found) => `${found.code} ${String(found.count)}`)).toEqual([`${code} 1`]);
  });

  test("names every field of a record's bytes", () => {
    expect(decodeHex('20001400 02 20 07 01 11000000').records[0]?.spans).toEqual([
      { name: 'address', start: 0, end: 4, text: '0x00140020 little endian, physical' },
      { name: 'request type', start: 4, end: 5, text: '02: MEMREADINV: read and invalidate' },
      { name: 'size', start: 5, end: 6, text: '32 bytes' },
      { name: 'attribute', start: 6, end: 7, text: 'write-back, other bits 000001' },
      { name: 'processor', start: 7, end: 8, text: 'agent 1' },
      { name: 'time', start: 8, end: 12, text: '17 ticks since the record before' },
    ]);
  });
});

describe('lost bytes', () => {
  const bytes = trace(300);

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])('finds the records again after %i lost bytes', (lost) => {
    const whole = decodeAll(open(), bytes);
    for (let at = 0; at < 1800; at += 61) {
      const driven = decodeAll(open(), Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + lost)]));
      const untouched = whole.records.length - Math.ceil((at + lost) / 12) - 6;
      expect(tail(driven, untouched), `lost at byte ${String(at)}`).toEqual(tail(whole, untouched));
      const slips = driven.diagnostics.filter(({ code }) => code === 'phase-slip').map(({ shape }) => shape);
      // The rest of the record with the lost bytes.
      expect(slips, `lost at byte ${String(at)}`).toEqual([`${String(12 - lost)} of 12 bytes`]);
    }
  });

  test('notices three lost bytes even if the shifted records look like ordinary fetches', () => {
    // After the loss each record begins at the last byte of an address, so its request is a processor (0) and its size the ticks (7).
    const record = (n: number): number[] => [(n & 15) << 4, 0x10 + (n >> 4), 0x40, 0, 1, 8, 3, 0, 7, 0, 0, 0];
    const near = Array.from({ length: 300 }, (_, n) => record(n)).flat();
    const driven = decodeAll(open(), Uint8Array.from([...near.slice(0, 100), ...near.slice(103)]));
    expect(driven.gaps.map(({ name, start, end }) => [name, start, end])).toEqual([['slip', 96, 105]]);
    expect(driven.records.length).toBe(299);
    expect(driven.diagnostics.map(({ code }) => code)).toEqual(['phase-slip']);
  });

  test('reports no slip if twelve lost bytes make a whole record', () => {
    const driven = decodeAll(open(), Uint8Array.from([...bytes.subarray(0, 600), ...bytes.subarray(612)]));
    expect(driven.diagnostics).toEqual([]);
  });

  test('keeps the tail of a file that ends inside a record as a gap', () => {
    const driven = decodeAll(open(), bytes.slice(0, 31));
    expect(driven.records.length).toBe(2);
    expect(driven.gaps).toEqual([{ name: 'tail', start: 24, end: 31 }]);
    expect(driven.diagnostics).toMatchObject([{ code: 'cut-record', shape: '7 of 12 bytes' }]);
  });
});

describe('detection of the two BYU formats', () => {
  test('claims 12-byte records, which the 6-byte format does not claim', () => {
    const head = { bytes: trace(300), size: 3600 };
    expect(byu12.sniff(head)).toMatchObject({ confidence: 0.95 });
    expect(byu6.sniff(head)).toBeUndefined();
  });

  test('does not claim 6-byte records', () => {
    const bytes = sixBytes();
    expect(byu12.sniff({ bytes, size: bytes.length })).toBeUndefined();
  });

  test('names the likely format if a file is opened as the other one', () => {
    const six = byu6.open({});
    if (!six.ok) throw new Error(six.error.message);
    const codes = (decoder: Decoder, bytes: Uint8Array): readonly string[] =>
      decodeAll(decoder, bytes, { blockBytes: 500 }).diagnostics.map(({ code }) => code);
    expect(codes(six.value, trace(300))).toContain('twelve-bytes');
    expect(codes(open(), sixBytes())).toContain('six-bytes');
    expect(codes(six.value, sixBytes())).toEqual([]);
    expect(codes(open(), trace(300))).toEqual([]);
  });

  test('claims a few records only as a guess', () => {
    const bytes = trace(3);
    expect(byu12.sniff({ bytes, size: bytes.length })?.confidence).toBeLessThan(0.5);
  });

  test('recognises a file that starts inside a record', () => {
    const bytes = trace(300).slice(7);
    const claim = byu12.sniff({ bytes, size: bytes.length });
    expect(claim?.confidence).toBeGreaterThan(0.8);
    expect(claim?.reasons).toContain('some records do not start at multiples of twelve bytes');
  });
});

/** Fetches, reads and writes of the older format. */
function sixBytes(): Uint8Array {
  return Uint8Array.from(
    Array.from({ length: 600 }, (_, n) => [0, 0x14, n >> 5, (n * 8) & 0xff, 0, [0x90, 0xd0, 0xf0][n % 3]!]).flat(),
  );
}

/** Fetches of lines in a loop, reads and writes of data, ticks from 2 to 21. */
function trace(records: number): Uint8Array {
  const bytes = new Uint8Array(records * 12);
  const view = new DataView(bytes.buffer);
  for (let n = 0; n < records; n++) {
    const request = [0, 1, 0, 3][n % 4]!;
    const address = request === 0 ? 0x00401000 + (n % 24) * 32 : 0x0012fe00 + ((n * 7) % 64) * 8;
    view.setUint32(n * 12, address, true);
    bytes.set([request, request === 0 ? 32 : 8, request === 0 ? 3 : 0, 0], n * 12 + 4);
    view.setUint32(n * 12 + 8, 2 + ((n * 7) % 20), true);
  }
  return bytes;
}

function tail(driven: Driven, count: number): readonly string[] {
  return driven.records
    .slice(-count)
    .map(({ kind, native, address, size }) => `${kind} ${native} ${address} ${String(size)}`);
}

function summary(driven: Driven): readonly string[] {
  return driven.records.map(({ time, cpu, kind, native, address, size, fields }) => {
    const marks = fields?.flags === undefined ? '' : ` ${fields.flags.join(',')}`;
    return `${String(time)} cpu${String(cpu)} ${kind} ${native} ${address === '' ? '-' : address} ${String(size)}${marks}`;
  });
}

function decodeHex(hex: string): Driven {
  return decodeAll(open(), new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex')), { describe: () => true });
}

function open(): Decoder {
  const opened = byu12.open({});
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
