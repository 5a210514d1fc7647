/**
 * The memory map's functions, typed. They throw on wrong arguments and if `open` fails. If the file is truncated or removed while it
 * is mapped, `copy` returns a negative number.
 */
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, ok, type Result } from '../../shared/base/result.ts';
import type { ByteOffset } from '../../shared/base/units.ts';

export interface MapAddon {
  /** Maps a regular file read-only. Throws an Error with the system's reason if that fails. An empty file is not mapped. */
  open(path: string): MapHandle;
  /** Size of the file when it was opened. */
  size(map: MapHandle): number;
  /**
   * Copies [offset, offset + length) to target[start...] and returns `length`, or SHRUNK or FAULT; the target's content is then
   * undefined. The range must be inside `size`, and the target must have room. The target's memory may be shared.
   */
  copy(map: MapHandle, offset: ByteOffset, target: Uint8Array, start: number, length: number): number;
  /** Advises the system how a range inside `size` will be used: one of HINT. */
  advise(map: MapHandle, offset: ByteOffset, length: number, hint: number): void;
  /** Unmaps the file; any later use of the handle throws. An abandoned handle is closed by the garbage collector. */
  close(map: MapHandle): void;
}

/** Belongs to the thread that opened it. */
export interface MapHandle {
  readonly map: unique symbol;
}

/** The file now ends before the end of the range. */
export const SHRUNK = -1;
/** The file is long enough, but its device did not deliver the bytes. */
export const FAULT = -2;

export const HINT = { sequential: 0, random: 1, willNeed: 2, dontNeed: 3 } as const;

const NAMES = ['open', 'size', 'copy', 'advise', 'close'] as const satisfies readonly (keyof MapAddon)[];

let loaded: Result<MapAddon> | undefined;

/**
 * Returns the addon, loaded once per thread. Fails if it is missing or of another version. Loading is not safe while other threads
 * load it too, so a program that starts workers calls this on its main thread first.
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
      if (isMap(addon)) return ok(addon);
      problems.push(`${path} belongs to another version`);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (!text.startsWith('Cannot find module')) problems.push(text.split('\n')[0] ?? text);
    }
  }
  return fail('addon', problems.length > 0 ? problems.join('; ') : 'it has not been built');
}

function isMap(addon: unknown): addon is MapAddon {
  return typeof addon === 'object' && addon !== null && NAMES.every((name) => name in addon);
}

/** Returns the addon's paths for a source tree and for a bundle in dist/. A library cannot be loaded from an asar archive. */
function places(): readonly string[] {
  const here = dirname(fileURLToPath(import.meta.url)).replace(`app.asar${sep}`, `app.asar.unpacked${sep}`);
  const file = join('build', 'Release', 'tracebench_map.node');
  return [join(here, file), join(here, '..', 'electron', 'native', file)];
}
