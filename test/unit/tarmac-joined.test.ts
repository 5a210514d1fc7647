/**
 * Lines that damage joined to the next line. A part whose value, name or word is lost makes its register or its bytes unknown, every part
 * reads the same from its own bytes alone, and no part takes its value from the time of the next record.
 */
import { describe, expect, test } from 'vitest';
import type { Decoder } from '../../shared/format/format.ts';
import type { Dialect } from '../../shared/formats/tarmac/line/line.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { decodeAll } from '../laws/drive.ts';
import { columns } from '../laws/same.ts';

/** The bytes of a record, and what it sets: `r3=?` and `0x20000010=?` if it is unknown; its kind if it sets nothing. */
type Part = readonly [bytes: string, sets: string];

/** A decoder's dialect, the lines before the damaged one, and the parts of the damaged line. */
type Case = readonly [name: string, dialect: Dialect, before: string, parts: readonly Part[]];

const NEXT: Part = ['12345678 clk 0 IT (12345678) 00008068 e59f0060 A svc_s : LDR r0,[pc,#0x60]\n', 'instruction'];
const CALL = '501 clk cpu0 IT (3) 002105d8 940000f8 O EL3h_s : BL k ';
const MOVE: Part = ['502 clk cpu0 IT (4) 002105dc d2800000 O EL3h_s : MOV X0,#0\n', 'instruction'];
const STORE = '  7 tic ST 000ffb80  0002077c 000ffb98 ........ ........  S:00000ffb80  NM\n';
const STEP: Part = ['8 tic ES (00000004:e59ff018) A svc: LDR pc,{pc}+0x20\n', 'instruction'];

