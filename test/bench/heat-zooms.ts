// Asks for heatmaps as the page does, at several zooms of an indexed trace, and prints how large the cells are and what they took:
//
//     node test/bench/heat-zooms.ts TRACE [WIDTH] [HEIGHT] [INDEX_FOLDER]
//
// WIDTH and HEIGHT are those of the chart in CSS pixels. Cells are in CSS pixels too, the largest of each answer; a row of one byte cannot be
// lower. Times are processor time of all threads. Needs dist/ and Node 24.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldedAxis, visiblePieces } from '../../present/base/axis.ts';
import { gridBands } from '../../present/heat/grid.ts';
import { createRandom } from '../../electron/sample/random.ts';
import type { Engine, EngineSettings } from '../../electron/engine/engine.ts';
import type { HeatGrid } from '../../shared/requests/requests.ts';
import { pageRows } from '../../shared/requests/addresses.ts';
import { toHex } from '../../shared/base/units.ts';
import { ask } from '../engine/ask.ts';

const [path = '', wide = '700', tall = '400', folder = join(tmpdir(), 'tracebench-heat-zooms')] = process.argv.slice(2);
const [width, height] = [Number(wide), Number(tall)];
const TIMES = [1, 2, 4, 10, 30, 100, 1000];
const HEIGHTS = [1, 8, 64, 1024];

const built = (await import(new URL('../../dist/engine.js', import.meta.url).href)) as {
  startEngine(settings?: EngineSettings): Engine;
};
const engine = built.startEngine({ indexDirectory: folder });
const { trace } = await ask(engine, 'open', { path });
const { records } = await ask(engine, 'index', { trace });
const { bands } = await ask(engine, 'bands', { trace, most: 20 });
const axis = foldedAxis(bands.map(({ low, high }) => ({ low: BigInt(low), high: BigInt(high) })));
const pages = pageRows(await ask(engine, 'pages', { trace, size: 4096 }));
const hot = pages
  .map(({ page, kinds }) => ({ page, count: Object.values(kinds).reduce((sum, count) => sum + count, 0) }))
  .toSorted((a, b) => b.count - a.count);
const random = createRandom(1);
console.log(`${path}: ${records} records, ${bands.length} bands, ${pages.length} pages, chart ${width} x ${height}`);
console.log('time  address | quick: cell, ms of processor | fine: cell, ms of processor, ms by the clock');

for (const part of TIMES) {
  for (const lens of HEIGHTS) {
    const from = Math.floor((records - records / part) * (random.below(1000) / 1000));
    const to = Math.min(records, Math.ceil(from + records / part));
    // Around a hot page, as people zoom.
    const page = BigInt(hot[random.below(Math.min(hot.length, 20))]?.page ?? '0x0');
    const band = axis.find(({ low, high }) => page >= low && page < high) ?? axis[0];
    if (band === undefined) continue;
    const share = 1 / lens;
    const middle = band.start + (Number(page - band.low) / Number(band.high - band.low)) * (band.end - band.start);
    const bottom = Math.min(1 - share, Math.max(0, middle - share / 2));
    const pieces = visiblePieces(axis, bottom, bottom + share);
    const rows = gridBands(pieces, (height / 2 / share) * Math.SQRT2, 'apart').map(({ low, high, rows: wanted }) => ({
      low: toHex(low),
      high: toHex(high),
      rows: wanted,
    }));
    const columns = Math.max(1, Math.min(to - from, Math.ceil(width / 2)));
    const answers = [];
    for (const precision of ['quick', 'fine'] as const) {
      const [used, clock] = [process.cpuUsage(), performance.now()];
      const grid = await ask(engine, 'heat', { trace, from, to, columns, bands: rows, precision });
      const { user, system } = process.cpuUsage(used);
      const ms = `${String(Math.round((user + system) / 1000)).padStart(5)} ms`;
      const waited = precision === 'fine' ? `, ${Math.round(performance.now() - clock)} ms` : '';
      answers.push(
        `${cellOf(
          grid,
          from,
          to,
          pieces.reduce((sum, { start, end }) => sum + end - start, 0),
        )} ${ms}${waited}`,
      );
    }
    console.log(`1/${String(part).padEnd(4)} 1/${String(lens).padEnd(4)} | ${answers.join(' | ')}`);

    /** Returns the largest width and height of a cell in pixels. */
    function cellOf(grid: HeatGrid, start: number, end: number, shown: number): string {
      let widest = 0;
      for (let column = 0; column < grid.columns; column += 1)
        widest = Math.max(
          widest,
          Math.min(end, grid.edges[column + 1] ?? 0) - Math.max(start, grid.edges[column] ?? 0),
        );
      const tallest = Math.max(
        ...grid.bands.map(({ low, rowBytes }) => {
          const piece = pieces.find(
            (one) => BigInt(low) < one.high && BigInt(low) + BigInt(Math.ceil(rowBytes)) > one.low,
          );
          return piece === undefined
            ? 0
            : (Math.min(1, rowBytes / Number(piece.high - piece.low)) * (piece.end - piece.start) * height) / shown;
        }),
      );
      return `${((widest / (end - start)) * width).toFixed(1)} x ${tallest.toFixed(1)} px`.padStart(16);
    }
  }
}
await engine.close();
