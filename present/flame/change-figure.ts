/**
 * The change from one run to another as a flame graph: boxes are as wide as the changes of cost at and below a call path, whether more or
 * less. What did not change has no width, and what vanished is as wide as what it had cost.
 */
import { change } from '../../shared/against/call-changes.ts';
import { turnover, type NodeChange } from '../../shared/against/tree-changes.ts';
import { group, signed } from '../../shared/base/numbers.ts';
import type { Figure } from '../svg/figure.ts';
import type { Look } from '../svg/look.ts';
import { fitted } from '../svg/measure.ts';
import { mixed } from '../svg/colour.ts';
import { KEY_WIDTH, MONO, onSheet, SHEET_MARGIN, SHEET_WIDTH, text } from '../svg/sheet.ts';
import { element, fixed } from '../svg/svg.ts';
import { CHART_COLOURS, type ChartColours } from '../base/theme.ts';
import { FLAME_ROW } from './flame.ts';
import { FLAME_WIDTH } from './flame-figure.ts';
import { MARK_HEIGHT, MARK_TEXT } from './flame-marks.ts';

export interface ChangeFigureData {
  /** Names of the traces. */
  readonly a: string;
  readonly b: string;
  readonly unit: string;
  readonly roots: readonly NodeChange[];
  /** Sentences that the reader must know. */
  readonly notes: readonly string[];
}

interface ChangeBox {
  readonly x: number;
  readonly width: number;
  readonly depth: number;
  readonly node: NodeChange;
  /** Change of the total as a share of the changes below: -1 if everything is less, 1 if everything is more. */
  readonly lean: number;
}

const MOST_ROWS = 40;
/** Narrower boxes are left out. */
const LEAST = 0.5;
const EMPTY = 120;
/** Functions that are listed as being in one run only. */
const MOST_LISTED = 12;

export function changeFigure(data: ChangeFigureData, look: Look): Figure {
  const { a, b, unit, roots } = data;
  const colours = CHART_COLOURS[look.theme];
  const whole = roots.reduce((sum, root) => sum + turnover(root), 0);
  const boxes = whole === 0 ? [] : boxesOf(roots, FLAME_WIDTH / whole).filter(({ depth }) => depth < MOST_ROWS);
  const rows = boxes.reduce((most, { depth }) => Math.max(most, depth + 1), 0);
  const net = roots.reduce((sum, root) => sum + change(root, 'total'), 0);
  const only = [
    onlyIn('A', roots, ({ b: others }) => others === null, unit),
    onlyIn('B', roots, ({ a: its }) => its === null, unit),
  ];
  const title = `Change of calls from ${a} to ${b}`;
  return onSheet({
    look,
    title,
    shown: [`callers above callees, as wide as the change`, `${signed(net)} ${unit} in all`],
    notes: [
      ...(boxes.length === 0
        ? []
        : [`The whole width is a change of ${group(whole)} ${unit}, more and less together.`]),
      ...only.filter((words) => words !== undefined),
      ...data.notes,
    ],
    description: `${title}: ${signed(net)} ${unit}. ${mostChanged(roots, unit)}`,
    width: SHEET_WIDTH,
    height: boxes.length === 0 ? EMPTY : 8 + rows * FLAME_ROW,
    body:
      boxes.length === 0
        ? text('every call path cost the same in both runs', {
            x: SHEET_WIDTH / 2,
            y: EMPTY / 2,
            'text-anchor': 'middle',
            'font-size': 13,
            fill: colours.text2,
          })
        : element('g', { transform: `translate(${SHEET_MARGIN} 8)` }, ...boxes.map((box) => drawn(box, colours))),
    ...(boxes.length > 0 && { key: changeKey(colours) }),
  });
}

function boxesOf(nodes: readonly NodeChange[], scale: number, start = 0, depth = 0): readonly ChangeBox[] {
  let x = start;
  return [...nodes]
    .map((node) => ({ node, its: turnover(node) }))
    .sort((one, other) => other.its - one.its)
    .flatMap(({ node, its }) => {
      const width = its * scale;
      if (width < LEAST) return [];
      const box = { x, width, depth, node, lean: change(node, 'total') / its };
      const below = boxesOf(node.children, scale, x, depth + 1);
      x += width;
      return [box, ...below];
    });
}

