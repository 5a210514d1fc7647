/** Register contents after sequences of records, worked out by hand: each bit comes from the newest record that sets it. */
import { expect, test } from 'vitest';
import { createRegisterFile, namesSet, settersOf } from '../../shared/records/registers.ts';
import type { Hex } from '../../shared/base/units.ts';

type Step = readonly [name: string, value: Hex | undefined];

/** Contents after n records, as `name=value@record`. */
function contentsAfter(...steps: readonly Step[]): string {
  const file = createRegisterFile();
  steps.forEach(([name, value], n) => {
    file.set(name, value, n);
  });
  return file
    .known()
    .map(({ name, value, since }) => `${name}=${value}@${String(since)}`)
    .join(' ');
}

test('keeps the newest value of each register and sorts names by number', () => {
  expect(contentsAfter(['r10', '0x1'], ['r2', '0x2'], ['r10', '0x3'], ['cpsr', '0x10'])).toBe(
    'cpsr=0x10@3 r2=0x2@1 r10=0x3@2',
  );
});

test('forgets the value of a register that is set to an unreported value', () => {
  expect(contentsAfter(['r1', '0x5'], ['r2', '0x6'], ['r1', undefined])).toBe('r2=0x6@1');
  expect(contentsAfter(['r1', undefined], ['r1', '0x7'])).toBe('r1=0x7@1');
});

test('keeps banked registers apart', () => {
  expect(contentsAfter(['R13 (SVC)', '0x1000'], ['R13 (USR)', '0x2000'], ['R13 (SVC)', '0xff0'])).toBe(
    'R13 (SVC)=0xff0@2 R13 (USR)=0x2000@1',
  );
});

test('keeps parts of an unknown whole as parts', () => {
  expect(contentsAfter(['V0<127:64>', '0x1122'], ['V0<63:0>', '0x3344'])).toBe('V0<63:0>=0x3344@1 V0<127:64>=0x1122@0');
});

test('drops the parts when the whole is set', () => {
  expect(contentsAfter(['V0<127:64>', '0x1122'], ['V0', '0x5'])).toBe('V0=0x5@1');
  expect(contentsAfter(['V0<127:64>', '0x1122'], ['V0', undefined])).toBe('');
});

test('updates the bits of a known whole when a part is set', () => {
  expect(contentsAfter(['V0', '0xaaaabbbbccccdddd'], ['V0<31:16>', '0x1234'])).toBe('V0=0xaaaabbbb1234dddd@1');
  expect(contentsAfter(['V0', '0x1111'], ['V0<127:64>', '0x2'], ['V0<7:0>', '0xff'])).toBe('V0=0x200000000000011ff@2');
  expect(contentsAfter(['V0', '0xff'], ['V0<3:0>', '0x0'], ['V0<3:0>', '0x5'])).toBe('V0=0xf5@2');
});

test('keeps the bits below a part of a known whole when the part becomes unknown', () => {
  expect(contentsAfter(['V0', '0xaaaabbbbccccdddd'], ['V0<63:32>', undefined])).toBe('V0<31:0>=0xccccdddd@0');
  expect(contentsAfter(['V0', '0xaaaabbbbccccdddd'], ['V0<63:32>', undefined], ['V0<63:32>', '0x1'])).toBe(
    'V0=0x1ccccdddd@2',
  );
});

test('keeps the bits of a part that no newer part sets', () => {
  expect(contentsAfter(['V0<127:0>', '0x11112222333344445555666677778888'], ['V0<63:0>', '0x9'])).toBe(
    'V0<63:0>=0x9@1 V0<127:64>=0x1111222233334444@0',
  );
  expect(contentsAfter(['S<31:0>', '0x12345678'], ['S<15:8>', '0xff'])).toBe(
    'S<7:0>=0x78@0 S<15:8>=0xff@1 S<31:16>=0x1234@0',
  );
  expect(contentsAfter(['S<15:0>', '0x1234'], ['S<23:8>', '0xabcd'])).toBe('S<7:0>=0x34@0 S<23:8>=0xabcd@1');
  expect(contentsAfter(['S<15:8>', '0x12'], ['S<31:0>', '0x5'])).toBe('S<31:0>=0x5@1');
  expect(contentsAfter(['S<31:0>', '0x12345678'], ['S<31:8>', undefined])).toBe('S<7:0>=0x78@0');
});

test('keeps parts of banked registers with their bank', () => {
  expect(contentsAfter(['V0 (SVC)', '0x1200'], ['V0<7:0> (SVC)', '0x34'], ['V0<7:0>', '0x56'])).toBe(
    'V0 (SVC)=0x1234@1 V0<7:0>=0x56@2',
  );
});

test('reads text that only resembles a part as a name', () => {
  expect(contentsAfter(['V0<0:7>', '0x1'], ['<7:0>', '0x2'], ['V0<a:b>', '0x3'], ['V0', '0x4'])).toBe(
    '<7:0>=0x2@1 V0=0x4@3 V0<0:7>=0x1@0 V0<a:b>=0x3@2',
  );
});

