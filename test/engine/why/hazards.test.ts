/** Small traces, each with one case that is easy to get wrong: the engine agrees with a forward replay about every byte at every record. */
import { afterAll, expect, test } from 'vitest';
import { toHex } from '../../../shared/base/units.ts';
import { sharedEngine } from '../shared-engine.ts';
import { firstDifference } from '../state-questions.ts';
import { scratch } from '../traces.ts';
import { ask } from '../ask.ts';
import { usersIn } from './forward-oracle.ts';
import { answers, forwardAnswers, openReplayed, type Replayed } from './questions.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

const HAZARDS = {
  'a store of one CPU between a load of another and its read': `
    | cpu0 IT (1) 00008000 e3a00011 A svc_s : mov r0, #0x11
    | cpu0 R r0 00000011
    | cpu1 IT (1) 00008000 e3a01a01 A svc_s : mov r1, #0x1000
    | cpu1 R r1 00001000
    | cpu0 IT (2) 00008004 e3a01a01 A svc_s : mov r1, #0x1000
    | cpu0 R r1 00001000
    | cpu1 IT (2) 00008004 e5912000 A svc_s : ldr r2, [r1]
    | cpu0 IT (3) 00008008 e5810000 A svc_s : str r0, [r1]
    | cpu0 MW4 00001000 00000011
    | cpu1 MR4 00001000 00000011
    | cpu1 R r2 00000011`,
  'a record whose register cannot be read': `
    | cpu0 IT (1) 00008000 e3a00011 A svc_s : mov r0, #0x11
    | cpu0 R r0 00000011
    | cpu0 IT (2) 00008004 e3a01a01 A svc_s : mov r1, #0x1000
    | cpu0 R r1 00001000
    | cpu0 R r? 00000007
    | cpu0 IT (3) 00008008 e0802001 A svc_s : add r2, r0, r1
    | cpu0 R r2 00001011`,
  'a shift by a register that is 0, which leaves the carry flag alone': `
    | cpu0 IT (1) 00008000 e3a00001 A svc_s : mov r0, #1
    | cpu0 R r0 00000001
    | cpu0 IT (2) 00008004 e3a01000 A svc_s : mov r1, #0
    | cpu0 R r1 00000000
    | cpu0 IT (3) 00008008 e3b02102 A svc_s : movs r2, #0x80000000
    | cpu0 R r2 80000000
    | cpu0 R cpsr a00000d3
    | cpu0 IS (4) 0000800c 03a03001 A svc_s : moveq r3, #1
    | cpu0 IT (5) 00008010 e1b03110 A svc_s : lsls r3, r0, r1
    | cpu0 R r3 00000001
    | cpu0 R cpsr 200000d3
    | cpu0 IT (6) 00008014 23a04005 A svc_s : movcs r4, #5
    | cpu0 R r4 00000005
    | cpu0 IT (7) 00008018 21b05120 A svc_s : lsrscs r5, r0, #2
    | cpu0 R r5 00000000
    | cpu0 R cpsr 400000d3`,
  'a byte of a word in big-endian memory': `
    | cpu0 IT (1) 00008000 e3a00011 A svc_s : mov r0, #0x11
    | cpu0 R r0 00000011
    | cpu0 IT (2) 00008004 e3a01a01 A svc_s : mov r1, #0x1000
    | cpu0 R r1 00001000
    | cpu0 IT (3) 00008008 e5c10003 A svc_s : strb r0, [r1, #3]
    | cpu0 MW1 00001003 11
    | cpu0 IT (4) 0000800c e3a00022 A svc_s : mov r0, #0x22
    | cpu0 R r0 00000022
    | cpu0 IT (5) 00008010 e5c10000 A svc_s : strb r0, [r1]
    | cpu0 MW1 00001000 22
    | cpu0 IT (6) 00008014 e5912000 A svc_s : ldr r2, [r1]
    | cpu0 MR4 00001000 22000011
    | cpu0 R r2 22000011
    | cpu0 IT (7) 00008018 e5c12004 A svc_s : strb r2, [r1, #4]
    | cpu0 MW1 00001004 11`,
  'modes with a stack pointer and link register of their own, whose changes no record shows': `
    | cpu0 IT (1) 00008000 e321f0d2 A svc_s : msr cpsr_c, #0xd2
    | cpu0 IT (2) 00008004 e3a0da01 A irq_s : mov sp, #0x1000
    | cpu0 IT (3) 00008008 e321f0d3 A irq_s : msr cpsr_c, #0xd3
    | cpu0 IT (4) 0000800c e3a0da02 A svc_s : mov sp, #0x2000
    | cpu0 IT (5) 00008010 e321f0d2 A svc_s : msr cpsr_c, #0xd2
    | cpu0 IT (6) 00008014 e1a0000d A irq_s : mov r0, sp
    | cpu0 IT (7) 00008018 eb000000 A irq_s : bl 0x8020
    | cpu0 IT (8) 00008020 e3a01001 A irq_s : mov r1, #1
    | cpu0 IT (9) 00000008 e1a0200e A svc_s : mov r2, lr
    | cpu0 IT (10) 0000000c e1b0f00e A svc_s : movs pc, lr`,
  'registers that are printed with the mode that has them': `
    | cpu0 IT (1) 00008000 e3a0da01 A svc_s : mov sp, #0x1000
    | cpu0 R r13_svc 00001000
    | cpu0 IT (2) 00008004 eb000000 A svc_s : bl 0x800c
    | cpu0 R r14_svc 00008008
    | cpu0 IT (3) 0000800c e52de004 A svc_s : push {lr}
    | cpu0 MW4 00000ffc 00008008
    | cpu0 R r13_svc 00000ffc
    | cpu0 IT (4) 00008010 e321f0d2 A svc_s : msr cpsr_c, #0xd2
    | cpu0 R cpsr 000001d2
    | cpu0 IT (5) 00008014 e3a0da02 A irq_s : mov sp, #0x2000
    | cpu0 R r13_irq 00002000
    | cpu0 IT (6) 00008018 e3a0e011 A irq_s : mov lr, #0x11
    | cpu0 R r14_irq 00000011
    | cpu0 IT (7) 0000801c e321f0d3 A irq_s : msr cpsr_c, #0xd3
    | cpu0 R cpsr 000001d3
    | cpu0 IT (8) 00008020 e1a0000e A svc_s : mov r0, lr
    | cpu0 R r0 00008008
    | cpu0 IT (9) 00008024 e49d1004 A svc_s : pop {r1}
    | cpu0 MR4 00000ffc 00008008
    | cpu0 R r1 00008008
    | cpu0 R r13_svc 00001000
    | cpu0 IT (10) 00000008 e1a0200e A svc_s : mov r2, lr
    | cpu0 R r2 00008008`,
  'missing instructions, which can have set registers and memory': `
    | cpu0 IT (1) 00008000 e3a00011 A svc_s : mov r0, #0x11
    | cpu0 R r0 00000011
    | cpu0 IT (2) 00008004 e3a01a01 A svc_s : mov r1, #0x1000
    | cpu0 R r1 00001000
    | cpu0 IT (3) 00008008 e5810000 A svc_s : str r0, [r1]
    | cpu0 MW4 00001000 00000011
    | cpu0 IT (8) 00009000 e5912000 A svc_s : ldr r2, [r1]
    | cpu0 MR4 00001000 00000011
    | cpu0 R r2 00000011
    | cpu0 IT (9) 00009004 e0802001 A svc_s : add r2, r0, r1
    | cpu0 R r2 00001011
    | cpu0 IT (10) 00009008 e3a00022 A svc_s : mov r0, #0x22
    | cpu0 R r0 00000022
    | cpu0 IT (11) 0000900c e0823000 A svc_s : add r3, r2, r0
    | cpu0 R r3 00001033`,
  'missing instructions of one CPU, while another one reads and writes': `
    | cpu0 IT (1) 00008000 e3a01a01 A svc_s : mov r1, #0x1000
    | cpu0 R r1 00001000
    | cpu1 IT (1) 00008000 e3a01a01 A svc_s : mov r1, #0x1000
    | cpu1 R r1 00001000
    | cpu1 IT (2) 00008004 e3a00011 A svc_s : mov r0, #0x11
    | cpu1 R r0 00000011
    | cpu1 IT (3) 00008008 e5810000 A svc_s : str r0, [r1]
    | cpu1 MW4 00001000 00000011
    | cpu1 IT (4) 0000800c e5912000 A svc_s : ldr r2, [r1]
    | cpu1 MR4 00001000 00000011
    | cpu1 R r2 00000011
    | cpu0 IT (7) 00009000 e5912000 A svc_s : ldr r2, [r1]
    | cpu0 MR4 00001000 00000011
    | cpu0 R r2 00000011
    | cpu1 IT (5) 00008010 e5810000 A svc_s : str r0, [r1]
    | cpu1 MW4 00001000 00000011
    | cpu0 IT (8) 00009004 e5912000 A svc_s : ldr r2, [r1]
    | cpu0 MR4 00001000 00000011
    | cpu0 R r2 00000011
    | cpu0 IT (9) 00009008 e0823002 A svc_s : add r3, r2, r2
    | cpu0 R r3 00000022`,
  'conditional instructions of Thumb, some of them skipped': `
    | cpu0 IT (1) 00008000 2001 T thread_s : MOVS r0,#1
    | cpu0 R r0 00000001
    | cpu0 IT (2) 00008002 2800 T thread_s : CMP r0,#0
    | cpu0 R cpsr 20000000
    | cpu0 IT (3) 00008004 bf14 T thread_s : ITE NE
    | cpu0 IT (4) 00008006 2107 T thread_s : MOVNE r1,#7
    | cpu0 R r1 00000007
    | cpu0 IS (5) 00008008 2105 T thread_s : MOVEQ r1,#5
    | cpu0 IT (6) 0000800a 1c4a T thread_s : ADDS r2,r1,#1
    | cpu0 R r2 00000008
    | cpu0 R cpsr 00000000`,
};