function drawn({ x, width, depth, node, lean }: ChangeBox, colours: ChartColours): string {
  const top = depth * FLAME_ROW;
  const shown = Math.max(LEAST, width - (width > 3 ? 1 : 0));
  const isLone = node.a === null || node.b === null;
  const words = fitted(
    `${node.function} ${signed(change(node, 'total'))}`,
    width - 2 * MARK_TEXT.x,
    MARK_TEXT.size,
    'mono',
  );
  return [
    element('rect', {
      x: fixed(x),
      y: top,
      width: fixed(shown),
      height: MARK_HEIGHT,
      fill: leanColour(lean, colours),
      ...(isLone && shown > 4 && { stroke: lean > 0 ? more(colours) : less(colours), 'stroke-dasharray': '3 2' }),
    }),
    width < 30
      ? ''
      : text(words, {
          x: fixed(x + MARK_TEXT.x),
          y: top + MARK_TEXT.y,
          'font-family': MONO,
          'font-size': MARK_TEXT.size,
          fill: colours.text,
        }),
  ].join('');
}

/** Colours of more and of less. */
export function more({ hues }: ChartColours): string {
  return hues.control;
}

export function less({ hues }: ChartColours): string {
  return hues.fetch;
}

function leanColour(lean: number, colours: ChartColours): string {
  const strength = 0.06 + (1.4 * colours.flameStrength - 0.06) * Math.min(1, Math.abs(lean));
  return mixed(colours.ground, lean > 0 ? more(colours) : lean < 0 ? less(colours) : colours.text3, strength);
}

const SWATCH = 40;

function changeKey(colours: ChartColours): string {
  const swatches = [-1, -0.5, 0, 0.5, 1].map((lean, at) =>
    element('rect', { x: at * SWATCH, y: 10, width: SWATCH, height: 9, fill: leanColour(lean, colours) }),
  );
  return [
    text('less in B', { x: 0, y: 33, fill: colours.text2 }),
    text('more in B', { x: KEY_WIDTH, y: 33, 'text-anchor': 'end', fill: colours.text2 }),
    ...swatches,
  ].join('');
}

/** Returns a sentence about the functions that only one run executed, those with the highest self cost first. */
function onlyIn(
  run: 'A' | 'B',
  roots: readonly NodeChange[],
  isLone: (node: NodeChange) => boolean,
  unit: string,
): string | undefined {
  const everywhere = new Set(functionsIn(roots, (node) => !isLone(node)).keys());
  const lone = [...functionsIn(roots, isLone)]
    .filter(([name]) => !everywhere.has(name))
    .sort((one, other) => other[1] - one[1]);
  if (lone.length === 0) return undefined;
  const listed = lone.slice(0, MOST_LISTED).map(([name, self]) => `${name} (${group(self)})`);
  const left = lone.length > MOST_LISTED ? ` and ${group(lone.length - MOST_LISTED)} more` : '';
  return `Only in ${run}, with their ${unit}: ${listed.join(', ')}${left}.`;
}

/** Returns the summed self cost of functions in call paths that `isWanted`. */
function functionsIn(
  nodes: readonly NodeChange[],
  isWanted: (node: NodeChange) => boolean,
  sums = new Map<string, number>(),
): Map<string, number> {
  for (const node of nodes) {
    if (isWanted(node)) sums.set(node.function, (sums.get(node.function) ?? 0) + (node.a?.self ?? node.b?.self ?? 0));
    functionsIn(node.children, isWanted, sums);
  }
  return sums;
}

function mostChanged(roots: readonly NodeChange[], unit: string): string {
  const sums = new Map<string, number>();
  const add = (nodes: readonly NodeChange[]): void => {
    for (const node of nodes) {
      sums.set(node.function, (sums.get(node.function) ?? 0) + change(node, 'self'));
      add(node.children);
    }
  };
  add(roots);
  const order = [...sums].filter(([, sum]) => sum !== 0).sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  if (order.length === 0) return 'No function changed.';
  return `Greatest changes of self cost in ${unit}: ${order
    .slice(0, 10)
    .map(([name, sum]) => `${name} ${signed(sum)}`)
    .join('; ')}.`;
}
