// `calls`, `tree` and `stack` of a program worked through by hand.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, cli, folder, hex, json, lines } from './driver.ts';

/** start calls f, which calls g twice; then start jumps to f by a tail call, which is interrupted in g. */
const STEPS: readonly (readonly [address: string, opcode: string, text: string])[] = [
  ['00008000', 'e3a00000', 'mov r0, #0'], // 0 start
  ['00008004', 'eb000001', 'bl #0x8010'], // 1
  ['00008010', 'e92d4010', 'push {r4, lr}'], // 2 f
  ['00008014', 'eb000001', 'bl #0x8020'], // 3
  ['00008020', 'e12fff1e', 'bx lr'], // 4 g
  ['00008018', 'ebfffffe', 'bl #0x8020'], // 5
  ['00008020', 'e12fff1e', 'bx lr'], // 6 g
  ['0000801c', 'e8bd8010', 'pop {r4, pc}'], // 7
  ['00008008', 'ea000000', 'b #0x8010'], // 8
  ['00008010', 'e92d4010', 'push {r4, lr}'], // 9 f, tail-called by start
  ['00008014', 'eb000001', 'bl #0x8020'], // 10
  ['00008020', 'ef000000', 'svc #0'], // 11 g
  ['00000008', 'e1b0f00e', 'movs pc, lr'], // 12 the handler
  ['00008024', 'e12fff1e', 'bx lr'], // 13 g
  ['00008018', 'e3a00000', 'mov r0, #0'], // 14 f
];

const trace = join(folder, 'calls.txt');
const symbols = join(folder, 'calls.nm');
writeFileSync(
  trace,
  STEPS.map(([at, opcode, text], i) => `${i + 1} clk 0 IT (${i + 1}) ${at} ${opcode} A svc : ${text}\n`).join(''),
);
writeFileSync(
  symbols,
  ['00008000 00000010 T start', '00008010 00000010 T f', '00008020 00000008 T g', '00008020 00000008 T other_g'].join(
    '\n',
  ),
);
const ARGUMENTS = [trace, '--image', symbols];

test('calls prints JSON', async () => {
  const graph = await json(['calls', ...ARGUMENTS]);
  expect(graph).toEqual({
    evidence: 'instructions',
    unit: 'instructions',
    functions: [
      { id: '0x8010', name: 'f', address: '0x8010', aliases: [], calls: 2, self: 7, total: 12 },
      { id: '0x8000', name: 'start', address: '0x8000', aliases: [], calls: 0, self: 3, total: 9 },
      { id: '0x8020', name: 'g', address: '0x8020', aliases: ['other_g'], calls: 3, self: 4, total: 5 },
      { id: '0x8', name: 'exception 0x8', address: '0x8', aliases: [], calls: 1, self: 1, total: 1 },
    ],
    edges: [
      { caller: '0x8010', callee: '0x8020', count: 3, inferred: false, kind: 'call', first: 4, last: 11 },
      { caller: '0x8000', callee: '0x8010', count: 1, inferred: false, kind: 'call', first: 2, last: 2 },
      { caller: '0x8000', callee: '0x8010', count: 1, inferred: false, kind: 'tail call', first: 9, last: 9 },
      { caller: '0x8020', callee: '0x8', count: 1, inferred: false, kind: 'exception', first: 12, last: 12 },
    ],
    depth: { max: 2, calls: 2 },
    notes: [],
  });
});

test('calls names no evidence for a trace without code', async () => {
  const reads = join(folder, 'reads.txt');
  writeFileSync(reads, '1 clk MR4 00008000 00000001\n2 clk MW4 00008000 00000002\n2 clk R r0 00000002\n');
  for (const file of [reads, BYU]) {
    const { evidence, functions } = (await json(['calls', file])) as { evidence: string; functions: unknown[] };
    expect([evidence, functions]).toEqual(['neither instructions nor branches', []]);
  }
  // A range without code belongs to a trace with code.
  const before = (await json(['calls', trace, '--to', '1'])) as { evidence: string };
  expect(before.evidence).toBe('instructions');
});

