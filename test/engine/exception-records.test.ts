/** Lines that report exceptions, interrupts and their ends give the source and the kind of each, however the trace is divided. */
import { afterAll, describe, expect, test } from 'vitest';
import { NIGHTLY } from '../short-form.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
afterAll(() => {
  place.dispose();
});

const CUTS = NIGHTLY ? [48, 240, 1_200_000] : [48, 1_200_000];
const engines = CUTS.map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
});

interface Answer {
  readonly events: readonly string[];
  readonly edges: readonly string[];
  /** Open calls at record `at`, innermost first: function and call site. */
  readonly frames: readonly string[];
}

let files = 0;

/** Answers of every engine, which must be the same. */
async function answersOf(lines: readonly string[], symbols: readonly string[] = [], at = 0): Promise<Answer> {
  const file = place.file(`trace-${++files}.tarmac`, `${lines.join('\n')}\n`);
  const images = symbols.length === 0 ? [] : [{ path: place.file(`names-${files}.sym`, `${symbols.join('\n')}\n`) }];
  const answers: Answer[] = [];
  for (const engine of engines) {
    const isRtl = lines[0]!.includes(' ns ');
    const options = { dialect: isRtl ? 'rtl' : 'fastmodels', ...(!isRtl && { numbers: 'instructions' }) };
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', options, images });
    await ask(engine, 'index', { trace });
    const { events } = await ask(engine, 'branchEvents', { trace, count: 100 });
    const { frames } = await ask(engine, 'stack', { trace, at });
    const { functions, edges } = await ask(engine, 'calls', { trace });
    await ask(engine, 'close', { trace });
    const names = new Map(functions.map(({ id, name }) => [id, name]));
    answers.push({
      events: events.map(({ n, kind, source = '?', target = '?', inferred, flags = [] }) =>
        [n, kind, source, target, ...(inferred ? ['inferred'] : []), ...flags].join(' '),
      ),
      edges: edges.map(({ caller, callee, kind }) => `${names.get(caller)} ${names.get(callee)} ${kind}`),
      frames: frames.map(({ function: name, site }) => `${name} ${site ?? '?'}`),
    });
  }
  for (const answer of answers) expect(answer).toEqual(answers.at(-1));
  return answers.at(-1)!;
}

/** Fast Models lines: a number begins an instruction, a blank what else has its time. */
function models(lines: readonly string[]): readonly string[] {
  let number = '0';
  return lines.map((line) => {
    const [first = '', ...rest] = line.split(' ');
    if (first === '') return `${number} clk ${rest.join(' ')}`;
    number = first;
    const [address = '', opcode = '', set = '', mode = '', ...text] = rest;
    return `${number} clk IT (${number}) ${address} ${opcode} ${set} ${mode} : ${text.join(' ')}`;
  });
}

describe('instruction numbers that skip', () => {
  const SLEEP = ['00001000 T outer', '00001100 T sleep', '00001200 T idle', '00001300 T end'];

  test.each(['WFI', 'WFE'])('are no gap at the next address after %s', async (text) => {
    const { events, frames } = await answersOf(
      models([
        '98 00001200 bf00 T thread NOP',
        '99 00001202 f7fffefd T thread BL 0x1000',
        '100 00001000 b510 T thread PUSH {r4,lr}',
        '101 00001002 f000f87d T thread BL 0x1100',
        '102 00001100 bf00 T thread NOP',
        `103 00001102 ${text === 'WFI' ? 'bf30' : 'bf20'} T thread ${text}`,
        '5104 00001104 4770 T thread BX lr',
        '5105 00001006 bd10 T thread POP {r4,pc}',
        '5106 00001206 bf00 T thread NOP',
      ]),
      SLEEP,
      6,
    );
    expect(events).toEqual([
      '2 call 0x1202 0x1000',
      '4 call 0x1002 0x1100',
      '7 return 0x1104 0x1006',
      '8 return 0x1006 0x1206',
    ]);
    expect(frames).toEqual(['sleep 0x1002', 'outer 0x1202', 'idle ?']);
  });

  test('are no gap at the target of a branch, as vector instructions of several beats use numbers up', async () => {
    const { events } = await answersOf(
      models([
        '10 00001000 ed9e1e00 T thread VLDRW.U32 q0,[r0]',
        '14 00001004 e000 T thread B 0x1008',
        '19 00001008 bf00 T thread NOP',
      ]),
    );
    expect(events).toEqual(['2 jump 0x1004 0x1008']);
  });

  test.each([
    ['another address', '00001010 bf00 T thread NOP', '2 unknown ? 0x1010 gap-before'],
    ['the address after a call', '00001006 bf00 T thread NOP', '2 unknown ? 0x1006 gap-before'],
  ])('are a gap at %s', async (_, next, event) => {
    const lines = ['10 00001000 bf30 T thread WFI', '11 00001002 f000f87d T thread BL 0x1100', `30 ${next}`];
    expect((await answersOf(models(lines))).events).toEqual([event]);
  });
});

