// `branches` as scripts read it: the promised JSON and its optional fields.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, folder, json, lines } from './driver.ts';

const path = join(folder, 'branches.txt');
writeFileSync(
  path,
  [
    '1 clk 0 IT (1) 00008000 eb000002 A svc : bl #0x8010',
    '2 clk 0 IT (2) 00008010 e12fff1e A svc : bx lr',
    '3 clk 0 IT (3) 00008004 eafffffd A svc : b #0x8000',
    '4 clk 0 IT (4) 00008000 eb000002 A svc : bl #0x8010',
    '5 clk 0 IT (5) 00008010 e12fff1e A svc : bx lr',
    '6 clk 0 IT (6) 00009000 e1a00000 A svc : nop',
    '7 clk 0 IT (7) 00008000 e1a00000 A svc : nop',
    '',
  ].join('\n'),
);
const TARMAC = [path, '--format', 'tarmac'];

test('branches counts edges, most frequent first', async () => {
  expect(await json(['branches', ...TARMAC])).toEqual([
    { source: '0x8000', target: '0x8010', kind: 'call', count: 2, inferred: false, first: 1, last: 4 },
    { source: '0x8010', target: '0x8004', kind: 'return', count: 1, inferred: false, first: 2, last: 2 },
    { source: '0x8004', target: '0x8000', kind: 'jump', count: 1, inferred: false, first: 3, last: 3 },
    { source: '0x8010', target: '0x9000', kind: 'return', count: 1, inferred: false, first: 5, last: 5 },
    { source: '0x9000', target: '0x8000', kind: 'unknown', count: 1, inferred: false, first: 6, last: 6 },
  ]);
  expect(await json(['branches', ...TARMAC, '--kind', 'jump,call', '--from', '2'])).toMatchObject([
    { kind: 'jump', count: 1 },
    { kind: 'call', count: 1 },
  ]);
});

test('branches --events prints each branch in order', async () => {
  const events = await lines(['branches', ...TARMAC, '--events', '--from', '2', '--to', '6', '--limit', '3']);
  expect(events).toEqual([
    { n: 2, source: '0x8010', target: '0x8004', kind: 'return', inferred: false, cpu: 0 },
    { n: 3, source: '0x8004', target: '0x8000', kind: 'jump', inferred: false, cpu: 0 },
    { n: 4, source: '0x8000', target: '0x8010', kind: 'call', inferred: false, cpu: 0 },
  ]);
});

test('branches prints that there are no branches', async () => {
  const straight = join(folder, 'straight.txt');
  writeFileSync(
    straight,
    '1 clk 0 IT (1) 00008000 e1a00000 A svc : nop\n2 clk 0 IT (2) 00008004 e1a00000 A svc : nop\n',
  );
  const requested = ['branches', straight, '--format', 'tarmac'];
  expect((await cli(requested)).stdout).toBe('The trace contains no branches.\n');
  expect((await cli([...requested, '--events'])).stdout).toBe('The trace contains no branches.\n');
  expect((await cli(['branches', ...TARMAC, '--kind', 'interrupt'])).stdout).toBe('No branches match.\n');
  expect(await json(requested)).toEqual([]);
  expect(await lines([...requested, '--events'])).toEqual([]);
});

test('branches omits unknown ends and adds symbols', async () => {
  const capture = join(folder, 'fast.csv');
  const row = '0,0,1,DF,00008008,084E6465F8ACC2CC';
  writeFileSync(capture, `M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]\n${`${row}\n`.repeat(40)}`);
  const symbols = join(folder, 'symbols.txt');
  writeFileSync(symbols, '00008000 T start\n');
  const [first] = await lines(['branches', capture, '--events', '--image', symbols]);
  expect(first).toEqual({
    n: 0,
    source: '0x8000',
    kind: 'unknown',
    inferred: false,
    operandSize: 32,
    sourceSymbol: 'start',
  });
});

test('branches refuses unsupported traces and wrong arguments in one line', async () => {
  const din = join(folder, 'addresses.din');
  writeFileSync(din, '2 8000\n0 1000\n'.repeat(50));
  const refused = await cli(['branches', din, '--format', 'din']);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `tracebench: ${din}: records of this format do not show where a program branched\n`,
  ]);
  expect((await cli(['branches', ...TARMAC, '--kind', 'leap'])).code).toBe(2);
  expect((await cli(['branches', ...TARMAC, '--from', '3', '--to', '2'])).code).toBe(2);
});

