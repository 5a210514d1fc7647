/** `heat`: a heatmap of time and address as numbers, as characters on the terminal, or drawn to a file. */
import { extname } from 'node:path';
import { HEAT_CELLS_MOST, type HeatGrid } from '../../../shared/requests/addresses.ts';
import { cells } from '../../../shared/requests/schema.ts';
import { FIGURE_CELLS_MOST } from '../../../shared/report/plan.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { Hex } from '../../../shared/base/units.ts';
import { jsonText } from '../../../shared/base/visible.ts';
import { resultPlace } from '../../result-file.ts';
import { address, addressEnd, addressOf, type TypedAddress } from '../options/addresses.ts';
import { drawHeatAgainst, heatAgainst } from '../against/heat.ts';
import { againstOptions, checkAgainst } from '../against/options.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { figureForm, figureOptions, writeFigure, writeResult } from '../figure-file.ts';
import { HEAT_COLUMNS, HEAT_ROWS, heatSpan, rowsOfCounts } from '../heat-grid.ts';
import { sketch } from '../print/heat-sketch.ts';
import { flag, kinds, number, path, recordNumber } from '../options/options.ts';
import { filesRead, withTrace } from '../trace.ts';
import type { OpenTrace } from '../trace.ts';

export const heat = command({
  name: 'heat',
  text: 'A heatmap: accesses by record and address',
  notes: [
    '--json prints {columns, rows, from, to, low, high, counts: [[one number per column] per row]}, lowest addresses first:',
    'record n is in column (n - from) * columns / (to - from), address a in row (a - low) * rows / (high - low), rounded down.',
    'An output file that ends in .svg or .png becomes a figure without empty address space; .json contains the counts.',
    'With --against, columns are equal shares of each run, and --json prints {columns, rows, low, high, shift, a, b}, where a and b are',
    '{from, to, counts}. Addresses are the same in both unless --shift is a number.',
  ].join('\n'),
  trace: 'needed',
  options: {
    columns: number('W', cells, `columns of records, ${HEAT_COLUMNS} by default (in a figure: as many as fit)`),
    rows: number('H', cells, `rows of addresses, ${HEAT_ROWS} by default (in a figure: as many as fit)`),
    from: recordNumber('the first record, 0 by default'),
    to: recordNumber('the record after the last one, all by default'),
    low: address('A', 'the lowest address, by default the lowest of the trace'),
    high: addressEnd('B', 'the address after the highest one, by default the highest of the trace'),
    kinds: kinds('count only these kinds, by default all with an address'),
    output: path('FILE', 'the file to write: .svg, .png or .json', 'o'),
    'true-scale': flag('show empty address space in a figure, too'),
    ...figureOptions,
    ...againstOptions,
  },
  async run(context, { output, 'true-scale': trueScale, ...given }) {
    const { columns = HEAT_COLUMNS, rows = HEAT_ROWS, from, to, kinds, against } = given;
    const comparable = checkAgainst(context, given, { from, to });
    if (!comparable.ok) return comparable;
    if (from !== undefined && to !== undefined && from >= to) return fail('usage', '--from must be less than --to');
    if (columns * rows > HEAT_CELLS_MOST) {
      return fail('usage', `--columns times --rows must be at most ${HEAT_CELLS_MOST}`);
    }
    const form = output === undefined ? undefined : figureForm(output);
    if (output !== undefined && form === undefined && extname(output).toLowerCase() !== '.json') {
      return fail('usage', `--output must end in .svg, .png or .json, not '${output}'`);
    }
    if (form !== undefined && columns * rows > FIGURE_CELLS_MOST) {
      return fail('usage', `--columns times --rows of a figure must be at most ${FIGURE_CELLS_MOST}`);
    }
    const typed = ends(given.low, given.high);
    if (!typed.ok) return typed;
    if (output !== undefined) {
      // An output that cannot be written fails before a long trace is indexed.
      const place = await resultPlace(output, filesRead(context));
      if (!place.ok) return place;
    }
    if (against !== undefined) {
      const { low, high } = given;
      if (typeof low === 'object' || typeof high === 'object')
        return fail('usage', 'heat: with --against, --low and --high must be addresses, not symbols');
      const ends = { ...(low !== undefined && { low }), ...(high !== undefined && { high }) };
      if (form === undefined)
        return heatAgainst(context, { against, given }, { columns, rows, ...ends, kinds }, output);
      const figure = {
        figure: 'heat',
        ...ends,
        ...(kinds && { kinds }),
        ...(given.columns !== undefined && { columns }),
        ...(given.rows !== undefined && { rows }),
        ...(trueScale === true && { folded: false }),
      } as const;
      return drawHeatAgainst(context, { against, given }, figure, { ...given, path: output!, form });
    }
    return withTrace(context, async (trace) => {
      const [first, last] = [await found(context, trace, given.low), await found(context, trace, given.high)];
      if (!first.ok) return first;
      if (!last.ok) return last;
      const [low, high] = [first.value, last.value];
      const both = ends(low, high);
      if (!both.ok) return both;
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      if (output !== undefined && form !== undefined) {
        const figure = {
          figure: 'heat',
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
          ...(low !== undefined && { low }),
          ...(high !== undefined && { high }),
          ...(kinds && { kinds }),
          ...(given.columns !== undefined && { columns }),
          ...(given.rows !== undefined && { rows }),
          ...(trueScale === true && { folded: false }),
        } as const;
        return writeFigure(context, trace, figure, { ...given, path: output, form });
      }
      const span = heatSpan(indexed.value, { low, high });
      if (BigInt(span.low) >= BigInt(span.high)) return reversed(span.low, span.high);
      const grid = await trace.request('heat', {
        trace: trace.id,
        columns,
        bands: [{ ...span, rows }],
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(kinds && { kinds }),
        precision: 'even',
      });
      if (!grid.ok) return grid;
      if (output === undefined) return print(context, grid.value);
      const json = new TextEncoder().encode(`${jsonText(document(grid.value))}\n`);
      return writeResult(context, json, output);
    });
  },
});

async function found(
  context: Context,
  trace: OpenTrace,
  typed: TypedAddress | undefined,
): Promise<Result<Hex | undefined>> {
  return typed === undefined ? ok(undefined) : addressOf(context, trace, typed);
}

/** Fails if both ends are known and in the wrong order. */
function ends(low: TypedAddress | undefined, high: TypedAddress | undefined): Result<void> {
  const known = typeof low === 'string' && typeof high === 'string';
  return known && BigInt(low) >= BigInt(high) ? reversed(low, high) : ok(undefined);
}

function reversed(low: Hex, high: Hex): Result<never> {
  return fail('usage', `--low must be less than --high, and ${low} is not less than ${high}`);
}

async function print({ common, out }: Context, grid: HeatGrid): Promise<Result<void>> {
  await (common.json ? out.json(document(grid)) : out.write(sketch(grid)));
  return ok(undefined);
}

function document(grid: HeatGrid) {
  const { columns, rows, from, to, bands } = grid;
  return {
    columns,
    rows,
    from,
    to,
    low: bands[0]?.low ?? '0x0',
    high: bands.at(-1)?.high ?? '0x0',
    counts: rowsOfCounts(grid),
  };
}
