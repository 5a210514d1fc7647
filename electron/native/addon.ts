/** Where the native addon lies, and how it is loaded. */
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, ok, type Result } from '../../shared/base/result.ts';

let loaded: Result<object> | undefined;

/**
 * The addon, of which functions with some names are wanted; loaded once per thread. Loading is not safe while other threads load
 * too: a program that will start workers calls this on its main thread first.
 */
export function loadAddon<T extends object>(names: readonly (keyof T & string)[]): Result<T> {
  loaded ??= load();
  if (!loaded.ok) return loaded;
  const addon = loaded.value;
  return has<T>(addon, names) ? ok(addon) : fail('addon', 'it is that of another version');
}

function load(): Result<object> {
  const require = createRequire(import.meta.url);
  const problems: string[] = [];
  for (const path of places()) {
    try {
      const addon: unknown = require(path);
      if (typeof addon === 'object' && addon !== null && 'open' in addon) return ok(addon);
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

function has<T extends object>(addon: object, names: readonly (keyof T & string)[]): addon is T {
  return names.every((name) => name in addon);
}
