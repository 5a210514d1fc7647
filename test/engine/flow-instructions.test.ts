/** Traces of executed instructions give exactly the branches of their programs, however they are divided. */
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { NO_IMAGES } from '../../electron/engine/image/images.ts';
import type { Engine } from '../../electron/engine/engine.ts';
import { walkFlow } from '../../electron/engine/flow/events/walk.ts';
import { openTrace } from '../../electron/engine/open/open-trace.ts';
import { createPool } from '../../electron/engine/threads/pool.ts';
import { createTask } from '../../electron/engine/threads/task.ts';
import { BRANCH_KINDS } from '../../shared/flow/events.ts';
import { assert } from '../../shared/base/result.ts';
import { createRandom } from '../laws/random.ts';
import { ask } from './ask.ts';
import { asQemu, asTracer, runProgram, type Run } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';
import { few, NIGHTLY } from '../short-form.ts';

const place = scratch();
afterAll(() => {
  place.dispose();
});

const CUTS = NIGHTLY ? [48, 480, 1_200_000] : [48, 1_200_000];
const engines = CUTS.map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
});

describe.each([
  { name: 'QEMU4V', thumb: false, format: 'tarmac', write: asQemu },
  { name: 'QEMU4V, Thumb', thumb: true, format: 'tarmac', write: asQemu },
  { name: 'Tracer', thumb: false, format: 'armtracer', write: asTracer },
  { name: 'Tracer, Thumb', thumb: true, format: 'armtracer', write: asTracer },
])('programs as $name', ({ name, thumb, format, write }) => {
  test.each(few([1, 2, 3, 4], 1))("lists exactly the program's branches, with the seed %i", async (seed) => {
    const run = runProgram(createRandom(seed), thumb, 400);
    const file = place.file(`${name}-${seed}.txt`, write(run));
    for (const engine of engines) expect(await branchesOf(engine, file, format)).toEqual(branchTexts(run));
  });
});

async function branchesOf(engine: Engine, file: string, format: string): Promise<readonly string[]> {
  const { trace } = await ask(engine, 'open', { path: file, format });
  await ask(engine, 'index', { trace });
  const { events } = await ask(engine, 'branchEvents', { trace, count: 10_000 });
  await ask(engine, 'close', { trace });
  return events.map(({ source, target, kind, inferred }) =>
    [kind, source, target, ...(inferred ? ['inferred'] : [])].join(' '),
  );
}

function branchTexts({ taken }: Run): readonly string[] {
  return taken.map(({ kind, source, target }) => `${kind} 0x${source.toString(16)} 0x${target.toString(16)}`);
}

test.each(CUTS)('counts every instruction once, in blocks of %i bytes', async (blockBytes) => {
  const run = runProgram(createRandom(9), false, 2000);
  const file = place.file('counted.txt', asQemu(run));
  const pool = createPool(2);
  const settings = { blockBytes, indexDirectory: path.join(place.folder, `counted-${blockBytes}`) };
  const opened = openTrace({ path: file, format: 'tarmac' }, { id: 't', key: 'k', pool, settings, images: NO_IMAGES });
  assert(opened.ok, 'the trace opens');
  const trace = opened.value;
  assert((await trace.ingest.run(() => true)).ok, 'the trace is indexed');
  const counted: string[] = [];
  const begun: number[] = [];
  const task = createTask<never>(
    () => false,
    () => undefined,
  );
  const walked = await walkFlow(trace, { from: 0, to: trace.blocks.records }, task, {
    begin: (_, { addressLow }) => begun.push(addressLow),
    take({ count, kind, instructions }) {
      for (let at = 0; at < count; at++) counted.push(`${BRANCH_KINDS[kind[at]!] ?? ''} ${instructions[at]!}`);
      return true;
    },
  });
  assert(walked.ok, 'the walk finishes');
  expect(begun).toEqual([run.steps[0]?.address]);
  expect(counted).toEqual(run.taken.map(({ kind, instructions }) => `${kind} ${instructions}`));
  expect(walked.value.map(({ since }) => since)).toEqual([run.rest]);
  await pool.close();
});

/** Address, opcode, mode and text of each instruction; a line with a leading blank is used as it is. */
function qemu(lines: readonly string[]): string {
  return lines
    .map((line, i) => {
      if (line.startsWith(' ')) return `${line.trim()}\n`;
      const [address = '', opcode = '', mode = '', ...text] = line.split(' ');
      return `${i + 1} clk 0 IT (${i + 1}) ${address} ${opcode} A ${mode} : ${text.join(' ')}\n`;
    })
    .join('');
}

