/** A flame graph as a figure, hanging from its roots: by weight, bottom-up, or each call in time. */
import type { FlameOrder } from '../../shared/report/plan.ts';
import { FLAME_ROW, rowsOf, type FlameBox } from './flame.ts';
import { flameFills, flameMarks, MARK_HEIGHT, MARK_TEXT, PALE } from './flame-marks.ts';
import { counted, group, recordSpan } from '../../shared/base/numbers.ts';
import { figureName } from '../text/part-names.ts';
import { percent } from '../base/percent.ts';
import type { Figure } from '../svg/figure.ts';
import type { Look } from '../svg/look.ts';
import { recordAxis, RECORD_AXIS_HEIGHT } from '../svg/record-axis.ts';
import { MONO, onSheet, SHEET_MARGIN, SHEET_WIDTH, text } from '../svg/sheet.ts';
import { element, fixed } from '../svg/svg.ts';
import { CHART_COLOURS, type ChartColours } from '../base/theme.ts';

export interface FlameFigureData {
  /** Name of the trace. */
  readonly name: string;
  readonly order: FlameOrder;
  readonly from: number;
  readonly to: number;
  /** Scaled to FLAME_WIDTH. */
  readonly boxes: readonly FlameBox[];
  /** `instructions`, `branches`, `records`. */
  readonly unit: string;
  /** Cost of the whole width, in units. */
  readonly whole: number;
  /** If only one frame is shown: its function and its callers, from callee to caller. */
  readonly only?: readonly string[] | undefined;
  /** Greatest nesting depth, including calls too narrow for a box; 0 without nesting, undefined if unknown. */
  readonly nested?: number | undefined;
  /** Self cost of functions in the shown part, highest first; empty in time order, where short calls can be left out. */
  readonly heaviest: readonly { readonly name: string; readonly self: number }[];
  /** Sentences that the reader must know. */
  readonly notes: readonly string[];
}

export const FLAME_WIDTH = SHEET_WIDTH - 2 * SHEET_MARGIN;
/** Upper bound on rows; more would not fit a page. */
const MOST_ROWS = 40;
/** Upper bound on boxes; the widest are drawn. */
const MOST_BOXES = 5000;
const SHARES = [0, 0.25, 0.5, 0.75, 1];
const EMPTY = 160;

export function flameFigure(data: FlameFigureData, look: Look): Figure {
  const { name, order, boxes, from, to } = data;
  const colours = CHART_COLOURS[look.theme];
  const rows = Math.min(MOST_ROWS, rowsOf(boxes));
  const shown = widest(boxes.filter(({ depth }) => depth < rows));
  const bottom = boxes.length === 0 ? EMPTY : 8 + rows * FLAME_ROW;
  const body =
    boxes.length === 0
      ? text('no calls are known here', {
          x: SHEET_WIDTH / 2,
          y: EMPTY / 2,
          'text-anchor': 'middle',
          'font-size': 13,
          fill: colours.text2,
        })
      : [
          element('g', { transform: `translate(${SHEET_MARGIN} 8)` }, flames(shown, colours)),
          order === 'time'
            ? recordAxis({ from, to }, { left: SHEET_MARGIN, width: FLAME_WIDTH, bottom: bottom + 3 }, colours)
            : shareAxis(data, bottom + 3, colours),
        ].join('\n');
  const left = [
    ...(rowsOf(boxes) > rows ? [`${counted(rowsOf(boxes) - rows, 'deeper row is', 'deeper rows are')} left out.`] : []),
    ...(shown.length < boxes.filter(({ depth }) => depth < rows).length ? ['The narrowest boxes are left out.'] : []),
  ];
  return onSheet({
    look,
    title: `${titleOf(order)} ${name}`,
    shown: [...(look.title === undefined ? [] : [name]), MEANINGS[order], recordSpan(from, to)],
    notes: [
      ...(data.only === undefined ? [] : [`Only ${onlyText(data.only)}.`]),
      ...(boxes.length > 0 ? [[COLOURS, ...left].join(' ')] : []),
      ...data.notes,
    ],
    description: describe(data),
    width: SHEET_WIDTH,
    height: bottom + (boxes.length === 0 ? 0 : 3 + RECORD_AXIS_HEIGHT),
    body,
  });
}

/** Returns the title of the figure without the name of the trace: `Flame graph of`. */
function titleOf(order: FlameOrder): string {
  return `${figureName({ figure: 'flame', order })} ${order === 'time' ? 'in' : 'of'}`;
}