/** Opens a trace of these lines. */
async function openHazard(name: string, text: string): Promise<Replayed> {
  // The bars keep this file from looking like a trace.
  const lines = text
    .trim()
    .slice(2)
    .split(/\n *\| /);
  const file = place.file(`${name}.txt`, lines.map((line, k) => `${k + 1} clk ${line}\n`).join(''));
  const options = {
    endian: name.includes('big-endian') ? 'big' : 'little',
    ...(name.startsWith('missing') && { numbers: 'instructions' }),
  };
  return openReplayed(engine, { path: file, format: 'tarmac', options });
}

test.each(Object.entries(HAZARDS))('%s', async (name, text) => {
  const opened = await openHazard(name, text);
  const cpus = text.includes('cpu1') ? [0, 1] : [0];
  const registers = opened.names.flatMap((register) => cpus.map((cpu) => ({ register, cpu })));
  const bytes = opened.replay.bytes.filter((byte) => byte.startsWith('m '));
  const memory = bytes.map((byte) => ({ address: toHex(BigInt(byte.slice(2))) }));
  const users = usersIn(opened.replay, opened.file);
  for (const of of [...registers, ...memory])
    for (let at = 0; at < opened.records.length; at++) {
      const question = { at, ...of, addresses: true, control: true, allCopies: true };
      const said = await answers(opened, question);
      expect(firstDifference(said.engine, said.oracle), JSON.stringify(question)).toBeUndefined();
      const went = await forwardAnswers(opened, users, { ...question, forward: true });
      expect(firstDifference(went.engine, went.oracle), `forward: ${JSON.stringify(question)}`).toBeUndefined();
    }
});