test.each([
  [
    'a call to the next instruction',
    ['00008000 ebffffff svc bl #0x8004', '00008004 e1a00000 svc nop', '00008008 e1a00000 svc nop'],
    ['call 0x8000 0x8004'],
  ],
  [
    'a jump after a move to the link register',
    ['00008000 e1a0e00f svc mov lr, pc', '00008004 e12fff13 svc bx r3', '00009000 e1a00000 svc nop'],
    ['call 0x8004 0x9000'],
  ],
  [
    'a Thumb return through a register, and a switch to ARM code',
    ['00008000 bc02 sys pop {r1}', '00008002 4708 sys bx r1', '00009000 4778 sys bx pc', '00009004 e1a00000 sys nop'],
    ['return 0x8002 0x9000', 'jump 0x9000 0x9004'],
  ],
  [
    'a jump through a register not loaded from the stack',
    ['00008000 bc02 sys pop {r1}', '00008002 4710 sys bx r2', '00009000 46c0 sys nop'],
    ['jump 0x8002 0x9000'],
  ],
  [
    'a jump to the next instruction, unconditional and conditional',
    ['00008000 eaffffff svc b #0x8004', '00008004 0affffff svc beq #0x8008', '00008008 e1a00000 svc nop'],
    ['jump 0x8000 0x8004'],
  ],
  [
    'an interrupt in Thumb code',
    [
      '00008000 1c08 sys adds r0, r1, #0',
      '00000018 ea000000 irq b #0x20',
      '00000020 e25ef004 irq subs pc, lr, #4',
      '00008002 46c0 sys nop',
    ],
    ['interrupt 0x8002 0x18', 'jump 0x18 0x20', 'return 0x20 0x8002'],
  ],
  [
    'an interrupt after a Thumb CBZ that may or may not have been taken',
    [
      '00008000 2001 sys movs r0, #1',
      '00008002 b108 sys cbz r0, #0x8008',
      '00000018 e25ef004 irq subs pc, lr, #4',
      '00008004 46c0 sys nop',
    ],
    ['interrupt  0x18 inferred', 'return 0x18 0x8004'],
  ],
  [
    'an interrupt between two instructions that act together',
    [
      '00008000 e1a0e00f sys mov lr, pc',
      '00000018 e25ef004 irq subs pc, lr, #4',
      '00008004 e12fff13 sys bx r3',
      '00009000 e1a00000 sys nop',
    ],
    ['interrupt 0x8004 0x18', 'return 0x18 0x8004', 'unknown 0x8004 0x9000'],
  ],
  [
    'an interrupt between two instructions, and its return',
    [
      '00008000 e1a00000 svc nop',
      '00000018 ea000000 irq b #0x20',
      '00000020 e25ef004 irq subs pc, lr, #4',
      '00008004 e1a00000 svc nop',
    ],
    ['interrupt 0x8004 0x18', 'jump 0x18 0x20', 'return 0x20 0x8004'],
  ],
  [
    'an interrupt shown by its vector only',
    ['00008000 e1a00000 --- nop', '00000018 ea000000 --- b #0x20', '00000020 e1a00000 --- nop'],
    ['interrupt 0x8004 0x18 inferred', 'jump 0x18 0x20'],
  ],
  [
    'an interrupt right after a branch',
    ['00008000 ea000002 svc b #0x8010', '00000018 ea000000 irq b #0x20', '00000020 e1a00000 irq nop'],
    ['jump 0x8000 0x8010', 'interrupt 0x8010 0x18', 'jump 0x18 0x20'],
  ],
  [
    'a load abort',
    ['00008000 e5900000 svc ldr r0, [r0]', '00000010 e1a00000 abt nop'],
    ['exception 0x8000 0x10 inferred'],
  ],
  [
    'missing lines',
    ['00008000 e1a00000 svc nop', '00008100 e1a00000 svc nop', '00008104 e1a00000 svc nop'],
    ['unknown 0x8000 0x8100'],
  ],
  [
    'a direct branch followed by another address than its target',
    ['00008000 ea000002 svc b #0x8010', '00008100 e1a00000 svc nop'],
    ['unknown 0x8000 0x8100'],
  ],
  ['a restarted instruction', ['00008000 e1a00000 svc nop', '00008000 e1a00000 svc nop'], []],
  [
    'what MIPS runs behind a branch',
    [
      '80001000 0c000408 svc jal 0x80001020',
      '80001004 00000000 svc nop',
      '80001020 03e00008 svc jr ra',
      '80001024 00000000 svc nop',
      '80001008 11090003 svc beq t0,t1,0x80001018',
      '8000100c 00000000 svc nop',
      '80001010 00000000 svc nop',
    ],
    ['call 0x80001000 0x80001020', 'return 0x80001020 0x80001008'],
  ],
  [
    'repeated MIPS calls to the address after the delay slot, which read the program counter',
    [
      '80001000 04110001 svc bal 0x80001008',
      '80001004 00000000 svc nop',
      '80001008 1000fffd svc b 0x80001000',
      '8000100c 00000000 svc nop',
      '80001000 04110001 svc bal 0x80001008',
      '80001004 00000000 svc nop',
      '80001008 00000000 svc nop',
      // Not taken, whatever the register contains.
      '8000100c 04100001 svc bltzal zero,0x80001014',
      '80001010 00000000 svc nop',
      '80001014 00000000 svc nop',
      // A jump past its delay slot is like a branch not taken.
      '80001018 10000001 svc b 0x80001020',
      '8000101c 00000000 svc nop',
      '80001020 00000000 svc nop',
    ],
    ['call 0x80001000 0x80001008', 'jump 0x80001008 0x80001000', 'call 0x80001000 0x80001008'],
  ],
  [
    'release 6 of MIPS, where JR is a JALR and compact branches have nothing behind them',
    [
      '80001000 e8000007 svc balc 0x80001020',
      '80001020 03e00009 svc jr ra',
      '80001024 00000000 svc nop',
      '80001004 f8190000 svc jialc t9,0',
      '80001100 00000000 svc nop',
      '80001104 d81f0000 svc jrc ra',
      '80001008 58040001 svc blezc a0,0x80001010',
      '80001010 c8000003 svc bc 0x80001020',
      '80001020 00000000 svc nop',
    ],
    [
      'call 0x80001000 0x80001020',
      'return 0x80001020 0x80001004',
      'call 0x80001004 0x80001100',
      'return 0x80001104 0x80001008',
      'jump 0x80001008 0x80001010',
      'jump 0x80001010 0x80001020',
    ],
  ],
  [
    'RISC-V that saves its registers by a second link register, and calls far away',
    [
      '80000000 100002ef svc jal t0,80000100',
      '80000100 8282 svc jr t0',
      '80000004 00001097 svc auipc ra,0x1',
      '80000008 0c8080e7 svc jalr 200(ra)',
      '800010cc 8082 svc ret',
      '8000000c 0001 svc nop',
    ],
    [
      'call 0x80000000 0x80000100',
      'return 0x80000100 0x80000004',
      'call 0x80000008 0x800010cc',
      'return 0x800010cc 0x8000000c',
    ],
  ],
  [
    'compressed instructions of RISC-V',
    [
      '80000000 1141 svc c.addi sp,-16',
      '80000002 008000ef svc jal ra,8000000a',
      '8000000a 8082 svc ret',
      '80000006 a011 svc c.j 8000000a',
      '8000000a 8082 svc c.jr ra',
      '80000100 0001 svc c.nop',
    ],
    [
      'call 0x80000002 0x8000000a',
      'return 0x8000000a 0x80000006',
      'jump 0x80000006 0x8000000a',
      'return 0x8000000a 0x80000100',
    ],
  ],
  [
    'x86 text',
    [
      '00401000 e8fb000000 svc call 0x401100',
      '00401100 c3 svc ret',
      '00401005 7502 svc jne 0x401009',
      '00401007 cd80 svc int 0x80',
      'c0100000 cf svc iretd',
      '00401009 ebf5 svc jmp 0x401000',
      '00401000 e8fb000000 svc call 0x401100',
    ],
    [
      'call 0x401000 0x401100',
      'return 0x401100 0x401005',
      'exception 0x401007 0xc0100000',
      'return 0xc0100000 0x401009',
      'jump 0x401009 0x401000',
    ],
  ],
  [
    'x86-64 registers with the names of ARM branch registers',
    [
      '00401000 4d89f7 svc mov r15, r14',
      '00500000 cf svc iretq',
      '00401003 4d89fe svc mov r14, r15',
      '00401006 ffe0 svc jmp rax',
      '00402000 90 svc nop',
    ],
    ['unknown 0x401000 0x500000', 'return 0x500000 0x401003', 'jump 0x401006 0x402000'],
  ],
  [
    'an x86 branch that does not reach the target in its text',
    [
      '00401005 7502 svc jne 401009 <main+0x9>',
      '00401009 7402 svc je 40100d <main+0xd>',
      '00500000 cf svc iretd',
      '0040100b ffd0 svc call *%eax',
      '00402000 c3 svc ret',
    ],
    ['jump 0x401005 0x401009', 'unknown 0x401009 0x500000', 'return 0x500000 0x40100b', 'call 0x40100b 0x402000'],
  ],
] as const)('classifies %s', async (name, lines, branches) => {
  const file = place.file(`${name}.txt`, qemu(lines));
  for (const engine of engines) expect(await branchesOf(engine, file, 'tarmac')).toEqual(branches);
});

