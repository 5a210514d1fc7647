/** Line forms of the Tarmac family, read as the manuals of their writers say and worked out by hand one line at a time. */
import { describe, expect, test } from 'vitest';
import { FLAG } from '../../shared/records/batch.ts';
import { byCode } from '../../shared/format/diagnostics.ts';
import type { Decoder, Settings } from '../../shared/format/format.ts';
import type { Dialect } from '../../shared/formats/tarmac/line/line.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import type { RecordFields } from '../../shared/records/record.ts';
import { decodeAll, type Driven, type DrivenRecord } from '../laws/drive.ts';

type Row = readonly [dialect: Dialect, line: string, fields: RecordFields];

describe('instructions', () => {
  test.each<Row>([
    [
      'fastmodels',
      '23 clk IT (23) 0000815c:00000000815c_NS,00000000915e_NS f7ffef76 T hyp_n : BLX {pc}-0x110',
      {
        time: 23,
        kind: 'instruction',
        native: 'IT',
        address: '0x815c',
        size: 4,
        opcode: '0xf7ffef76',
        isa: 'T',
        text: 'BLX {pc}-0x110',
        flags: ['hyp', 'ns', 'pa-0x815c', 'ns', 'pa-0x915e', 'ns'],
      },
    ],
    [
      'fastmodels',
      '5 clk cpu3 IS (9) ffffff8000081000 54ffffa1 O EL1h_ns : B.NE {pc}-0xc',
      {
        time: 5,
        cpu: 3,
        kind: 'skipped',
        native: 'IS',
        address: '0xffffff8000081000',
        size: 4,
        opcode: '0x54ffffa1',
        isa: 'O',
        text: 'B.NE {pc}-0xc',
        flags: ['EL1h', 'ns', 'number-9'],
      },
    ],
    [
      'rtl',
      '6000000 cs IT (00000000004d6eb8) 54fffea1 O  ---_- :        b.ne 0x4d6e8c',
      {
        time: 6000000,
        kind: 'instruction',
        native: 'IT',
        address: '0x4d6eb8',
        size: 4,
        opcode: '0x54fffea1',
        isa: 'O',
        text: 'b.ne 0x4d6e8c',
        flags: ['unit-cs', '---_-'],
      },
    ],
    [
      'rtl',
      '3041 cyc IT (00022a7c:00000006) 00022a7c     48f6 T16 LDR r0,[pc,#984]',
      {
        time: 3041,
        kind: 'instruction',
        native: 'IT',
        address: '0x22a7c',
        size: 2,
        opcode: '0x48f6',
        isa: 'T16',
        text: 'LDR r0,[pc,#984]',
        flags: ['unit-cyc', 'of-00022a7c', 'number-00000006'],
      },
    ],
    [
      'es',
      '800000 ns  ES  (000001a4:03a06a01) A svc:     CCFAIL MOVEQ    r6,#0x1000',
      {
        time: 800000,
        kind: 'skipped',
        native: 'ES',
        address: '0x1a4',
        size: 4,
        opcode: '0x3a06a01',
        isa: 'A',
        text: 'MOVEQ    r6,#0x1000',
        flags: ['unit-ns', 'svc'],
      },
    ],
    [
      'es',
      '307754 tic ES  (0000aaaaabaf59f0:--------) O el0t_ns:',
      {
        time: 307754,
        kind: 'event',
        native: 'ES',
        address: '0xaaaaabaf59f0',
        size: 4,
        isa: 'O',
        flags: ['unit-tic', 'el0t', 'ns', 'fetch-failed'],
      },
    ],
    [
      'rtl',
      '112 ps IT (00004002:00000001) 00004002 -------- T32',
      {
        time: 112,
        kind: 'event',
        native: 'IT',
        address: '0x4002',
        size: 4,
        isa: 'T32',
        flags: ['unit-ps', 'of-00004002', 'number-00000001', 'fetch-failed'],
      },
    ],
    [
      'fastmodels',
      '54 clk cpu0 IT (54) 0000815c:00000000815c_NS ---- T svc_ns : ',
      {
        time: 54,
        cpu: 0,
        kind: 'event',
        native: 'IT',
        address: '0x815c',
        size: 2,
        isa: 'T',
        flags: ['svc', 'ns', 'pa-0x815c', 'ns', 'fetch-failed'],
      },
    ],
    [
      'rtl',
      '6000000 cs IT (00000000004d6eb8) -------- O  ---_- :',
      {
        time: 6000000,
        kind: 'event',
        native: 'IT',
        address: '0x4d6eb8',
        size: 4,
        isa: 'O',
        flags: ['unit-cs', '---_-', 'fetch-failed'],
      },
    ],
    [
      'qemu4v',
      '7 clk 0 IS (7) 00008010 -------- A svc : ',
      {
        time: 7,
        cpu: 0,
        kind: 'event',
        native: 'IS',
        address: '0x8010',
        size: 4,
        isa: 'A',
        flags: ['svc', 'fetch-failed'],
      },
    ],
    [
      'rtl',
      '300ns IT 0000010a ----',
      {
        time: 300,
        kind: 'event',
        native: 'IT',
        address: '0x10a',
        size: 2,
        flags: ['unit-ns', 'fetch-failed'],
      },
    ],
    [
      'rtl',
      'IT 00001002 3001 T16 ADDS r0,#1',
      {
        kind: 'instruction',
        native: 'IT',
        address: '0x1002',
        size: 2,
        opcode: '0x3001',
        isa: 'T16',
        text: 'ADDS r0,#1',
        flags: ['time-assumed'],
      },
    ],
    [
      'gem5',
      '1750 clk cpu1 IT (5) 002109c0 00000000 Unsupported EL1h_ns :   unimplemented   ',
      {
        time: 1750,
        cpu: 1,
        kind: 'instruction',
        native: 'IT',
        address: '0x2109c0',
        size: 4,
        opcode: '0x0',
        isa: 'Unsupported',
        text: 'unimplemented',
        flags: ['EL1h', 'ns', 'number-5'],
      },
    ],
  ])('%s: %s', expectFields);
});

