// Overview strip of a trace as a figure: shares of kinds, marks, and description in words.
import { expect, test } from 'vitest';
import { overviewFigure } from '../../present/overview/overview-figure.ts';
import { CHART_COLOURS } from '../../present/base/theme.ts';
import type { Overview } from '../../shared/requests/requests.ts';
import { textsOf } from './figure-texts.ts';

/** Two columns: three instructions and an exception, then an instruction, a read and two writes. */
const overview: Overview = {
  from: 0,
  to: 8,
  columns: 2,
  edges: new Float64Array([0, 4, 8]),
  kinds: ['instruction', 'read', 'write', 'exception'],
  counts: new Float64Array([3, 0, 0, 1, 1, 1, 2, 0]),
  bad: new Float64Array([0, 5]),
  reach: { records: 8, bytes: 80, complete: true },
};

test('describes records, kinds and marks in words', () => {
  const { title, description } = overviewFigure({ name: 'a.txt', overview }, { theme: 'light' });
  expect(title).toBe('Overview of a.txt');
  expect(description).toBe(
    'Overview of a.txt, records 0 to 7, 8 in all: instruction 50 % (4), write 25 % (2), read 13 % (1), exception 13 % (1). 5 problems.',
  );
});

test('stacks kinds with heights proportional to their shares', () => {
  const { svg } = overviewFigure({ name: 'a.txt', overview }, { theme: 'light' });
  const { hues } = CHART_COLOURS.light;
  const instructions = boxesOf(svg, hues.fetch);
  expect(instructions).toHaveLength(2);
  const [first, second] = instructions;
  expect(first!.right).toBe(second!.left);
  expect(first!.right - first!.left).toBe(second!.right - second!.left);
  const whole = (first!.bottom - first!.top) / 0.75;
  expect(second!.bottom - second!.top).toBe(whole / 4);
  expect(second!.bottom).toBe(first!.bottom);
  // From the bottom up: instruction, read, write; interrupts and exceptions are on top.
  const [read] = boxesOf(svg, hues.read);
  const [write] = boxesOf(svg, hues.write);
  expect(read).toEqual({ ...second, bottom: second!.top, top: second!.top - whole / 4 });
  expect(write).toEqual({ ...second, bottom: read!.top, top: read!.top - whole / 2 });
  const [exception] = boxesOf(svg, hues.control);
  expect(exception).toEqual({ ...first, bottom: first!.top, top: first!.top - whole / 4 });
});

test('lists kinds in stacking order and marks in the legend', () => {
  const { svg } = overviewFigure({ name: 'a.txt', overview }, { theme: 'dark' });
  const words = textsOf(svg).map(({ text }) => text);
  const begin = words.indexOf('Instruction');
  expect(words.slice(begin, begin + 10)).toEqual([
    ...['Instruction', '50 %', 'Read', '13 %', 'Write', '25 %', 'Exception', '13 %'],
    ...['Interrupt or exception', 'Problems'],
  ]);
  expect(words.at(-1)).toBe('A column is 4 records wide.');
});

test('describes a trace without records', () => {
  const nothing = {
    ...overview,
    to: 0,
    columns: 0,
    edges: new Float64Array(1),
    counts: new Float64Array(),
    bad: new Float64Array(),
  };
  const { svg, description } = overviewFigure({ name: 'a.txt', overview: nothing }, { theme: 'light' });
  expect(description).toBe('Overview of a.txt: there are no records here.');
  expect(textsOf(svg).map(({ text }) => text)).toContain('shares of kinds over the trace  ·  no records');
});

test('draws tracks below the strip on its axis, with names, scales and reasons', () => {
  const values = { edges: new Float64Array([0, 4, 8]), values: ['0x10', '0x20'], reach: overview.reach } as const;
  const tracks = [
    { title: 'Accesses', kind: 'accesses', data: { kind: 'accesses', overview }, missing: '' },
    { title: 'r0 of CPU 1', kind: 'register', data: { kind: 'values', values }, missing: '' },
    { title: 'Interrupts', kind: 'interrupts', data: { kind: 'interrupts', overview }, missing: 'None.' },
  ] as const;
  const { svg, description, height } = overviewFigure({ name: 'a.txt', overview, tracks }, { theme: 'light' });
  expect(description).toContain(
    'Track: Accesses, up reads, down writes, to 50 in 100 records. Track: r0 of CPU 1, 0x10 to 0x20. Interrupts: None.',
  );
  const words = textsOf(svg).map(({ text }) => text);
  expect(
    ['Accesses', 'r0 of CPU 1', '0x10 to 0x20', 'Interrupts', 'None.'].map((text) => words.includes(text)),
  ).toEqual(Array(5).fill(true));
  // Two tracks with scales, one without, a gap above each, and a note about the directions of bars.
  expect(height - overviewFigure({ name: 'a.txt', overview }, { theme: 'light' }).height).toBe(
    28 + 28 + 12 + 3 * 5 + 16,
  );
  // The second column has one read and two writes in four records; it is as wide as the instructions in the strip.
  const column = boxesOf(svg, CHART_COLOURS.light.hues.fetch)[1]!;
  const writes = new RegExp(`<path fill="${CHART_COLOURS.light.hues.write}" d="M([\\d.]+) [\\d.]+h([\\d.]+)`).exec(
    svg,
  )!;
  expect([Number(writes[1]), Number(writes[1]) + Number(writes[2])]).toEqual([column.left, column.right]);
});

/** The boxes of the areas in a colour. */
function boxesOf(svg: string, fill: string) {
  const path = new RegExp(`<path fill="${fill}" shape-rendering="crispEdges" d="([^"]*)"`).exec(svg)?.[1] ?? '';
  return Array.from(path.matchAll(/M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)/g), ([, left, top, right, bottom]) => ({
    left: Number(left),
    top: Number(top),
    right: Number(right),
    bottom: Number(bottom),
  }));
}
