/**
 * The TypeScript face of the memory map: what its functions take and give.
 *
 * They throw only on our own mistakes and from `open`; a file that is cut short or pulled away while it is
 * mapped gives a negative count from `copy`.
 */
import type { Result } from '../../shared/base/result.ts';
import type { ByteOffset } from '../../shared/base/units.ts';
import { loadAddon } from './addon.ts';

export interface MapAddon {
  /** Maps a regular file read-only. Throws an Error that says why when the system refuses. An empty file is not mapped. */
  open(path: string): MapHandle;
  /** Bytes of the file when it was opened. */
  size(map: MapHandle): number;
  /**
   * Copies [offset, offset + length) to target[start...] and gives `length`, or SHRUNK or FAULT (then the target's
   * content means nothing). The range must lie inside `size`, the target must have room. Any backing memory will do.
   */
  copy(map: MapHandle, offset: ByteOffset, target: Uint8Array, start: number, length: number): number;
  /** Advises the system how a range inside `size` will be used: one of HINT. */
  advise(map: MapHandle, offset: ByteOffset, length: number, hint: number): void;
  /** Gives the map back at once; any later use of the handle throws. An abandoned handle is closed by the collector. */
  close(map: MapHandle): void;
}

/** Belongs to the thread that opened it. */
export interface MapHandle {
  readonly map: unique symbol;
}

/** The file no longer reaches to the end of the wanted range. */
export const SHRUNK = -1;
/** The file does, but its device did not give the bytes. */
export const FAULT = -2;

export const HINT = { sequential: 0, random: 1, willNeed: 2, dontNeed: 3 } as const;

const NAMES = ['open', 'size', 'copy', 'advise', 'close'] as const satisfies readonly (keyof MapAddon)[];

/** Not safe while other threads load too: see loadAddon. */
export function loadMap(): Result<MapAddon> {
  return loadAddon<MapAddon>(NAMES);
}
