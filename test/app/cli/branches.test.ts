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
