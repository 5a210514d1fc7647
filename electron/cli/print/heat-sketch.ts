/** A heatmap in characters: denser for more accesses, highest addresses first. */
import type { HeatGrid } from '../../../shared/requests/requests.ts';
import { group, recordSpan } from '../../../shared/base/numbers.ts';

export function sketch(grid: HeatGrid): string {
  const { from, to, counts, most } = grid;
  const scale = `${SHADES.charAt(1)} one access, ${SHADES.slice(-1)} ${group(most)}`;
  return lines(grid, (cell) => shade(SHADES, counts[cell]!, most), `${recordSpan(from, to)}; ${scale}`);
}

/** The change from one grid to another of the same columns and rows. */
export function changeSketch(a: HeatGrid, b: HeatGrid): string {
  const changes = a.counts.map((count, cell) => b.counts[cell]! - count);
  const most = changes.reduce((greatest, count) => Math.max(greatest, Math.abs(count)), 0);
  const shown = (cell: number): string => {
    const count = changes[cell]!;
    return shade(count < 0 ? FEWER : MORE, Math.abs(count), most);
  };
  const scale =
    most === 0
      ? 'no cell has another number of accesses'
      : `B has more: ${MORE.slice(1)}, fewer: ${FEWER.slice(1)}, up to ${group(most)} a cell`;
  return lines(a, shown, `columns are equal shares of each run; ${scale}`);
}

function lines({ columns, rows, bands }: HeatGrid, shown: (cell: number) => string, words: string): string {
  const [low, high] = [BigInt(bands[0]?.low ?? '0x0'), BigInt(bands.at(-1)?.high ?? '0x0')];
  const label = (row: number) => `0x${(low + ((high - low) * BigInt(row)) / BigInt(rows)).toString(16)}`;
  const width = label(Math.max(0, rows - 1)).length;
  const drawn = Array.from({ length: rows }, (_, i) => {
    const row = rows - 1 - i;
    const cells = Array.from({ length: columns }, (__, column) => shown(column * rows + row));
    return `${label(row).padStart(width)} │${cells.join('').trimEnd()}`;
  });
  const foot = [`${' '.repeat(width)} └${'─'.repeat(columns)}`, `${' '.repeat(width)}  ${words}`];
  return [...drawn, ...foot, ''].join('\n');
}

const SHADES = ' ·:-=+*#%@';

const MORE = ' .+*#';
const FEWER = ' ,-=%';

/** Returns the character for a count, on a logarithmic scale from one access to `most`. */
function shade(shades: string, count: number, most: number): string {
  if (count === 0) return shades.charAt(0);
  const steps = shades.length - 2;
  return shades.charAt(1 + (most <= 1 ? steps : Math.round((steps * Math.log(count)) / Math.log(most))));
}
