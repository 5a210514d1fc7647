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
 */
export function gridBands(pieces: readonly Piece[], perPosition: number): readonly GridBand[] {
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
    bands.push({ low, high, rows: Number((high - low + unit - 1n) / unit) });
  }
  return bands;
}

const TOP = 1n << 64n;

/** The nearest power of two, at least 1. */
function powerOfTwo(value: number): bigint {
  return 1n << BigInt(Math.max(0, Math.round(Math.log2(value))));
}
