/** QEMU4V lines, from the format page or worked out by hand. */
import { describe, expect, test } from 'vitest';
import { FLAG } from '../../shared/records/batch.ts';
import { byCode } from '../../shared/format/diagnostics.ts';
import { LONG_LINE } from '../../shared/format/format.ts';
import type { Decoder, State } from '../../shared/format/format.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { decodeAll } from '../laws/drive.ts';
import type { Driven, DrivenRecord } from '../laws/drive.ts';

const decoder = open();

describe('the examples of the format page', () => {
  test('reads an instruction', () => {
    const { kind, native, address, size, cpu, time, fields } = onlyRecord(
      '1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1',
    );
    expect({ kind, native, address, size, cpu, time }).toEqual({
      kind: 'instruction',
      native: 'IT',
      address: '0x4',
      size: 4,
      cpu: 0,
      time: 1,
    });
    expect(fields).toEqual({
      time: 1,
      cpu: 0,
      kind: 'instruction',
      native: 'IT',
      address: '0x4',
      size: 4,
      opcode: '0x3c080001',
      isa: 'A',
      text: 'lui t0,0x1',
      flags: ['svc'],
    });
  });

  test('reads a memory access', () => {
    expect(onlyRecord('10 clk MR8 00103fc4 0010400000000000').fields).toEqual({
      time: 10,
      kind: 'read',
      native: 'MR8',
      address: '0x103fc4',
      size: 8,
      value: '0x10400000000000',
      flags: ['cpu-assumed'],
    });
  });

  test('reads a register write', () => {
    expect(onlyRecord('14 clk R r8 00000000').fields).toEqual({
      time: 14,
      kind: 'register',
      native: 'R',
      register: 'r8',
      text: 'r8',
      value: '0x0',
      flags: ['cpu-assumed'],
    });
  });
});

