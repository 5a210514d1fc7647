/**
 * A heatmap as a figure: records across, addresses up, and colour for the count. Untouched address space is folded away and marked by a
 * gap. Names from images are at the side.
 */
import { figureName } from '../text/part-names.ts';
import type { HeatGrid, NamedSpan } from '../../shared/requests/requests.ts';
import type { Kind } from '../../shared/records/record.ts';
import { addressLabels, type AddressLabel } from './address-labels.ts';
import { foldedAxis, type AddressAxis } from '../base/axis.ts';
import { kindWords } from '../base/kinds.ts';
import { spanOfRow, type HeatImageBand } from './heat.ts';
import { NAME_SIZE, placeNames, type PlacedName } from './names.ts';
import { address, addressDigits, group, recordSpan, span } from '../../shared/base/numbers.ts';
import { percent } from '../base/percent.ts';
import type { Figure } from '../svg/figure.ts';
import { changeKey, changeShades, heatChangeOf, type HeatChange } from './change.ts';
import { bandImage, countShades } from './heat-image.ts';
import { heatKey } from './heat-key.ts';
import type { Look } from '../svg/look.ts';
import { fittedEnds } from '../svg/measure.ts';
import { recordAxis, RECORD_AXIS_HEIGHT } from '../svg/record-axis.ts';
import { MONO, onSheet, SHEET_MARGIN, SHEET_WIDTH, text } from '../svg/sheet.ts';
import { element, fixed } from '../svg/svg.ts';
import { CHART_COLOURS, type ChartColours } from '../base/theme.ts';

export interface HeatFigureData {
  /** Name of the trace. */
  readonly name: string;
  readonly grid: HeatGrid;
  readonly names: readonly NamedSpan[];
  /** Counted kinds; all kinds with an address if absent. */
  readonly kinds?: readonly Kind[];
  /** Another run: the figure shows the change to it. Its grid has the same columns and rows; the columns are as many parts of its records. */
  readonly other?: { readonly name: string; readonly grid: HeatGrid };
}

const PLOT_HEIGHT = 420;
/** Gap between spans of addresses, in pixels. */
const GAP = 7;
const NAMES_WIDTH = 148;
const ADDRESS = 10.5;
const ADDRESS_LETTER = 6.4;

export function heatFigure(data: HeatFigureData, look: Look): Figure {
  const { grid, name, kinds, other } = data;
  const colours = CHART_COLOURS[look.theme];
  const change = other && heatChangeOf(grid, other.grid);
  const shades = change === undefined ? countShades(grid, look.theme) : changeShades(change, colours);
  const bands = bandsOf(grid);
  const axis = spread(foldedAxis(bands));
  const digits = addressDigits((bands.at(-1)?.high ?? 0x10000n) - 1n);
  const names = placed(data.names, axis);
  const plot = {
    left: Math.ceil(SHEET_MARGIN + (digits + 2) * ADDRESS_LETTER + 11),
    top: 10,
    right: SHEET_WIDTH - SHEET_MARGIN - (names.length > 0 ? NAMES_WIDTH : 0),
    bottom: 10 + PLOT_HEIGHT,
  };
  const frame = { left: plot.left, width: plot.right - plot.left, bottom: plot.bottom };
  const y = (position: number): number => Math.round(plot.bottom - position * PLOT_HEIGHT);
  const isEmpty = (change ?? grid).most === 0;
  const body = [
    ...axis.map((band, at) => {
      const box = {
        x: plot.left,
        y: y(band.end),
        width: frame.width,
        height: Math.max(1, y(band.start) - y(band.end)),
      };
      return [
        element('rect', { ...box, fill: colours.chart }),
        isEmpty ? '' : bandImage(grid, at, box, shades),
        element('rect', {
          x: box.x - 0.5,
          y: box.y - 0.5,
          width: box.width + 1,
          height: box.height + 1,
          fill: 'none',
          stroke: colours.lineStrong,
        }),
      ].join('');
    }),
    isEmpty
      ? text(change === undefined ? 'no access here' : 'no change here', {
          x: plot.left + frame.width / 2,
          y: (plot.top + plot.bottom) / 2,
          'text-anchor': 'middle',
          'font-size': 13,
          fill: colours.text2,
        })
      : '',
    addressSvg(addressLabels(axis, { bottom: 0, top: 1 }, y), plot.left, digits, colours),
    nameLabels(names, plot, colours),
    recordAxis(grid, frame, colours),
  ].join('\n');
  const counted = kinds === undefined ? 'all accesses' : kinds.map(kindWords).join(', ');
  return onSheet({
    look,
    title: titleOf(data),
    shown: [
      ...(look.title === undefined ? [] : [name]),
      change === undefined ? 'accesses by record and address' : 'change of accesses by share of the run and address',
      ...(other === undefined ? [recordSpan(grid.from, grid.to)] : []),
      ...(kinds ? [counted] : []),
    ],
    notes: notesOf(data, axis.length),
    description: change === undefined ? describe(data, counted) : describeChange(data, change),
    width: SHEET_WIDTH,
    height: plot.bottom + RECORD_AXIS_HEIGHT,
    body,
    ...(isEmpty ? {} : { key: change === undefined ? heatKey(grid.most, colours) : changeKey(change.most, colours) }),
  });
}

