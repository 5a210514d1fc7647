/** Detection of QEMU4V text, with its confidence. */
import { expect, test } from 'vitest';
import { HEAD_BYTES } from '../../shared/format/format.ts';
import type { Claim } from '../../shared/format/format.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';

const TRACE = [
  '1 clk 0 IT (1) 00008000 e59f0060 A svc : ldr r0, [pc, #0x60]',
  '1 clk MR4 00008068 0007c000',
  '1 clk R r0 0007c000',
  '2 clk 0 IT (2) 00008004 e59f1060 A svc : ldr r1, [pc, #0x60]',
  '2 clk MR4 0000806c 0007d000',
  '2 clk R r1 0007d000',
];
const LOG = ['----------------', 'IN: main', '0x00008000:  e59f0060  ldr      r0, [pc, #96]', ''];

test('claims a trace and lists its reasons', () => {
  expect(sniff(TRACE)).toEqual({
    confidence: 0.98,
    dialect: 'qemu4v',
    options: {},
    reasons: [
      '6 of the first 6 lines are instruction, memory or register records',
      'instruction lines have a bare cpu number after the time unit',
    ],
  });
});

test.each(TRACE.slice(0, 3))('claims a file with the one line %s', (line) => {
  for (const text of [line, `${line}\n`, `${line}\r\n`]) expect(confidence([text])).toBeGreaterThanOrEqual(0.7);
});

test('claims a trace after a long emulator log', () => {
  const log = Array.from({ length: 700 }, () => LOG).flat();
  expect(confidence([...log, ...TRACE])).toBeGreaterThan(0.8);
});

test('claims a head of emulator log with a single record', () => {
  const log = Array.from({ length: 700 }, () => LOG).flat();
  expect(confidence([...log, TRACE[0]!])).toBeGreaterThan(0.8);
});

test('claims a head that is only emulator log as a guess', () => {
  const log = Array.from({ length: 3000 }, () => LOG).flat();
  const claim = sniff([...log, ...TRACE]);
  expect(claim?.confidence).toBeGreaterThan(0);
  expect(claim?.confidence).toBeLessThan(0.5);
  expect(claim?.reasons.join()).toContain('emulator log');
});

test('ignores a line that the end of the head truncates', () => {
  const text = `${TRACE.join('\n')}\n`.repeat(400);
  const bytes = new TextEncoder().encode(text).subarray(0, HEAD_BYTES - 5);
  const claim = tarmac.sniff({ bytes, size: text.length });
  expect(claim?.confidence).toBe(0.98);
  expect(claim?.reasons[0]).toMatch(/^(\d+) of the first \1 lines/);
});

test.each([
  ['qemu4v', TRACE],
  ['fastmodels', TRACE.map((line) => line.replace('clk 0 ', 'clk cpu0 '))],
  ['fastmodels', TRACE.map((line) => line.replace('clk 0 ', 'clk '))],
  ['es', ['0 clk ES (00008000:e59f0060) A svc: ldr r0,[pc]', '      R r0 0007c000']],
  ['es', ['Tarmac Text Rev 3t']],
  ['rtl', ['1234 ns MNR4O__I 00000534 7800491d', '1240 ns BNR4O__I 00000538 00000000']],
  ['rtl', ['271ns MR4_D 00000000 00204800', '300ns IT 0000010a b510        PUSH     {r4,lr}']],
  ['gem5', ['0 clk IT (1) 0010 d2a00200 O EL3h_s :   MOVZ   X0', '250 clk IT (2) 0014 9100001f O EL3h_s :   ADD   SP']],
])('names the writer %s by its lines', (dialect, lines) => {
  const claim = sniff(lines);
  expect(claim?.dialect).toBe(dialect);
  expect(claim?.confidence).toBeGreaterThan(0.5);
});

test.each([
  ['es', ['  ES (00001000:2000) T thrd: MOVS r0,#0', '          R R0 00000000']],
  ['es', ['  ES (00001000:--------) T thrd:']],
  ['es', ['  LD 00000020 ........ ........ ........ 00000080 0000000020 NM', '  R R0 00000080']],
  ['rtl', ['IT 00001000 2000 T16 MOVS r0,#0', 'IS 00001006 2002 T16 MOVS r0,#2']],
  ['rtl', ['IT (00001000:00000001) 00001000 f7ffffcb T32 BL 0xf9a', 'MNR4O__I 00001000 f7ffffcb']],
  [
    'rtl',
    [
      'IT (00001000:00000001) 00001000 4808 T16 LDR r0,[pc,#32]',
      'MNR4____ 00001024 20000010',
      'BNR4___D 00001024 10000020',
      'MNW4___D 20000010 07000000',
    ],
  ],
  ['fastmodels', ['cpu0 IT (1) 00008000 e59f0060 A svc_s : LDR r0,[pc]', 'cpu0 R r0 00000001']],
])('names the writer %s of lines without a time', (dialect, lines) => {
  const claim = sniff(lines);
  expect(claim?.dialect).toBe(dialect);
  expect(claim?.confidence).toBeGreaterThan(0.5);
});

test.each([
  ['es', ['R r0 00000001', 'MR4 00001000 00000001']],
  ['rtl', ['MNR4O__I 00000534 7800491d', 'BNR4O__I 00000538 00000000']],
  ['es', ['0 tic ES EXC [0x00] Reset', '   R X9 0000000000000009']],
])('chooses the dialect %s of records without a time if the user names the format', (dialect, lines) => {
  const bytes = new TextEncoder().encode(lines.join('\n'));
  expect(tarmac.sniff({ bytes, size: bytes.length }, true)?.dialect).toBe(dialect);
});

test.each([
  [['12 ps IT (1) 00008000 46c0 T svc_s : nop'], { unit: 'ps' }],
  [['12 clk IT (1) 00008000 46c0 T svc_s : nop'], {}],
  [['271ns R r13 20001fff (MSP)'], { unit: 'ns' }],
])('for %j, suggests %j', (lines, options) => {
  expect(sniff(lines)?.options).toEqual(options);
});

test('claims prose that quotes a few lines only as a guess', () => {
  const prose = Array.from({ length: 60 }, (_, n) => `Line ${n} says something about traces.`);
  expect(confidence([...prose, TRACE[0]!, ...prose, TRACE[1]!])).toBeLessThan(0.5);
});

test.each([
  ['nothing', []],
  ['blank lines', ['', '   ', '']],
  ['prose', ['A trace has records of several kinds.', 'They are listed here.']],
  [
    'an ARM tracer log',
    [
      'Date: Fri',
      'Source: Armul',
      'BNR4O___ A0000000 00000C1E',
      'MNR4O___ 00008008 E1A00000',
      'IT 00008008 e1a00000 NOP',
    ],
  ],
  ['RTL accesses without times', ['MNR4O__I 00000534 7800491d', 'BNR4O__I 00000538 00000000']],
  ['binary', ['\u0000\u0001\u0002\u0003'.repeat(30), ...TRACE]],
])('does not claim %s', (_, lines) => {
  expect(sniff(lines)).toBeUndefined();
});

function sniff(lines: readonly string[]): Claim | undefined {
  const bytes = new TextEncoder().encode(lines.join('\n'));
  return tarmac.sniff({ bytes: bytes.subarray(0, HEAD_BYTES), size: bytes.length });
}

function confidence(lines: readonly string[]): number {
  return sniff(lines)?.confidence ?? 0;
}
