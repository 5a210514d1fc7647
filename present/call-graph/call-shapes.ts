/** Shapes of a laid-out call graph: boxes with labels, lines with widths and arrow heads, and hit testing. */
import { curveBasis, line } from 'd3';
import type { CallFunction } from '../../shared/requests/flow.ts';
import { visible } from '../../shared/base/visible.ts';
import type { Wanted } from './arrange.ts';
import type { CallGraphIndex } from './call-graph.ts';
import type { Part, PartLink, PartNode } from './call-part.ts';
import { counted, group, short } from '../../shared/base/numbers.ts';
import { percent } from '../base/percent.ts';

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** In the order of the nodes and links of the part. */
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

export interface Box {
  readonly node: PartNode;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly words: string;
  /** Shares of the cost of all functions, 0 to 1. */
  readonly self: number;
  readonly total: number;
}

export interface Line {
  readonly link: PartLink;
  readonly path: string;
  /** The line as a polygon, for hit testing. */
  readonly points: readonly Place[];
  readonly width: number;
  /** Corners of the arrow head. */
  readonly head: string;
  readonly label: string;
  readonly middle: Place;
}

const BOX_HEIGHT = 40;
const PADDING = 10;
const LEAST_WIDTH = 96;
/** Longest label in characters; longer names lose their middle. */
const LONGEST = 34;
const THINNEST = 1;
/** With many lines, each line is thinner by one pixel per this number of lines. */
const THICKEST = 7;
const THICK_AMONG_MANY = 3;
const MANY = 30;

/** Total cost: the base of the shares `self` and `total`. */
export function wholeOf(functions: readonly CallFunction[]): number {
  return functions.reduce((sum, { self }) => sum + self, 0);
}

/** Returns the request to lay out a part. `measure` returns the width of a text in the font of function names. */
export function layoutRequest(
  { nodes, links }: Part,
  graph: CallGraphIndex,
  whole: number,
  measure: (text: string) => number,
): Wanted {
  return {
    nodes: nodes.map((node) => {
      const { title, words } = wordsOf(node, graph, whole);
      const width = Math.max(LEAST_WIDTH, Math.ceil(Math.max(measure(title), measure(words) * 0.92)) + 2 * PADDING);
      return { width, height: BOX_HEIGHT };
    }),
    links: links.map(({ from, to, count }) => ({ from, to, weight: 1 + Math.round(Math.log2(count)) })),
  };
}

export function drawingOf(
  part: Part,
  graph: CallGraphIndex,
  whole: number,
  widths: readonly number[],
  arranged: {
    readonly width: number;
    readonly height: number;
    readonly nodes: readonly Place[];
    readonly links: readonly (readonly Place[])[];
  },
): Drawing {
  const most = part.links.reduce((max, { count }) => Math.max(max, count), 1);
  const thickest = Math.max(THICK_AMONG_MANY, THICKEST - part.links.length / MANY);
  return {
    width: arranged.width,
    height: arranged.height,
    boxes: part.nodes.map((node, at) => {
      const { x, y } = arranged.nodes[at]!;
      const width = widths[at]!;
      const took = node.functions.map((place) => graph.functions[place]!);
      return {
        node,
        left: x - width / 2,
        top: y - BOX_HEIGHT / 2,
        width,
        height: BOX_HEIGHT,
        ...wordsOf(node, graph, whole),
        self: share(wholeOf(took), whole),
        total: share(mostTotal(took), whole),
      };
    }),
    lines: part.links.map((link, at) => {
      const from = { ...arranged.nodes[link.from]!, width: widths[link.from]! };
      const to = { ...arranged.nodes[link.to]!, width: widths[link.to]! };
      return lineOf(link, anchored(arranged.links[at]!, from, to), most, thickest);
    }),
  };
}

/** Shortens a name to `std::…::push_back`: both ends are more informative than the middle. */
export function shortName(whole: string, longest = LONGEST): string {
  const name = visible(whole);
  if (name.length <= longest) return name;
  const tail = Math.floor((longest - 1) / 2);
  return `${name.slice(0, longest - 1 - tail)}…${name.slice(-tail)}`;
}

/** Says how much of a call graph is drawn: `9 of 138 functions are shown, 42 more next to them.` */
export function partText({ nodes, beyond, undrawn }: Part, functions: number): string {
  const shown = nodes.reduce((sum, node) => sum + node.functions.length, 0);
  const more = beyond > 0 ? `, ${group(beyond)} more next to them` : '';
  const thin = undrawn > 0 ? `; ${counted(undrawn, 'rare edge is', 'rare edges are')} not drawn` : '';
  return `${group(shown)} of ${counted(functions, 'function')} ${shown === 1 ? 'is' : 'are'} shown${more}${thin}.`;
}

/** Returns the topmost box under a point; undefined if there is none. */
export function boxAt({ boxes }: Drawing, { x, y }: Place): Box | undefined {
  return boxes.findLast(
    (box) => x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height,
  );
}

