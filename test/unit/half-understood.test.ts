/** Effects in lines that are understood in part: the state never keeps an older value. */
import { expect, test } from 'vitest';
import { armtracer } from '../../shared/formats/armtracer/armtracer.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import type { Format } from '../../shared/format/format.ts';
import { decodeAll } from '../laws/drive.ts';

test.each([
  ['rtl', '110 ps R r13_mn 20018000 Invoke:0 Mode:1', [{ register: 'r13_mn', value: '0x20018000' }]],
  ['rtl', '110 ps MW4 20000010 00000002 NS', [{ address: '0x20000010', size: 4, value: '0x2' }]],
  ['rtl', '110 ps MW4 20000010 0000000x', [{ address: '0x20000010', size: 4 }]],
  ['rtl', '110 ps MW4 20000010 zzzzzzzz', [{ address: '0x20000010', size: 4 }]],
  ['rtl', '110 ps R r1 0000000Z', [{ register: 'r1' }]],
  ['fastmodels', '9 clk cpu0 R X1 00000001', [{ register: 'X1' }]],
  ['fastmodels', '9 clk cpu0 R X1 0000000000000001 <- new', [{ register: 'X1', value: '0x1' }]],
  [
    'qemu4v',
    '9 clk MW4 00008000 00ff',
    [{ address: '0x8000', size: 4, value: '0xff', flags: expect.arrayContaining(['data-size']) as unknown }],
  ],
  [
    'es',
    '      R R1 00000007       ST 20000010 ........ ........ ........ 00000007    S:20000010    NM NSH',
    [
      { register: 'R1', value: '0x7' },
      { kind: 'write', address: '0x20000010', size: 4, value: '0x7' },
    ],
  ],
  [
    'qemu4v',
    '9 clk 0 IT (9) 00008000 e3a01007 A svc : mov r1, #7 9 clk R r1 00000007',
    [
      { kind: 'instruction', text: 'mov r1, #7' },
      { register: 'r1', value: '0x7' },
    ],
  ],
  [
    'qemu4v',
    '9 clk 0 IT (9) 00008000 e3a01007 A svc : NOP R r1 00000007 NS',
    [
      { kind: 'instruction', text: 'NOP' },
      { register: 'r1', value: '0x7' },
    ],
  ],
  [
    'fastmodels',
    '9 clk cpu0 IT (9) 00008000 e3a01007 A svc : nop R r1 0000000x',
    [{ kind: 'instruction', text: 'nop' }, { register: 'r1' }],
  ],
  ['rtl', '340 clk MW4ED 40400004 00000007', [{ kind: 'write', address: '0x40400004', size: 4, flags: ['aborted'] }]],
  ['rtl', '380 ns MR4EI 10000000 zzzzzzzz', [{ kind: 'fetch', address: '0x10000000', size: 4 }]],
  ['rtl', '380 ns MR2ED 10000000 zzzz', [{ kind: 'read', address: '0x10000000', size: 2 }]],
] as const)('%s: %s', (dialect, line, expected) => {
  expect(fieldsOf(tarmac, { dialect }, line)).toMatchObject(expected);
});

test.each([
  [
    'R r1=00000007 MNW4____ 00008000 00000009',
    [
      // Lost bytes between the two can hold further registers.
      { registers: [['*'], ['r1']] },
      { kind: 'write', value: '0x9' },
    ],
  ],
  ['R r1=0000z007, r2=00000002', [{ registers: [['r1'], ['r2', '0x2']] }]],
  ['MW4 00008000 000000zz', [{ kind: 'write', address: '0x8000', size: 4 }]],
])('armtracer: %s', (line, expected) => {
  expect(fieldsOf(armtracer, {}, line)).toMatchObject(expected);
});

test.each([
  ['IT 00008000 e3a01007 MOV      r1, #7 R r1=00000007', { kind: 'register', register: 'r1', value: '0x7' }],
  ['IT 00008000 e3a01007 R r1=00000007', { kind: 'register', register: 'r1', value: '0x7' }],
  ['IS 00008000 1afffff9 bne  MNW4____ 00008000 00000009', { kind: 'write', address: '0x8000', value: '0x9' }],
  ['E 00008000 00000000 10002 R r1=00000007', { kind: 'register', register: 'r1', value: '0x7' }],
  ['IT 00008000 e3a01007 MOV \u00a0R r1=00000007', { kind: 'register', register: 'r1', value: '0x7' }],
])('armtracer: finds the effect in a line among many others: %s', (line, effect) => {
  const others = 'IT 00008000 e3a01007 MOV      r1, #7\n'.repeat(50);
  const records = fieldsOf(armtracer, {}, `${others}${line}\n${others}`);
  expect(records).toHaveLength(102);
  expect(records[51]).toMatchObject(effect);
});

test.each([
  ['qemu4v', '9 clk 0 IT (9) 00008000 e3a01007 A svc : nop'],
  ['rtl', '9 ps IT (00008000) 00008000 e3a01007 A svc : nop'],
  ['fastmodels', '9 clk cpu0 IT (9) 00008000 e3a01007 A svc : nop'],
  ['es', '9 clk cpu0 ES (00008000:e3a01007) A svc: nop'],
])('%s: finds the effect although the instruction ran before', (dialect, line) => {
  const lines = [line, `${line} R r1 00000007 NS`, line].join('\n');
  expect(fieldsOf(tarmac, { dialect }, lines)).toMatchObject([
    { text: 'nop' },
    { text: 'nop' },
    { register: 'r1', value: '0x7' },
    { text: 'nop' },
  ]);
});

test('keeps no value of digits that are unknown', () => {
  for (const line of [
    '110 ps MW4 20000010 0000000x',
    '110 ps R r1 0000000Z',
    '110 ps R r1 0000007',
    '110 ps MW4 20000010',
  ])
    expect(fieldsOf(tarmac, { dialect: 'rtl' }, line)[0]).not.toHaveProperty('value');
});

function fieldsOf(format: Format, settings: Readonly<Record<string, string>>, line: string) {
  const opened = format.open(settings);
  if (!opened.ok) throw new Error(opened.error.message);
  const bytes = Uint8Array.from(`${line}\n`, (character) => character.charCodeAt(0));
  return decodeAll(opened.value, bytes, { describe: () => true }).records.map(({ fields }) => fields);
}