describe('a joined line', () => {
  test.each<Case>([
    // Without a value, the lost bytes may begin within the name.
    ['that lost a value', 'qemu4v', '', [['53 clk R r3 ', '*=?'], NEXT]],
    [
      'that lost a part of a value',
      'qemu4v',
      '',
      [
        ['53 clk R r3 0000', 'r3=?'],
        ['R r4 00000005\n', 'r4=0x5'],
      ],
    ],
    ['that lost the data of a write and a time', 'qemu4v', '', [['53 clk MW4 20000010 ', '0x20000010=?'], MOVE]],
    // The value was 0000000? and the next line began with cpu0.
    [
      'whose value ends with the source of the next line',
      'gem5',
      '',
      [
        ['53 clk cpu0 R cpsr 00000000 ', 'cpsr=?'],
        ['R X1 0000000000000005\n', 'X1=0x5'],
      ],
    ],
    [
      'whose data ends with the source of the next line',
      'qemu4v',
      '',
      [
        ['53 clk MW4 20000010 00000000 ', '0x20000010=?'],
        ['IT (12) 00008068 e59f0060 A svc_s : NOP\n', 'instruction'],
      ],
    ],
    [
      'with a part of a value before a word',
      'rtl',
      '',
      [
        ['12.5 us R r1 0', '*=?'],
        ['W04 X ffffffbdc3c15c30 010c010b\n', '0xffffffbdc3c15c30=0x10c010b'],
      ],
    ],
    [
      'with fields before the address',
      'rtl',
      '',
      [
        ['R r1 00 ', '*=?'],
        ['MNW4____ (00000050:000000a8) 05011000 00000003\n', '0x5011000=0x3'],
      ],
    ],
    [
      'with a part of a bank',
      'es',
      '',
      [
        ['R R0 (US           ', '*=?'],
        ['R SP_SVC 00001ff4\n', 'SP_SVC=0x1ff4'],
      ],
    ],
    [
      'with a part of a bank behind the value',
      'rtl',
      '',
      [
        ['9 us R r13 002047f8 (M', '*=?'],
        ['R r4 00000005\n', 'r4=0x5'],
      ],
    ],
    [
      'with the addresses of an instruction behind the name',
      'es',
      '',
      [['   R CPSRES  (00000090:e5d02001) A svc: LDRB\n', '*=?']],
    ],
    [
      'whose bytes end before the word of an exception',
      'es',
      '',
      [['   ST 00000ff0  ........ ........ 00000000 000000fc ES  Reset\n', '0xff0=?']],
    ],
    ['with digits before R', 'fastmodels', '', [['000R P0 a682\n', 'P0=0xa682']]],
    [
      'with a part of a unit behind the name',
      'gem5',
      '',
      [
        ['2250 clk cpu0 R cpsrk cpu0 ', '*=?'],
        ['R X30 00000000002105e0\n', 'X30=0x2105e0'],
      ],
    ],
    [
      'with R behind the name',
      'qemu4v',
      '',
      [
        ['-1 clk R x3', '*=?'],
        ['R wide_time 00000001\n', 'wide_time=0x1'],
      ],
    ],
    [
      'with the word of an instruction behind the name',
      'gem5',
      '',
      [
        ['2250 clk cpu0 R c', '*=?'],
        ['IT (1) 002109c0 d2800000 O EL1h_ns : MOV X0,#0\n', 'instruction'],
      ],
    ],
    [
      'with a register in place of the instruction set',
      'gem5',
      '',
      [['501 clk cpu0 IT (3) 002105d8 94 R X30 00000000002105e0\n', 'X30=0x2105e0']],
    ],
    [
      'with a register in place of the mode',
      'gem5',
      '',
      [
        ['501 clk cpu0 IT (3) 002105d8 940000f8 O ', 'instruction'],
        ['R X30 00000000002105e0\n', 'X30=0x2105e0'],
      ],
    ],
    ['without its first bytes', 'qemu4v', '', [['R r0 3fd16493\n', 'r0=0x3fd16493']]],
    ['with a digit of a time before R', 'qemu4v', '', [['5R r14 00008654\n', 'r14=0x8654']]],
    ['with a register behind a damaged access', 'qemu4v', '', [['53 clk MW4 200R r0 00000005\n', 'r0=0x5']]],
    ['that lost the data of a write', 'qemu4v', '', [['53 clk MW4 20000010 ', '0x20000010=?'], NEXT]],
    ['that lost a value behind a damaged word', 'qemu4v', '', [['53 clk ? r3 ', '*=?'], NEXT]],
    ['that lost name and value', 'qemu4v', '', [['53 clk R ', '*=?'], NEXT]],
    [
      'with a register in place of the time',
      'gem5',
      '',
      [
        [CALL, 'instruction'],
        ['R X30 ', '*=?'],
        [MOVE[0].replace('502', '00000000502'), 'instruction'],
      ],
    ],
    ['with a damaged value', 'gem5', '', [[CALL, 'instruction'], ['R X30 ?000 ', 'X30=?'], MOVE]],
    ['with a damaged value and a time', 'gem5', '', [[CALL, 'instruction'], ['501 clk R X30 ?000 ', 'X30=?'], MOVE]],
    ['with a damaged name', 'gem5', '', [[CALL, 'instruction'], ['R X?0 ', '*=?'], MOVE]],
    [
      'with a value at its end',
      'gem5',
      '',
      [
        [CALL, 'instruction'],
        ['R X30 00?\n', 'X30=?'],
      ],
    ],
    [
      'with nothing before the time but R',
      'rtl',
      '',
      [
        ['R   ', '*=?'],
        ['17 us MW4_D 002047f8 00000000\n', '0x2047f8=0x0'],
      ],
    ],
    [
      'with a damaged start and an instruction',
      'qemu4v',
      '',
      [['5? clk 0 IT 54 clk 0 IT (54) 00008068 e59f0060 A svc_s : MOV 55 clk R r0 00000005\n', 'r0=0x5']],
    ],
    ['that lost the bytes of a store', 'es', '', [['  7 tic ST 000ffb80 ', '0xffb80=?'], STEP]],
    ['that lost the bytes of a continued store', 'es', STORE, [['    000ffb90 ', '0xffb90=?'], STEP]],
    [
      'with a register behind the data of a continued store',
      'es',
      STORE,
      [
        ['    000ffb90  3e000a73 ........ ........ ........     ', '0xffb9c=0x3e000a73'],
        ['R X9 0000000000000009\n', 'X9=0x9'],
      ],
    ],
  ])('%s', (_name, dialect, before, parts) => {
    const decoder = open(dialect);
    const bytes = new TextEncoder().encode(before + parts.map(([text]) => text).join(''));
    // `decodeAll` compares each record's columns with its description.
    const whole = decodeAll(decoder, bytes, { describe: () => true });
    const found = whole.records
      .filter(({ start }) => start >= before.length)
      .map(({ start, end, kind, address, fields }) => {
        const name = kind === 'write' ? address : fields?.register;
        const text = new TextDecoder().decode(bytes.subarray(start, end));
        return [text, name === undefined ? kind : `${name}=${fields?.value ?? '?'}`];
      });
    expect(found).toEqual(parts);
    for (let blockBytes = 1; blockBytes < bytes.length; blockBytes++) {
      const inBlocks = decodeAll(decoder, bytes, { blockBytes, batchRecords: 1, guess: () => decoder.initial });
      expect(columns(inBlocks)).toEqual(columns(whole));
    }
  });
});