describe('event lines with an address', () => {
  test('name the instruction at which an interrupt ended a sleep', async () => {
    const { events, edges } = await answersOf(
      models([
        '99 00001204 f7fffefc T thread BL 0x1000',
        '100 00001000 b510 T thread PUSH {r4,lr}',
        '101 00001002 bf30 T thread WFI',
        ' E 00001004 0000000f CoreEvent_SYSTICK',
        ' R r14 fffffff9',
        '5102 00001100 2001 T handler MOVS r0,#1',
        '5103 00001102 4770 T handler BX lr',
        '5104 00001004 bf00 T thread NOP',
      ]),
      ['00001000 T sleep', '00001100 T SysTick_Handler', '00001200 T idle', '00001300 T end'],
    );
    expect(events).toEqual(['1 call 0x1204 0x1000', '5 interrupt 0x1004 0x1100', '7 return 0x1102 0x1004']);
    expect(edges).toEqual(['idle sleep call', 'sleep SysTick_Handler interrupt']);
  });

  test.each([
    ['EXT_INT5', 'interrupt'],
    ['EXT_INT240_S', 'interrupt'],
    ['SYSTICK', 'interrupt'],
    ['PENDSV', 'interrupt'],
    ['NMI', 'interrupt'],
    ['SVCALL', 'exception'],
    ['HARDFAULT', 'exception'],
    ['MEMMANAGE', 'exception'],
    ['handleIRQ', 'interrupt'],
    ['LOWER_64_FIQ', 'interrupt'],
    ['CURRENT_SPx_SERROR', 'exception'],
  ])('CoreEvent_%s is an %s', async (name, kind) => {
    const lines = [
      '1 00001000 bf00 T thread NOP',
      ` E 00001002 00000003 CoreEvent_${name}`,
      '2 00002000 bf00 T handler NOP',
    ];
    expect((await answersOf(models(lines))).events).toEqual([`2 ${kind} 0x1002 0x2000`]);
  });

  test('name the instruction that caused a synchronous exception', async () => {
    const { events, frames } = await answersOf(
      models([
        '10 80001000 d2800020 O EL1h_n MOV x0,#1',
        '11 80001004 9400003f O EL1h_n BL 0x80001100',
        ' R X30 0000000080001008',
        '12 80001100 d503201f O EL1h_n NOP',
        '13 80001104 b9400001 O EL1h_n LDR w1,[x0]',
        ' E 0000000080001104 00000084 CoreEvent_CURRENT_SPx_SYNC',
        ' R ELR_EL1 0000000080001104',
        '14 80020200 d503201f O EL1h_n NOP',
      ]),
      ['0000000080001000 T main', '0000000080001100 T poke', '0000000080020000 T vectors', '0000000080020204 T hang'],
      7,
    );
    expect(events).toEqual(['3 call 0x80001004 0x80001100', '7 exception 0x80001104 0x80020200']);
    expect(frames).toEqual(['vectors 0x80001104', 'poke 0x80001004', 'main ?']);
  });

  test('name an instruction that the trace lacks because it did not complete', async () => {
    const { events } = await answersOf(
      models([
        '1 00008000 e1a00000 A svc_s NOP',
        ' E 00008004 abt 00000019 CoreEvent_ModeChange',
        ' E 00008004 00000005 CoreEvent_handleDataAbort',
        ' R r14_abt 0000800c',
        '2 00020010 e25ef008 A abt_s SUBS pc,lr,#8',
        '3 00008004 e5901000 A svc_s LDR r1,[r0]',
      ]),
    );
    expect(events).toEqual(['4 exception 0x8004 0x20010', '5 return 0x20010 0x8004']);
  });

  test.each([
    ['an indirect call', '4798 T thread BLX r3', ['2 call 0x1000 0x2000', '2 interrupt 0x2000 0x3000']],
    ['a conditional branch', 'b108 T thread CBZ r0,0x1006', ['2 interrupt 0x1002 0x3000']],
  ])('show where %s went before an interrupt', async (_, instruction, expected) => {
    const at = expected.length === 2 ? '00002000' : '00001002';
    const lines = [
      `1 00001000 ${instruction}`,
      ` E ${at} 00000011 CoreEvent_EXT_INT1`,
      '2 00003000 bf00 T handler NOP',
    ];
    expect((await answersOf(models(lines))).events).toEqual(expected);
  });

  test('are no source if they contain the address of the handler', async () => {
    const lines = [
      '1 00001000 d503201f O EL0t NOP',
      ' E 00080400 00000088 CoreEvent_LOWER_64_SYNC',
      '2 00080400 d503201f O EL1h NOP',
    ];
    expect((await answersOf(models(lines))).events).toEqual(['2 exception ? 0x80400']);
  });

  test('show where execution continued after missing lines', async () => {
    const lines = [
      '1 00001000 bf00 T thread NOP',
      ' E 00001800 00000011 CoreEvent_EXT_INT1',
      '90 00003000 bf00 T handler NOP',
    ];
    expect((await answersOf(models(lines))).events).toEqual([
      '2 unknown ? 0x1800 gap-before',
      '2 interrupt 0x1800 0x3000',
    ]);
  });

  test('show an interrupt before the first instruction of a handler', async () => {
    const lines = [
      '1 00001000 df01 T thread SVC #1',
      ' E 00001002 0000000b CoreEvent_SVCALL',
      ' E 00002000 00000011 CoreEvent_EXT_INT1',
      '2 00003000 4770 T handler BX lr',
      '3 00002000 4770 T handler BX lr',
      '4 00001002 bf00 T thread NOP',
    ];
    expect((await answersOf(models(lines))).events).toEqual([
      '3 exception 0x1000 0x2000',
      '3 interrupt 0x2000 0x3000',
      '4 return 0x3000 0x2000',
      '5 return 0x2000 0x1002',
    ]);
  });
});

