/** Does each line of Tracer text read as the manual says? The lines are the manual's own, or worked by hand from its text. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FLAG } from '../../shared/records/batch.ts';
import { LONG_LINE, type Settings } from '../../shared/format/format.ts';
import { armtracer } from '../../shared/formats/armtracer/armtracer.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { decodeAll, type Driven, type DrivenRecord } from '../laws/drive.ts';

describe('the examples of the manual', () => {
  test('a fetch of the core', () => {
    expect(one('MNR4O___ 00008008 E0800008').fields).toEqual({
      kind: 'fetch',
      native: 'MNR4O___',
      address: '0x8008',
      size: 4,
      value: '0xe0800008',
      flags: ['nonsequential', 'opcode'],
    });
  });

  test('an instruction', () => {
    expect(one('IT 00008044 e04ec00f SUB      r12,r14,pc').fields).toEqual({
      kind: 'instruction',
      native: 'IT',
      address: '0x8044',
      size: 4,
      opcode: '0xe04ec00f',
      isa: 'A',
      text: 'SUB      r12,r14,pc',
    });
  });

  test('an event', () => {
    expect(one('E 00000048 00000000 0x10005').fields).toEqual(one('E 00000048 00000000 10005').fields);
    expect(one('E 00000048 00000000 10005').fields).toEqual({
      kind: 'event',
      native: 'E',
      text: 'ITLBWalk miss=00000048 victim=00000000',
      flags: ['event-10005'],
    });
  });

  test('registers: one record, the first as its value, all in their order', () => {
    expect(one('R r14=20000060, cpsr=200000d3').fields).toEqual({
      kind: 'register',
      native: 'R',
      register: 'r14',
      value: '0x20000060',
      registers: [
        ['r14', '0x20000060'],
        ['cpsr', '0x200000d3'],
      ],
      text: 'r14=20000060, cpsr=200000d3',
    });
  });

  test('MI, MC and MIO are cycles without an address', () => {
    const { records } = read('MI\nMC\nMIO\n');
    expect(records.map(({ kind, native, address }) => [kind, native, address])).toEqual([
      ['idle', 'MI', ''],
      ['special', 'MC', ''],
      ['idle', 'MIO', ''],
    ]);
  });
});

describe('what the letters mean', () => {
  test.each([
    ['MNR4____', 'read', 4, ['nonsequential']],
    ['MSR4____', 'read', 4, ['sequential']],
    ['MNW2____', 'write', 2, ['nonsequential']],
    ['MNW1____', 'write', 1, ['nonsequential']],
    ['MNR4O_S_', 'fetch', 4, ['nonsequential', 'opcode', 'speculative']],
    ['MNR4_L__', 'read', 4, ['nonsequential', 'locked']],
    ['MNR4___D', 'read', 4, ['nonsequential', 'more']],
    ['BNR4____', 'bus-read', 4, ['nonsequential']],
    ['BNW4____', 'bus-write', 4, ['nonsequential']],
    ['BNR4O___', 'bus-fetch', 4, ['nonsequential', 'opcode', 'fetch-unproven']],
    ['MNR4O__', 'fetch', 4, ['nonsequential', 'opcode']],
    ['MNR4O___8', 'fetch', 4, ['nonsequential', 'opcode', 'burst-8']],
    ['MAR4O____', 'idle', 4, ['address-only', 'opcode']],
  ])('%s', (letters, kind, size, flags) => {
    const digits = kind === 'idle' ? '' : ' 12345678'.slice(0, 1 + 2 * size);
    const record = one(`${letters} 00008000${digits}`);
    expect(record).toMatchObject({ kind, native: letters, address: '0x8000', size });
    expect(record.fields?.flags).toEqual(flags);
  });

  test.each([
    ['MCR___ 00008010 00000000', 'special', ['coprocessor']],
    ['MIRO__ 00008014', 'idle', ['internal', 'opcode']],
    ['MARO___ 00008018', 'idle', ['address-only', 'opcode']],
    ['MrR___8 0000801C 00000000', 'special', ['reserved-type', 'burst-8']],
  ])('SDT 2.5 leaves the size out of cycles without a transfer: %s', (text, kind, flags) => {
    const [native, address] = text.split(' ');
    const driven = read(`${text}\n`, { dialect: 'sdt' });
    const [record] = driven.records;
    expect(record).toMatchObject({ kind, native, address: `0x${address!.replace(/^0+/, '').toLowerCase()}` });
    expect(record?.fields?.flags).toEqual(flags);
    expect(driven.diagnostics).toEqual([]);
  });

  test('a bus access is never one of the core', () => {
    const { records } = read('MNW4____ 00008000 00000001\nBNW4____ 00008000 00000001\n');
    expect(records.map(({ kind }) => kind)).toEqual(['write', 'bus-write']);
  });

  test('the same letter differs by its place: the reserved r is no direction', () => {
    expect(one('MrR4_____ 00008000 12345678')).toMatchObject({ kind: 'special', native: 'MrR4_____' });
    expect(one('MNRr____ 00008000 1234')).toMatchObject({ kind: 'read', size: 2 });
  });
});

describe('eight bytes', () => {
  // Bytes 90 80 8f e2 0f 00 98 e8 from 8000 on in a little-endian machine.
  test('the first word lies at the address, so it is the lower half of a little-endian value', () => {
    expect(one('BNR8O___ 00008000 E28F8090 E898000F').fields).toMatchObject({
      value: '0xe898000fe28f8090',
      size: 8,
      text: 'E28F8090 E898000F',
    });
  });
  test('and the upper half of a big-endian one', () => {
    expect(one('BNR8O___ 00008000 E28F8090 E898000F', { endian: 'big' }).fields?.value).toBe('0xe28f8090e898000f');
  });
  test('half of it is no value', () => {
    const record = one('MNR8____ 00008000 E28F8090');
    expect(record.fields).not.toHaveProperty('value');
    expect(record.fields?.flags).toContain('malformed');
  });
});

describe('accesses that moved nothing', () => {
  test.each(['(wait)', '(abort)', 'E28F8090 (abort)', '(wait) (abort)'])('%s', (outcome) => {
    const record = one(`MNR4____ 00008000 ${outcome}`);
    expect(record.flags & FLAG.noEffect).toBe(FLAG.noEffect);
    expect(record.flags & FLAG.malformed).toBe(0);
  });
  test('aborted data is kept and marked', () => {
    const { fields } = one('MNR4____ 00008000 E28F8090 (abort)');
    expect(fields?.value).toBe('0xe28f8090');
    expect(fields?.flags).toEqual(['nonsequential', 'aborted', 'value-invalid']);
  });
  test('peeks and pokes did happen', () => {
    const { records } = read('MNR4____ 00008000 00000001 (peek)\nMNW4____ 00008000 00000002 (poke)\n');
    expect(records.map(({ flags }) => flags & FLAG.noEffect)).toEqual([0, 0]);
    expect(records.map(({ fields }) => fields?.flags?.at(-1))).toEqual(['peek', 'poke']);
  });
});

describe('time stamps', () => {
  const text =
    'T FFFFFFFE  MNR4O___ 00008000 E3A00001\n            IT 00008000 e3a00001\nR r0=00000001\nT 00000001  MI\nMI\n';
  test('blanks repeat the time, register lines have none, a wrapped counter is marked and kept as it is', () => {
    const { records } = read(text);
    expect(records.map(({ time }) => time)).toEqual([4294967294, 4294967294, Number.NaN, 1, Number.NaN]);
    expect(records.map(({ fields }) => fields?.flags?.includes('time-went-back') ?? false)).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
  });
  test('of several before one record the last is its own: the architectural mode stamps events without printing them', () => {
    const glued = [
      'T 00000010  T 00000014  MR4 00008000 00000001',
      'T 00000020              MW4 00008000 00000002',
      '                        MW4 00008000 00000003',
      '            T 00000030  IAP 00008004 e1a00000',
      'T 00000040  T',
      '',
    ].join('\n');
    const { records } = read(glued, { dialect: 'eis' });
    expect(records.map(({ time, native }) => [time, native])).toEqual([
      [0x14, 'MR4'],
      [0x20, 'MW4'],
      [0x20, 'MW4'],
      [0x30, 'IAP'],
      [Number.NaN, 'OTHER'],
    ]);
  });
  test('a new header starts them again', () => {
    const { records } = read(`${text}Date: Thu Aug  9 16:41:36 2001\n            MI\nT 00000000  MI\n`);
    expect(records.slice(-2).map(({ time }) => time)).toEqual([Number.NaN, 0]);
    expect(records.at(-1)?.fields).not.toHaveProperty('flags');
  });
});

test('both halves of a Thumb BL are instructions, reported by their opcodes', () => {
  const { records } = read('IT 0000800A f000 (1st instr of BL pair)\nIT 0000800C f802 BL       0x8014\n');
  expect(records.map(({ kind, size, fields }) => [kind, size, fields?.isa, fields?.flags])).toEqual([
    ['instruction', 2, 'T', ['bl-first']],
    ['instruction', 2, 'T', ['bl-second']],
  ]);
});

test('an architectural line of Thumb may have its 16 bits in eight digits', () => {
  const half = (line: string): unknown[] => {
    const { kind, size, fields } = one(line, { dialect: 'eis' });
    return [kind, size, fields?.isa, fields?.opcode, ...(fields?.flags ?? [])];
  };
  expect(half('ITP 0000800A 0000f000')).toEqual(['instruction', 2, 'T', '0xf000', 'bl-first']);
  expect(half('ITF 0000800C 0000d1fe bne      0x800c')).toEqual(['skipped', 2, 'T', '0xd1fe']);
  // 32 bits: DSB SY.
  expect(half('ITP 0000800C f3bf8f4f')).toEqual(['instruction', 4, 'T', '0xf3bf8f4f']);
  expect(half('IAP 00008000 00000000')).toEqual(['instruction', 4, 'A', '0x0']);
});

test('coprocessor registers of many words', () => {
  expect(one('RCP p15c1=0x0000007d, p15c2=0x00004000_00000001').fields?.registers).toEqual([
    ['p15c1', '0x7d'],
    ['p15c2', '0x400000000001'],
  ]);
});

test('registers=next marks register lines as values from before the instruction above', () => {
  expect(one('R r0=00000001', { registers: 'next' }).fields?.flags).toEqual(['before-instruction']);
});

test('every byte of an access that says something has its name', () => {
  const line = 'T 0000001A  BSR8O__D 00008000 E28F8090 E898000F (abort)';
  const { spans } = one(line);
  expect(spans?.map(({ name, start, end, text }) => `${name} ${line.slice(start, end)}: ${text}`)).toEqual([
    'time 0000001A: time 26',
    'bus B: off-chip bus: bus-fetch',
    'type S: sequential',
    'direction R: read',
    'size 8: 8 bytes',
    'opcode-fetch O: opcode fetch',
    'lock _: not locked',
    'speculation _: not speculative',
    'more D: more data follows',
    'address 00008000: 0x8000',
    'data E28F8090: 0xe28f8090',
    'data2 E898000F: 0xe898000f, from address + 4',
    'outcome (abort): aborted, value-invalid',
  ]);
});

test('a line is long from one byte past the limit on', () => {
  const lineOf = (length: number): string => `${'IT 00008000 e28f8090 '.padEnd(length - 1, 'x')}\n`;
  expect(read(lineOf(LONG_LINE)).records[0]?.kind).toBe('instruction');
  const long = read(lineOf(LONG_LINE + 1));
  expect(long.records[0]?.kind).toBe('other');
  expect(long.diagnostics).toMatchObject([{ code: 'long-line', shape: `IT # # ${'x'.repeat(53)}` }]);
});

describe('detection', () => {
  test.each([
    ['ads', 'real-swi'],
    ['amba', 'amba'],
    ['sdt', 'sdt'],
    ['sdt', 'sdt-amba'],
    ['eis', 'eis'],
  ])('%s by the number of letters in %s', (dialect, name) => {
    const claim = armtracer.sniff(head(sampleBytes('armtracer', name)));
    expect(claim?.dialect).toBe(dialect);
    expect(claim?.confidence).toBeGreaterThan(0.8);
  });

  test('without the header the lines alone are enough', () => {
    const [, body = ''] = new TextDecoder().decode(sampleBytes('armtracer', 'cycles')).split('\n\n');
    expect(armtracer.sniff(head(encode(body)))?.confidence).toBeGreaterThan(0.8);
  });

  test('lines of hardware simulators are another format', () => {
    const lines = 'MNR4O__I 00000534 7800491d\nMNR4___D 00000100 00000000\nBNR4O__I 00000538 00000000\n';
    expect(armtracer.sniff(head(encode(lines.repeat(20))))?.confidence ?? 0).toBeLessThan(0.5);
    expect(armtracer.sniff(head(encode('12 ns MNR4O__I 00000534 7800491d\n'.repeat(20))))).toBeUndefined();
  });

  test('text that merely mentions a trace is not claimed', () => {
    const lines = 'R is a letter\nE\nthe manual says MNR4O___\n'.repeat(20);
    expect(armtracer.sniff(head(encode(lines)))).toBeUndefined();
    expect(tarmac.sniff(head(sampleBytes('armtracer', 'real-swi')))?.confidence ?? 0).toBeLessThan(0.5);
  });
});

function read(text: string, settings: Settings = {}): Driven {
  const opened = armtracer.open(settings);
  if (!opened.ok) throw new Error(opened.error.message);
  return decodeAll(opened.value, encode(text), { describe: () => true });
}

function one(line: string, settings: Settings = {}): DrivenRecord {
  const { records } = read(`${line}\n`, settings);
  expect(records.length).toBe(1);
  return records[0]!;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function head(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly size: number } {
  return { bytes, size: bytes.length };
}

function sampleBytes(format: string, name: string): Uint8Array {
  return new Uint8Array(
    readFileSync(fileURLToPath(new URL(`../samples/${format}/${name}/trace.txt`, import.meta.url))),
  );
}

test('cycles of the architectural mode that move nothing are neither reads nor text', () => {
  // TraceIdle: access words of idle and coprocessor cycles have no width, from which the source of 2001 makes the size 0.
  const lines = 'MR0 00008004 e898000f\nMW0 00008008 00000000\nXR0 0000800c 00000000\nMR4 00008010 00000001\n';
  const driven = read(lines, { dialect: 'eis' });
  expect(driven.records.map(({ fields }) => fields)).toEqual([
    { kind: 'special', native: 'MR0', address: '0x8004', text: 'e898000f' },
    { kind: 'special', native: 'MW0', address: '0x8008', text: '00000000' },
    { kind: 'special', native: 'XR0', address: '0x800c', text: '00000000', flags: ['aborted', 'value-invalid'] },
    { kind: 'read', native: 'MR4', address: '0x8010', size: 4, value: '0x1' },
  ]);
  expect(driven.diagnostics).toEqual([]);
});
