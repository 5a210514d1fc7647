/**
 * Columns of a table as wide as what stands in them. Where there is no room for all of them those are left out that one can do
 * without: a number or an address that is cut would be read as another one.
 */

export interface Track {
  readonly id: string;
  /** Characters. */
  readonly width: number;
  /** Takes the room that is left; `width` is the least then. */
  readonly grows?: boolean;
}

export interface Tracks {
  /** For `grid-template-columns`. */
  readonly template: string;
  readonly has: (id: string) => boolean;
}

/** CSS pixels of a character, between two columns, and beside the cells of a row. */
const CHARACTER = 7.25;
const GAP = 12;
const PADDING = 36;

/** `spare`: columns that can be left out, the first one first; `room`: CSS pixels, 0 = not measured yet. */
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
