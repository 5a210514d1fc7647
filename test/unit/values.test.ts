/**
 * Memory bytes that an access proves. Lines of each format with values, worked by hand: bytes in address order, `-` if the trace does
 * not report all of them.
 */
import { describe, expect, test } from 'vitest';
import type { Decoder, Settings } from '../../shared/format/format.ts';
import { armtracer } from '../../shared/formats/armtracer/armtracer.ts';
import { btm } from '../../shared/formats/btm/btm.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { decodeAll } from '../laws/drive.ts';

const FORMATS = { tarmac, armtracer, btm };

type Name = keyof typeof FORMATS;

function open(name: Name, settings: Settings): Decoder {
  const opened = FORMATS[name].open(settings);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Address and bytes of each record in the text. Blank lines follow, since some fast passes look ahead. */
function provedBytes(decoder: Decoder, text: string): string[] {
  return bytesProvedBy(
    decoder,
    Uint8Array.from(text + '\n'.repeat(128), (character) => character.charCodeAt(0)),
  );
}

function bytesProvedBy(decoder: Decoder, bytes: Uint8Array): string[] {
  return decodeAll(decoder, bytes, { describe: () => true }).records.map(
    ({ address, value }) => `${address} ${value === '' ? '-' : value}`,
  );
}

/** In both byte orders, each by the decoder's fast pass and, with a tab for the first blank, by its slow-path parser. */
function expectProved(name: Name, dialect: string, line: string, little: string, big: string): void {
  for (const [endian, expected] of [
    ['little', little],
    ['big', big],
  ] as const) {
    const decoder = open(name, { dialect, endian });
    expect(provedBytes(decoder, `${line}\n`), endian).toEqual([expected]);
    expect(provedBytes(decoder, `${line.replace(/(\w) /, '$1\t')}\n`), `${endian}, with a tab`).toEqual([expected]);
  }
}

describe('tarmac', () => {
  test.each([
    ['qemu4v', '1 clk MR4 00008000 e59f1060', '0x8000 60109fe5', '0x8000 e59f1060'],
    ['qemu4v', '1 clk MW1X 00008003 7f', '0x8003 7f', '0x8003 7f'],
    ['qemu4v', '1 clk MW2 00008002 12ab', '0x8002 ab12', '0x8002 12ab'],
    ['qemu4v', '1 clk MR8 00103fc4 0010400000000001', '0x103fc4 0100000000401000', '0x103fc4 0010400000000001'],
    ['qemu4v', '1 clk MR3 00008000 0a0b0c', '0x8000 0c0b0a', '0x8000 0a0b0c'],
    [
      'fastmodels',
      '1 clk MR8 0000c7c8:00000000c7c8 00010203_0000ca68',
      '0xc7c8 68ca000003020100',
      '0xc7c8 000102030000ca68',
    ],
    [
      'fastmodels',
      '1 clk MR16 400171e0 400f731b40000000 3ff87cc460000000',
      '0x400171e0 00000060c47cf83f000000401b730f40',
      '0x400171e0 400f731b400000003ff87cc460000000',
    ],
    ['fastmodels', '1 clk cpu3 MW4 00001000:010000001000_NS 00000102', '0x1000 02010000', '0x1000 00000102'],
    // Digits of a bus line are in address order in both byte orders.
    ['fastmodels', '7 clk BW4D__N I_____ O_____ 3 80001000 01020304', '0x80001000 01020304', '0x80001000 01020304'],
    // Drawings have the highest address on the left.
    ['es', '1 clk LD 00000020 ........ ........ 11223344 ........ 0000000020 NM', '0x24 44332211', '0x24 44332211'],
    ['es', '1 clk ST 0000fff0 ......ab cd...... ........ ........ 000000fff0 NM', '0xfffb cdab', '0xfffb cdab'],
    [
      'rtl',
      '9 ns R08 0000007f99d14af4 4305000042ea0000',
      '0x7f99d14af4 0000ea4200000543',
      '0x7f99d14af4 4305000042ea0000',
    ],
    ['rtl', '9 ns MNW4___D 2002fa00 efbeadde', '0x2002fa00 efbeadde', '0x2002fa00 efbeadde'],
    ['rtl', '9 ns MNW4____ (00000050:000000a8) 05011000 00000003', '0x5011000 03000000', '0x5011000 00000003'],
    ['rtl', '9 ns MR4_D 00000004 0000010b', '0x4 0b010000', '0x4 0000010b'],
  ])('%s: proves %s', (dialect, line, little, big) => {
    expectProved('tarmac', dialect, line, little, big);
  });

  test.each([
    ['qemu4v', '1 clk MR4 00008000 xxxxxxxx'],
    ['fastmodels', '1 clk MR4 00008000 0000xx00'],
    ['fastmodels', '1 clk MW4 dfdfdfcf (ABORTED)'],
    ['es', '1 clk ST 000ffb80 0002077c ##0ffb98 ........ ........'],
    ['es', '1 clk ST 000ffb80 ........ 00..0098 ........ ........'],
    ['es', '1 clk ST 000ffb80 ........ 00..0098 ........ ........ 00000ffb80 NM'],
    // Data on a bus need not be the data at the address.
    ['rtl', '9 ns MNR4O__I 00022ae4 f7ffffcb'],
    ['rtl', '9 ns BNR4___A 2002fa00 00000001'],
    ['rtl', '9 ns MR2_I 0000010a b5100000'],
    ['rtl', '9 ns MNR1___D 2002fa01 0000ef00'],
  ])('%s: proves no bytes for %s', (dialect, line) => {
    expect(provedBytes(open('tarmac', { dialect }), `${line}\n`)[0]).toMatch(/^0x\w+ -$/);
  });

  test('reads a drawing that continues in the next line as a separate access', () => {
    const text = [
      '1 clk ST 000ffb80 0002077c 000ffb98 ........ ........  S:00000ffb80  nGnRnE OSH',
      '         000ffb90 00000000 00000007 ........ ........  S:00000ffb90  nGnRnE OSH',
      '',
    ].join('\n');
    expect(provedBytes(open('tarmac', { dialect: 'es' }), text)).toEqual([
      '0xffb88 98fb0f007c070200',
      '0xffb98 0700000000000000',
    ]);
  });
});

describe('armtracer', () => {
  test.each([
    ['ads', 'BNR4O___ A0000000 00000C1E', '0xa0000000 1e0c0000', '0xa0000000 00000c1e'],
    ['ads', 'MNW2____ 00008002 12AB', '0x8002 ab12', '0x8002 12ab'],
    ['ads', 'MNW1____ 00008001 7F', '0x8001 7f', '0x8001 7f'],
    // The second word is at address + 4 in both byte orders.
    ['ads', 'BNR8O___ 00008000 E59F0060 E59F1061', '0x8000 60009fe561109fe5', '0x8000 e59f0060e59f1061'],
    ['ads', 'MNW4____ 00008000 01020304 (poke)', '0x8000 04030201', '0x8000 01020304'],
    ['eis', 'MW4 00010000 01020304', '0x10000 04030201', '0x10000 01020304'],
    ['eis', 'MR2 00010006 0000beef', '0x10006 efbe', '0x10006 beef'],
    ['eis', 'MW1 00010005 0000007f', '0x10005 7f', '0x10005 7f'],
  ])('%s: proves %s', (dialect, line, little, big) => {
    expectProved('armtracer', dialect, line, little, big);
  });

  test.each([
    ['ads', 'MNR4____ 00008000 (wait)'],
    ['ads', 'MNR4____ 00008000 01020304 (abort)'],
    ['ads', 'BNR8O___ 00008000 E59F0060'],
    ['ads', 'MNW1____ 00008001 0000007F'],
    ['eis', 'XW4 00020004 00000001'],
    ['eis', 'MW1 00010005 00007f00'],
  ])('%s: proves no bytes for %s', (dialect, line) => {
    expect(provedBytes(open('armtracer', { dialect }), `${line}\n`)[0]).toMatch(/^0x\w+ -$/);
  });
});

describe('btm', () => {
  const header = 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';
  /** Byte enables are low for the requested bytes, and byte k of the bus is at address + k. */
  test.each([
    ['1000,1,0,0,00,00100000,EA0010065015010F', '0x100000 0f011550061000ea'],
    ['1090,1,1,0,FC,00100650,000000100630001F', '0x100650 1f00'],
    ['1345,1,1,1,F0,00140000,0000000001234567', '0x140000 67452301'],
    ['1346,1,1,1,0F,00140000,0123456789ABCDEF', '0x140004 67452301'],
    ['1347,1,1,0,DF,00140000,0000AB0000000000', '0x140005 ab'],
    ['1348,1,1,0,DB,00140000,0000AB0000CD0000', '0x140002 -'],
    ['1349,1,1,0,FC,00140000,XXXXXXXXXXXX1234', '0x140000 -'],
    ['1350,1,1,0,FC,00140000,', '0x140000 -'],
    ['1351,0,1,1,FE,000003F8,0000000000000041', '0x3f8 -'],
  ])('proves %s', (row, expected) => {
    // The fast pass accepts pins as digits only.
    for (const line of [row, row.replace(',1,', ',H,').replace(',0,', ',L,')])
      expect(provedBytes(open('btm', { header }), `${header}\n${line}\n`)).toEqual([expected]);
  });

  test('proves bytes of binary records', () => {
    const unit = (address: number, enables: number, control: number): number[] => [
      ...[address & 255, (address >> 8) & 255, (address >> 16) & 255, address >> 24],
      ...[enables, control, 30, 0],
      ...[0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17],
    ];
    const [read, write, port, withoutData] = [4 + 2, 4 + 2 + 1, 2, 64];
    const bytes = Uint8Array.from([
      ...[0x42, 0x54, 0x4d, 0x43, 0x41, 0x50, 13, 10, 26, 10, 1, 0, 0, 0, 0, 0],
      ...unit(0x140000, 0x00, read),
      ...unit(0x140000, 0xf9, write),
      ...unit(0x140000, 0x7f, read),
      ...unit(0x140000, 0x00, read | withoutData),
      ...unit(0x140000, 0xf5, read),
      ...unit(0x3f8, 0xfe, port),
    ]);
    expect(bytesProvedBy(open('btm', { dialect: 'binary' }), bytes)).toEqual([
      '0x140000 1011121314151617',
      '0x140001 1112',
      '0x140007 17',
      '0x140000 -',
      '0x140001 -',
      '0x3f8 -',
    ]);
  });

  test('proves only the lower bytes if the data column lacks the upper half', () => {
    const half = header.replace('D[63:0]', 'D[31:0]');
    const rows = ['1,1,1,0,0F,00140000,01234567', '2,1,1,0,F0,00140000,01234567', '3,1,1,0,00,00140000,01234567', ''];
    expect(provedBytes(open('btm', { header: half }), `${half}\n${rows.join('\n')}`)).toEqual([
      '0x140004 -',
      '0x140000 67452301',
      '0x140000 -',
    ]);
  });

  test('proves only the upper bytes if the data column lacks the lower half', () => {
    const half = header.replace('D[63:0]', 'D[63:32]');
    const decoder = open('btm', { header: half });
    const rows = ['1,1,1,0,0F,00140000,01234567', '2,1,1,0,F0,00140000,01234567', '3,1,1,0,00,00140000,01234567', ''];
    expect(provedBytes(decoder, `${half}\n${rows.join('\n')}`)).toEqual([
      '0x140004 67452301',
      '0x140000 -',
      '0x140000 -',
    ]);
  });
});

describe('register-set number of a line', () => {
  function numbers(decoder: Decoder, lines: readonly string[]): number[] {
    const bytes = Uint8Array.from(`${lines.join('\n')}\n`, (character) => character.charCodeAt(0));
    return decodeAll(decoder, bytes, { describe: () => true, batchRecords: 3 }).records.map(
      (record) => record.registers,
    );
  }

  test('tarmac: depends on the name and the text in brackets', () => {
    const seen = numbers(open('tarmac', { dialect: 'fastmodels' }), [
      '1 clk R r1 00000001',
      '1 clk R r13 00000002',
      '1 clk R r13 (SVC) 00000003',
      '1 clk R r13 00000004 (SVC)',
      '1 clk R  r1 00000005',
      '1 clk R r13 00000006',
      '1 clk MR4 00001000 00000000',
      '1 clk R V0<127:64> ffeeddccbbaa9988',
      '1 clk R V0<127:64> xxxxxxxxxxxxxxxx',
      'no record at all',
    ]);
    const [r1, r13, svc, ...rest] = seen;
    const part = rest[4]!;
    expect(new Set([0, r1, r13, svc, part]).size).toBe(5);
    expect(rest).toEqual([svc, r1, r13, 0, part, part, 0]);
  });

  test('tarmac: is missing for names beyond the 4096th and for long names', () => {
    const names = Array.from({ length: 4098 }, (_, n) => `1 clk R c${String(n)} 00000001`);
    const seen = numbers(open('tarmac', { dialect: 'qemu4v' }), [
      `1 clk R ${'y'.repeat(65)} 00000001`,
      ...names,
      ...names.slice(0, 2),
    ]);
    expect(seen[0]).toBe(0);
    expect(new Set(seen.slice(1, 4097)).size).toBe(4096);
    expect(seen.slice(4097, 4099)).toEqual([0, 0]);
    expect(seen.slice(4099)).toEqual(seen.slice(1, 3));
  });

  test('armtracer: depends on the set, and is 0 for a list out of order', () => {
    const seen = numbers(open('armtracer', { dialect: 'ads' }), [
      'R r8=00008098, cpsr=200000d3',
      'R cpsr=200000d3, r8=00008098',
      'R  r8=00008098,  cpsr=200000d3',
      'R r8=00008098',
      'R r8=00008098, spsr=200000d3',
      'R r15=00008098',
      'R r1=00000001, r5=00000002',
      'RCP p15c1=00000001',
      'RCP p15c1=00000002, p15c2=00000003',
      'RCP p15c2=00000002, p15c1=00000003',
      'MNR4____ 00008000 E59F0060',
    ]);
    const [both, r8, spsr, r15, two, p15, pair] = [seen[0], ...seen.slice(3, 8), seen[8]];
    expect(seen).toEqual([both, 0, both, r8, spsr, r15, two, p15, pair, pair, 0]);
    expect(new Set([0, both, r8, spsr, r15, two, p15, pair]).size).toBe(8);
  });
});
