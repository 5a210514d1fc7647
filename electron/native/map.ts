/**
 * The TypeScript face of the memory-map addon: where it lies, how it is loaded, what its functions take and give.
 *
 * Its functions throw only on our own mistakes and from `open`; a file that is cut short or pulled away while it is
 * mapped gives a negative count from `copy`.
 */
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { ByteOffset } from '../../shared/units.ts';

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
  /** Tells the system how a range inside `size` will be used: one of HINT. */
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

let loaded: Result<MapAddon> | undefined;

/**
 * Loads the addon, once per thread. Loading is not safe while other threads load too: a program that will start
 * workers calls this on its main thread first.
 */
export function loadMap(): Result<MapAddon> {
  loaded ??= load();
  return loaded;
}

function load(): Result<MapAddon> {
  const require = createRequire(import.meta.url);
  const problems: string[] = [];
  for (const path of places()) {
    try {
      const addon: unknown = require(path);
      if (isAddon(addon)) return ok(addon);
      problems.push(`${path} is not the addon`);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (!text.startsWith('Cannot find module')) problems.push(text.split('\n')[0] ?? text);
    }
  }
  return fail('addon', problems.length > 0 ? problems.join('; ') : 'it has not been built');
}

/** Beside this file in a source tree; two levels from a bundle in dist/. A library cannot be loaded from an archive. */
function places(): readonly string[] {
  const here = dirname(fileURLToPath(import.meta.url)).replace(`app.asar${sep}`, `app.asar.unpacked${sep}`);
  const file = join('build', 'Release', 'tracebench_map.node');
  return [join(here, file), join(here, '..', 'electron', 'native', file)];
}

function isAddon(value: unknown): value is MapAddon {
  const names = ['open', 'size', 'copy', 'advise', 'close'];
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}
