/**
 * Tracer lines that lost the bytes from a value to the start of the next line. A part whose value or name is lost makes its registers or
 * its bytes unknown, every part reads the same in all blocks, and no part takes its value from the time stamp of the next record.
 */
import { describe, expect, test } from 'vitest';
import type { Decoder } from '../../shared/format/format.ts';
import { armtracer } from '../../shared/formats/armtracer/armtracer.ts';
import { decodeAll, type Driven, type DrivenRecord } from '../laws/drive.ts';
import { columns } from '../laws/same.ts';

/** The bytes of a record, and what it sets: `r3=?` and `0x8000=?` if it is unknown; its kind if it sets nothing. */
type Part = readonly [bytes: string, sets: string];

/** The parts of a damaged line, and the codes of its diagnostics. */
type Case = readonly [name: string, parts: readonly Part[], codes: readonly string[]];

const BUS: Part = ['BNW4____ 0007CFD0 00008360\n', '0x7cfd0=0x8360'];
const WIDE: Part = ['MNW8____ 0007CFD8 00000001 00000002\n', '0x7cfd8=0x200000001'];
const FETCH: Part = ['MNR4O___ 00008004 E2800001\n', 'fetch'];
const LIST: Part = ['R r1=00000002, cpsr=00000053\n', 'r1=0x2 cpsr=0x53'];
const STEP: Part = ['IT 00008004 e2800001 ADD      r0,r0,#1\n', 'instruction'];
const LOST_LIST = ['lost-register', 'lost-value'];
const LOST_DATA = ['data-size', 'lost-address', 'lost-value'];

describe('a joined line', () => {
  test.each<Case>([
    ['with a part of a value', [['R r0=0000', '*=? r0=?'], BUS], LOST_LIST],
    ['without a value', [['R r0=', '*=? r0=?'], FETCH], LOST_LIST],
    ['without a sign', [['R r0', '*=?'], BUS], ['lost-register']],
    ['without the end of a list', [['R r0=00000001, r1=00', '*=? r0=0x1 r1=?'], BUS], LOST_LIST],
    ['with a value that may end a list', [['R r0=00000001', '*=? r0=?'], WIDE], LOST_LIST],
    ['with a part of a coprocessor register', [['RCP p15c1=0x00004000', '*=? p15c1=?'], LIST], LOST_LIST],
    ['with an instruction behind a value', [['R r0=0000', '*=? r0=?'], STEP], LOST_LIST],
    ['with a cycle behind a value', [['R r0=0000MI\n', '*=? r0=?']], LOST_LIST],
    [
      'with an event behind a value',
      [['R r0=000000E 00008000 00000000 10002\n', '*=? r0=?']],
      [...LOST_LIST, 'register-list'],
    ],
    ['with an event behind a name', [['R r0E 00008000 00000000 10002\n', '*=?']], ['lost-register']],
    ['with a part of the data', [['MNW4____ 0007CFD0 0000', '0x7cfd0=?'], BUS], LOST_DATA],
    ['with a list behind the data', [['MNW4____ 0007CFD0 0000', '0x7cfd0=?'], LIST], LOST_DATA],
    ['without data', [['MNW4____ 0007CFD0 ', '0x7cfd0=?'], LIST], ['lost-address', 'missing-data']],
    [
      'with data that may lack an outcome',
      [['MNW4____ 0007CFD0 00000001', '0x7cfd0=?'], WIDE],
      ['lost-address', 'lost-value'],
    ],
    ['with data and an outcome', [['MNW4____ 0007CFD0 00000001 (peek)', '0x7cfd0=0x1'], WIDE], []],
    [
      'with an event behind a part of the second word',
      [['MNW8____ 0007CFD0 0000000E 00008000 00000000 10002\n', '0x7cfd0=?']],
      ['lost-address', 'lost-value', 'trailing-text'],
    ],
    [
      'with a part of an address',
      [['MNW4____ 0007CFBNW4____ 0007CFD0 00008360\n', '0x7cfd0=0x8360']],
      ['leading-text', 'lost-address'],
    ],
    [
      'with an access in the pipeline',
      [
        ['MNR4O___ 0000800C E1A00000 pipe err MSR4O___ 00008010', 'fetch'],
        ['MNW4____ 00010000 00000001\n', '0x10000=0x1'],
      ],
      [],
    ],
    ['with a header line', [['Options: Trace InsBNW4____ 0007CFD0 00008360\n', '0x7cfd0=0x8360']], ['leading-text']],
    ['with a part of a disassembly', [['IT 00008000 e5910000 LDR      r0,[r1,#', 'instruction'], BUS], []],
    ['with the mnemonic of a disassembly', [['IT 00008000 e5910000 LDR', 'instruction'], LIST], []],
    ['with a part of an opcode', [['IT 00008000 e28f ', 'other'], BUS], ['unknown-line']],
    ['with a part of an event number', [['E 00008000 00000000 1', 'event'], BUS], ['event-number']],
  ])('%s', (_name, parts, codes) => {
    expectParts(parts, codes);
  });
});