describe('instruction lines', () => {
  test('reads a skipped instruction with kind skipped', () => {
    expect(onlyRecord('2 clk 0 IS (2) 00008000 e59f0060 A svc : x').fields).toMatchObject({
      kind: 'skipped',
      native: 'IS',
    });
  });

  test.each([
    ['svc_s', ['svc', 's']],
    ['mon_ns', ['mon', 'ns']],
    ['usrns', ['usr', 'ns']],
    ['EL1h_NS', ['EL1h', 'ns']],
    ['sys', ['sys']],
    ['odd_mode', ['odd_mode']],
  ])('reads mode %s', (mode, flags) => {
    expect(onlyRecord(`1 clk 0 IT (1) 00008000 e59f0060 A ${mode} : nop`).fields).toMatchObject({ flags, text: 'nop' });
  });

  test.each([
    ['8000', '0x8000'],
    ['FFFF8000', '0xffff8000'],
    ['ffffffffffffffff', '0xffffffffffffffff'],
    ['0x00000001_00008000', '0x100008000'],
    ['1', '0x1'],
  ])('reads address %s', (text, address) => {
    expect(onlyRecord(`1 clk 0 IT (1) ${text} e59f0060 A svc : nop`)).toMatchObject({ address, size: 4 });
  });

  test.each([
    ['46c0', 2, '0x46c0'],
    ['00000013', 4, '0x13'],
    ['0123456789ABCDEF', 8, '0x123456789abcdef'],
    ['0x46C0', 2, '0x46c0'],
  ])('opcode %s has half as many bytes as digits', (text, size, opcode) => {
    expect(onlyRecord(`1 clk 0 IT (1) 00008000 ${text} T svc : nop`).fields).toMatchObject({ size, opcode, isa: 'T' });
  });

  test('counts an opcode with an odd number of digits and rounds up', () => {
    const driven = drive('1 clk 0 IT (1) 00008000 46c T svc : nop\n');
    expect(driven.records[0]).toMatchObject({
      size: 2,
      fields: { opcode: '0x46c', flags: ['svc', 'malformed', 'odd-opcode'] },
    });
    expect(codes(driven)).toEqual({ 'odd-opcode': 1 });
  });

  test.each([
    ['1 clk cpu3 IT (1) 00008000 46c0 T svc : nop', 3],
    ['1 clk 12 IT (1) 00008000 46c0 T svc : nop', 12],
    ['1 clk IT (1) 00008000 46c0 T svc : nop', undefined],
    ['1 clk 7 IT 00008000 46c0 T svc : nop', 7],
  ])('reads %s with cpu %s', (text, cpu) => {
    const driven = drive(`${text}\n`);
    expect(driven.records[0]?.fields?.cpu).toBe(cpu);
    expect(driven.records[0]).toMatchObject({ kind: 'instruction', address: '0x8000' });
    expect(codes(driven)).toEqual({});
  });

  test('counts a cpu number above the limit and clears the cpu, also for the next lines', () => {
    const driven = drive('1 clk 40000 IT (1) 00008000 46c0 T svc : nop\n1 clk R r0 00000000\n');
    expect(driven.records.map(({ cpu }) => cpu)).toEqual([-1, -1]);
    expect(driven.records[0]?.fields?.flags).toEqual(['svc', 'malformed', 'cpu-40000']);
    expect(codes(driven)).toEqual({ 'cpu-range': 1 });
  });

  test.each([
    ['1 clk 0 IT (1) 00008000 46c0 T svc', undefined, ['svc']],
    ['1 clk 0 IT (1) 00008000 46c0 T', undefined, undefined],
    ['1 clk 0 IT (1) 00008000 46c0 T : nop', 'nop', undefined],
    ['1 clk 0 IT (1) 00008000 46c0 T svc: nop', 'nop', ['svc']],
    ['1 clk 0 IT (1) 00008000 46c0 T svc :', undefined, ['svc']],
    ['1 clk 0 IT (1) 00008000 46c0 T svc nop r0', 'nop r0', ['svc', 'malformed', 'no-colon']],
    ['1 clk 0 IT (1) 00008000 46c0 T nop r0', 'nop r0', ['malformed', 'no-colon']],
    ['1 clk 0 IT (1) 00008000 46c0 T svc : a : b : c', 'a : b : c', ['svc']],
    [
      '1 clk 0 IT (1) 00008000 46c0 T svc : mov\tr0, r1\t\u00e9\u20ac\ud83d\ude00 \u0000 x',
      'mov\tr0, r1\t\u00e9\u20ac\ud83d\ude00 \u0000 x',
      ['svc'],
    ],
  ])('reads no cpu from %j', (line, text, flags) => {
    const { fields } = onlyRecord(line);
    expect(fields).toMatchObject({ kind: 'instruction', opcode: '0x46c0' });
    expect(fields?.text).toBe(text);
    expect(fields?.flags).toEqual(flags);
  });

  test('a name without a number clears the cpu for the next lines', () => {
    const driven = drive(
      '1 clk 3 IT (1) 00008000 46c0 T svc : nop\n2 clk css.core IT (2) 00009000 46c0 T svc : nop\n2 clk R r0 00000000\n',
    );
    expect(driven.records.map(({ cpu }) => cpu)).toEqual([3, -1, -1]);
  });
});