function titleOf({ name, other }: HeatFigureData): string {
  const title = figureName({ figure: 'heat' });
  return other === undefined ? `${title} of ${name}` : `${title}: change from ${name} to ${other.name}`;
}

function bandsOf({ bands }: HeatGrid): readonly HeatImageBand[] {
  return bands.map((band) => ({ ...band, low: BigInt(band.low), high: BigInt(band.high) }));
}

/** The axis with gaps between its bands. */
function spread(axis: AddressAxis): AddressAxis {
  const gap = GAP / PLOT_HEIGHT;
  const left = 1 - gap * (axis.length - 1);
  return axis.map((band, at) => ({ ...band, start: band.start * left + at * gap, end: band.end * left + at * gap }));
}

function addressSvg(labels: readonly AddressLabel[], left: number, digits: number, colours: ChartColours): string {
  const marks = labels.map(({ y }) => `M${fixed(left - 5)} ${fixed(y - 0.5)}h5`).join('');
  return element(
    'g',
    { 'font-family': MONO, 'font-size': ADDRESS, 'text-anchor': 'end' },
    marks === '' ? '' : element('path', { d: marks, stroke: colours.lineStrong, fill: 'none' }),
    ...labels.map(({ y, value, isBorder }) =>
      text(address(value, digits), { x: left - 9, y: y + 3.5, fill: isBorder ? colours.text2 : colours.text3 }),
    ),
  );
}

function placed(names: readonly NamedSpan[], axis: AddressAxis): readonly PlacedName[] {
  const spans = names.map((one) => ({ ...one, low: BigInt(one.low), high: BigInt(one.high) }));
  const all = placeNames(spans, axis, { bottom: 0, top: 1, height: PLOT_HEIGHT });
  // Segments are labelled only if there is no symbol, because the labels would overlap.
  const symbols = all.filter(({ named }) => named.kind !== 'segment');
  const shown = symbols.length > 0 ? symbols : all;
  return shown.filter((one) => one.text !== undefined);
}

function nameLabels(
  names: readonly PlacedName[],
  { right, top }: { readonly right: number; readonly top: number },
  colours: ChartColours,
): string {
  const bars = names
    .map(
      (one) =>
        `M${fixed(right + 7)} ${fixed(top + one.top + 0.5)}V${fixed(top + Math.max(one.top + 1.5, one.bottom - 0.5))}`,
    )
    .join('');
  return element(
    'g',
    { 'font-size': NAME_SIZE, 'font-family': MONO, fill: colours.text2 },
    bars === '' ? '' : element('path', { d: bars, stroke: colours.accent, 'stroke-width': 2, fill: 'none' }),
    ...names.map((one) =>
      text(fittedEnds(one.named.name, NAMES_WIDTH - 14, NAME_SIZE, 'mono'), {
        x: right + 14,
        y: top + (one.text ?? 0) + 3.5,
      }),
    ),
  );
}

