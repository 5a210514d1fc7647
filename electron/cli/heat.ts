/** `heat`: a heatmap of time x address as numbers, as a sketch on the terminal, or drawn to a file. */
import { basename, extname } from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { HeatGrid, NamedSpan } from '../../shared/api.ts';
import { CANCELLED } from '../../shared/api.ts';
import { fail, ok } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import { PAGE_BYTES, toHex } from '../../shared/units.ts';
import type { Hex } from '../../shared/units.ts';
import { resultPlace, writeWholeFile } from '../engine/whole-file.ts';
import { command } from './command.ts';
import type { Context } from './command.ts';
import { sketch } from './heat/sketch.ts';
import { bytes } from './numbers.ts';
import { address, addressEnd, count, kinds, path, recordNumber } from './options.ts';
import { withTrace } from './trace.ts';
import type { OpenTrace } from './trace.ts';

export const heat = command({
  name: 'heat',
  text: 'A heatmap: accesses by record and address',
  notes: 'An output file that ends in .svg or .png is drawn with axes and legend; one in .json holds the counts.',
  trace: 'needed',
  options: {
    columns: count('W', 1, 16_384, 'columns of records, 64 by default'),
    rows: count('H', 1, 16_384, 'rows of addresses, 32 by default'),
    from: recordNumber('the first record, 0 by default'),
    to: recordNumber('the record after the last one, all by default'),
    low: address('A', 'the lowest address, that of the trace by default'),
    high: addressEnd('B', 'the address after the highest one, that of the trace by default'),
    kinds: kinds('count only these kinds, all that have an address by default'),
    output: path('FILE', 'write it there: .svg, .png or .json', 'o'),
  },
  async run(context, { columns = 64, rows = 32, from, to, low, high, kinds, output }) {
    if (from !== undefined && to !== undefined && from >= to) return fail('usage', '--from must be less than --to');
    if (columns * rows > CELLS_MOST) return fail('usage', `--columns times --rows must be at most ${CELLS_MOST}`);
    const kind = output === undefined ? '.json' : extname(output).toLowerCase();
    if (!isDrawing(kind)) return fail('usage', `--output must end in .svg, .png or .json, not '${output ?? ''}'`);
    if (low !== undefined && high !== undefined && BigInt(low) >= BigInt(high)) return upsideDown(low, high);
    if (output !== undefined) {
      // A place that cannot be written is told before a long trace is indexed.
      const place = await resultPlace(output, context.trace);
      if (!place.ok) return place;
    }
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const span = await addresses(trace, low, high);
      if (!span.ok) return span;
      const grid = await trace.call('heat', {
        trace: trace.id,
        columns,
        bands: [{ ...span.value, rows }],
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(kinds && { kinds }),
        precision: 'even',
      });
      if (!grid.ok) return grid;
      if (output === undefined) return print(context, grid.value);
      const named = await trace.call('names', { trace: trace.id, ...span.value, most: MOST_NAMES });
      if (!named.ok) return named;
      const drawn = await draw(
        grid.value,
        named.value.names,
        kind,
        [basename(context.trace), kinds?.join(', ')].filter(Boolean).join(': '),
      );
      return write(context, drawn, output);
    });
  },
});

type Drawing = '.svg' | '.png' | '.json';

/** Cells that the engine counts at once. */
const CELLS_MOST = 8_000_000;
/** More than a figure has room for. */
const MOST_NAMES = 400;

function isDrawing(ending: string): ending is Drawing {
  return ending === '.svg' || ending === '.png' || ending === '.json';
}

/** The span of addresses asked for; what is left out is taken from the trace, in whole pages. */
async function addresses(
  trace: OpenTrace,
  low: Hex | undefined,
  high: Hex | undefined,
): Promise<Result<{ readonly low: Hex; readonly high: Hex }>> {
  const info = await trace.call('info', { trace: trace.id });
  if (!info.ok) return info;
  const { lowest = '0x0', highest = '0x0' } = info.value.address ?? {};
  const span = {
    low: low ?? toHex((BigInt(lowest) / PAGE) * PAGE),
    high: high ?? toHex((BigInt(highest) / PAGE + 1n) * PAGE),
  };
  if (BigInt(span.low) < BigInt(span.high)) return ok(span);
  return upsideDown(span.low, span.high);
}

function upsideDown(low: Hex, high: Hex): Result<never> {
  return fail('usage', `--low must be less than --high, and ${low} is not less than ${high}`);
}

const PAGE = BigInt(PAGE_BYTES);

async function print({ common, out }: Context, grid: HeatGrid): Promise<Result<void>> {
  await (common.json ? out.json(document(grid)) : out.write(sketch(grid)));
  return ok(undefined);
}

async function write({ common, out, signal, trace }: Context, data: Uint8Array, path: string): Promise<Result<void>> {
  const made = async (unfinished: string) => {
    await writeFile(unfinished, data, { flag: 'wx' });
    return signal.aborted ? fail(CANCELLED, 'interrupted') : ok(undefined);
  };
  const written = await writeWholeFile(path, made, trace);
  if (!written.ok) return written;
  await (common.json ? out.json({ path, bytes: data.length }) : out.write(`${path}: ${bytes(data.length)}\n`));
  return ok(undefined);
}

async function draw(grid: HeatGrid, names: readonly NamedSpan[], kind: Drawing, title: string): Promise<Uint8Array> {
  if (kind === '.json') return new TextEncoder().encode(`${JSON.stringify(document(grid))}\n`);
  // Drawing brings libraries that nothing else here needs.
  const { heatFigure } = await import('./heat/figure.ts');
  const figure = heatFigure(grid, title, names);
  if (kind === '.svg') return (await import('./heat/svg.ts')).toSvg(figure);
  return (await import('./heat/png.ts')).toPng(figure);
}

function document({ columns, rows, from, to, bands, counts }: HeatGrid) {
  const rowCounts = (row: number) => Array.from({ length: columns }, (_, column) => counts[column * rows + row]!);
  return {
    columns,
    rows,
    from,
    to,
    low: bands[0]?.low ?? '0x0',
    high: bands.at(-1)?.high ?? '0x0',
    counts: Array.from({ length: rows }, (_, row) => rowCounts(row)),
  };
}
