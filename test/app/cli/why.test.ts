// `why` on a sample of sorting code whose chain can be worked out from its listing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Context } from '../../../electron/cli/command.ts';
import { why } from '../../../electron/cli/commands/why.ts';
import { startEngine } from '../../../electron/engine/engine.ts';
import type { Client } from '../../../shared/requests/requests.ts';
import { BYU, cli, folder, json, TARMAC } from './driver.ts';

// Records 187, 171, 166 and 149 make r2: 0x30 * 33, 0 + r4, 0 * 33 (which changes nothing, so no record shows it), and a load.
// Record 158 loads r4. Both loads read memory that nothing in the trace wrote, but the excerpt lacks 69,304 instructions before record 140.
test('why shows the instructions that made a value, youngest first', async () => {
  const { code, stdout } = await cli(['why', TARMAC, '--at', '190', '--register', 'r2']);
  expect([code, stdout]).toEqual([
    0,
    `r2 = 0x630 at record 190
  <- r2 = 0x630  from [0]

[0] #187  0x82d0  add r2, r2, r2, lsl #5
    r2 = 0x630  (computed)
    <- r2 = 0x30  from [1]
[1] #171  0x82dc  add r2, r2, r4
    r2 = 0x30  (computed)
    <- r2 = 0x0  from [2]
    <- r4 = 0x30  from [3]
  [2] #166  0x82d0  add r2, r2, r2, lsl #5
      r2 = 0x0  (computed)
      <- r2 = 0x0  from [4]
  [3] #158  0x82c0  ldrb r4, [r5, ip]
      r4 = 0x30  (copy)
      <- 0x8738 (1 byte) = 30  (instructions are missing between records 139 and 140)
  [4] #149  0x82b0  ldr r2, [r3, #0x108]
      r2 = 0x0  (copy)
      <- 0x4010c (4 bytes) = 00000000  (instructions are missing between records 139 and 140)

Some origins are not known.
`,
  ]);
});

// Record 191 is the write of 0x4000d: record 190 stored the byte that 179 had loaded from 0x8738.
test('why follows memory through copies, which it counts, or shows with --all-copies', async () => {
  const memory = ['why', TARMAC, '--at', '191', '--address', '0x4000d'];
  const folded = (await json(memory)) as Answer;
  expect(folded.of).toEqual({ address: '0x4000d', length: 1 });
  expect(folded.value).toBe('30');
  expect(folded.steps.map(({ n, kind, copies }) => [n, kind, copies])).toEqual([[179, 'copy', [190]]]);
  expect(folded.ended).toEqual({ reason: 'unknown', open: [] });
  const all = (await json([...memory, '--all-copies'])) as Answer;
  expect(all.steps.map(({ n, kind }) => [n, kind])).toEqual([
    [190, 'copy'],
    [179, 'copy'],
  ]);
  expect(all.steps[0]!.uses).toEqual([{ register: 'r4<7:0>', cpu: 0, value: '0x30', edge: 'data', step: 1 }]);
});

// r12 of record 190 is r3 + the low byte of lr: 0x4000d = 0x40004 + 1 + 8.
test('why keeps the registers of addresses apart, and shows them on request', async () => {
  const memory = ['why', TARMAC, '--at', '191', '--address', '0x4000d', '--addresses', '--steps', '2'];
  const { steps, ended } = (await json(memory)) as Answer;
  expect(steps[0]!.uses.map((use) => [use.register, use.edge])).toEqual([
    ['r4<7:0>', 'data'],
    ['r12', 'address'],
  ]);
  expect(ended.reason).toBe('steps');
});

// bne at record 175 was taken to 0x82b8, because cmn at 167 had left z at 0.
test('why --pc shows the branches that led to an instruction, with the values that they compared', async () => {
  const { of, value, steps } = (await json(['why', TARMAC, '--at', '190', '--pc', '--steps', '2'])) as Answer;
  expect([of, value]).toEqual([{ register: 'pc', cpu: 0 }, '0x82d8']);
  expect(steps.map(({ n, defines }) => [n, defines])).toEqual([
    [175, [{ register: 'pc', cpu: 0, value: '0x82b8' }]],
    [167, [{ register: 'cpsr.z', cpu: 0, value: '0x0' }]],
  ]);
});