test.each(['Reset', 'RESET'])('does not take CoreEvent_%s for an exception with a return', async (reset) => {
  const lines = [
    `0 clk cpu0 E 10001848 00000001 CoreEvent_${reset}`,
    '1 clk cpu0 IT (1) 10001848 f64f6000 T thread_s : MOV r0,#0xfe00',
    '2 clk cpu0 IT (2) 1000184c f2c30003 T thread_s : MOVT r0,#0x3003',
    `2 clk cpu0 E 10001848 00000001 CoreEvent_${reset}`,
    '3 clk cpu0 IT (3) 10001848 f64f6000 T thread_s : MOV r0,#0xfe00',
  ];
  const file = place.file(`${reset}.txt`, `${lines.join('\n')}\n`);
  for (const engine of engines)
    expect(await branchesOf(engine, file, 'tarmac')).toEqual(['unknown 0x1000184c 0x10001848']);
});

test.each([
  // B.EQ, CBZ and TBZ with a target 8 bytes ahead, and B.
  ['54000040', 'B.EQ', ['interrupt  0x90280', 'return 0x90280 0x80008']],
  ['b4000040', 'CBZ', ['interrupt  0x90280', 'return 0x90280 0x80008']],
  ['36000040', 'TBZ', ['interrupt  0x90280', 'return 0x90280 0x80008']],
  ['14000002', 'B', ['jump 0x80004 0x8000c', 'interrupt 0x8000c 0x90280', 'return 0x90280 0x8000c']],
] as const)('reports an interrupt after a branch of AArch64: %s, %s', async (opcode, name, branches) => {
  const back = name === 'B' ? '8000c' : '80008';
  const lines = [
    '1 clk cpu0 IT (1) 0000000000080000 d503201f O EL1h_n : NOP',
    `2 clk cpu0 IT (2) 0000000000080004 ${opcode} O EL1h_n : ${name}`,
    '2 clk cpu0 E 0000000000090280 00000082 CoreEvent_CURRENT_SPx_IRQ',
    '3 clk cpu0 IT (3) 0000000000090280 d69f03e0 O EL1h_n : ERET',
    `4 clk cpu0 IT (4) 00000000000${back} d503201f O EL1h_n : NOP`,
  ];
  const file = place.file(`a64-${opcode}.txt`, `${lines.join('\n')}\n`);
  for (const engine of engines) expect(await branchesOf(engine, file, 'tarmac')).toEqual(branches);
});

test.each([
  ['plain', 'eb000002', 'f000f802', '4770'],
  ['with 0x', '0xeb000002', '0xF000F802', '0x4770'],
  ['in groups', 'eb00_0002', 'f000_f802', '47_70'],
])('derives branch kinds from opcodes %s', async (name, bl, wide, bx) => {
  const lines = [
    `1 clk cpu0 IT (1) 00008000 ${bl} A svc_s :`,
    `2 clk cpu0 IT (2) 00008010 ${wide} T svc_s :`,
    `3 clk cpu0 IT (3) 00008018 ${bx} T svc_s :`,
    `4 clk cpu0 IT (4) 00008014 ${bx} T svc_s :`,
    `5 clk cpu0 IT (5) 00008004 ${bl} A svc_s :`,
  ];
  const file = place.file(`${name}.txt`, `${lines.join('\n')}\n`);
  for (const engine of engines)
    expect(await branchesOf(engine, file, 'tarmac')).toEqual([
      'call 0x8000 0x8010',
      'call 0x8010 0x8018',
      'return 0x8018 0x8014',
      'return 0x8014 0x8004',
    ]);
});