test('calls prints a graph and folded stacks', async () => {
  const dot = await cli(['calls', ...ARGUMENTS, '--dot']);
  expect(dot.stdout).toContain('digraph calls {');
  expect(dot.stdout).toContain('"0x8020" [label="g\\n3 calls\\nself 4, total 5"];');
  expect(dot.stdout).toContain('"0x8010" -> "0x8020" [label="3", penwidth=5.00];');
  expect(dot.stdout).toContain('"0x8000" -> "0x8010" [label="1 tail call", penwidth=3.00];');
  const folded = await cli(['calls', ...ARGUMENTS, '--folded']);
  expect(folded.stdout.split('\n')).toEqual([
    'start 3',
    'start;f 4',
    'start;f;g 2',
    'f 3',
    'f;g 2',
    'f;g;exception_0x8 1',
    '',
  ]);
  expect((await cli(['calls', ...ARGUMENTS, '--folded', '--dot'])).code).toBe(2);
});

test('calls of a range include calls open at its start', async () => {
  const graph = await json(['calls', ...ARGUMENTS, '--from', '11', '--to', '14']);
  expect(graph).toMatchObject({
    edges: [
      { caller: '0x8010', callee: '0x8020', count: 1, kind: 'call' },
      { caller: '0x8020', callee: '0x8', count: 1, kind: 'exception' },
    ],
    depth: { max: 2, calls: 1 },
  });
});

test('tree prints calls by context', async () => {
  const nodes = await json(['tree', ...ARGUMENTS]);
  expect(nodes).toMatchObject([
    {
      function: 'start',
      calls: 0,
      self: 3,
      total: 9,
      children: [
        {
          function: 'f',
          calls: 1,
          self: 4,
          total: 6,
          children: [{ function: 'g', calls: 2, self: 2, total: 2, children: [] }],
        },
      ],
    },
    {
      function: 'f',
      calls: 1,
      self: 3,
      total: 6,
      children: [{ function: 'g', children: [{ function: 'exception 0x8' }] }],
    },
  ]);
  const cut = await json(['tree', ...ARGUMENTS, '--depth', '0']);
  expect(cut).toMatchObject([
    { function: 'start', children: [], cut: 1 },
    { function: 'f', total: 6, children: [] },
  ]);
});

test('stack prints the open calls', async () => {
  const stackAt = async (n: number) => json(['stack', ...ARGUMENTS, '--at', String(n)]);
  expect(await stackAt(1)).toEqual([{ function: 'start', address: '0x8000', id: '0x8000' }]);
  expect(await stackAt(6)).toEqual([
    { function: 'g', address: '0x8020', since: 6, site: '0x8018', id: '0x8020', siteSymbol: 'f+0x8' },
    { function: 'f', address: '0x8010', since: 2, site: '0x8004', id: '0x8010', siteSymbol: 'start+0x4' },
    { function: 'start', address: '0x8000', id: '0x8000' },
  ]);
  expect(await stackAt(12)).toMatchObject([
    { function: 'exception 0x8', since: 12, site: '0x8020', entered: 'exception' },
    { function: 'g', since: 11 },
    { function: 'f', since: 9 },
  ]);
  const printed = await cli(['stack', ...ARGUMENTS, '--at', '6']);
  expect(printed.stdout).toContain('record 6, CPU 0\n');
  expect(printed.stdout).toContain('The caller of start is unknown.\n');
  expect((await cli(['stack', ...ARGUMENTS])).code).toBe(2);
  expect((await cli(['stack', ...ARGUMENTS, '--at', '99'])).code).toBe(1);
});