test.each<readonly [name: string, dialect: Dialect, text: string]>([
  ['a damaged address behind an instruction', 'gem5', `${CALL}501 clk MW4 200?0010 00000000\n`],
  [
    'a damaged address of a store behind a branch',
    'es',
    'BR (00000080) A    ST 000f?b80  0002077c 000ffb98 ........ ........\n',
  ],
  ['an address without data', 'qemu4v', '53 clk MW4 00010010 clk R t1 00000011\n'],
  [
    'an address with the source of the next line',
    'qemu4v',
    '53 clk MW4 0004000 0 IT (12) 00008068 e59f0060 A svc_s : NOP\n',
  ],
  ['a store without data', 'es', '   ST 00000000988    R X1 0000000000000005\n'],
])('%s is reported', (_name, dialect, text) => {
  const { diagnostics } = decodeAll(open(dialect), new TextEncoder().encode(text), { describe: () => true });
  expect(diagnostics.map(({ code }) => code)).toContain('lost-address');
});

test('a record that follows the address of a write by one blank keeps its time and its processor', () => {
  const bytes = new TextEncoder().encode(`53 clk MW4 20000010 ${NEXT[0]}`);
  expect(decodeAll(open('qemu4v'), bytes).records[1]).toMatchObject({ kind: 'instruction', time: 12345678, cpu: 0 });
});

test('a line of QEMU4V without a time is reported', () => {
  const bytes = new TextEncoder().encode('R r0 3fd16493\n1 clk R r1 00000001\n');
  const { diagnostics } = decodeAll(open('qemu4v'), bytes);
  expect(diagnostics).toMatchObject([{ code: 'lost-time', count: 1, firstRecord: 0 }]);
});

test.each<Dialect>(['qemu4v', 'gem5', 'fastmodels'])(
  'the instruction set R is described as decoded in %s',
  (dialect) => {
    const line = CALL.replace(' O EL3h_s', ' R EL3h_s');
    const { records } = decodeAll(open(dialect), new TextEncoder().encode(`${line}\n`), { describe: () => true });
    expect(records.length).toBeGreaterThan(0);
  },
);

test('a sentence that begins with R is text', () => {
  const bytes = new TextEncoder().encode('R is short for register\n');
  expect(decodeAll(open('rtl'), bytes).records.map(({ kind }) => kind)).toEqual(['other']);
});

test('a time of eight digits after a store continues nothing', () => {
  const bytes = new TextEncoder().encode(`${STORE}  12345678 tic ES (00000000:--------) A svc:\n`);
  const [, event] = decodeAll(open('es'), bytes, { describe: () => true }).records;
  expect(event).toMatchObject({ kind: 'event', time: 12345678 });
});

test('a line that could continue a store, but follows none, is described as decoded', () => {
  const text = '   000ffb90 00000000 00000007 ........ ........   ST 000ffb20 00000001 ........ ........ ........\n';
  const [store] = decodeAll(open('es'), new TextEncoder().encode(text), { describe: () => true }).records;
  expect(store).toMatchObject({ kind: 'write', address: '0xffb2c', fields: { address: '0xffb2c' } });
});

function open(dialect: Dialect): Decoder {
  const opened = tarmac.open({ dialect });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