test.each([
  [
    'LETP, WLS and BXAUT',
    [
      '10 clk IT (10) 00001000 b510 T thread_s : PUSH {r4,lr}',
      '11 clk IT (11) 00001002 f000f87d T thread_s : BL 0x1100',
      '11 clk R r14 00001007',
      '12 clk IT (12) 00001100 f3af800d T thread_s : PACBTI r12,lr,sp',
      '12 clk R r12 12345678',
      '13 clk IT (13) 00001104 2003 T thread_s : MOVS r0,#3',
      '14 clk IT (14) 00001106 f040c007 T thread_s : WLS LR,r0,0x1118',
      '14 clk R r14 00000003',
      '15 clk IT (15) 0000110a 3001 T thread_s : ADDS r0,#1',
      '16 clk IT (16) 0000110c f01fc805 T thread_s : LETP LR,0x110a',
      '17 clk IT (17) 0000110a 3001 T thread_s : ADDS r0,#1',
      '18 clk IT (18) 0000110c f01fc805 T thread_s : LETP LR,0x110a',
      '19 clk IT (19) 00001110 f8ddee04 T thread_s : LDR lr,[sp],#4',
      '20 clk IT (20) 00001114 fb5ecf1d T thread_s : BXAUT r12,lr,sp',
      '21 clk IT (21) 00001006 2000 T thread_s : MOVS r0,#0',
      '22 clk IT (22) 00001008 f000f87a T thread_s : BL 0x1100',
      '22 clk R r14 0000100d',
      '23 clk IT (23) 00001100 f3af800d T thread_s : PACBTI r12,lr,sp',
      '24 clk IT (24) 00001104 2000 T thread_s : MOVS r0,#0',
      '25 clk IT (25) 00001106 f040c007 T thread_s : WLS LR,r0,0x1118',
      '26 clk IT (26) 00001118 fb5ecf1d T thread_s : BXAUT r12,lr,sp',
      '27 clk IT (27) 0000100c bf00 T thread_s : NOP',
    ],
    [
      '3 call 0x1002 0x1100',
      '10 jump 0x110c 0x110a',
      '14 return 0x1114 0x1006',
      '17 call 0x1008 0x1100',
      '20 jump 0x1106 0x1118',
      '21 return 0x1118 0x100c',
    ],
  ],
  [
    'DLS, LE and BXAUT',
    [
      '1 clk IT (1) 00001000 f000f87e T thread_s : BL 0x1100',
      '1 clk R r14 00001005',
      '2 clk IT (2) 00001100 f040e001 T thread_s : DLS LR,r0',
      '2 clk R r14 00000002',
      '3 clk IT (3) 00001104 3001 T thread_s : ADDS r0,#1',
      '4 clk IT (4) 00001106 f00fc803 T thread_s : LE LR,0x1104',
      '4 clk R r14 00000001',
      '5 clk IT (5) 00001104 3001 T thread_s : ADDS r0,#1',
      '6 clk IT (6) 00001106 f00fc803 T thread_s : LE LR,0x1104',
      '7 clk IT (7) 0000110a f85deb04 T thread_s : LDR lr,[sp],#4',
      '7 clk R r14 00001005',
      '8 clk IT (8) 0000110e fb5ecf1d T thread_s : BXAUT r12,lr,sp',
      '9 clk IT (9) 00001004 bf00 T thread_s : NOP',
    ],
    ['2 call 0x1000 0x1100', '7 jump 0x1106 0x1104', '12 return 0x110e 0x1004'],
  ],
  [
    'BLRAAZ, RETAA and BRAA',
    [
      '1 clk IT (1) 80001000 d63f091f O EL1h_n : BLRAAZ x8',
      '1 clk R X30 0000000080001004',
      '2 clk IT (2) 80001100 d503233f O EL1h_n : PACIASP',
      '3 clk IT (3) 80001104 d65f0bff O EL1h_n : RETAA',
      '4 clk IT (4) 80001004 d71f0822 O EL1h_n : BRAA x1,x2',
      '5 clk IT (5) 80001200 d503201f O EL1h_n : NOP',
    ],
    ['2 call 0x80001000 0x80001100', '4 return 0x80001104 0x80001004', '5 jump 0x80001004 0x80001200'],
  ],
])('branches --events knows the kinds of %s', async (name, text, expected) => {
  const trace = join(folder, `${name}.tarmac`);
  writeFileSync(trace, `${text.join('\n')}\n`);
  const events = await lines(['branches', trace, '--events']);
  expect(events.map(({ n, kind, source, target }) => [n, kind, source, target].join(' '))).toEqual(expected);
  expect(events.every(({ inferred }) => inferred === false)).toBe(true);
});
