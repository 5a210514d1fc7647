/** Detection of BYU 6-byte records, with its confidence. */
import { readFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Claim } from '../../shared/format/format.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';

describe('claims', () => {
  test.each(['complete', 'cached', 'branch-trace'])('a real trace (%s) with high confidence', (name) => {
    expect(sniff(sample(name))).toMatchObject({ confidence: 0.95, options: { endian: 'big' } });
  });

  test('a trace in the other byte order, and gives the reason', () => {
    const claim = sniff(sample('swapped'));
    expect(claim).toMatchObject({ confidence: 0.95, options: { endian: 'little' } });
    expect(claim?.reasons.join('; ')).toContain('as big endian, the format');
  });

  test('a trace that starts inside a record or lost bytes, and gives the reason', () => {
    for (const name of ['starts-inside-record', 'lost-bytes']) {
      const claim = sniff(sample(name));
      expect(claim?.confidence, name).toBeGreaterThan(0.7);
      expect(claim?.reasons, name).toContain('some records do not start at multiples of six bytes');
    }
  });

  test('a damaged trace with lower confidence', () => {
    const [whole, broken, garbage] = ['complete', 'broken-rules', 'garbage-inside'].map((name) =>
      confidenceOf(sample(name)),
    );
    expect(whole).toBeGreaterThan(broken!);
    expect(broken).toBeGreaterThan(garbage!);
    expect(garbage).toBeGreaterThan(0.5);
  });

  test.each([
    ['ascii', 'big'],
    ['ascii-x86', 'little'],
  ])("the output of the format's sample program (%s) with high confidence", (name, endian) => {
    const claim = sniff(sample(name, 'txt'));
    expect(claim).toMatchObject({ confidence: 0.97, dialect: 'ascii', options: { endian } });
    expect(claim?.reasons.join('; ').includes('bytes reversed')).toBe(endian === 'little');
  });

  test('a few records as a guess only', () => {
    const one = confidenceOf(sample('complete').slice(0, 6));
    const seven = confidenceOf(sample('complete').slice(0, 42));
    expect(one).toBeGreaterThan(0.1);
    expect(one).toBeLessThan(0.5);
    expect(seven).toBeGreaterThan(0.5);
    expect(seven).toBeLessThan(0.7);
  });
});

describe('does not claim', () => {
  const trace = Buffer.from(sample('complete'));
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['less than a record', trace.subarray(0, 5)],
    ['zeros', Buffer.alloc(6000)],
    ['a gzip file', gzipSync(trace)],
    ['a zstd file', zstdCompressSync(trace)],
    ['a compress file', Buffer.concat([Buffer.from([0x1f, 0x9d, 0x90]), trace])],
    ['a zip file', Buffer.concat([Buffer.from('PK\x03\x04'), trace])],
    ['an ELF file', Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 1]), trace])],
    ['a QEMU4V trace', Buffer.from('0 clk 0 IT (0) 00000000 3c080001 A svc : lui t0,0x1\n'.repeat(50))],
    ['BYU records of 12 bytes', Buffer.concat(Array.from({ length: 400 }, (_, n) => twelveBytes(n)))],
  ])('%s', (_, bytes) => {
    expect(sniff(new Uint8Array(bytes))).toBeUndefined();
  });
});

/** BYU v1.1: address u32 little endian, request type, size, attribute, processor, time difference u32. */
function twelveBytes(n: number): Buffer {
  const record = Buffer.alloc(12);
  record.writeUInt32LE(0x00140000 + n * 32, 0);
  record.set([n % 4, n % 3 === 0 ? 16 : 32, 3, 0], 4);
  record.writeUInt32LE(17 + (n % 50), 8);
  return record;
}

function sniff(bytes: Uint8Array): Claim | undefined {
  return byu6.sniff({ bytes, size: bytes.length });
}

function confidenceOf(bytes: Uint8Array): number {
  return sniff(bytes)?.confidence ?? 0;
}

function sample(name: string, ending = 'byu'): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../samples/byu6/${name}/trace.${ending}`, import.meta.url)));
}