describe('a time stamp', () => {
  test('that lost its start gives no value', () => {
    const next: Part = ['MNW4____ 00008004 00000001\n', '0x8004=0x1'];
    expectParts([['R r0=0000000C  ', '*=? r0=?'], next], LOST_LIST);
    expectParts([['MNW4____ 00008000 0000000C  ', '0x8000=?'], next], ['lost-address', 'lost-value']);
    expectParts([['MNW4____ 00008000 0000000C  MI\n', '0x8000=?']], ['lost-address', 'lost-value', 'trailing-text']);
  });

  test('that is whole gives the time of the record behind it', () => {
    const { records } = decode(
      'T 00000010  MNW4____ 00008000 T 00000018  MNW4____ 00008004 00000001\n            MI\n',
    );
    expect(records.map(({ time }) => time)).toEqual([0x10, 0x18, 0x18]);
  });

  test('that is lost leaves no older time', () => {
    const { records } = decode('T 00000010  MI\nMNW4____ 00008000 000C  MNW4____ 00008004 00000001\n            MI\n');
    expect(records.map(({ time }) => time)).toEqual([0x10, Number.NaN, Number.NaN, Number.NaN]);
  });
});

test.each([
  'R is short for register',
  'LDR r0, =0x12345678',
  'EXIT 00008000 times',
  'a long wait 00008000 e2800001 times',
])('is text: %s', (text) => {
  expect(decode(`${text}\n`).records.map(({ kind }) => kind)).toEqual(['other']);
});

/** Expects the parts and the codes, whether the fast pass or the other one reads the lines around them, for every size of blocks. */
function expectParts(parts: readonly Part[], codes: readonly string[]): void {
  const line = parts.map(([bytes]) => bytes).join('');
  const { records, diagnostics } = decode(line);
  expect(records.map((record) => [line.slice(record.start, record.end), setsOf(record)])).toEqual(parts);
  expect([...new Set(diagnostics.map(({ code }) => code))]).toEqual(codes);
  // Long lines behind the damaged one let the fast pass begin with it.
  const bytes = new TextEncoder().encode(STEP[0] + line + STEP[0].repeat(4));
  const whole = decodeAll(DECODER, bytes);
  expect(whole.records.slice(1, -4).map(({ kind, value }) => [kind, value])).toEqual(
    records.map(({ kind, value }) => [kind, value]),
  );
  for (let blockBytes = 1; blockBytes < bytes.length; blockBytes++)
    expect(columns(decodeAll(DECODER, bytes, { blockBytes, batchRecords: 1 }))).toEqual(columns(whole));
}

function setsOf({ kind, address, fields }: DrivenRecord): string {
  if (fields?.registers !== undefined)
    return fields.registers.map(([name, value]) => `${name}=${value ?? '?'}`).join(' ');
  return kind.endsWith('write') ? `${address}=${fields?.value ?? '?'}` : kind;
}

function decode(text: string): Driven {
  return decodeAll(DECODER, new TextEncoder().encode(text), { describe: () => true });
}

const DECODER = open();

function open(): Decoder {
  const opened = armtracer.open({});
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