describe('accesses', () => {
  test.each<Row>([
    [
      'fastmodels',
      '7 ps MR8 0000010006fffcc0:010116fffcc0_NS 00000100_05101000',
      {
        time: 7,
        kind: 'read',
        native: 'MR8',
        address: '0x10006fffcc0',
        size: 8,
        value: '0x10005101000',
        flags: ['unit-ps', 'pa-0x10116fffcc0', 'ns'],
      },
    ],
    [
      'fastmodels',
      '7 clk MW16 400171e0 400f731b40000000 3ff87cc460000000',
      {
        time: 7,
        kind: 'write',
        native: 'MW16',
        address: '0x400171e0',
        size: 16,
        value: '0x400f731b400000003ff87cc460000000',
      },
    ],
    [
      'fastmodels',
      '7 clk BW4D__N I_____ O_____ 3 80001000 01020304',
      {
        time: 7,
        kind: 'bus-write',
        native: 'BW4D__N',
        address: '0x80001000',
        size: 4,
        value: '0x4030201',
        flags: ['I_____', 'O_____', 'master-3', 'memory-order'],
      },
    ],
    [
      'rtl',
      '9 ns W04 X ffffffbdc3c15c30 010c010b',
      {
        time: 9,
        kind: 'write',
        native: 'W04',
        address: '0xffffffbdc3c15c30',
        size: 4,
        value: '0x10c010b',
        flags: ['unit-ns', 'X', 'exclusive'],
      },
    ],
    [
      'rtl',
      '9 ns MNR4O__I 00000534 7800491d',
      {
        time: 9,
        kind: 'fetch',
        native: 'MNR4O__I',
        address: '0x534',
        size: 4,
        value: '0x7800491d',
        flags: ['unit-ns', 'bus-order'],
      },
    ],
    [
      // A digit is missing, and it is unknown from which byte.
      'rtl',
      '9 ns MNW4___D 2002fa00 efbefbe',
      {
        time: 9,
        kind: 'write',
        native: 'MNW4___D',
        address: '0x2002fa00',
        size: 4,
        value: '0xefbefbe',
        flags: ['unit-ns', 'bus-order'],
      },
    ],
    [
      'rtl',
      '9 ns MCW4___R (01000250:000000bb) TRANSFER 0000002a',
      {
        time: 9,
        kind: 'event',
        native: 'MCW4___R',
        value: '0x2a',
        text: 'TRANSFER',
        flags: ['unit-ns', 'of-01000250', 'number-000000bb'],
      },
    ],
  ])('%s: %s', expectFields);

  test('accepts the native names of 64-byte bus accesses', () => {
    for (const size of [1, 2, 4, 8, 16, 32, 64]) {
      const data = '5a'.repeat(size);
      const names = ['R', 'W'].flatMap((way) =>
        ['I', 'D'].flatMap((what) =>
          ['L', 'X', '_'].flatMap((lock) =>
            ['PS', 'PN', '_S', '_N'].map((end) => `B${way}${size}${what}${lock}${end}`),
          ),
        ),
      );
      const lines = names.map((name) => `7 clk ${name} I_____ O_____ 3 80001000 ${data}\n`);
      const { records } = drive('fastmodels', lines.join(''), {}, { describe: () => true });
      expect(records.map(({ fields }) => fields?.native)).toEqual(names);
      expect(records.map(({ native }) => native)).toEqual(names);
    }
  });

  test('an aborted access has no value and no effect', () => {
    const { fields, flags } = onlyRecord('fastmodels', '1 clk MW4 dfdfdfcc (ABORTED)');
    expect(fields).toEqual({
      time: 1,
      kind: 'write',
      native: 'MW4',
      address: '0xdfdfdfcc',
      size: 4,
      text: '(ABORTED)',
      flags: ['aborted'],
    });
    expect(flags & FLAG.noEffect).toBe(FLAG.noEffect);
  });

  test.each([
    ['little', '0xbeefbeef'],
    ['big', '0xefbeefbe'],
  ])('reads data in memory order as a value in %s endian', (endian, value) => {
    expect(onlyRecord('rtl', '3039 cyc MNW4___D 2002fa00 efbeefbe', { endian }).fields).toMatchObject({ value });
  });
});

