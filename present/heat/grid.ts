/** Chooses the rows of a heatmap: round spans of addresses, so that each cell has a short address. */
import type { Piece } from '../base/axis.ts';

export interface GridBand {
  readonly low: bigint;
  /** Exclusive. */
  readonly high: bigint;
  readonly rows: number;
}

/**
 * Returns about `perPosition` rows per unit of position for each piece. Row sizes are powers of two in bytes, and spans grow outwards to
 * whole rows unless they would reach a neighbour.
 *
 * @param ends `even`: a span that cannot grow is divided into equal rows all the same. `apart`: its ends are bands of one lower row, so that
 *   all other rows begin at multiples of their size, as the cells of the index do
 */
export function gridBands(
  pieces: readonly Piece[],
  perPosition: number,
  ends: 'even' | 'apart' = 'even',
): readonly GridBand[] {
  const bands: GridBand[] = [];
  for (const [index, piece] of pieces.entries()) {
    const wanted = Math.max(1, (piece.end - piece.start) * perPosition);
    const unit = powerOfTwo(Number(piece.high - piece.low) / wanted);
    const before = bands.at(-1)?.high ?? 0n;
    const after = pieces[index + 1]?.low ?? TOP;
    const down = piece.low - (piece.low % unit);
    const low = down >= before ? down : piece.low;
    const up = low + ((piece.high - low + unit - 1n) / unit) * unit;
    const high = up <= after ? up : piece.high;
    const first = low + ((unit - (low % unit)) % unit);
    const last = high - (high % unit);
    const cuts = ends === 'apart' && first < last ? [low, first, last, high] : [low, high];
    for (const [at, start] of cuts.slice(0, -1).entries()) {
      const end = cuts[at + 1] ?? high;
      if (start < end) bands.push({ low: start, high: end, rows: Number((end - start + unit - 1n) / unit) });
    }
  }
  return bands;
}

const TOP = 1n << 64n;

/** The nearest power of two, at least 1. */
function powerOfTwo(value: number): bigint {
  return 1n << BigInt(Math.max(0, Math.round(Math.log2(value))));
}
