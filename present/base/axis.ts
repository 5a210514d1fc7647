/**
 * The address axis of a chart: maps addresses to heights.
 *
 * An axis is a stack of bands, lowest addresses first, that together fill the positions 0 (bottom) to 1 (top). A folded axis has one
 * band per touched span and no height for the space between them. An axis that is true to scale has a single band.
 */
export interface Span {
  readonly low: bigint;
  /** Exclusive. */
  readonly high: bigint;
}

export interface AxisBand extends Span {
  /** Positions of `low` and `high`. */
  readonly start: number;
  readonly end: number;
}

export type AddressAxis = readonly AxisBand[];

/** The visible part of a band. */
export interface Piece extends Span {
  readonly start: number;
  readonly end: number;
}

/** Share of the height that all bands divide equally, so that a small stack is visible next to a large heap. */
const EVEN_SHARE = 0.34;

/** Every band gets an even share of a third of the height; the rest is shared by size. */
export function foldedAxis(spans: readonly Span[]): AddressAxis {
  const sizes = spans.map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let start = 0;
  return spans.map((span, index) => {
    const share = spans.length === 1 ? 1 : EVEN_SHARE / spans.length + ((1 - EVEN_SHARE) * (sizes[index] ?? 0)) / total;
    const end = index === spans.length - 1 ? 1 : start + share;
    const band = { ...span, start, end };
    start = end;
    return band;
  });
}

/** One band from the lowest to the highest address. */
export function trueAxis(spans: readonly Span[]): AddressAxis {
  const first = spans[0];
  const last = spans.at(-1);
  return first && last ? [{ low: first.low, high: last.high, start: 0, end: 1 }] : [];
}

/** Share of the height that a magnified span gets. */
const LENS_SHARE = 0.5;

/**
 * Gives a span half of the height, in bands of its own, and the other addresses the rest. Returns the axis as it is if the span has as much
 * already, or is not on the axis.
 */
export function magnifiedAxis(axis: AddressAxis, lens: Span): AddressAxis {
  const bands = axis.flatMap((band) => {
    const cuts = [lens.low, lens.high].filter((address) => address > band.low && address < band.high);
    const lows = [band.low, ...cuts];
    return lows.map((low, part) => {
      const high = lows[part + 1] ?? band.high;
      const height = (high === band.high ? band.end : within(band, high)) - within(band, low);
      return { low, high, height, isInside: low >= lens.low && high <= lens.high };
    });
  });
  const inside = bands.reduce((sum, { height, isInside }) => sum + (isInside ? height : 0), 0);
  if (inside === 0 || inside >= LENS_SHARE) return axis;
  let start = 0;
  return bands.map(({ low, high, height, isInside }, index) => {
    const factor = isInside ? LENS_SHARE / inside : (1 - LENS_SHARE) / (1 - inside);
    const end = index === bands.length - 1 ? 1 : start + height * factor;
    const band = { low, high, start, end };
    start = end;
    return band;
  });
}

/** The address at a position; undefined on an axis without bands. */
export function addressAt(axis: AddressAxis, position: number): bigint | undefined {
  const band = axis.find((candidate) => position < candidate.end) ?? axis.at(-1);
  if (!band) return undefined;
  const inside = Math.min(1, Math.max(0, (position - band.start) / (band.end - band.start)));
  const address = band.low + scale(band.high - band.low, inside);
  return address >= band.high ? band.high - 1n : address;
}

/** Returns the position of an address; undefined if it is folded away or off the axis. */
export function positionOf(axis: AddressAxis, address: bigint): number | undefined {
  const band = axis.find((candidate) => address >= candidate.low && address < candidate.high);
  return band && within(band, address);
}

/** Returns the position of an address, or of the nearest address that has one. */
export function nearestPosition(axis: AddressAxis, address: bigint): number {
  const band = axis.find((candidate) => address < candidate.high);
  if (!band) return 1;
  return address <= band.low ? band.start : within(band, address);
}

/** Returns the position of the exclusive end of a span of addresses, or of the nearest address below it. */
export function nearestEnd(axis: AddressAxis, high: bigint): number {
  const band = axis.findLast((candidate) => candidate.low < high);
  if (!band) return 0;
  return high >= band.high ? band.end : within(band, high);
}

/** Returns the parts of the axis between two positions, lowest first. Addresses are rounded outwards to whole bytes. */
export function visiblePieces(axis: AddressAxis, from: number, to: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const band of axis) {
    if (band.end <= from || band.start >= to) continue;
    const low = band.start >= from ? band.low : addressAt([band], from);
    const top = band.end <= to ? band.high : addressAt([band], to);
    if (low === undefined || top === undefined) continue;
    const high = top === band.high ? top : top + 1n;
    pieces.push({ low, high, start: within(band, low), end: high === band.high ? band.end : within(band, high) });
  }
  return pieces;
}

function within(band: AxisBand, address: bigint): number {
  return band.start + (Number(address - band.low) / sizeOf(band)) * (band.end - band.start);
}

function sizeOf(span: Span): number {
  return Number(span.high - span.low);
}

/** Multiplies `size` by a fraction, exact to 2^-40 of the size, since plain numbers would round addresses above 2^53. */
function scale(size: bigint, fraction: number): bigint {
  return (size * BigInt(Math.round(fraction * FRACTION))) / BigInt(FRACTION);
}

const FRACTION = 2 ** 40;
