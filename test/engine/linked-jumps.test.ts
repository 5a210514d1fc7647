/**
 * Jumps with the address after them in the link register are calls, whatever put it there; others stay jumps. The answer is the same
 * wherever the index cuts the trace into blocks.
 */
import { expect, test } from 'vitest';
import { assert } from '../../shared/base/result.ts';
import { formatById } from '../../shared/formats/index.ts';
import { eventsOf } from '../laws/flow.ts';

/** Returns the lines of a Tarmac trace. Lines given begin with an address, or with `R`, `MR4` or `E`; `irq`, `fiq` or `abt` before it is the mode. */
function traceOf(set: string, lines: readonly string[]): Uint8Array {
  let number = 0;
  const text = lines.map((line) => {
    const [, cpu = '', mode = 'svc', rest = ''] = /^(?:(cpu\d) )?(?:(irq|fiq|abt) )?(.*)$/.exec(line) ?? [];
    const front = `${number} clk${cpu === '' ? '' : ` ${cpu}`}`;
    if (/^(R|MR4|E) /.test(rest)) return `${front} ${rest}`;
    const [address = '', opcode = '', ...words] = rest.split(' ');
    number++;
    const place = `${address} ${opcode} ${set} ${set === 'O' ? 'EL1h_n' : `${mode}_s`}`;
    return `${number} clk${cpu === '' ? '' : ` ${cpu}`} IT (${number}) ${place} : ${words.join(' ')}`;
  });
  return new TextEncoder().encode(`${text.join('\n')}\n`);
}