/** start calls dispatch, which sets the link register and then jumps to handler. */
test.each([
  [
    'ADD lr,pc of ARM',
    [
      '1 clk IT (1) 00008000 eb000006 A svc_s : BL       0x8020',
      '1 clk R r14_svc 00008004',
      '2 clk IT (2) 00008020 e92d4010 A svc_s : PUSH     {r4,lr}',
      '2 clk MW4 0000fff8 00000000',
      '2 clk MW4 0000fffc 00008004',
      '3 clk IT (3) 00008024 e28fe000 A svc_s : ADD      lr,pc,#0',
      '3 clk R r14_svc 0000802c',
      '4 clk IT (4) 00008028 e591f000 A svc_s : LDR      pc,[r1,#0]',
      '4 clk MR4 0000a000 00008040',
      '5 clk IT (5) 00008040 e2800001 A svc_s : ADD      r0,r0,#1',
      '5 clk R r0 00000001',
      '6 clk IT (6) 00008044 e12fff1e A svc_s : BX       lr',
      '7 clk IT (7) 0000802c e8bd8010 A svc_s : POP      {r4,pc}',
      '7 clk MR4 0000fff8 00000000',
      '7 clk MR4 0000fffc 00008004',
      '8 clk IT (8) 00008004 e1a00000 A svc_s : NOP',
    ],
    0x8000,
    10,
    [
      [2, 'call', 0x8000, 0x8020],
      [9, 'call', 0x8028, 0x8040],
      [12, 'return', 0x8044, 0x802c],
      [15, 'return', 0x802c, 0x8004],
    ],
  ],
  [
    'ADR x30 of AArch64',
    [
      '1 clk IT (1) 80001000 94000008 O EL1h_n : BL 0x80001020',
      '1 clk R X30 0000000080001004',
      '2 clk IT (2) 80001020 a9bf7bfd O EL1h_n : STP x29,x30,[sp,#-16]!',
      '3 clk IT (3) 80001024 1000005e O EL1h_n : ADR x30,0x8000102c',
      '3 clk R X30 000000008000102c',
      '4 clk IT (4) 80001028 d61f0200 O EL1h_n : BR x16',
      '5 clk IT (5) 80001040 d503201f O EL1h_n : NOP',
      '6 clk IT (6) 80001044 d65f03c0 O EL1h_n : RET',
      '7 clk IT (7) 8000102c a8c17bfd O EL1h_n : LDP x29,x30,[sp],#16',
      '7 clk R X30 0000000080001004',
      '8 clk IT (8) 80001030 d65f03c0 O EL1h_n : RET',
      '9 clk IT (9) 80001004 d503201f O EL1h_n : NOP',
    ],
    0x80001000,
    6,
    [
      [2, 'call', 0x80001000, 0x80001020],
      [6, 'call', 0x80001028, 0x80001040],
      [8, 'return', 0x80001044, 0x8000102c],
      [11, 'return', 0x80001030, 0x80001004],
    ],
  ],
  [
    'MOV lr from a register of Thumb',
    [
      '1 clk IT (1) 00001000 f000f80e T thread : BL 0x1020',
      '1 clk R r14 00001005',
      '2 clk IT (2) 00001020 b510 T thread : PUSH {r4,lr}',
      '3 clk IT (3) 00001022 46a6 T thread : MOV lr,r4',
      '3 clk R r14 00001027',
      '4 clk IT (4) 00001024 4718 T thread : BX r3',
      '5 clk IT (5) 00001040 bf00 T thread : NOP',
      '6 clk IT (6) 00001042 4770 T thread : BX lr',
      '7 clk IT (7) 00001026 bd10 T thread : POP {r4,pc}',
      '8 clk IT (8) 00001004 bf00 T thread : NOP',
    ],
    0x1000,
    6,
    [
      [2, 'call', 0x1000, 0x1020],
      [6, 'call', 0x1024, 0x1040],
      [8, 'return', 0x1042, 0x1026],
      [9, 'return', 0x1026, 0x1004],
    ],
  ],
] as const)('stack and branches show a call by a jump after %s', async (name, text, base, at, expected) => {
  const path = join(folder, `${name}.tarmac`);
  const names = join(folder, `${name}.sym`);
  writeFileSync(path, `${text.join('\n')}\n`);
  const symbol = (offset: number, label: string): string =>
    `${(base + offset).toString(16).padStart(16, '0')} T ${label}\n`;
  writeFileSync(
    names,
    [symbol(0, 'start'), symbol(0x20, 'dispatch'), symbol(0x40, 'handler'), symbol(0x60, 'end')].join(''),
  );
  const chosen = [path, '--image', names];
  expect(await lines(['branches', ...chosen, '--events'])).toMatchObject(
    expected.map(([n, kind, source, target]) => ({
      n,
      kind,
      source: hex(source),
      target: hex(target),
      inferred: false,
    })),
  );
  const [[entered, , site], [jumped, , jump]] = expected;
  expect(await json(['stack', ...chosen, '--at', String(at)])).toEqual([
    expect.objectContaining({ function: 'handler', since: jumped, site: hex(jump) }),
    expect.objectContaining({ function: 'dispatch', since: entered, site: hex(site) }),
    { function: 'start', address: hex(base), id: hex(base) },
  ]);
  expect(await json(['calls', ...chosen])).toMatchObject({ notes: [] });
});
