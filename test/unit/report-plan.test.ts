// Report plans from users and pages: valid plans, and the messages for refused ones.
import { describe, expect, test } from 'vitest';
import { parsePlan } from '../../shared/report/plan.ts';

const PLAN = {
  title: 'All of it',
  made: '2026-01-31T12:00:00Z',
  sha256: false,
  parts: [
    { kind: 'text', text: 'x' },
    { kind: 'summary' },
    { kind: 'diagnostics' },
    { kind: 'note', note: 'id', around: 0 },
    {
      kind: 'figure',
      figure: { figure: 'heat', from: 0, to: 9, low: '0x0', high: '0x10000000000000000', kinds: ['read'] },
    },
    {
      kind: 'figure',
      figure: { figure: 'graph', centre: '0x8000', steps: 2, most: 20, collapse: false },
      caption: 'c',
    },
    { kind: 'figure', figure: { figure: 'flame', order: 'bottom-up' } },
    { kind: 'table', table: 'branches', most: 3, from: 1, to: 2 },
    { kind: 'why', question: { at: 5, register: 'r0', cpu: 0, addresses: true, steps: 9 } },
    { kind: 'query', title: 'q', sql: 'SELECT :a', set: { a: '0x10' }, most: 5 },
  ],
};

test('accepts a plan with every field', () => {
  expect(parsePlan(PLAN)).toEqual({ ok: true, value: PLAN });
});

describe('refused', () => {
  const part = (value: unknown): unknown => ({ title: 't', parts: [{ kind: 'summary' }, value] });
  const cases: readonly (readonly [what: string, value: unknown, sentence: RegExp])[] = [
    ['nothing', undefined, /it must be an object$/],
    ['a list', [], /it must be an object$/],
    ['no title', { parts: [] }, /it has no title$/],
    ['no parts', { title: 't' }, /it has no parts$/],
    ['parts that are no list', { title: 't', parts: {} }, /parts must be a list of at most 2000 items$/],
    ['a time of another kind', { ...PLAN, made: 'yesterday' }, /made must be a time such as/],
    ['what means nothing', { ...PLAN, colour: 'red' }, /it has 'colour', which is not part of a plan$/],
    ['a part without a kind', part({}), /part 2, kind must be one of text, summary/],
    ['a part that is none', part(null), /part 2 must be an object$/],
    ['a text that is none', part({ kind: 'text', text: 5 }), /part 2, text must be a text/],
    [
      'too many records around',
      part({ kind: 'note', note: 'a', around: 1e6 }),
      /part 2, around must be a whole number from 0 to 500$/,
    ],
    [
      'a figure that is none',
      part({ kind: 'figure', figure: { figure: 'pie' } }),
      /part 2, figure, figure must be one of heat, overview, graph, flame$/,
    ],
    [
      'cells without end',
      part({ kind: 'figure', figure: { figure: 'heat', rows: 1e9 } }),
      /part 2, figure, rows must be/,
    ],
    [
      'an address that is none',
      part({ kind: 'figure', figure: { figure: 'heat', low: '8000' } }),
      /part 2, figure, low must be 0x and up to 16/,
    ],
    [
      'a kind that there is not',
      part({ kind: 'figure', figure: { figure: 'heat', kinds: ['x'] } }),
      /part 2, figure, kinds, item 1 must be a kind of record$/,
    ],
    [
      'a table that there is not',
      part({ kind: 'table', table: 'x' }),
      /table must be one of profile, loops, lines, instructions, coverage, functions, branches, pages$/,
    ],
    [
      'an origin of nothing',
      part({ kind: 'why', question: { at: 5 } }),
      /part 2, question, address or register or pc must be given, and only one of them$/,
    ],
    ['a query without a statement', part({ kind: 'query', sql: '' }), /part 2, sql must be a text/],
    [
      'a range upside down',
      part({ kind: 'table', table: 'branches', from: 2, to: 2 }),
      /part 2, from must be less than to$/,
    ],
    [
      'a number that is not exact',
      part({ kind: 'table', table: 'branches', from: 2 ** 53 }),
      /from must be a whole number/,
    ],
    [
      'parts without end',
      { title: 't', parts: Array.from({ length: 2001 }, () => ({ kind: 'summary' })) },
      /parts must be a list of at most 2000 items$/,
    ],
  ];
  test.each(cases)('%s', (_, value, sentence) => {
    const found = parsePlan(value);
    expect(found).toMatchObject({
      ok: false,
      error: { code: 'plan', message: expect.stringMatching(sentence) as string },
    });
  });
});