/** Returns the branches, which must be the same for all sets of cuts between lines, and in batches of any size. */
function branchesOf(set: string, lines: readonly string[]): readonly string[] {
  const opened = formatById('tarmac')?.open({ dialect: 'fastmodels' });
  assert(opened?.ok === true, 'the format opens');
  const bytes = traceOf(set, lines);
  const whole = eventsOf(opened.value, bytes, { cuts: () => false, batchRecords: lines.length });
  for (let cuts = 0; cuts < 2 ** (lines.length - 1); cuts++)
    for (const reading of ['whole', 'lean'] as const) {
      const divided = eventsOf(opened.value, bytes, { cuts: (n) => ((cuts >> (n - 1)) & 1) === 1, reading });
      expect(divided, `cuts ${cuts.toString(2)}`).toEqual(whole);
    }
  return whole.map((text) => {
    const [, kind, source, target] = text.split(' ');
    return `${kind} ${source} ${target}`;
  });
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
  [
    'ADRP and ADD, and other instructions before the jump',
    'O',
    [
      '0000000080001000 9000001e ADRP x30,0x80001000',
      '0000000080001004 910063de ADD x30,x30,#0x18',
      'R X30 0000000080001018',
      '0000000080001008 d503201f NOP',
      'R X0 0000000000000001',
      '000000008000100c d503201f NOP',
      '0000000080001010 d503201f NOP',
      '0000000080001014 d61f0200 BR x16',
      '0000000080002000 d503201f NOP',
    ],
    'call 0x80001014 0x80002000',
  ],
  [
    'ADR lr of ARM, and other instructions before the jump',
    'A',
    [
      '00008024 e28fe008 ADR lr,0x8034',
      'R r14_svc 00008034',
      '00008028 e1a00001 MOV r0,r1',
      'R r0 00000001',
      '0000802c e1a00001 MOV r0,r1',
      '00008030 ea000002 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'call 0x8030 0x8040',
  ],
  [
    'ADR lr of ARM without a register record',
    'A',
    [
      '00008020 e1a00001 MOV r0,r1',
      '00008024 e28fe004 ADR lr,0x8030',
      '00008028 e1a00001 MOV r0,r1',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'call 0x802c 0x8040',
  ],
  [
    'a link register that is set again to an unknown value',
    'A',
    [
      '00008020 e28fe008 ADR lr,0x8030',
      'R r14_svc 00008030',
      '00008024 e1a0e004 MOV lr,r4',
      '00008028 e1a00001 MOV r0,r1',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'jump 0x802c 0x8040',
  ],
  [
    'a link register that a call sets',
    'A',
    [
      '00008020 e28fe008 ADR lr,0x8030',
      'R r14_svc 00008030',
      '00008024 ebffffff BL 0x8028',
      '00008028 e1a00001 MOV r0,r1',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    ['call 0x8024 0x8028', 'jump 0x802c 0x8040'],
  ],
  [
    'a register record after the jump',
    'A',
    [
      '00008028 e1a0e004 MOV lr,r4',
      '0000802c ea000003 B 0x8040',
      'R r14_svc 00008030',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'jump 0x802c 0x8040',
  ],
  [
    'a register record that no instruction explains',
    'A',
    [
      '00008024 e1a00001 MOV r0,r1',
      'R r14_svc 00008030',
      '00008028 e1a00001 MOV r0,r1',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    'jump 0x802c 0x8040',
  ],
  [
    'a jump to the next instruction',
    'A',
    [
      '00008020 e28fe000 ADR lr,0x8028',
      '00008024 eaffffff B 0x8028',
      '00008028 e1a00001 MOV r0,r1',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    ['call 0x8024 0x8028', 'jump 0x802c 0x8040'],
  ],
  [
    'two processors in turn',
    'A',
    [
      'cpu0 00008024 e28fe004 ADR lr,0x8030',
      'cpu1 R r14_svc 0000802c',
      'cpu0 R r14_svc 00008030',
      'cpu1 0000802c e1a00001 MOV r0,r1',
      'cpu0 00008028 e1a00001 MOV r0,r1',
      'cpu0 0000802c ea000003 B 0x8040',
      'cpu1 00008030 ea000002 B 0x8040',
      'cpu0 00008040 e2800001 ADD r0,r0,#1',
      'cpu1 00008040 e2800001 ADD r0,r0,#1',
    ],
    ['call 0x802c 0x8040', 'jump 0x8030 0x8040'],
  ],
  [
    'an interrupt between ADR lr and the jump',
    'A',
    [
      '00008024 e28fe004 ADR lr,0x8030',
      'R r14_svc 00008030',
      '00008028 e1a00000 MOV r0,r0',
      'R r14_irq 0000a000',
      'irq 00000018 e1a00000 MOV r0,r0',
      'irq 0000001c e25ef004 SUBS pc,lr,#4',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
      '00008044 e12fff1e BX lr',
      '00008030 e8bd8010 POP {r4,pc}',
    ],
    ['interrupt 0x802c 0x18', 'return 0x1c 0x802c', 'call 0x802c 0x8040', 'return 0x8044 0x8030'],
  ],
  [
    'an interrupt directly after the first instruction, whose register the record of the interrupted mode shows',
    'A',
    [
      '00008028 e1a0e004 MOV lr,r4',
      'R r14_svc 00008030',
      'R r14_irq 0000a000',
      'irq 00000018 e25ef004 SUBS pc,lr,#4',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    ['interrupt 0x802c 0x18', 'return 0x18 0x802c', 'call 0x802c 0x8040'],
  ],
  [
    'a handler whose link register would fit the jump',
    'A',
    [
      '00008028 e1a0e004 MOV lr,r4',
      'R r14_svc 00009000',
      'R r14_irq 00008030',
      'irq 00000018 e25ef004 SUBS pc,lr,#4',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    ['interrupt 0x802c 0x18', 'return 0x18 0x802c', 'jump 0x802c 0x8040'],
  ],
  [
    'a handler that calls, and two interrupts in succession',
    'A',
    [
      '00008028 e28fe000 ADR lr,0x8030',
      'irq 00000018 eb000ff8 BL 0x4000',
      'irq 00004000 e12fff1e BX lr',
      'irq 0000001c e25ef004 SUBS pc,lr,#4',
      'irq 00000018 eb000ff8 BL 0x4000',
      'irq 00004000 e12fff1e BX lr',
      'irq 0000001c e25ef004 SUBS pc,lr,#4',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    [
      'interrupt 0x802c 0x18',
      'call 0x18 0x4000',
      'return 0x4000 0x1c',
      'return 0x1c ?',
      'interrupt ? 0x18',
      'call 0x18 0x4000',
      'return 0x4000 0x1c',
      'return 0x1c 0x802c',
      'call 0x802c 0x8040',
    ],
  ],
  [
    'a second interrupt in the handler, also between ADR lr and the jump',
    'A',
    [
      '00008028 e28fe000 ADR lr,0x8030',
      'irq 00000018 ea000ff8 B 0x4000',
      'irq 00004000 e28fe000 ADR lr,0x4008',
      'R r14_fiq 00004008',
      'fiq 0000001c e25ef004 SUBS pc,lr,#4',
      'irq 00004004 ea00000d B 0x4040',
      'irq 00004040 e25ef004 SUBS pc,lr,#4',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    [
      'interrupt 0x802c 0x18',
      'jump 0x18 0x4000',
      'interrupt 0x4004 0x1c',
      'return 0x1c 0x4004',
      'call 0x4004 0x4040',
      'return 0x4040 0x802c',
      'call 0x802c 0x8040',
    ],
  ],
  [
    'a handler that changes the link register by a branch back instead of a return',
    'A',
    [
      '00008024 e28fe004 ADR lr,0x8030',
      '00008028 1a0003f4 BNE 0x9000',
      '00009000 e1a0e004 MOV lr,r4',
      '00009004 eafffc08 B 0x802c',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    ['jump 0x8028 0x9000', 'jump 0x9004 0x802c', 'jump 0x802c 0x8040'],
  ],
  [
    'an interrupt whose handler returns behind the jump, and a later jump to it',
    'A',
    [
      '00008028 e28fe000 ADR lr,0x8030',
      'irq 00000018 e25ef000 SUBS pc,lr,#0',
      '00008030 e1a0e004 MOV lr,r4',
      '00008034 eafffffc B 0x802c',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    ['interrupt 0x802c 0x18', 'return 0x18 0x8030', 'jump 0x8034 0x802c', 'jump 0x802c 0x8040'],
  ],
  [
    'an interrupt between ADR lr and BX of Thumb',
    'T',
    [
      '00001000 f20f0e05 ADR.W lr,0x1009',
      'R r14_svc 00001009',
      'irq 00000018 f3de8f04 SUBS pc,lr,#4',
      '00001004 46c0 MOV r8,r8',
      '00001006 4718 BX r3',
      '00002000 bf00 NOP',
    ],
    ['interrupt 0x1004 0x18', 'return 0x18 0x1004', 'call 0x1006 0x2000'],
  ],
  [
    'an interrupt of AArch64 between ADRP, ADD and the jump',
    'O',
    [
      '0000000080001000 9000001e ADRP x30,0x80001000',
      'R X30 0000000080001000',
      '0000000080001004 910033de ADD x30,x30,#0xc',
      'R X30 000000008000100c',
      '0000000080000280 aa1e03e0 MOV x0,x30',
      'R X0 000000008000100c',
      '0000000080000284 aa0103fe MOV x30,x1',
      'R X30 0000000000000001',
      '0000000080000288 d69f03e0 ERET',
      '0000000080001008 14000400 B 0x80002008',
      '0000000080002008 d503201f NOP',
    ],
    ['unknown 0x80001004 0x80000280', 'return 0x80000288 0x80001008', 'call 0x80001008 0x80002008'],
  ],
  [
    'an interrupt of an M-profile core, which puts the value that ends it into the link register',
    'T',
    [
      '00001000 f20f0e05 ADR.W lr,0x1009',
      'R r14 00001009',
      'E 00001004 0000000f CoreEvent_SYSTICK',
      'R r14 fffffff9',
      '00003000 4770 BX lr',
      'R r14 00001009',
      '00001004 46c0 MOV r8,r8',
      '00001006 4718 BX r3',
      '00002000 bf00 NOP',
    ],
    ['interrupt 0x1004 0x3000', 'return 0x3000 0x1004', 'call 0x1006 0x2000'],
  ],
  [
    'two threads, both interrupted between ADR lr and the jump',
    'A',
    [
      '00008028 e28fe000 ADR lr,0x8030',
      'irq 00000018 e25ef004 SUBS pc,lr,#4',
      '00009028 e28fe000 ADR lr,0x9030',
      'irq 00000018 e25ef004 SUBS pc,lr,#4',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
      'irq 00000018 e25ef004 SUBS pc,lr,#4',
      '0000902c ea000003 B 0x9040',
      '00009040 e2800001 ADD r0,r0,#1',
    ],
    [
      'interrupt 0x802c 0x18',
      'return 0x18 0x9028',
      'interrupt 0x902c 0x18',
      'return 0x18 0x802c',
      'call 0x802c 0x8040',
      'interrupt 0x8044 0x18',
      'return 0x18 0x902c',
      'call 0x902c 0x9040',
    ],
  ],
  [
    'a data abort of the instruction before the jump, which is repeated',
    'A',
    [
      '00008024 e28fe004 ADR lr,0x8030',
      '00008028 e5910000 LDR r0,[r1]',
      'abt 00000010 e25ef008 SUBS pc,lr,#8',
      '00008028 e5910000 LDR r0,[r1]',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    ['exception 0x8028 0x10', 'return 0x10 0x8028', 'call 0x802c 0x8040'],
  ],
  [
    'a second interrupt at a place where the link register is no longer known',
    'A',
    [
      '00008028 e28fe000 ADR lr,0x8030',
      'irq 00000018 ea001ff8 B 0x8000',
      'irq 00008000 ebffffff BL 0x8004',
      'irq 00008004 ea000007 B 0x8028',
      'irq 00008028 e1a00000 MOV r0,r0',
      'fiq 0000001c e25ef004 SUBS pc,lr,#4',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    [
      'interrupt 0x802c 0x18',
      'jump 0x18 0x8000',
      'call 0x8000 0x8004',
      'jump 0x8004 0x8028',
      'interrupt 0x802c 0x1c',
      'return 0x1c 0x802c',
      'jump 0x802c 0x8040',
    ],
  ],
  [
    'a register record between the return of a handler and the jump',
    'A',
    [
      '00008028 e1a0e004 MOV lr,r4',
      'R r14_svc 00009000',
      'irq 00000018 e25ef004 SUBS pc,lr,#4',
      'R r14_irq 00008030',
      '0000802c ea000003 B 0x8040',
      '00008040 e2800001 ADD r0,r0,#1',
    ],
    ['interrupt 0x802c 0x18', 'return 0x18 0x802c', 'jump 0x802c 0x8040'],
  ],
  [
    'a loop that repeats the jump without the link register',
    'A',
    [
      '00008028 e1a0e004 MOV lr,r4',
      'R r14_svc 00008030',
      '0000802c ea000003 B 0x8040',
      '00008040 eafffff9 B 0x802c',
      '0000802c ea000003 B 0x8040',
      '00008040 eafffff9 B 0x802c',
      '0000802c ea000003 B 0x8040',
    ],
    ['call 0x802c 0x8040', 'jump 0x8040 0x802c', 'jump 0x802c 0x8040', 'jump 0x8040 0x802c'],
  ],
])('%s', (_, set, lines, expected) => {
  expect(branchesOf(set, lines)).toEqual([expected].flat());
});