test('needs only the newest record of each name', () => {
  const steps: Step[] = [
    ['V0', '0x1111111111111111'],
    ['V0<31:16>', undefined],
    ['V0<31:0>', '0x22222222'],
    ['V0<31:16>', '0x3333'],
    ['V0<31:0>', undefined],
    ['V0<31:16>', '0x4444'],
  ];
  const newest = createRegisterFile();
  for (const n of [0, 4, 5]) newest.set(steps[n]![0], steps[n]![1], n);
  expect(contentsAfter(...steps)).toBe('V0<31:16>=0x4444@5');
  expect(newest.known()).toEqual([{ name: 'V0<31:16>', value: '0x4444', since: 5 }]);
});

test.each<[what: string, steps: Step[], known: string]>([
  [
    'W0 is the low half of X0',
    [
      ['X0', '0x1122334455667788'],
      ['W0', '0x9'],
    ],
    'W0=0x9@1',
  ],
  [
    'X0 contains W0',
    [
      ['W0', '0x9'],
      ['W1', '0xa'],
      ['X0', '0x5'],
    ],
    'W1=0xa@1 X0=0x5@2',
  ],
  [
    'W0 is the low half of X0, even if its value is unknown',
    [
      ['X0', '0x5'],
      ['W0', undefined],
    ],
    '',
  ],
  [
    'r12 is part of X12',
    [
      ['X12', '0x5'],
      ['r12', '0x6'],
    ],
    'r12=0x6@1',
  ],
  [
    'r13 is separate from X13, since its place depends on the bank',
    [
      ['X13', '0x5'],
      ['r13', '0x6'],
    ],
    'r13=0x6@1 X13=0x5@0',
  ],
  [
    'D3 of AArch64 is the low half of V3',
    [
      ['V3', '0x10000000000000002'],
      ['D3', '0x3'],
    ],
    'D3=0x3@1',
  ],
  [
    'V3<63:0> is the same as D3',
    [
      ['D3', '0x3'],
      ['V3<63:0>', '0x4'],
    ],
    'V3<63:0>=0x4@1',
  ],
  [
    'S7 of AArch32 is the high half of D3',
    [
      ['D3', '0x3'],
      ['D4', '0x4'],
      ['S7', '0x5'],
    ],
    'D4=0x4@1 S7=0x5@2',
  ],
  [
    'Q1 of AArch32 is D2 and D3, or S4 to S7',
    [
      ['D2', '0x2'],
      ['D5', '0x4'],
      ['S6', '0x6'],
      ['S8', '0x8'],
      ['Q1', '0x1'],
    ],
    'D5=0x4@1 Q1=0x1@4 S8=0x8@3',
  ],
  [
    'MIPS registers share no bits',
    [
      ['v0', '0x1'],
      ['s0', '0x2'],
      ['V1', '0x3'],
      ['s1', '0x4'],
    ],
    's0=0x2@1 s1=0x4@3 v0=0x1@0 V1=0x3@2',
  ],
  [
    'RISC-V registers share no bits',
    [
      ['x5', '0x1'],
      ['s5', '0x2'],
      ['v5', '0x3'],
      ['f5', '0x4'],
    ],
    'f5=0x4@3 s5=0x2@1 v5=0x3@2 x5=0x1@0',
  ],
])('combines names that share bits: %s', (_, steps, known) => {
  expect(contentsAfter(...steps)).toBe(known);
});

test('sets every register that a record lists, or else the one it names', () => {
  const listed: readonly (readonly [string, Hex])[] = [
    ['r1', '0x1'],
    ['r2', '0x2'],
  ];
  const several = namesSet({ kind: 'register', native: 'R', register: 'r1', value: '0x1', registers: listed });
  expect(several).toEqual([
    ['r1', '0x1'],
    ['r2', '0x2'],
  ]);
  expect(namesSet({ kind: 'register', native: 'R', register: 'r3', value: '0x4' })).toEqual([['r3', '0x4']]);
  expect(namesSet({ kind: 'register', native: 'R', register: 'r2' })).toEqual([['r2', undefined]]);
  expect(namesSet({ kind: 'read', native: 'R' })).toEqual([]);
});

test.each<[wanted: string, set: readonly string[], untouched: readonly string[]]>([
  ['V0', ['V0', 'V0<127:64>', 'S0', 'D0', 'Q0', 'Z0'], ['V1', 'D1', 'V0 (SVC)', 'v0', 'X0']],
  ['V0<127:64>', ['V0', 'V0<64:0>', 'V0<127:127>', 'Q0', 'D0'], ['V0<63:0>', 'V1<127:64>']],
  ['D0', ['V0', 'V0<63:32>', 'V0<127:0>', 'S0', 'S1', 'Q0'], ['V0<127:64>', 'V1', 'S2', 'Q1']],
  ['W3', ['X3', 'X3<31:31>', 'r3', 'R3'], ['X3<63:32>', 'X4', 'W13']],
  ['Q0', ['D1', 'D1<63:32>', 'S3', 'V0<127:64>'], ['D2', 'S4']],
  ['r13', ['r13'], ['X13', 'r13 (SVC)']],
  ['cpsr', ['cpsr', 'cpsr<31:28>'], ['spsr']],
])('finds the names that set bits of %s', (wanted, set, untouched) => {
  const sets = settersOf(wanted);
  expect([...set, ...untouched].filter(sets)).toEqual(set);
});