const COLOURS = 'A function has the same colour everywhere; only less costly ones share one.';

const MEANINGS: Readonly<Record<FlameOrder, string>> = {
  'left-heavy': 'callers above callees, highest cost to the left',
  time: 'callers above callees, in time order',
  'bottom-up': 'self cost of functions, with their callers below',
};

/** Returns the boxes that the figure has room for, in order. */
function widest(boxes: readonly FlameBox[]): readonly FlameBox[] {
  if (boxes.length <= MOST_BOXES) return boxes;
  const least = boxes.map(({ width }) => width).sort((a, b) => b - a)[MOST_BOXES - 1]!;
  return boxes.filter(({ width }) => width >= least).slice(0, MOST_BOXES);
}

/** Draws all boxes of one colour as one shape, so that a figure with thousands of boxes stays small. */
function flames(boxes: readonly FlameBox[], colours: ChartColours): string {
  const filled = new Map<number, string[]>();
  const pale = new Map<number, string[]>();
  const names: string[] = [];
  for (const { box, top, width, filled: height, words } of flameMarks(boxes)) {
    const add = (shapes: Map<number, string[]>, from: number, down: number): void => {
      const path = shapes.get(box.hue) ?? [];
      shapes.set(box.hue, path);
      path.push(`M${fixed(box.x)} ${from}h${fixed(width)}v${down}h-${fixed(width)}z`);
    };
    add(filled, top, height);
    if (height < MARK_HEIGHT) add(pale, top + height, MARK_HEIGHT - height);
    if (words !== '') names.push(text(words, { x: box.x + MARK_TEXT.x, y: top + MARK_TEXT.y }));
  }
  const drawn = (shapes: Map<number, string[]>, fill: (hue: number) => string): readonly string[] =>
    [...shapes].sort(([a], [b]) => a - b).map(([hue, path]) => element('path', { fill: fill(hue), d: path.join('') }));
  return [
    ...drawn(filled, flameFills(colours)),
    ...drawn(pale, flameFills(colours, PALE)),
    element('g', { 'font-family': MONO, 'font-size': MARK_TEXT.size, fill: colours.text }, names.join('\n')),
  ].join('\n');
}

function shareAxis({ whole, unit }: FlameFigureData, bottom: number, colours: ChartColours): string {
  const x = (share: number): number => SHEET_MARGIN + share * FLAME_WIDTH;
  const title = `share of ${group(whole)} ${unit}`;
  return [
    element('path', {
      d: SHARES.map((share) => `M${fixed(x(share))} ${fixed(bottom)}v5`).join(''),
      stroke: colours.lineStrong,
      fill: 'none',
    }),
    ...SHARES.map((share, at) =>
      text(`${100 * share} %`, {
        x: x(share),
        y: bottom + 17,
        'text-anchor': at === 0 ? 'start' : at === SHARES.length - 1 ? 'end' : 'middle',
        fill: colours.text2,
      }),
    ),
    text(title, { x: SHEET_WIDTH / 2, y: bottom + 33, 'text-anchor': 'middle', fill: colours.text3 }),
  ].join('');
}

function describe({ name, order, from, to, only, nested, heaviest, unit, whole, boxes }: FlameFigureData): string {
  const part = only === undefined ? '' : `, only ${onlyText(only)}`;
  const begin = `${titleOf(order)} ${name}, ${recordSpan(from, to)}${part}`;
  if (boxes.length === 0) return `${begin}: no calls are known here.`;
  const share = (count: number): string => (whole > 0 ? ` (${percent(count / whole)})` : '');
  const took = heaviest.slice(0, MOST_TOLD).map((one) => `${one.name} ${group(one.self)}${share(one.self)}`);
  const depth = nested === undefined ? '' : ` Calls nest up to ${group(nested)} deep.`;
  const own = took.length === 0 ? '' : ` Highest self cost, of ${group(whole)} ${unit}: ${took.join('; ')}.`;
  return `${begin}.${own}${depth}`;
}

const MOST_TOLD = 10;

/** Formats `fib, called by main`. */
function onlyText(only: readonly string[]): string {
  const more = only.length - MOST_CALLERS;
  const callers = more > 0 ? [...only.slice(0, MOST_CALLERS), `${group(more)} more`] : only;
  return callers.join(', called by ');
}

const MOST_CALLERS = 6;