test('a value that missing instructions can have changed has no origin, and the reason names the records', async () => {
  const name = 'missing instructions, which can have set registers and memory';
  const { trace } = await openHazard(name, HAZARDS[name]);
  const { steps, ended } = await ask(engine, 'why', { trace, at: 14, register: 'r3' });
  const reason = 'instructions are missing between records 5 and 6';
  // Record 9 computes r2 after the gap of values from before it; record 11 sets r0 after it.
  expect(steps.map(({ n, uses }) => [n, uses.map((use) => use.reason ?? use.step)])).toEqual([
    [13, [2, 1]],
    [11, []],
    [9, [reason, reason]],
  ]);
  expect(ended.reason).toBe('unknown');
});

test('a link register is followed in its own mode, and not past an exception', async () => {
  const name = 'registers that are printed with the mode that has them';
  const { trace } = await openHazard(name, HAZARDS[name]);
  // Record 15 copies the link register of the supervisor, which bl at record 2 set. Record 11 set that of interrupts.
  const copy = await ask(engine, 'why', { trace, at: 16, register: 'r0' });
  expect(copy.steps.map(({ n, defines }) => [n, defines])).toEqual([
    [2, [{ register: 'r14_svc', cpu: 0, value: '0x8008' }]],
  ]);
  const current = await ask(engine, 'why', { trace, at: 12, register: 'lr' });
  expect(current.of).toEqual({ register: 'r14_irq', cpu: 0, value: '0x11' });
  expect(current.steps.map(({ n }) => n)).toEqual([11]);
  // Record 21 is at the vector of supervisor calls.
  const vector = await ask(engine, 'why', { trace, at: 22, register: 'r2' });
  expect(vector.steps.map(({ n, uses }) => [n, uses.map(({ reason }) => reason)])).toEqual([
    [21, ['an exception at record 21 may have set it']],
  ]);
});

// Tarmac of ES prints r8 of all modes but FIQ as that of user mode.
test('a register that is printed as that of user mode is the one that opcodes of other modes name', async () => {
  const { trace } = await openHazard(
    'user bank',
    `
    | cpu0 IT (1) 00008000 e3a08011 A svc_s : mov r8, #0x11
    | cpu0 R r8_usr 00000011
    | cpu0 IT (2) 00008004 e321f0d1 A svc_s : msr cpsr_c, #0xd1
    | cpu0 R cpsr 000001d1
    | cpu0 IT (3) 00008008 e3a08022 A fiq_s : mov r8, #0x22
    | cpu0 R r8_fiq 00000022
    | cpu0 IT (4) 0000800c e321f0d3 A fiq_s : msr cpsr_c, #0xd3
    | cpu0 R cpsr 000001d3
    | cpu0 IT (5) 00008010 e2880001 A svc_s : add r0, r8, #1
    | cpu0 R r0 00000012`,
  );
  const sum = await ask(engine, 'why', { trace, at: 9, register: 'r0' });
  expect(sum.steps.map(({ n, defines }) => [n, defines])).toEqual([
    [8, [{ register: 'r0', cpu: 0, value: '0x12' }]],
    [0, [{ register: 'r8_usr', cpu: 0, value: '0x11' }]],
  ]);
  const current = await ask(engine, 'why', { trace, at: 5, register: 'r8' });
  expect(current.steps.map(({ n, defines }) => [n, defines])).toEqual([
    [4, [{ register: 'r8_fiq', cpu: 0, value: '0x22' }]],
  ]);
});