describe('INFO_EXCEPTION_REASON lines', () => {
  const reason = (phase: string, pc: string, vector: string): string =>
    ` INFO_EXCEPTION_REASON: PHASE=${phase} REASONS=UNSPECIFIED PC=0x${pc} VECTOR=${vector} FaultCause=NO_FSR_BIT SecurityState=S`;
  const irq = (...reports: readonly string[]): readonly string[] =>
    models([
      '501 20000102 f000f87d T thread_s BL 0x20000200',
      ...reports,
      '502 20000400 4671 T handler_s MOV r1,lr',
      '503 20000402 4718 T handler_s BX r3',
      reason('DEACTIVATE', 'fffffffd', 'EXT_INT5'),
      '504 20000200 bf00 T thread_s NOP',
    ]);

  test.each([
    ['alone', [reason('ACTIVATE', '20000200', 'EXT_INT5')]],
    ['and the event line', [reason('ACTIVATE', '20000200', 'EXT_INT5'), ' E 20000200 00000015 CoreEvent_EXT_INT5']],
  ])('%s give one interrupt, and the end of it', async (_, reports) => {
    const n = 1 + reports.length;
    expect((await answersOf(irq(...reports))).events).toEqual([
      `${n} call 0x20000102 0x20000200`,
      `${n} interrupt 0x20000200 0x20000400`,
      `${n + 3} return 0x20000402 0x20000200`,
    ]);
  });

  test('that only pend an exception give none', async () => {
    expect((await answersOf(irq(reason('PEND', '20000200', 'EXT_INT5')))).events[0]).toBe(
      '2 unknown 0x20000102 0x20000400',
    );
  });
});

describe('the RTL of Cortex-M0', () => {
  const rtl = (lines: readonly string[]): readonly string[] =>
    lines.map((line, i) => `${String(100 + 20 * i).padStart(14)} ns ${line}`);
  const PROGRAM = ['E RESET', 'IT 00000100 2007        MOVS     r0,#7'];
  const HANDLER = ['IT 000001c0 2107        MOVS     r1,#7', 'IT 000001c2 4770        BX       lr'];

  test('shows the entry of an interrupt and its return', async () => {
    const { events, edges } = await answersOf(
      rtl([
        ...PROGRAM,
        'R r14 00000107',
        'IT 00000102 f000f805    BL       0x00000110',
        'IT 00000110 2055        MOVS     r0,#0x55',
        'E INT_NEW_PEND 0f',
        'E INT_PREEMPT 0f',
        'MW4_D 20000ff8 00000112',
        'R r14 fffffff9',
        'E INT_TAKEN 0f',
        ...HANDLER,
        'E INT_RETURN 0f',
        'IT 00000112 4770        BX       lr',
        'IT 00000106 bf00        NOP',
      ]),
      ['00000100 T Reset_Handler', '00000110 T work', '000001c0 T SysTick_Handler', '00000200 T end'],
    );
    expect(events).toEqual([
      '4 call 0x102 0x110',
      '10 interrupt 0x112 0x1c0',
      '13 return 0x1c2 0x112',
      '14 return 0x112 0x106',
    ]);
    expect(edges).toEqual(['Reset_Handler work call', 'work SysTick_Handler interrupt']);
  });

  test('shows the address at which an instruction of several cycles was interrupted', async () => {
    const { events } = await answersOf(
      rtl([
        ...PROGRAM,
        'IT 00000102 4718        BX       r3',
        'E INT_PREEMPT 10',
        'E INT_MULTICYCLE',
        'E PC_NOT_ADVANCED 00000180',
        'E INT_TAKEN 10',
        ...HANDLER,
        'E INT_RETURN 10',
        'IT 00000180 bd00        POP      {pc}',
      ]),
    );
    expect(events).toEqual(['7 jump 0x102 0x180', '7 interrupt 0x180 0x1c0', '10 return 0x1c2 0x180']);
  });

  test.each([
    ['02', 'interrupt 0x102'],
    ['03', 'exception ?'],
    ['0b', 'exception ?'],
    ['0e', 'interrupt 0x102'],
    ['1f', 'interrupt 0x102'],
  ])('exception number %s is an %s', async (number, event) => {
    const { events } = await answersOf(rtl([...PROGRAM, `E INT_TAKEN ${number}`, ...HANDLER]));
    expect(events).toEqual([`3 ${event} 0x1c0`]);
  });
});