/** Returns the nearest line within reach of a point. */
export function lineAt({ lines }: Drawing, point: Place, reach: number): Line | undefined {
  let nearest: Line | undefined;
  let least = reach;
  for (const candidate of lines) {
    const distance = distanceTo(candidate.points, point) - candidate.width / 2;
    if (distance > least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

function wordsOf(
  node: PartNode,
  graph: CallGraphIndex,
  whole: number,
): { readonly title: string; readonly words: string } {
  const functions = node.functions.map((place) => graph.functions[place]!);
  const [first] = functions;
  if (functions.length > 1) {
    const names = functions.map(({ name }) => name).join(', ');
    return {
      title: `${functions.length} in a cycle`,
      words: shortName(names),
    };
  }
  const { name = '', self = 0, total = 0, calls = 0 } = first ?? {};
  const took =
    whole > 0 ? `${percent(share(total, whole))} · self ${percent(share(self, whole))}` : counted(calls, 'call');
  return { title: shortName(name), words: `${took}${node.inner > 0 ? ` · ↻ ${short(node.inner)}` : ''}` };
}

function share(count: number, whole: number): number {
  return whole > 0 ? Math.min(1, count / whole) : 0;
}

function mostTotal(functions: readonly CallFunction[]): number {
  return functions.reduce((most, { total }) => Math.max(most, total), 0);
}

/** Lines to the right leave and arrive at the centres of the sides. */
function anchored(
  bends: readonly Place[],
  from: Place & { readonly width: number },
  to: Place & { readonly width: number },
): readonly Place[] {
  const start = { x: from.x + from.width / 2, y: from.y };
  const end = { x: to.x - to.width / 2, y: to.y };
  if (start.x >= end.x) return bends;
  const between = bends.slice(1, -1);
  // Enters the side at a right angle, so that the arrow head points at the box.
  return [start, ...between, { x: end.x - Math.min(16, (end.x - start.x) / 3), y: end.y }, end];
}

function lineOf(link: PartLink, bends: readonly Place[], most: number, thickest: number): Line {
  const width = THINNEST + (thickest - THINNEST) * (Math.log(link.count) / Math.log(Math.max(2, most)));
  const end = bends.at(-1) ?? { x: 0, y: 0 };
  const before = bends.at(-2) ?? end;
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const along = { x: (end.x - before.x) / length, y: (end.y - before.y) / length };
  const long = 5 + width;
  const half = 3 + width / 2;
  const back = { x: end.x - along.x * long, y: end.y - along.y * long };
  const shaft = [...bends.slice(0, -1), { x: back.x + along.x, y: back.y + along.y }];
  return {
    link,
    path: curved(shaft) ?? '',
    points: sampled(shaft),
    width,
    head: [
      end,
      { x: back.x - along.y * half, y: back.y + along.x * half },
      { x: back.x + along.y * half, y: back.y - along.x * half },
    ]
      .map(({ x, y }) => `${round(x)},${round(y)}`)
      .join(' '),
    label: short(link.count),
    middle: middleOf(bends),
  };
}

const curved = line<Place>()
  .x(({ x }) => x)
  .y(({ y }) => y)
  .curve(curveBasis)
  .digits(1);

/** Corners along the curve of `curved`: uniform cubic B-splines that start and end in the first and last bend. */
function sampled(bends: readonly Place[]): readonly Place[] {
  const first = bends[0];
  const last = bends.at(-1);
  if (!first || !last || bends.length < 3) return bends;
  const points = [first];
  const padded = [first, first, ...bends, last, last];
  for (let at = 0; at + 3 < padded.length; at += 1) {
    for (const t of [0, 0.5]) points.push(spline(padded[at]!, padded[at + 1]!, padded[at + 2]!, padded[at + 3]!, t));
  }
  return [...points, last];
}

function spline(a: Place, b: Place, c: Place, d: Place, t: number): Place {
  const u = 1 - t;
  const weights = [u ** 3, 3 * t ** 3 - 6 * t ** 2 + 4, 3 * u ** 3 - 6 * u ** 2 + 4, t ** 3] as const;
  const mix = (of: 'x' | 'y'): number =>
    (a[of] * weights[0] + b[of] * weights[1] + c[of] * weights[2] + d[of] * weights[3]) / 6;
  return { x: mix('x'), y: mix('y') };
}

function middleOf(bends: readonly Place[]): Place {
  const low = bends[Math.floor((bends.length - 1) / 2)] ?? { x: 0, y: 0 };
  const high = bends[Math.ceil((bends.length - 1) / 2)] ?? low;
  return { x: (low.x + high.x) / 2, y: (low.y + high.y) / 2 };
}

function distanceTo(points: readonly Place[], { x, y }: Place): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < points.length; at += 1) {
    const a = points[at - 1]!;
    const b = points[at]!;
    const length = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
    const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - a.x) * (b.x - a.x) + (y - a.y) * (b.y - a.y)) / length));
    least = Math.min(least, Math.hypot(x - a.x - t * (b.x - a.x), y - a.y - t * (b.y - a.y)));
  }
  return least;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
