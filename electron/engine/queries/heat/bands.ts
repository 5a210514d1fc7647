/** Finds the touched spans of the address space by joining cells of heat tiles across small gaps. */
import type { Answer, Arguments, Band } from '../../../../shared/requests/requests.ts';
import { kindBits } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type BlockNumber } from '../../../../shared/base/units.ts';
import { decodeHeat, mergeHeat, type HeatTile } from '../../index/builders/heat.ts';
import { nodesReady, spanOf } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import { reachOf, type Trace } from '../../trace.ts';

const MOST_BANDS = 24;

/**
 * Returns bands of touched cells over the blocks that the range touches. Whole blocks count, so a band may contain addresses touched just
 * outside the range. The `most` - 1 widest gaps separate the bands.
 */
export function bands(trace: Trace, args: Omit<Arguments<'bands'>, 'trace'>): Result<Answer<'bands'>> {
  const { blocks } = trace;
  const reach = reachOf(trace);
  const from = Math.min(args.from ?? 0, blocks.records);
  const to = Math.max(from, Math.min(args.to ?? blocks.records, blocks.records));
  if (from >= to) return ok({ bands: [], reach });
  const tile = mergeHeat(tilesOver(trace, blocks.blockOfRecord(from), blocks.blockOfRecord(to - 1) + 1));
  const kinds = kindBits(args.kinds);
  const cells: number[] = [];
  for (let i = 0; i < tile.length; i++) {
    if ((kinds & (1 << tile.kind[i]!)) !== 0 && tile.cell[i] !== cells.at(-1)) cells.push(tile.cell[i]!);
  }
  return ok({ bands: joined(cells, 2n ** BigInt(tile.shift), Math.max(1, args.most ?? MOST_BANDS)), reach });
}

function tilesOver(trace: Trace, start: BlockNumber, end: BlockNumber): HeatTile[] {
  const tiles: HeatTile[] = [];
  const { length } = trace.blocks;
  const ready = (level: number): number => nodesReady(level, length, trace.ingest.complete);
  let block = start;
  while (block < end) {
    let level = 0;
    while (
      block % spanOf(level + 1) === 0 &&
      block / spanOf(level + 1) < ready(level + 1) &&
      Math.min(block + spanOf(level + 1), length) <= end
    )
      level++;
    tiles.push(decodeHeat(trace.index.blob(NODE.heat, level, block / spanOf(level))));
    block += spanOf(level);
  }
  return tiles;
}

function joined(cells: readonly number[], cellBytes: bigint, most: number): Band[] {
  const gaps = cells
    .slice(1)
    .map((cell, i) => ({ after: i, width: cell - cells[i]! }))
    .filter(({ width }) => width > 1)
    .sort((a, b) => b.width - a.width)
    .slice(0, most - 1)
    .map(({ after }) => after)
    .sort((a, b) => a - b);
  const starts = [0, ...gaps.map((after) => after + 1)];
  return cells.length === 0
    ? []
    : starts.map((start, i) => {
        const last = (starts[i + 1] ?? cells.length) - 1;
        return { low: toHex(BigInt(cells[start]!) * cellBytes), high: toHex((BigInt(cells[last]!) + 1n) * cellBytes) };
      });
}