describe('memory lines', () => {
  test.each([
    ['MW4X', 'write', 'MW4', ['X', 'privileged', 'cpu-assumed']],
    ['MR4T', 'read', 'MR4', ['T', 'non-privileged', 'cpu-assumed']],
    ['MR4L', 'read', 'MR4', ['L', 'locked', 'cpu-assumed']],
    ['MW4XL', 'write', 'MW4', ['X', 'privileged', 'L', 'locked', 'cpu-assumed']],
  ])('reads %s', (word, kind, native, flags) => {
    expect(onlyRecord(`1 clk ${word} 00008000 0000000f`).fields).toMatchObject({
      kind,
      native,
      size: 4,
      value: '0xf',
      flags,
    });
  });

  test.each([
    ['MR1 0000000000008001 Ff', 1, '0xff'],
    ['MW16 00008000 00112233445566778899aabbccddeeff', 16, '0x112233445566778899aabbccddeeff'],
    ['MR16 00008000 00112233_44556677_8899aabb_ccddeeff', 16, '0x112233445566778899aabbccddeeff'],
    ['MW4 00008000 0xDEADBEEF', 4, '0xdeadbeef'],
    [`MR64 00008000 ${'f'.repeat(128)}`, 64, `0x${'f'.repeat(128)}`],
    ['MR3 00008000 0a0b0c', 3, '0xa0b0c'],
  ])('reads %s without a diagnostic', (text, size, value) => {
    const driven = drive(`1 clk ${text}\n`);
    expect(driven.records[0]?.fields).toMatchObject({ size, value });
    expect(codes(driven)).toEqual({});
  });

  test.each([
    ['MR4 00008000 00ff', 4, 'MR4'],
    ['MW2 00008000 0011223344', 5, 'MW2'],
    ['MW1 00008000 123', 2, 'MW1'],
    ['MR0 00008000 00', 1, 'MR0'],
  ])('counts a size mismatch of %s and takes the larger size', (text, size, native) => {
    const driven = drive(`1 clk ${text}\n`);
    expect(driven.records[0]?.fields).toMatchObject({
      size,
      native,
      flags: ['cpu-assumed', 'malformed', 'data-size'],
    });
    expect(codes(driven)).toEqual({ 'data-size': 1 });
  });

  test('returns no value for unknown digits', () => {
    const driven = drive('1 clk MR4 00008000 xxxxxxxx\n1 clk R r0 0000XXXX\n');
    expect(driven.records.map(({ fields }) => fields?.value)).toEqual([undefined, undefined]);
    expect(driven.records[0]).toMatchObject({ kind: 'read', address: '0x8000', size: 4 });
    expect(codes(driven)).toEqual({ 'unknown-digits': 2 });
  });

  test('takes the cpu from the last instruction line, across batches and blocks', () => {
    const text = ['1 clk R P0 01', '2 clk 3 IT (2) 0 46c0 T svc : nop', '2 clk MR1 0 00', '2 clk R P0 01', ''].join(
      '\n',
    );
    for (const blockBytes of [1, 7, 20, 1000]) {
      const driven = decodeAll(decoder, bytesOf(text), { blockBytes, batchRecords: 1, guess: () => decoder.initial });
      expect(driven.records.map(({ cpu }) => cpu)).toEqual([-1, 3, 3, 3]);
      expect(driven.records.map(({ flags }) => (flags & FLAG.cpuAssumed) !== 0)).toEqual([true, false, true, true]);
    }
  });
});

test('does not trust a guess with another cpu', () => {
  const lines = Array.from({ length: 40 }, (_, n) => [
    `${n} clk ${n % 3} IT (${n}) 0 46c0 T svc : nop`,
    `${n} clk R P0 01`,
  ]);
  const bytes = bytesOf(`${lines.flat().join('\n')}\n`);
  const whole = decodeAll(decoder, bytes);
  const { states } = decodeAll(decoder, bytes, { blockBytes: 100 });
  const guess = (block: number): State => ({ cpu: ((states[block]?.['cpu'] ?? 0) + 1) % 3 });
  const driven = decodeAll(decoder, bytes, { blockBytes: 100, guess });
  expect(driven.redone).toBe(states.length - 2);
  expect(driven.states).toEqual(states);
  expect(driven.records).toEqual(whole.records);
});