function notesOf({ grid, kinds, other }: HeatFigureData, bands: number): readonly string[] {
  if (grid.columns === 0 || grid.rows === 0) return [];
  const perColumn = (grid.to - grid.from) / grid.columns;
  const rows = grid.bands.map(({ rowBytes }) => rowBytes).sort((a, b) => a - b);
  const [least = 1, most = 1] = [rows[0], rows.at(-1)];
  const about = Number.isInteger(perColumn) ? '' : 'about ';
  const high = least === most ? bytesOf(least) : `${bytesOf(least)} to ${bytesOf(most)}`;
  const cell = `A cell is ${about}${group(Math.max(1, Math.round(perColumn)))} ${perColumn <= 1 ? 'record' : 'records'} wide and ${high} of addresses high.`;
  const none = kinds === undefined ? 'no address is accessed' : 'no address has such accesses';
  const folded = bands > 1 ? ` Where the chart is interrupted, ${none}.` : '';
  return [
    ...(other === undefined
      ? []
      : [
          `Columns are equal shares of each run: ${group(grid.to - grid.from)} records of A (its numbers are below), ${group(other.grid.to - other.grid.from)} of B.`,
        ]),
    `${cell}${folded}`,
    ...(grid.reach.complete
      ? []
      : [`The trace is indexed up to record ${group(grid.reach.records)}; later records are not in this figure.`]),
  ];
}

function bytesOf(rowBytes: number): string {
  return Number.isInteger(rowBytes)
    ? span(BigInt(rowBytes))
    : `about ${span(BigInt(Math.max(1, Math.round(rowBytes))))}`;
}

function describeChange(data: HeatFigureData, { counts, most }: HeatChange): string {
  const { grid } = data;
  if (most === 0) return `${titleOf(data)}: no cell has another number of accesses.`;
  const cell = counts.findIndex((count) => Math.abs(count) === most);
  const { low, high } = spanOfRow({ bands: bandsOf(grid) }, cell % grid.rows)!;
  const share = (column: number): string => percent(column / grid.columns);
  const column = Math.floor(cell / grid.rows);
  return (
    `${titleOf(data)}. The greatest change of a cell is ${group(most)} ${counts[cell]! > 0 ? 'more' : 'fewer'}: ` +
    `${share(column)} to ${share(column + 1)} of the run, addresses 0x${low.toString(16)} to 0x${(high - 1n).toString(16)}.`
  );
}

function describe({ name, grid }: HeatFigureData, counted: string): string {
  const { bands, from, to, most } = grid;
  if (most === 0) return `Heatmap of ${name}, ${recordSpan(from, to)}: there are no accesses here.`;
  let all = 0;
  let hottest = 0;
  for (let cell = 0; cell < grid.counts.length; cell += 1) {
    const count = grid.counts[cell]!;
    all += count;
    if (count > grid.counts[hottest]!) hottest = cell;
  }
  const column = Math.floor(hottest / grid.rows);
  const { low, high } = spanOfRow({ bands: bandsOf(grid) }, hottest % grid.rows)!;
  const spans = bands.map((band) => `${band.low} to 0x${(BigInt(band.high) - 1n).toString(16)}`);
  const named =
    spans.length > MOST_NAMED ? [...spans.slice(0, MOST_NAMED), `${spans.length - MOST_NAMED} more`] : spans;
  return (
    `Heatmap of ${name}, ${recordSpan(from, to)} from left to right, addresses upwards: ${named.join('; ')}. ` +
    `It counts ${counted}: ${group(all)} in all cells together. The hottest cell has ${group(most)}: ` +
    `${recordSpan(grid.edges[column]!, grid.edges[column + 1]!)}, addresses 0x${low.toString(16)} to 0x${(high - 1n).toString(16)}.`
  );
}

const MOST_NAMED = 6;