describe('accesses drawn as a row of 16 bytes', () => {
  test.each([
    ['........ ........ ........ 00000080', '0x20', 4, '0x80'],
    ['........ ......48 ........ ........', '0x28', 1, '0x48'],
    ['02000000 00000000 00000000 00000020', '0x20', 16, '0x2000000000000000000000000000020'],
    ['00...... ........ ........ ........', '0x2f', 1, '0x0'],
    ['........ ........ ........ 2222..11', '0x20', 4, undefined],
    ['........ ........ ........ ....##11', '0x20', 2, undefined],
    ['........ ........ ........ ........', '0x20', undefined, undefined],
  ])('%s', (drawing, address, size, value) => {
    const { fields } = onlyRecord('es', `5 ns LD 00000020  ${drawing}    NS:0000000020    NM ISH`);
    expect([fields?.kind, fields?.address, fields?.size, fields?.value]).toEqual(['read', address, size, value]);
    expect(fields?.text).toBe('NM ISH');
  });

  test('keeps bytes at their addresses in big endian too', () => {
    const line = '5 ns ST 00000020  ........ ........ ........ 00000080';
    expect(onlyRecord('es', line, { endian: 'big' }).fields?.value).toBe('0x80000000');
  });

  test('a line without a keyword continues the previous access, for every block size', () => {
    const text = [
      '12 tic ES  (000000d8:c878)     T thrd_s:         LDMCS    r0!,{r3-r6}',
      '       LD 00004020  ........ 626d654d 2043424d 4545203e   S:00004020  NM NSH',
      '          00004010  3e000a73 ........ ........ ........   S:00004010  NM NSH',
      '       ST 00004020  ........ ........ ........ ......01',
      '          00004030  ........ ........ ........ ......02',
      '13 tic R r0 00000000',
      '          00004030  ........ ........ ........ ......02',
      '',
    ].join('\n');
    for (const blockBytes of [1, 50, 79, 160, 1000]) {
      const driven = drive('es', text, {}, { blockBytes, guess: () => ({ time: 7, timed: 1, at: 0, access: 0 }) });
      expect(driven.records.map(({ kind, address, time }) => [kind, address, time])).toEqual([
        ['instruction', '0xd8', 12],
        ['read', '0x4020', 12],
        ['read', '0x401c', 12],
        ['write', '0x4020', 12],
        ['write', '0x4030', 12],
        ['register', '', 13],
        ['other', '', Number.NaN],
      ]);
    }
  });
});

