/** Jumps with the address after them in the link register are calls, whatever put it there; others stay jumps. */
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startEngine } from '../../electron/engine/engine.ts';
import { ask } from './ask.ts';
import { scratch } from './traces.ts';

const place = scratch();
afterAll(() => {
  place.dispose();
});

const engines = [1_200_000].map((blockBytes) =>
  startEngine({ blockBytes, jobs: 2, indexDirectory: path.join(place.folder, `cut-${blockBytes}`) }),
);
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
});

let files = 0;

/** Returns the first branch as every engine reports it. Lines begin with an address, or with `R` or `MR4`. */
async function branchOf(set: string, lines: readonly string[]): Promise<string> {
  let number = 0;
  const text = lines.map((line) => {
    if (/^(R|MR4) /.test(line)) return `${number} clk ${line}`;
    const [address = '', opcode = '', ...words] = line.split(' ');
    number++;
    return `${number} clk IT (${number}) ${address} ${opcode} ${set} ${set === 'O' ? 'EL1h_n' : 'svc_s'} : ${words.join(' ')}`;
  });
  const file = place.file(`trace-${++files}.tarmac`, `${text.join('\n')}\n`);
  const answers: string[] = [];
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', options: { dialect: 'fastmodels' } });
    await ask(engine, 'index', { trace });
    const { events } = await ask(engine, 'branchEvents', { trace, count: 1 });
    await ask(engine, 'close', { trace });
    answers.push(`${events[0]?.kind} ${events[0]?.source} ${events[0]?.target}`);
  }
  for (const answer of answers) expect(answer).toBe(answers[0]);
  return answers[0]!;
}

test.each([
  [
    'ADD lr,pc',
    'A',
    [
      '00008024 e28fe000 ADD lr,pc,#0',
      'R r14_svc 0000802c',
      '00008028 e591f000 LDR pc,[r1,#0]',
      'MR4 0000a000 00008040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'call 0x8028 0x8040',
  ],
  [
    'ADD lr,pc without a register record',
    'A',
    ['00008024 e28fe000 ADD lr,pc,#0', '00008028 e591f000 LDR pc,[r1,#0]', '00008040 e2800001 ADD r0,r0,#1'],
    'call 0x8028 0x8040',
  ],
  [
    'SUB lr,pc',
    'A',
    ['0000802c e24fe004 SUB lr,pc,#4', '00008030 ea000002 B 0x8040', '00008040 e2800001 ADD r0,r0,#1'],
    'jump 0x8030 0x8040',
  ],
  [
    'MOVW lr',
    'A',
    [
      '00008024 e308e02c MOVW lr,#0x802c',
      'R r14_svc 0000802c',
      '00008028 e12fff13 BX r3',
      '00009000 e2800001 ADD r0,r0,#1',
    ],
    'call 0x8028 0x9000',
  ],
  [
    'MOV lr from a register',
    'A',
    [
      '00008024 e1a0e004 MOV lr,r4',
      'R r14_svc 0000802c',
      '00008028 e1a0f003 MOV pc,r3',
      '00009000 e2800001 ADD r0,r0,#1',
    ],
    'call 0x8028 0x9000',
  ],
  [
    'LDR lr of a literal',
    'A',
    [
      '00008024 e59fe010 LDR lr,{pc}+0x18',
      'MR4 0000803c 0000802c',
      'R r14_svc 0000802c',
      '00008028 ea000004 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'call 0x8028 0x8040',
  ],
  [
    'ADR.W lr of Thumb',
    'T',
    ['00001000 f20f0e05 ADR.W lr,0x1009', '00001004 46c0 MOV r8,r8', '00001006 4718 BX r3', '00002000 bf00 NOP'],
    'call 0x1006 0x2000',
  ],
  [
    'ADR.W lr of Thumb to the next address',
    'T',
    ['00001000 f20f0e03 ADR.W lr,0x1007', 'R r14 00001007', '00001004 4718 BX r3', '00002000 bf00 NOP'],
    'call 0x1004 0x2000',
  ],
  [
    'MOV lr of Thumb',
    'T',
    ['00001000 46a6 MOV lr,r4', 'R r14 00001005', '00001002 4718 BX r3', '00002000 bf00 NOP'],
    'call 0x1002 0x2000',
  ],
  [
    'ADR x30',
    'O',
    [
      '0000000080001000 1000005e ADR x30,0x80001008',
      'R X30 0000000080001008',
      '0000000080001004 d61f0200 BR x16',
      '0000000080002000 d503201f NOP',
    ],
    'call 0x80001004 0x80002000',
  ],
  [
    'ADRP and ADD',
    'O',
    [
      '0000000080001000 9000001e ADRP x30,0x80001000',
      'R X30 0000000080001000',
      '0000000080001004 910033de ADD x30,x30,#0xc',
      'R X30 000000008000100c',
      '0000000080001008 14000400 B 0x80002008',
      '0000000080002008 d503201f NOP',
    ],
    'call 0x80001008 0x80002008',
  ],
  [
    'a jump table after the jump',
    'A',
    [
      '00008024 e28fe000 ADD lr,pc,#0',
      'R r14_svc 0000802c',
      '00008028 e79ef100 LDR pc,[lr,r0,LSL #2]',
      'MR4 0000802c 00008040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'jump 0x8028 0x8040',
  ],
  [
    'a tail call',
    'A',
    [
      '00008024 e594e000 LDR lr,[r4]',
      'R r14_svc 00008100',
      '00008028 ea000004 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'jump 0x8028 0x8040',
  ],
  [
    'a value that changes before the jump',
    'A',
    [
      '00008020 e28fe004 ADD lr,pc,#4',
      'R r14_svc 0000802c',
      '00008024 e49de004 POP {lr}',
      'R r14_svc 00008100',
      '00008028 ea000004 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'jump 0x8028 0x8040',
  ],
])('%s', async (_, set, lines, expected) => {
  expect(await branchOf(set, lines)).toBe(expected);
});