// The address of the call was loaded: the chain of branches does not follow it, so it is not known to be an input.
test('why --pc calls nothing an input that it does not follow', async () => {
  const trace = join(folder, 'indirect.txt');
  const lines = [
    '1 clk 0 IT (1) 00008000 e5902000 A svc : ldr r2, [r0]',
    '1 clk MR4 00009000 00008010',
    '1 clk R r2 00008010',
    '2 clk 0 IT (2) 00008004 e12fff32 A svc : blx r2',
    '2 clk R r14 00008008',
    '3 clk 0 IT (3) 00008010 e3a03060 A svc : mov r3, #0x60',
  ];
  writeFileSync(trace, `${lines.join('\n')}\n`);
  const { steps } = (await json(['why', trace, '--at', '5', '--pc'])) as Answer;
  expect(steps.map(({ n, kind }) => [n, kind])).toEqual([
    [3, 'computed'],
    [0, 'copy'],
  ]);
});

test('why draws graphs', async () => {
  const question = ['why', TARMAC, '--at', '191', '--address', '0x4000d'];
  expect((await cli([...question, '--dot'])).stdout).toBe(`digraph why {
  node [shape=box, fontname="monospace"];
  value [label="0x4000d (1 byte) = 30\\nat record 191"];
  s0 [label="#179 0x82c0  ldrb r4, [r5, ip]\\nr4<7:0> = 0x30 (copy)\\ncopied 1 time"];
  e2 [label="instructions are missing between records 139 and 140", shape=plaintext];
  value -> s0 [label="0x4000d (1 byte) = 30", style=solid];
  s0 -> e2 [label="0x8738 (1 byte) = 30", style=solid];
}
`);
  expect((await cli([...question, '--mermaid'])).stdout).toBe(`flowchart TD
  value["0x4000d (1 byte) = 30<br/>at record 191"]
  s0["#35;179 0x82c0  ldrb r4, [r5, ip]<br/>r4#60;7:0#62; = 0x30 (copy)<br/>copied 1 time"]
  e2(["instructions are missing between records 139 and 140"])
  value -->|"0x4000d (1 byte) = 30"| s0
  s0 -->|"0x8738 (1 byte) = 30"| e2
`);
});

// strb at 169 stores 0x30 at 0x4000c, and strb at 190 stores at 0x4000d. lsr at 197 is the next definition of r12.
test('why --forward shows where a value went, oldest first, and how it ended', async () => {
  const memory = ['why', TARMAC, '--at', '170', '--address', '0x4000c', '--length', '2', '--forward'];
  const { code, stdout } = await cli(memory);
  expect([code, stdout]).toEqual([
    0,
    `0x4000c (2 bytes) = 3000 after record 170
  -> 0x4000d (1 byte) = 00  overwritten at record 190 by strb r4, [ip, #8]
  -> 0x4000c (1 byte) = 30  still there at the end

Every value is followed until it was overwritten or the trace ended.
`,
  ]);
  const { stdout: register } = await cli(['why', TARMAC, '--at', '184', '--register', 'r12', '--forward']);
  expect(register).toBe(`r12 = 0x1 after record 184

[0] #185  0x82cc  add ip, r3, ip
    r12 = 0x40005  (computed)
    <- r12 = 0x1  the value
    -> overwritten at record 197 by lsr ip, r1, r0

Every value is followed until it was overwritten or the trace ended.
`);
});

// cmn at 189 compares the r0 that sub at 182 makes. Nothing uses its flags.
test('why --forward joins flags that ended in the same way', async () => {
  const { stdout } = await cli(['why', TARMAC, '--at', '183', '--register', 'r0', '--forward', '--steps', '1']);
  expect(stdout).toContain(`
[0] #189  0x82d4  cmn r0, #4
    cpsr.n = 0x0, cpsr.z = 0x0, cpsr.c = 0x0, cpsr.v = 0x0  (computed)
    <- r0 = 0x14  the value
`);
  const whole = await cli(['why', TARMAC, '--at', '183', '--register', 'r0', '--forward']);
  expect(whole.stdout).toContain(`  the value
      -> still there at the end
`);
});

