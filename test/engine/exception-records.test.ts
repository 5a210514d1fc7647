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
  /** Open calls at record `at`, innermost first: function, call site, `inferred`. */
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
      frames: frames.map(({ function: name, site, inferred: isInferred }) =>
        [name, site ?? '?', ...(isInferred === true ? ['inferred'] : [])].join(' '),
      ),
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

  test('are no gap in a loop that sleeps three times, whose trace begins in the middle', async () => {
    const round = (first: number): readonly string[] => [
      `${first} 00001000 b510 T thread PUSH {r4,lr}`,
      ' MW4 20001ff8 00000004',
      ' MW4 20001ffc 00001205',
      ' R r13_main 20001ff8',
      ...['02', '04', '06', '08', '0a', '0c'].map((at, i) => `${first + 1 + i} 000010${at} bf00 T thread NOP`),
      `${first + 7} 0000100e f000f877 T thread BL 0x1100`,
      ' R r14 00001013',
      `${first + 8} 00001100 b500 T thread PUSH {lr}`,
      ' MW4 20001ff4 00001013',
      ' R r13_main 20001ff4',
      `${first + 9} 00001102 bf30 T thread WFI`,
      ...['04', '06', '08', '0a', '0c', '0e'].map((at, i) => `${first + 5010 + i} 000011${at} bf00 T thread NOP`),
      `${first + 5016} 00001110 bd00 T thread POP {pc}`,
      ' MR4 20001ff4 00001013',
      `${first + 5017} 00001012 bd10 T thread POP {r4,pc}`,
      ' MR4 20001ff8 00000004',
      ' MR4 20001ffc 00001205',
      `${first + 5018} 00001204 f7fffefc T thread BL 0x1000`,
      ' R r14 00001209',
    ];
    const lines = models([100, 5119, 10138].flatMap(round));
    const { events, frames } = await answersOf(lines, SLEEP, 18);
    const calls = (n: number): readonly string[] => [
      `${n + 12} call 0x100e 0x1100`,
      `${n + 24} return 0x1110 0x1012`,
      `${n + 27} return 0x1012 0x1204`,
    ];
    expect(events).toEqual([...calls(0), '29 call 0x1204 0x1000', ...calls(29), '58 call 0x1204 0x1000', ...calls(58)]);
    // Record 2 saves the address to which outer returns later.
    expect(frames).toEqual(['sleep 0x100e', 'outer ?', 'idle ?']);
  });

  test('are no gap after WFI of AArch64', async () => {
    const { events, frames } = await answersOf(
      models([
        '7 0000000080001000 94000040 O EL1h_n BL 0x80001100',
        '8 0000000080001100 d503207f O EL1h_n WFI',
        '904 0000000080001104 d65f03c0 O EL1h_n RET',
        '905 0000000080001004 d503201f O EL1h_n NOP',
      ]),
      ['0000000080001000 T idle', '0000000080001100 T sleep', '0000000080001200 T end'],
      2,
    );
    expect(events).toEqual(['1 call 0x80001000 0x80001100', '3 return 0x80001104 0x80001004']);
    expect(frames).toEqual(['sleep 0x80001000', 'idle ?']);
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

  test('name the instruction at which an interrupt ended a sleep, after other code', async () => {
    const start = Array.from(
      { length: 40 },
      (_, i) => `${59 + i} 0000${(0x1300 + 2 * i).toString(16)} bf00 T thread NOP`,
    );
    const { events, edges } = await answersOf(
      models([
        ...start,
        '99 00001204 f7fffefc T thread BL 0x1000',
        ' R r14 00001209',
        '100 00001000 b510 T thread PUSH {r4,lr}',
        ' MW4 20001ff8 00000004',
        ' MW4 20001ffc 00001209',
        '101 00001002 bf30 T thread WFI',
        ' E 00001004 0000000f CoreEvent_SYSTICK',
        ' R r14 fffffff9',
        ' R cpsr 0100000f',
        '5102 00001100 2001 T handler MOVS r0,#1',
        ' R r0 00000001',
        '5103 00001102 4770 T handler BX lr',
        '5104 00001004 bf00 T thread NOP',
        '5105 00001006 bd10 T thread POP {r4,pc}',
        ' MR4 20001ff8 00000004',
        ' MR4 20001ffc 00001209',
        '5106 00001208 bf00 T thread NOP',
      ]),
      ['00001000 T sleep', '00001100 T SysTick_Handler', '00001200 T idle', '00001300 T start', '00001400 T end'],
    );
    expect(events).toEqual([
      '40 unknown 0x134e 0x1204',
      '42 call 0x1204 0x1000',
      '49 interrupt 0x1004 0x1100',
      '52 return 0x1102 0x1004',
      '56 return 0x1006 0x1208',
    ]);
    expect(edges).toEqual(['idle sleep call', 'sleep SysTick_Handler interrupt']);
  });

  test.each([
    [
      'WFE of an M-profile core',
      [
        '20 00001200 f7fffefe T thread BL 0x1000',
        '21 00001000 bf20 T thread WFE',
        ' E 00001002 00000013 CoreEvent_EXT_INT3',
        ' R r14 fffffff9',
        '733 00001100 4770 T handler BX lr',
        '734 00001002 4770 T thread BX lr',
        '735 00001204 bf00 T thread NOP',
      ],
      ['00001000 T sleep', '00001100 T irq', '00001200 T idle', '00001300 T end'],
      ['1 call 0x1200 0x1000', '4 interrupt 0x1002 0x1100', '5 return 0x1100 0x1002', '6 return 0x1002 0x1204'],
    ],
    [
      'WFI of AArch64',
      [
        '10 0000000080001000 94000040 O EL1h_n BL 0x80001100',
        '11 0000000080001100 d503207f O EL1h_n WFI',
        ' E 0000000080001104 00000085 CoreEvent_CURRENT_SPx_IRQ',
        '960 0000000080020280 d69f03e0 O EL1h_n ERET',
        '961 0000000080001104 d65f03c0 O EL1h_n RET',
        '962 0000000080001004 d503201f O EL1h_n NOP',
      ],
      ['80001000 T idle', '80001100 T sleep', '80020280 T irq', '80020300 T end'],
      [
        '1 call 0x80001000 0x80001100',
        '3 interrupt 0x80001104 0x80020280',
        '4 return 0x80020280 0x80001104',
        '5 return 0x80001104 0x80001004',
      ],
    ],
  ])('name the instruction at which an interrupt ended %s', async (_, lines, symbols, expected) => {
    const { events, edges } = await answersOf(models(lines), symbols);
    expect(events).toEqual(expected);
    expect(edges).toEqual(['idle sleep call', 'sleep irq interrupt']);
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
        ' R X0 0000000000000001',
        '11 80001004 9400003f O EL1h_n BL 0x80001100',
        ' R X30 0000000080001008',
        '12 80001100 d503201f O EL1h_n NOP',
        '13 80001104 b9400001 O EL1h_n LDR w1,[x0]',
        ' E 0000000080001104 00000084 CoreEvent_CURRENT_SPx_SYNC',
        ' R cpsr 600003c5',
        ' R ELR_EL1 0000000080001104',
        ' R FAR_EL1 0000000000000001',
        ' R ESR_EL1 0000000096000021',
        '14 80020200 d503201f O EL1h_n NOP',
        '15 80020204 14000000 O EL1h_n B 0x80020204',
      ]),
      [
        '0000000080001000 T main',
        '0000000080001100 T poke',
        '0000000080001200 T after',
        '0000000080020000 T vectors',
        '0000000080020204 T hang',
      ],
      11,
    );
    expect(events).toEqual(['4 call 0x80001004 0x80001100', '11 exception 0x80001104 0x80020200']);
    expect(frames).toEqual(['vectors 0x80001104', 'poke 0x80001004', 'main ?']);
  });

  test('name the instruction of a lower level that caused a synchronous exception', async () => {
    const { events, frames } = await answersOf(
      models([
        '10 0000000000400000 94000040 O EL0t_n BL 0x400100',
        '11 0000000000400100 f9400001 O EL0t_n LDR x1,[x0]',
        ' E 0000000000400100 00000088 CoreEvent_LOWER_64_SYNC',
        ' R ELR_EL1 0000000000400100',
        '12 0000000080020400 d503201f O EL1h_n NOP',
      ]),
      ['0000000000400000 T main', '0000000000400100 T peek', '0000000080020000 T vectors', '0000000080020800 T end'],
      4,
    );
    expect(events).toEqual(['1 call 0x400000 0x400100', '4 exception 0x400100 0x80020400']);
    expect(frames).toEqual(['vectors 0x400100', 'peek 0x400000', 'main ?']);
  });

  test('name an instruction that could not be fetched at the target of a jump', async () => {
    const { events } = await answersOf(
      models([
        '10 0000000080001000 d2800020 O EL1h_n MOV x0,#1',
        '11 0000000080001004 d61f0200 O EL1h_n BR x16',
        ' E 0000000080003000 00000084 CoreEvent_CURRENT_SPx_SYNC',
        ' R ELR_EL1 0000000080003000',
        '12 0000000080020200 d503201f O EL1h_n NOP',
      ]),
    );
    expect(events).toEqual(['4 jump 0x80001004 0x80003000', '4 exception 0x80003000 0x80020200']);
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

  test('give the interrupt of a whole trace at the first instruction of its handler', async () => {
    const lines = [
      '500 clk IT (500) 20000100 b510 T thread_s : PUSH     {r4,lr}  [outer+0x0]',
      '500 clk MW4 30001ff8 00000007',
      '500 clk MW4 30001ffc 20000051',
      '500 clk R r13_process_s 30001ff8',
      '501 clk IT (501) 20000102 f000f87d T thread_s : BL       0x20000200  [outer+0x2]',
      '501 clk R r14 20000107',
      '501 clk E 00000000 handler 00000019 CoreEvent_ModeChange',
      '501 clk MW4 30001fd8 00000011',
      '501 clk MW4 30001fdc 00000012',
      '501 clk MW4 30001fe0 00000013',
      '501 clk MW4 30001fe4 00000014',
      '501 clk MW4 30001fe8 0000001c',
      '501 clk MW4 30001fec 20000107',
      '501 clk MW4 30001ff0 20000200',
      '501 clk MW4 30001ff4 01000000',
      '501 clk INFO_EXCEPTION_REASON: PHASE=ACTIVATE REASONS=UNSPECIFIED PC=0x20000200 VECTOR=EXT_INT5 FaultCause=NO_FSR_BIT SecurityState=S',
      '501 clk E 20000200 00000015 CoreEvent_EXT_INT5',
      '501 clk R r0 00000000',
      '501 clk R r14 fffffffd',
      '501 clk R r13_process_s 30001fd8',
      '501 clk R cpsr 01000015',
      '502 clk IT (502) 20000400 4671 T handler_s : MOV      r1,lr  [TICK_Handler+0x0]',
      '502 clk R r1 fffffffd',
      '503 clk IT (503) 20000402 b500 T handler_s : PUSH     {lr}  [TICK_Handler+0x2]',
      '503 clk MW4 3007fffc fffffffd',
      '503 clk R r13_main_s 3007fffc',
      '504 clk IT (504) 20000404 f000f83c T handler_s : BL       0x20000480  [TICK_Handler+0x4]',
      '504 clk R r14 20000409',
      '505 clk IT (505) 20000480 2801 T handler_s : CMP      r0,#1  [count+0x0]',
      '505 clk R cpsr 81000015',
      '506 clk IS (506) 20000482 d001 T handler_s : BEQ      0x20000488  [count+0x2]',
      '507 clk IT (507) 20000484 4770 T handler_s : BX       lr  [count+0x4]',
      '508 clk IT (508) 20000408 bc08 T handler_s : POP      {r3}  [TICK_Handler+0x8]',
      '508 clk MR4 3007fffc fffffffd',
      '508 clk R r3 fffffffd',
      '509 clk IT (509) 2000040a 4718 T handler_s : BX       r3  [TICK_Handler+0xa]',
      '509 clk E 00000000 thread 00000019 CoreEvent_ModeChange',
      '509 clk MR4 30001ff0 20000200',
      '509 clk MR4 30001ff4 01000000',
      '509 clk MR4 30001fd8 00000011',
      '509 clk MR4 30001fdc 00000012',
      '509 clk MR4 30001fe0 00000013',
      '509 clk MR4 30001fe4 00000014',
      '509 clk MR4 30001fe8 0000001c',
      '509 clk MR4 30001fec 20000107',
      '509 clk R r0 00000011',
      '509 clk R r14 20000107',
      '509 clk R r13_process_s 30001ff8',
      '509 clk R cpsr 01000000',
      '509 clk INFO_EXCEPTION_REASON: PHASE=DEACTIVATE REASONS=UNSPECIFIED PC=0xfffffffd VECTOR=EXT_INT5 FaultCause=NO_FSR_BIT SecurityState=S',
      '510 clk IT (510) 20000200 f24600d4 T thread_s : MOV      r0,#0x60d4  [inner+0x0]',
      '510 clk R r0 000060d4',
      '511 clk IT (511) 20000204 4770 T thread_s : BX       lr  [inner+0x4]',
      '512 clk IT (512) 20000106 bd10 T thread_s : POP      {r4,pc}  [outer+0x6]',
      '512 clk MR4 30001ff8 00000007',
      '512 clk MR4 30001ffc 20000051',
      '512 clk R r13_process_s 30002000',
      '513 clk IT (513) 20000050 bf00 T thread_s : NOP  [top+0x10]',
    ];
    const symbols = [
      '20000040 T top',
      '20000100 T outer',
      '20000200 T inner',
      '20000400 T TICK_Handler',
      '20000480 T count',
    ];
    const { events, edges } = await answersOf(lines, symbols);
    expect(events.filter((event) => event.includes(' interrupt '))).toEqual(['21 interrupt 0x20000200 0x20000400']);
    expect(edges.filter((edge) => edge.endsWith(' interrupt'))).toEqual(['inner TICK_Handler interrupt']);
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

  test('shows the entry of an interrupt that stacks registers, and its return', async () => {
    const { events, edges } = await answersOf(
      rtl([
        'E RESET',
        'R r13 20001000 (MSP)',
        'IT 00000100 2007        MOVS     r0,#7',
        'R r14 00000107',
        'IT 00000102 f000f805    BL       0x00000110',
        'R r0 00000055',
        'IT 00000110 2055        MOVS     r0,#0x55',
        'E INT_PREEMPT 0f',
        'MW4_D 20000ff8 00000112',
        'MR4_D 0000003c 000001c1',
        'R r14 fffffff9',
        'E INT_TAKEN 0f',
        'R r1 00000007',
        ...HANDLER,
        'E INT_RETURN 0f',
        'R r14 00000107',
        'IT 00000112 4770        BX       lr',
        'IT 00000106 bf00        NOP',
      ]),
      ['00000100 T Reset_Handler', '00000110 T work', '000001c0 T SysTick_Handler', '00000200 T end'],
    );
    expect(events).toEqual([
      '6 call 0x102 0x110',
      '13 interrupt 0x112 0x1c0',
      '17 return 0x1c2 0x112',
      '18 return 0x112 0x106',
    ]);
    expect(edges).toEqual(['Reset_Handler work call', 'work SysTick_Handler interrupt']);
  });

  describe.each([
    ['after its end', ['E INT_RETURN 0f', 'E INT_TAIL_CHAIN 10']],
    ['without its end', ['E INT_TAIL_CHAIN 10']],
  ])('shows an interrupt chained to another one %s', (_, chained) => {
    const lines = rtl([
      ...PROGRAM,
      'R r14 00000107',
      'IT 00000102 f000f805    BL       0x00000110',
      'IT 00000110 2055        MOVS     r0,#0x55',
      'E INT_PREEMPT 0f',
      'MW4_D 20000ff8 00000112',
      'R r14 fffffff9',
      'E INT_TAKEN 0f',
      ...HANDLER,
      ...chained,
      'MR4_D 00000040 000001e1',
      'R r14 fffffff9',
      'E INT_TAKEN 10',
      'IT 000001e0 2109        MOVS     r1,#9',
      'IT 000001e2 4770        BX       lr',
      'E INT_RETURN 10',
      'IT 00000112 4770        BX       lr',
      'IT 00000106 bf00        NOP',
    ]);
    const SYMBOLS = ['00000100 T Reset', '00000110 T work', '000001c0 T SysTick', '000001e0 T IRQ0', '00000200 T end'];
    const second = lines.length - 5;

    test('as certain', async () => {
      const { events, edges, frames } = await answersOf(lines, SYMBOLS, second);
      expect(events).toEqual([
        '4 call 0x102 0x110',
        '9 interrupt 0x112 0x1c0',
        `${second} return 0x1c2 ?`,
        `${second} interrupt ? 0x1e0`,
        `${second + 3} return 0x1e2 0x112`,
        `${second + 4} return 0x112 0x106`,
      ]);
      expect(edges).toEqual(['Reset work call', 'work SysTick interrupt', 'work IRQ0 interrupt']);
      expect(frames).toEqual(['IRQ0 0x112', 'work 0x102', 'Reset ?']);
    });

    test('with the interrupted function after it', async () => {
      expect((await answersOf(lines, SYMBOLS, second + 3)).frames).toEqual(['work 0x102', 'Reset ?']);
    });

    test('as inferred to interrupt a function if the trace ends before it returns', async () => {
      const { events, frames } = await answersOf(lines.slice(0, second + 2), SYMBOLS, second);
      expect(events.at(-1)).toBe(`${second} interrupt ? 0x1e0`);
      expect(frames).toEqual(['IRQ0 ? inferred', 'work 0x102 inferred', 'Reset ? inferred']);
    });
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