describe('register names', () => {
  test.each([
    ['X0 01234567 89abcdef', 'X0', '0x123456789abcdef'],
    ['FPCR 01230123:23452345', 'FPCR', '0x123012323452345'],
    ['R1 (USR) 00000800', 'R1 (USR)', '0x800'],
    ['r13 20001fff (MSP)', 'r13 (MSP)', '0x20001fff'],
    ['V0<127:64> ffeeddccbbaa9988', 'V0<127:64>', '0xffeeddccbbaa9988'],
    ['V5<63:0> 00000000', 'V5<63:0>', '0x0'],
    ['cpsr 1220023cd', 'cpsr', '0x1220023cd'],
    ['cpsr 20000000 __C_', 'cpsr', '0x20000000'],
    ['P0 a682', 'P0', '0xa682'],
    [`Z0 ${'00000001_'.repeat(63)}00000002`, 'Z0', `0x1${'00000001'.repeat(62)}00000002`],
    ['Q0 -------- -------- 3ff6a09e 667f3bcd', 'Q0', undefined],
    ['X1 --------_00000001', 'X1', undefined],
    ['X1 00000001_--------', 'X1', undefined],
    ['psr xx0xxXxx', 'psr', undefined],
    ['X1 --------', 'X1', undefined],
  ])('names R %s', (text, register, value) => {
    const driven = drive('rtl', `1 clk R ${text}\n`);
    expect(driven.records[0]?.fields).toMatchObject({ kind: 'register', register });
    expect(driven.records[0]?.fields?.value).toBe(value);
    expect(driven.diagnostics).toEqual([]);
  });

  test.each<Row>([
    [
      'fastmodels',
      '1 clk R DC CISW 00000000:00000040',
      { time: 1, kind: 'event', native: 'R DC', value: '0x40', text: 'DC CISW' },
    ],
    ['fastmodels', '1 clk R TLBI ALLE3', { time: 1, kind: 'event', native: 'R TLBI', text: 'TLBI ALLE3' }],
    [
      'fastmodels',
      '1 clk R AT S12E1W 00000004',
      { time: 1, kind: 'event', native: 'R AT', value: '0x4', text: 'AT S12E1W' },
    ],
  ])('reads %s: %s as an operation', expectFields);
});

describe('flow and events', () => {
  test.each<Row>([
    [
      'fastmodels',
      '5 clk FD (5) 0000800c 00008020 O',
      { time: 5, kind: 'branch', native: 'FD', address: '0x800c', target: '0x8020', isa: 'O' },
    ],
    [
      'fastmodels',
      '6 clk FR (6) 8 ffffff8000081000 A',
      { time: 6, kind: 'branch', native: 'FR', address: '0x8', target: '0xffffff8000081000', isa: 'A' },
    ],
    ['es', '7 clk BR (00000080) T', { time: 7, kind: 'branch', native: 'BR', target: '0x80', isa: 'T' }],
    [
      'es',
      '7 clk ES  EXC [0x200] Synchronous',
      { time: 7, kind: 'exception', native: 'EXC', value: '0x200', text: 'Synchronous' },
    ],
    ['es', '7 clk ES  Reset', { time: 7, kind: 'exception', native: 'EXC', text: 'Reset' }],
    [
      'fastmodels',
      '8 clk E 00008100 00000084 CoreEvent_CURRENT_SPx_SYNC',
      { time: 8, kind: 'exception', native: 'E', address: '0x8100', text: '00000084 CoreEvent_CURRENT_SPx_SYNC' },
    ],
    [
      'fastmodels',
      '8 clk E 00008100 usr 00000019 CoreEvent_ModeChange',
      { time: 8, kind: 'event', native: 'E', value: '0x8100', text: 'usr 00000019 CoreEvent_ModeChange' },
    ],
    [
      'fastmodels',
      '8 clk E DebugEvent_Halting 00000000',
      { time: 8, kind: 'event', native: 'E', text: 'DebugEvent_Halting 00000000' },
    ],
    [
      'fastmodels',
      '9 clk CADI E simulation_stopped',
      { time: 9, kind: 'other', native: 'CADI', text: 'E simulation_stopped' },
    ],
    ['es', 'Tarmac Text Rev 3t', { kind: 'other', native: 'Tarmac Text', text: 'Tarmac Text Rev 3t' }],
  ])('%s: %s', (dialect, line, fields) => {
    expectFields(dialect, line, fields);
    expect(drive(dialect, `${line}\n`).diagnostics).toEqual([]);
  });
});