// ldrb at 179 loads the byte at 0x8738, strb at 190 stores it, and add at 192 uses it.
test('why --forward leaves out copies that others used', async () => {
  const memory = ['why', TARMAC, '--at', '178', '--address', '0x8738', '--forward'];
  const { forward, steps, copies, ends, ended } = (await json(memory)) as Answer;
  expect([forward, copies, ended.reason]).toEqual([true, [179], 'ends']);
  expect(steps.map(({ n, kind, uses }) => [n, kind, uses.map(({ step }) => step)])).toEqual([
    [190, 'copy', [null]],
    [192, 'computed', [null]],
  ]);
  expect(ends).toEqual([{ address: '0x8738', length: 1, value: '30', how: 'kept' }]);
  const all = (await json([...memory, '--all-copies'])) as Answer;
  expect(all.steps.map(({ n, uses }) => [n, uses.map(({ step }) => step)])).toEqual([
    [179, [null]],
    [190, [0]],
    [192, [0]],
  ]);
});

// cmn at 167 sets the flags of r0 + 4, and bne at 175 reads Z. r12 of 185 is the address of the store at 190.
test('why --forward shows uses as an address or a condition on request', async () => {
  const edges = async (...question: readonly string[]): Promise<unknown> => {
    const { steps } = (await json(['why', TARMAC, '--forward', ...question])) as Answer;
    return steps.map(({ n, uses }) => [n, uses.map(({ edge, step }) => [edge, step])]);
  };
  expect(await edges('--at', '166', '--register', 'r0', '--control', '--steps', '2')).toEqual([
    [167, [['data', null]]],
    [175, [['control', 0]]],
  ]);
  expect(await edges('--at', '186', '--register', 'r12')).toEqual([]);
  expect(await edges('--at', '186', '--register', 'r12', '--addresses')).toEqual([[190, [['address', null]]]]);
});

test('why --forward draws graphs from the value to its uses', async () => {
  const question = ['why', TARMAC, '--at', '184', '--register', 'r12', '--forward', '--dot'];
  expect((await cli(question)).stdout).toBe(`digraph why {
  node [shape=box, fontname="monospace"];
  value [label="r12 = 0x1\\nafter record 184"];
  s0 [label="#185 0x82cc  add ip, r3, ip\\nr12 = 0x40005 (computed)"];
  e2 [label="overwritten at record 197 by lsr ip, r1, r0", shape=plaintext];
  value -> s0 [label="r12 = 0x1", style=solid];
  s0 -> e2 [label="r12 = 0x40005", style=solid];
}
`);
});

test.each([
  [['why', TARMAC, '--at', '5', '--pc', '--forward'], '--forward has no answer with --pc'],
  [['why', TARMAC, '--at', '5'], 'give one of --register NAME, --address A and --pc'],
  [['why', TARMAC, '--at', '5', '--register', 'r99'], "the processor has no register 'r99'"],
  [['why', TARMAC, '--register', 'r1'], '--at'],
  [['why', BYU, '--at', '5', '--register', 'r1'], 'the trace has no records of executed instructions'],
])('refuses %j in one sentence', async (args, sentence) => {
  const { code, stderr } = await cli(args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

interface Answer {
  readonly of: object;
  readonly value: string;
  readonly steps: readonly {
    readonly n: number;
    readonly kind: string;
    readonly copies?: readonly number[];
    readonly defines: readonly object[];
    readonly uses: readonly { readonly register?: string; readonly edge: string; readonly step: number | null }[];
  }[];
  readonly forward?: boolean;
  readonly copies?: readonly number[];
  readonly ends?: readonly object[];
  readonly ended: { readonly reason: string; readonly open: readonly object[] };
}

test('an interrupt prints the steps that were found until then', async () => {
  const engine = startEngine({ indexDirectory: folder });
  const interrupted = new AbortController();
  const client: Client = {
    request(name, args, options) {
      // Before the search begins, so that it finds no step.
      if (name === 'why') interrupted.abort();
      return engine.request(name, args, options);
    },
  };
  let printed = '';
  const context: Context = {
    ...{
      command: 'why',
      trace: TARMAC,
      operands: {},
      rest: [],
      common: {},
      client,
      engine: client,
      signal: interrupted.signal,
    },
    out: {
      write(text) {
        printed += text;
        return Promise.resolve();
      },
      json: () => Promise.resolve(),
      ...{ colour: false, width: 80, ended: 'no' },
    },
    progress: { update: () => undefined, clear: () => undefined },
    notify: () => undefined,
    runLine: () => Promise.resolve(undefined),
    differs: () => undefined,
  };
  const outcome = await why.run(context, { at: 190, register: 'r2' });
  await engine.close();
  expect(outcome).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(printed).toBe(`r2 = 0x630 at record 190
  <- r2 = 0x630  (the search was stopped before it was found)

Interrupted: there may be more steps.
`);
});
