/** Lines of Tracer text, from the manual or worked out by hand from its text. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FLAG } from '../../shared/records/batch.ts';
import { LONG_LINE, type Settings } from '../../shared/format/format.ts';
import { armtracer } from '../../shared/formats/armtracer/armtracer.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { decodeAll, type Driven, type DrivenRecord } from '../laws/drive.ts';

describe('examples in the manual', () => {
  test('reads a core fetch', () => {
    expect(onlyRecord('MNR4O___ 00008008 E0800008').fields).toEqual({
      kind: 'fetch',
      native: 'MNR4O___',
      address: '0x8008',
      size: 4,
      value: '0xe0800008',
      flags: ['nonsequential', 'opcode'],
    });
  });

  test('reads an instruction', () => {
    expect(onlyRecord('IT 00008044 e04ec00f SUB      r12,r14,pc').fields).toEqual({
      kind: 'instruction',
      native: 'IT',
      address: '0x8044',
      size: 4,
      opcode: '0xe04ec00f',
      isa: 'A',
      text: 'SUB      r12,r14,pc',
    });
  });

  test('reads an event', () => {
    expect(onlyRecord('E 00000048 00000000 0x10005').fields).toEqual(onlyRecord('E 00000048 00000000 10005').fields);
    expect(onlyRecord('E 00000048 00000000 10005').fields).toEqual({
      kind: 'event',
      native: 'E',
      text: 'ITLBWalk miss=00000048 victim=00000000',
      flags: ['event-10005'],
    });
  });

  test('reads a register line as one record with all registers in order and the first one as its value', () => {
    expect(onlyRecord('R r14=20000060, cpsr=200000d3').fields).toEqual({
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

  test('reads MI, MC and MIO as cycles without an address', () => {
    const { records } = read('MI\nMC\nMIO\n');
    expect(records.map(({ kind, native, address }) => [kind, native, address])).toEqual([
      ['idle', 'MI', ''],
      ['special', 'MC', ''],
      ['idle', 'MIO', ''],
    ]);
  });
});

describe('access letters', () => {
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
    const record = onlyRecord(`${letters} 00008000${digits}`);
    expect(record).toMatchObject({ kind, native: letters, address: '0x8000', size });
    expect(record.fields?.flags).toEqual(flags);
  });

  test.each([
    ['MCR___ 00008010 00000000', 'special', ['coprocessor']],
    ['MIRO__ 00008014', 'idle', ['internal', 'opcode']],
    ['MARO___ 00008018', 'idle', ['address-only', 'opcode']],
    ['MrR___8 0000801C 00000000', 'special', ['reserved-type', 'burst-8']],
  ])('reads SDT 2.5 cycles without a transfer, which have no size: %s', (text, kind, flags) => {
    const [native, address] = text.split(' ');
    const driven = read(`${text}\n`, { dialect: 'sdt' });
    const [record] = driven.records;
    expect(record).toMatchObject({ kind, native, address: `0x${address!.replace(/^0+/, '').toLowerCase()}` });
    expect(record?.fields?.flags).toEqual(flags);
    expect(driven.diagnostics).toEqual([]);
  });

  test('distinguishes bus accesses from core accesses', () => {
    const { records } = read('MNW4____ 00008000 00000001\nBNW4____ 00008000 00000001\n');
    expect(records.map(({ kind }) => kind)).toEqual(['write', 'bus-write']);
  });

  test('distinguishes the reserved type r from the direction r by position', () => {
    expect(onlyRecord('MrR4_____ 00008000 12345678')).toMatchObject({ kind: 'special', native: 'MrR4_____' });
    expect(onlyRecord('MNRr____ 00008000 1234')).toMatchObject({ kind: 'read', size: 2 });
  });
});

describe('8-byte accesses', () => {
  // Bytes 90 80 8f e2 0f 00 98 e8 at 8000 and up on a little-endian machine.
  test('puts the first word into the lower half of a little-endian value', () => {
    expect(onlyRecord('BNR8O___ 00008000 E28F8090 E898000F').fields).toMatchObject({
      value: '0xe898000fe28f8090',
      size: 8,
      text: 'E28F8090 E898000F',
    });
  });
  test('puts the first word into the upper half of a big-endian value', () => {
    expect(onlyRecord('BNR8O___ 00008000 E28F8090 E898000F', { endian: 'big' }).fields?.value).toBe(
      '0xe28f8090e898000f',
    );
  });
  test('returns no value if one of the two words is missing', () => {
    const record = onlyRecord('MNR8____ 00008000 E28F8090');
    expect(record.fields).not.toHaveProperty('value');
    expect(record.fields?.flags).toContain('malformed');
  });
});

describe('accesses without effect', () => {
  test.each(['(wait)', '(abort)', 'E28F8090 (abort)', '(wait) (abort)'])('marks %s as without effect', (outcome) => {
    const record = onlyRecord(`MNR4____ 00008000 ${outcome}`);
    expect(record.flags & FLAG.noEffect).toBe(FLAG.noEffect);
    expect(record.flags & FLAG.malformed).toBe(0);
  });
  test('keeps aborted data and marks it as invalid', () => {
    const { fields } = onlyRecord('MNR4____ 00008000 E28F8090 (abort)');
    expect(fields?.value).toBe('0xe28f8090');
    expect(fields?.flags).toEqual(['nonsequential', 'aborted', 'value-invalid']);
  });
  test('counts peeks and pokes as accesses with effect', () => {
    const { records } = read('MNR4____ 00008000 00000001 (peek)\nMNW4____ 00008000 00000002 (poke)\n');
    expect(records.map(({ flags }) => flags & FLAG.noEffect)).toEqual([0, 0]);
    expect(records.map(({ fields }) => fields?.flags?.at(-1))).toEqual(['peek', 'poke']);
  });
});

describe('time stamps', () => {
  const text =
    'T FFFFFFFE  MNR4O___ 00008000 E3A00001\n            IT 00008000 e3a00001\nR r0=00000001\nT 00000001  MI\nMI\n';
  test('repeats the time of a blank column, gives register lines none, and marks a wrapped counter', () => {
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
  test('uses the last of several time stamps before a record, since the architectural mode stamps events it does not print', () => {
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
  test('restarts time stamps at a new header', () => {
    const { records } = read(`${text}Date: Thu Aug  9 16:41:36 2001\n            MI\nT 00000000  MI\n`);
    expect(records.slice(-2).map(({ time }) => time)).toEqual([Number.NaN, 0]);
    expect(records.at(-1)?.fields).not.toHaveProperty('flags');
  });
});

test('reads both halves of a Thumb BL as instructions, by their opcodes', () => {
  const { records } = read('IT 0000800A f000 (1st instr of BL pair)\nIT 0000800C f802 BL       0x8014\n');
  expect(records.map(({ kind, size, fields }) => [kind, size, fields?.isa, fields?.flags])).toEqual([
    ['instruction', 2, 'T', ['bl-first']],
    ['instruction', 2, 'T', ['bl-second']],
  ]);
});

test('accepts eight opcode digits for a 16-bit Thumb instruction in the architectural mode', () => {
  const half = (line: string): unknown[] => {
    const { kind, size, fields } = onlyRecord(line, { dialect: 'eis' });
    return [kind, size, fields?.isa, fields?.opcode, ...(fields?.flags ?? [])];
  };
  expect(half('ITP 0000800A 0000f000')).toEqual(['instruction', 2, 'T', '0xf000', 'bl-first']);
  expect(half('ITF 0000800C 0000d1fe bne      0x800c')).toEqual(['skipped', 2, 'T', '0xd1fe']);
  // 32 bits: DSB SY.
  expect(half('ITP 0000800C f3bf8f4f')).toEqual(['instruction', 4, 'T', '0xf3bf8f4f']);
  expect(half('IAP 00008000 00000000')).toEqual(['instruction', 4, 'A', '0x0']);
});

test('reads coprocessor registers of several words', () => {
  expect(onlyRecord('RCP p15c1=0x0000007d, p15c2=0x00004000_00000001').fields?.registers).toEqual([
    ['p15c1', '0x7d'],
    ['p15c2', '0x400000000001'],
  ]);
});

test.each([
  ['has the beginning of a register name', 'R cpsr_fx?=00000001', [['*']]],
  ['has a damaged word, too', '? r0=00000001, r?=00000002', [['*'], ['r0']]],
])('leaves all registers unknown after a list with a damaged name that %s', (_name, line, registers) => {
  const record = onlyRecord(line);
  expect(record.fields?.registers).toEqual(registers);
  expect([record.registers, record.fields?.flags?.includes('lost-register')]).toEqual([0, true]);
});

test('marks register lines as values before the preceding instruction if registers=next', () => {
  expect(onlyRecord('R r0=00000001', { registers: 'next' }).fields?.flags).toEqual(['before-instruction']);
});

test('names every field of an access line', () => {
  const line = 'T 0000001A  BSR8O__D 00008000 E28F8090 E898000F (abort)';
  const { spans } = onlyRecord(line);
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

test('reports a line as too long if it is one byte over the limit', () => {
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
  ])('detects %s by the number of access letters in %s', (dialect, name) => {
    const claim = armtracer.sniff(head(sampleBytes('armtracer', name)));
    expect(claim?.dialect).toBe(dialect);
    expect(claim?.confidence).toBeGreaterThan(0.8);
  });

  test('detects a trace without a header by its lines', () => {
    const [, body = ''] = new TextDecoder().decode(sampleBytes('armtracer', 'cycles')).split('\n\n');
    expect(armtracer.sniff(head(encode(body)))?.confidence).toBeGreaterThan(0.8);
  });

  test('does not claim logs of hardware simulators', () => {
    const lines = 'MNR4O__I 00000534 7800491d\nMNR4___D 00000100 00000000\nBNR4O__I 00000538 00000000\n';
    expect(armtracer.sniff(head(encode(lines.repeat(20))))?.confidence ?? 0).toBeLessThan(0.5);
    expect(armtracer.sniff(head(encode('12 ns MNR4O__I 00000534 7800491d\n'.repeat(20))))).toBeUndefined();
  });

  test('does not claim text that only mentions a trace', () => {
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

function onlyRecord(line: string, settings: Settings = {}): DrivenRecord {
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

test('reads architectural-mode cycles without a transfer as neither read nor text', () => {
  // TraceIdle: idle and coprocessor cycles have no access width, which the 2001 source prints as size 0.
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