describe('times, units and sources', () => {
  test.each([
    ['12.5 us R r0 00000001', '12.5', 'unit-us'],
    ['271ns R r0 00000001', 271, 'unit-ns'],
    ['10.356000us R r0 00000001', '10.356000', 'unit-us'],
    ['10.000 tic R r0 00000001', 10, 'unit-tic'],
  ])('%s', (line, time, mark) => {
    expect(onlyRecord('rtl', line).fields).toMatchObject({ time, flags: [mark] });
    expect(onlyRecord('rtl', line, { unit: mark.slice(5) }).fields?.flags).toBeUndefined();
  });

  test.each([
    ['1 clk cluster0.cpu12 R r0 00000001', 12, ['source-cluster0.cpu12']],
    ['1 clk css.gpu R r0 00000001', undefined, ['source-css.gpu']],
    ['1 clk cluster1.cpu12 R r0 00000001', 268, ['source-cluster1.cpu12']],
    ['1 clk board2.cluster1.cpu0 R r0 00000001', 528, ['source-board2.cluster1.cpu0']],
    ['1 clk board0.cluster1.cpu0 R r0 00000001', 16, ['source-board0.cluster1.cpu0']],
    ['1 clk css.cluster1.tile.cpu2 R r0 00000001', 258, ['source-css.cluster1.tile.cpu2']],
    ['1 clk cluster0.cpu1.thread1 R r0 00000001', 17, ['source-cluster0.cpu1.thread1']],
    ['1 clk cluster1.cpu1.thread1 R r0 00000001', 273, ['source-cluster1.cpu1.thread1']],
    ['1 clk c7.c15.c15.c15 R r0 00000001', 32767, ['source-c7.c15.c15.c15']],
    ['1 clk c8.c0.c0.c0 R r0 00000001', undefined, ['source-c8.c0.c0.c0', 'malformed']],
    ['1 clk a.c0.c16.c0 R r0 00000001', undefined, ['source-a.c0.c16.c0', 'malformed']],
    ['1 clk a520.cpu0 R r0 00000001', 2048, ['source-a520.cpu0']],
    ['1 clk cpu7 R r0 00000001', 7, undefined],
    ['1 clk R r0 00000001', undefined, undefined],
  ])('%s', (line, cpu, flags) => {
    const { fields } = onlyRecord('fastmodels', line);
    expect([fields?.cpu, fields?.flags]).toEqual([cpu, flags]);
  });

  test('a line without a time takes the last time before it, for every block size, and is marked', () => {
    const lines = Array.from({ length: 60 }, (_, n) => (n % 4 === 1 ? `${n} ns R r1 ${n}` : '   R r0 00000001'));
    const bytes = bytesOf(`${lines.join('\n')}\n`);
    const decoder = open('es');
    const { states } = decodeAll(decoder, bytes, { blockBytes: 40 });
    const behind = decodeAll(decoder, bytes, {
      blockBytes: 40,
      guess: (block) => states[Math.max(0, block - 2)]!,
      describe: () => true,
    });
    expect(behind.redone).toBe(0);
    expect(behind.records.map(({ fields }) => fields?.time)).toEqual(
      Array.from({ length: 60 }, (_, n) => (n === 0 ? undefined : n - ((n + 3) % 4))),
    );
    expect(behind.records.filter(({ flags }) => (flags & FLAG.timeAssumed) !== 0)).toHaveLength(45);
  });

  test('shows a short inherited time in decimal digits', () => {
    const times = ['0.0000001', '-0.00000025', '12.50', '0.001'].flatMap((time) => {
      const { records } = drive('es', `${time} s R r0 00000001\nR r1 00000001\n`, {}, { describe: () => true });
      return records.map(({ fields }) => fields?.time);
    });
    expect(times).toEqual(['0.0000001', '0.0000001', '-0.00000025', '-0.00000025', '12.50', '12.5', '0.001', '0.001']);
  });

  test('is reported in QEMU4V, where each line has a time', () => {
    expect(byCode(drive('qemu4v', '1 clk R r0 00000001\n   R r0 00000001\n').diagnostics)).toMatchObject([
      { code: 'lost-time', count: 1, firstRecord: 1 },
    ]);
  });
});

