/**
 * Widths of table columns that fit their contents. If space is short, dispensable columns are left out, because a shortened number or
 * address would be misread.
 */

export interface Track {
  readonly id: string;
  /** Width in characters. */
  readonly width: number;
  /** The column takes the remaining space; `width` is its minimum. */
  readonly grows?: boolean;
}

export interface Tracks {
  /** Value of `grid-template-columns`. */
  readonly template: string;
  readonly has: (id: string) => boolean;
}

/** CSS pixels of a character, between two columns, and of the margins of a row. */
const CHARACTER = 7.25;
const GAP = 12;
const PADDING = 36;

/** @param spare columns that can be left out, the first one first; @param room CSS pixels, 0 = not measured yet */
export function fitTracks(tracks: readonly Track[], spare: readonly string[], room: number): Tracks {
  let fitted = tracks;
  for (const id of spare) {
    if (room === 0 || leastOf(fitted) <= room) break;
    fitted = fitted.filter((track) => track.id !== id);
  }
  const fits = room === 0 || leastOf(fitted) <= room;
  return {
    template: fitted
      .map(({ width, grows = false }) => (grows ? `minmax(${fits ? width : 0}ch, 1fr)` : `${width}ch`))
      .join(' '),
    has: (id) => fitted.some((track) => track.id === id),
  };
}

function leastOf(tracks: readonly Track[]): number {
  return tracks.reduce((sum, { width }) => sum + width * CHARACTER + GAP, PADDING - GAP);
}
