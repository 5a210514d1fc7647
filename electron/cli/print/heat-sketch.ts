/** A heatmap in characters: denser for more accesses, highest addresses first. */
import type { HeatGrid } from '../../../shared/requests/requests.ts';
import { group, recordSpan } from '../../../shared/base/numbers.ts';

export function sketch({ columns, rows, from, to, bands, counts, most }: HeatGrid): string {
  const [low, high] = [BigInt(bands[0]?.low ?? '0x0'), BigInt(bands.at(-1)?.high ?? '0x0')];
  const label = (row: number) => `0x${(low + ((high - low) * BigInt(row)) / BigInt(rows)).toString(16)}`;
  const width = label(Math.max(0, rows - 1)).length;
  const lines = Array.from({ length: rows }, (_, i) => {
    const row = rows - 1 - i;
    const cells = Array.from({ length: columns }, (__, column) => shade(counts[column * rows + row]!, most));
    return `${label(row).padStart(width)} │${cells.join('').trimEnd()}`;
  });
  const scale = `${SHADES.charAt(1)} one access, ${SHADES.slice(-1)} ${group(most)}`;
  const foot = [
    `${' '.repeat(width)} └${'─'.repeat(columns)}`,
    `${' '.repeat(width)}  ${recordSpan(from, to)}; ${scale}`,
  ];
  return [...lines, ...foot, ''].join('\n');
}

const SHADES = ' ·:-=+*#%@';

/** Returns the character for a count, on a logarithmic scale from one access to `most`. */
function shade(count: number, most: number): string {
  if (count === 0) return SHADES.charAt(0);
  const steps = SHADES.length - 2;
  return SHADES.charAt(1 + (most <= 1 ? steps : Math.round((steps * Math.log(count)) / Math.log(most))));
}