test.each<readonly [line: string, dialects: readonly Dialect[]]>([
  ['IT 00008044 e04ec00f SUB r12,r14,pc', ['qemu4v', 'fastmodels', 'es', 'gem5', 'rtl']],
  ['MNR4O___ 00008008 E1A00000', ['qemu4v', 'fastmodels', 'es', 'gem5']],
  ['E 00000048 00000000 10005', ['qemu4v', 'fastmodels', 'es', 'gem5', 'rtl']],
])('reads %s of the ARM Tracer as text in the dialects without such lines: %j', (line, dialects) => {
  for (const dialect of dialects) expect(onlyRecord(dialect, line).kind).toBe('other');
});

test.each([
  ['MNR4O___ 00008008 e1a00000', { kind: 'fetch', address: '0x8008', size: 4 }],
  ['MNW4____ 00009000 00000022', { kind: 'write', address: '0x9000', size: 4, value: '0x22' }],
  ['MNW2___D 00009000 2200', { kind: 'write', address: '0x9000', size: 2, value: '0x22' }],
])('reads %s of RTL without a time', (line, fields) => {
  expect(onlyRecord('rtl', line).fields).toMatchObject(fields);
});

test.each(['fastmodels', 'es', 'gem5'] as const)('reads writes of RTL without a time in the dialect %s', (dialect) => {
  const before = '  R r0 00000001\n';
  const read = (line: string) =>
    drive(dialect, `${before}${line}\n`, {}, { describe: () => true }).records.map(({ kind, address, value }) => [
      kind,
      address,
      value,
    ]);
  const register = ['register', '', ''];
  expect(read('MNW4____ 00009000 00000022')).toEqual([register, ['write', '0x9000', '22000000']]);
  expect(read('BSW4____ 00009000 00000022')).toEqual([register, ['bus-write', '0x9000', '22000000']]);
  // The Tracer and RTL disagree about the order of these bytes.
  expect(read('MNW4___D 00009000 00000022')).toEqual([register, ['write', '0x9000', '']]);
  expect(read('R r1 00000002 MNW4____ 00009000 00000022')).toEqual([
    register,
    register,
    ['write', '0x9000', '22000000'],
  ]);
  expect(read('MNW4____ 00009000 0000?022')).toEqual([register, ['write', '0x9000', '']]);
  expect(read('MNR4____ 00009000 00000022')).toEqual([register, ['other', '', '']]);
});

test('names the bytes of a line by field', () => {
  const text = '9 clk cpu1 IT (3) 0000800a:00000000800a_S,00000000800c_S e8900c00 T svc_s : LDM r0';
  expect(onlyRecord('fastmodels', text).spans?.map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual([
    ['time', '9'],
    ['unit', 'clk'],
    ['cpu', 'cpu1'],
    ['kind', 'IT'],
    ['id', '3'],
    ['address', '0000800a'],
    ['physical', '00000000800a_S'],
    ['physical', '00000000800c_S'],
    ['opcode', 'e8900c00'],
    ['isa', 'T'],
    ['mode', 'svc'],
    ['security', 's'],
    ['text', 'LDM r0'],
  ]);
});

function expectFields(dialect: Dialect, line: string, fields: RecordFields): void {
  expect(onlyRecord(dialect, line).fields).toEqual(fields);
}

function open(dialect: Dialect, settings: Settings = {}): Decoder {
  const opened = tarmac.open({ dialect, ...settings });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

function drive(dialect: Dialect, text: string, settings: Settings = {}, options = {}): Driven {
  return decodeAll(open(dialect, settings), bytesOf(text), { describe: () => true, ...options });
}

/** The only record of a file of one line. */
function onlyRecord(dialect: Dialect, line: string, settings: Settings = {}): DrivenRecord {
  const { records } = drive(dialect, `${line}\n`, settings);
  expect(records).toHaveLength(1);
  return records[0]!;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