describe('register lines', () => {
  test.each([
    ['sp_el0 0000000000000001', 'sp_el0', '0x1'],
    ['X30 0000000000ABCDEF', 'X30', '0xabcdef'],
    ['$t0 00000002', '$t0', '0x2'],
    ['v0 00000000_00000001_00000000_00000000', 'v0', '0x10000000000000000'],
    ['cpsr 1220023cd', 'cpsr', '0x1220023cd'],
  ])('reads R %s', (text, register, value) => {
    expect(onlyRecord(`1 clk R ${text}`).fields).toMatchObject({ kind: 'register', register, text: register, value });
  });

  test('has no address and no size', () => {
    const record = onlyRecord('1 clk R r0 00000001');
    expect(record).toMatchObject({ address: '', size: 0 });
  });
});

describe('times', () => {
  test.each([
    ['-1', -1],
    ['0', 0],
    ['007', 7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['-18446744073709551615', '-18446744073709551615'],
  ])('reads time %s', (text, time) => {
    const record = onlyRecord(`${text} clk R r0 00000001`);
    expect(record.fields?.time).toBe(time);
    expect((record.flags & FLAG.wideTime) !== 0).toBe(typeof time === 'string');
  });

  test('accepts decreasing times', () => {
    const driven = drive('9 clk R P0 01\n3 clk R P0 01\n-1 clk R P0 01\n');
    expect(driven.records.map(({ time }) => time)).toEqual([9, 3, -1]);
    expect(codes(driven)).toEqual({});
  });

  test('marks another time unit', () => {
    expect(onlyRecord('5 ns R r0 00000001').fields?.flags).toEqual(['unit-ns', 'cpu-assumed']);
  });
});

describe('line ends and lines of other kinds', () => {
  test('excludes CRLF, blanks and tabs at the end from all fields', () => {
    const driven = drive(
      '1 clk R r0 00000001\r\n2 clk MR4 00008000 00000002 \t\r\n3 clk 0 IT (3) 0 46c0 T svc : nop \r\n',
    );
    expect(driven.records.map(({ start, end }) => end - start)).toEqual([21, 31, 36]);
    expect(driven.records.map(({ kind }) => kind)).toEqual(['register', 'read', 'instruction']);
    expect(driven.records[2]?.fields?.text).toBe('nop');
    expect(codes(driven)).toEqual({});
  });

  test('reads blank lines as gaps', () => {
    const driven = drive('\n1 clk R P0 01\n \t\r\n\n');
    expect(driven.gaps).toEqual([
      { name: 'blank', start: 0, end: 1 },
      { name: 'blank', start: 15, end: 19 },
      { name: 'blank', start: 19, end: 20 },
    ]);
    expect(codes(driven)).toEqual({});
  });

  test('reads the record after more blank lines than a batch holds', () => {
    const driven = decodeAll(decoder, bytesOf(`${'\n'.repeat(50)}1 clk R P0 01\n`), { batchRecords: 4 });
    expect(driven.gaps).toHaveLength(50);
    expect(driven.records).toMatchObject([{ kind: 'register', start: 50 }]);
  });

  test.each([
    '----------------',
    'IN: main',
    '0x00008000:  e59f0060  ldr      r0, [pc, #96]',
    'unimp device: write 0x4',
    '1 clk MR 00008000 00000000',
    '1 clk MR4Q 00008000 00000000',
    '1 clk MR40000 00008000 00',
    '1 clk MR4 10000000000000000 00000000',
    '1 clk 0 IT (a) 00008000 46c0 T svc : nop',
    '1 clk 0 IT () 00008000 46c0 T svc : nop',
    '1 clk 0 IT (1 00008000 46c0 T svc : nop',
    '1 clk 0 IT (1) 00008000 46c0 svc : nop',
    '1 clk 0 IT (1) 00008000',
    '1 clk 0 IT (1) 00008000  A svc : nop',
    '1 clk 0 IT (1)  A svc : nop',
    'T 00000001  IT 00008000 e59f0060 LDR',
    'BNR4O___ 00008000 E59F0060',
    '\u0000\u0000\u0000',
  ])('keeps %j as text and counts it', (line) => {
    const driven = drive(`1 clk R P0 01\n${line}\n2 clk R P0 01\n`);
    expect(driven.records.map(({ kind }) => kind)).toEqual(['register', 'other', 'register']);
    expect(driven.records[1]?.fields).toEqual({ kind: 'other', native: 'OTHER', text: line });
    expect(byCode(driven.diagnostics)).toEqual([{ code: 'unknown-line', count: 1, firstOffset: 14, firstRecord: 1 }]);
  });

  test('skips a byte order mark before the first line', () => {
    expect(onlyRecord('\ufeff1 clk R r0 00000001').fields).toMatchObject({ time: 1, register: 'r0' });
  });

  test('reads a whole last line without a line end', () => {
    const driven = drive('1 clk R r0 00000001');
    expect(driven.records[0]).toMatchObject({ kind: 'register', end: 19 });
    expect(codes(driven)).toEqual({});
  });

  test('keeps and counts a truncated last line', () => {
    const driven = drive('1 clk R r0 00000001\n2 clk MW4 0000');
    expect(driven.records[1]?.fields).toEqual({
      kind: 'other',
      native: 'OTHER',
      text: '2 clk MW4 0000',
      flags: ['malformed'],
    });
    expect(driven.diagnostics).toEqual([
      { code: 'cut-line', shape: '# clk MW4 #', count: 1, firstOffset: 20, firstRecord: 1 },
      { code: 'lost-address', shape: '# clk MW4 #', count: 1, firstOffset: 20, firstRecord: 1 },
    ]);
  });

  test.each([
    ['3 clk Mx4 20000010 00000011', { kind: 'write', address: '0x20000010', size: 4 }, 'lost-word'],
    ['3 clk 20000010 0011', { kind: 'write', address: '0x20000010', size: 2 }, 'lost-word'],
    [
      '3 clk cpu0 M?8 0000000020000010 0000000000000011',
      { kind: 'write', address: '0x20000010', size: 8 },
      'lost-word',
    ],
    ['4 clk R 00000011', { kind: 'register', register: '*' }, 'lost-register'],
    ['4 clk R r? 00000011', { kind: 'register', register: '*' }, 'lost-register'],
    ['4 clk cpu0 R r 00000011', { kind: 'register', register: '*' }, 'lost-register'],
    ['5 clk ? r0 00000011', { kind: 'register', register: 'r0' }, 'lost-word'],
    ['5 clk X0 0000000000000011', { kind: 'register', register: 'X0' }, 'lost-word'],
  ])('leaves no older value of what %j may set', (line, fields, code) => {
    const { records, diagnostics } = drive(`1 clk R r0 00000001\n${line}\n`);
    expect(records[1]?.fields).toMatchObject(fields);
    expect(records[1]?.fields?.value).toBeUndefined();
    expect(diagnostics.map((each) => each.code)).toEqual([code]);
  });

  test.each([
    ['a write without a readable address', '1 clk MW4 2000g010 00000008', true],
    ['a write whose address is not known', '1 clk MW4 xxxxxxxx 00000009', true],
    ['a write without an address', '1 clk MW4', true],
    ['a read without a readable address', '1 clk MR4 2000g010 00000008', false],
    ['text that begins with the word of a write', 'MW4 is the word of a write', false],
  ])('counts a lost address only for writes: %s', (_, line, isLost) => {
    const { diagnostics } = drive(`1 clk R r0 00000001\n${line}\n`);
    expect(diagnostics.some(({ code }) => code === 'lost-address')).toBe(isLost);
  });

  test.each([LONG_LINE, LONG_LINE + 1, 3 * LONG_LINE])('limits a line of %i bytes', (bytes) => {
    const head = '1 clk 0 IT (1) 00008000 46c0 T svc : ';
    const long = `${head}${'x'.repeat(bytes - head.length - 1)}\n`;
    for (const blockBytes of [100, LONG_LINE, 10 * LONG_LINE]) {
      const text = `1 clk R P0 01\n${long}2 clk R P0 01\n`;
      const driven = decodeAll(decoder, bytesOf(text), { blockBytes, describe: () => true });
      expect(driven.records.map(({ start }) => start)).toEqual([0, 14, 14 + bytes]);
      if (bytes <= LONG_LINE) {
        expect(driven.records[1]?.fields?.text).toHaveLength(bytes - head.length - 1);
        expect(codes(driven)).toEqual({});
      } else {
        expect(driven.records[1]?.fields).toMatchObject({ kind: 'other', flags: ['malformed', 'text-cut'] });
        expect(driven.records[1]?.fields?.text).toHaveLength(LONG_LINE);
        expect(codes(driven)).toEqual({ 'long-line': 1 });
      }
    }
  });
});

test('does not truncate a last line of exactly the maximum length', () => {
  const driven = drive('x'.repeat(LONG_LINE));
  expect(driven.records[0]?.fields?.flags).toEqual(['malformed']);
  expect(codes(driven)).toEqual({ 'cut-line': 1 });
});

test('names the bytes of a line by field', () => {
  const text = '53 clk 0 IT (53) 00008068 e59f0060 A svc_ns : ldr r0, [pc]';
  expect(onlyRecord(text).spans?.map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual([
    ['time', '53'],
    ['unit', 'clk'],
    ['cpu', '0'],
    ['kind', 'IT'],
    ['id', '53'],
    ['address', '00008068'],
    ['opcode', 'e59f0060'],
    ['isa', 'A'],
    ['mode', 'svc'],
    ['security', 'ns'],
    ['text', 'ldr r0, [pc]'],
  ]);
  const access = '7 clk MW4X 00008068 000000ff';
  expect(
    onlyRecord(access).spans?.map(({ name, start, end, text: meaning }) => [name, access.slice(start, end), meaning]),
  ).toEqual([
    ['time', '7', '7'],
    ['unit', 'clk', 'clk'],
    ['kind', 'MW4', 'write'],
    ['attribute', 'X', 'privileged'],
    ['address', '00008068', '0x8068'],
    ['value', '000000ff', '0xff'],
  ]);
});

describe('settings', () => {
  test('has defaults', () => {
    expect(decoder.settings).toEqual({ dialect: 'qemu4v', endian: 'little', numbers: 'instructions', unit: 'clk' });
    expect(decoder.dialect).toBe('qemu4v');
  });

  test('keeps given settings', () => {
    const opened = tarmac.open({ endian: 'big' });
    expect(opened.ok && opened.value.settings).toEqual({
      dialect: 'qemu4v',
      endian: 'big',
      numbers: 'instructions',
      unit: 'clk',
    });
  });

  test.each([
    ['unknown-value', { dialect: 'arm' }, 'tarmac cannot read dialect=arm: choose qemu4v, fastmodels, es, gem5 or rtl'],
    ['unknown-value', { endian: 'middle' }, 'tarmac cannot read endian=middle: choose little or big'],
    ['unknown-option', { base: '0' }, 'tarmac has no option base: it has dialect, endian, numbers and unit'],
  ])('refuses %s: %j', (code, settings: Readonly<Record<string, string>>, message) => {
    expect(tarmac.open(settings)).toEqual({ ok: false, error: { code, message } });
  });
});

function open(): Decoder {
  const opened = tarmac.open({});
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function drive(text: string): Driven {
  return decodeAll(decoder, bytesOf(text), { describe: () => true });
}

/** The only record of a file of one line. */
function onlyRecord(line: string): DrivenRecord {
  const { records } = drive(`${line}\n`);
  expect(records).toHaveLength(1);
  return records[0]!;
}

function codes(driven: Driven): Readonly<Record<string, number>> {
  return Object.fromEntries(byCode(driven.diagnostics).map(({ code, count }) => [code, count]));
}
