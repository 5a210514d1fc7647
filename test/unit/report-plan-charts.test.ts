/** Charts of the page can be part of a plan. Impossible charts are refused, and the message names their place in the plan. */
import { expect, test } from 'vitest';
import { parsePlan } from '../../shared/report/plan.ts';
import type { FigureRequest } from '../../shared/report/plan.ts';

const CHARTS: readonly FigureRequest[] = [
  { figure: 'overview', from: 0, to: 10 },
  { figure: 'overview', tracks: ['phases', 'register 0 r1', 'memory 0x10 4'], cpu: 1, bigEndian: true },
  { figure: 'heat', folded: false, low: '0x8000', high: '0x9000', kinds: ['write'] },
  { figure: 'graph', centre: '0x8000', steps: 2, most: 40, collapse: true, opened: ['0x8000', 'main'] },
  { figure: 'flame', order: 'bottom-up', path: ['main', '0x8100'] },
  { figure: 'flame', order: 'time', cpu: 1 },
];

test('accepts every chart option in a report', () => {
  const plan = { title: 't', parts: CHARTS.map((figure) => ({ kind: 'figure', figure })) };
  expect(parsePlan(plan)).toEqual({ ok: true, value: plan });
});

test.each([
  [{ figure: 'flame', path: 'main' }, 'part 1, figure, path must be a list of at most 10000 items'],
  [{ figure: 'graph', opened: [7] }, 'part 1, figure, opened, item 1 must be a text of 1 to 200 characters'],
  [{ figure: 'flame', cpu: -1 }, 'part 1, figure, cpu must be a whole number from 0 to 32767'],
  [{ figure: 'overview', steps: 1 }, "part 1, figure has 'steps', which is not part of a plan"],
  [
    { figure: 'overview', tracks: ['else'] },
    'part 1, figure, tracks, item 1 must be a track such as phases, register 0 r1 or memory 0x1000 4',
  ],
])('refuses %j', (figure, sentence) => {
  const answer = parsePlan({ title: 't', parts: [{ kind: 'figure', figure }] });
  expect(answer.ok ? '' : answer.error.message).toBe(`the plan of the report: ${sentence}`);
});
