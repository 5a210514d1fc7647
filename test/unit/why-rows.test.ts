/** The tree of the Why pane: order, branches, references, ends and copies, as lines of text. */
import { endedText } from '../../present/text/why-words.ts';
import { expect, test } from 'vitest';
import { whyRows } from '../../renderer/features/why/why-rows.ts';
import { stepTable, treeText } from '../../renderer/features/why/words.ts';
import type { Why, WhyEdge, WhyKind, WhyStep, WhyUse } from '../../shared/requests/why.ts';

function use(register: string, step: number | null, edge: WhyEdge = 'data', reason?: string): WhyUse {
  return { register, cpu: null, value: '0x1', edge, step, ...(reason !== undefined && { reason }) };
}

/** A step at record `n` that defines a register. */
function step(
  n: number,
  register: string,
  kind: WhyKind,
  uses: readonly WhyUse[],
  more: Partial<WhyStep> = {},
): WhyStep {
  return { n, kind, uses, defines: [{ register, cpu: null, value: '0x1' }], inferred: false, ...more };
}

function answer(steps: readonly WhyStep[], origin: readonly WhyUse[] = [use('r0', 0)]): Why {
  const reach = { records: 1000, bytes: 10_000, complete: true };
  return {
    ...{ at: 100, of: { register: 'r0', cpu: null, value: '0x1' }, steps, origin },
    ...{ ended: { reason: 'origins', open: [] }, reach },
  };
}

/** Rows as text without values. */
function rows(why: Why, ...opened: readonly number[]): readonly string[] {
  const text = treeText(why, 'Why', whyRows(why, new Set(opened)));
  return text.replaceAll(' = 0x1', '').split('\n').slice(1, -1);
}

test('steps with one use each stay in one column', () => {
  const why = answer([
    step(90, 'r0', 'copy', [use('r1', 1)]),
    step(80, 'r1', 'computed', [use('r2', 2)]),
    step(70, 'r2', 'constant', []),
  ]);
  expect(rows(why)).toEqual(['#0 r0  copy  record 90', '#1 r1  computed  record 80', '#2 r2  constant  record 70']);
});

test('the use with the most steps continues in the column, and a step is shown once', () => {
  const why = answer([
    step(90, 'r0', 'computed', [use('r1', 1), use('r2', 2)]),
    step(80, 'r1', 'computed', [use('r3', 3), use('r2', 2)]),
    step(70, 'r2', 'constant', []),
    step(60, 'r3', 'constant', []),
  ]);
  expect(rows(why)).toEqual([
    '#0 r0  computed  record 90',
    '├─ #2 r2  constant  record 70',
    '#1 r1  computed  record 80',
    '├─ r2  see #2',
    '#3 r3  constant  record 60',
  ]);
});

test('a loop of a thousand iterations is not indented further', () => {
  // Step 2i adds step 2i + 1, a constant, to the sum of the iteration before.
  const steps = Array.from({ length: 1000 }, (_, i) => [
    step(5000 - 2 * i, 'sum', 'computed', [
      use('item', 2 * i + 1),
      i === 999 ? use('sum', null, 'data', 'no record set it') : use('sum', 2 * i + 2),
    ]),
    step(4999 - 2 * i, 'item', 'constant', []),
  ]).flat();
  const all = whyRows(answer(steps), new Set());
  expect(all.length).toBe(2001);
  expect(Math.max(...all.map(({ lines }) => lines.length))).toBe(1);
});

test('an end has a row with its reason, except the only source of an input', () => {
  const why = answer([
    step(90, 'r0', 'computed', [use('r1', 1), use('r9', null, 'data', 'no record set it')]),
    step(80, 'r1', 'input', [
      use('r4', null, 'data', 'nothing wrote it'),
      use('r5', null, 'address', 'no record set it'),
    ]),
  ]);
  expect(rows(why)).toEqual([
    '#0 r0  computed  record 90',
    '├─ r9  end: no record set it',
    '#1 r1  input  record 80  from r4, nothing wrote it',
    '└─ r5  end: no record set it',
  ]);
});

test('parts of a value have trees of their own, the youngest first', () => {
  const why = answer(
    [
      step(90, 'r0<7:0>', 'copy', [use('r1', 2)]),
      step(80, 'r0<15:8>', 'copy', [use('r2', 3)]),
      step(70, 'r1', 'constant', []),
      step(60, 'r2', 'constant', []),
    ],
    [use('r0<7:0>', 0), use('r0<15:8>', 1), use('r0<31:16>', null, 'data', 'no record set it')],
  );
  expect(rows(why)).toEqual([
    '├─ r0<31:16>  end: no record set it',
    '├─ #0 r0<7:0>  copy  record 90',
    '│  #2 r1  constant  record 70',
    '└─ #1 r0<15:8>  copy  record 80',
    '   #3 r2  constant  record 60',
  ]);
});

test('copies fold into one row in front of the step that they copied', () => {
  const why = answer([
    step(90, 'r0', 'computed', [use('r1', 1), use('r2', 2)]),
    step(60, 'r1', 'constant', [], { copies: [80, 70] }),
    step(50, 'r2', 'constant', []),
  ]);
  expect(rows(why).slice(1)).toEqual([
    '├─ copied 2 times',
    '│  #1 r1  constant  record 60',
    '#2 r2  constant  record 50',
  ]);
  expect(rows(why, 1).slice(1, 4)).toEqual(['├─ copied 2 times', '│  copy at record 80', '│  copy at record 70']);
});

test('the table has each step once, with its uses', () => {
  const why = answer([
    step(90, 'r0', 'copy', [use('r1', 1), use('r2', 1, 'address')], { text: 'ldr r0, [r2]', copies: [85] }),
    step(80, 'r1', 'constant', [], { inferred: true }),
  ]);
  const { count, head, row } = stepTable(why);
  const cells = (at: number) => Object.fromEntries(head.map((name, column) => [name, row(at)[column]]));
  expect(count).toBe(2);
  expect(cells(0)).toMatchObject({
    ...{ step: 0, kind: 'copy', defines: 'r0 = 0x1', record: 90, instruction: 'ldr r0, [r2]', copies: '85' },
    uses: 'r1 = 0x1 (#1); address r2 = 0x1 (#1)',
  });
  expect(cells(1)).toMatchObject({ kind: 'constant', uses: '', inferred: 'inferred' });
});

test('the end of a search counts copies apart from steps', () => {
  const step = { n: 9, kind: 'copy', defines: [], uses: [], inferred: false } as const;
  const ended = { reason: 'steps', open: [{ register: 'r0', cpu: 0, value: null }] } as const;
  expect(endedText({ ended, steps: [step] })).toBe('The first 1 step: 1 value not followed further.');
  expect(endedText({ ended, steps: [{ ...step, copies: [7, 5] }] })).toBe(
    'The first 1 step and 2 copies: 1 value not followed further.',
  );
});
