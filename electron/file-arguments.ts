/** Which trace files does a command line of the desktop program name? */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Absolute paths, in order. Switches are not files; `fromSource` says that the first other argument is the program's own
 * folder. Desktop environments may hand over `file:` addresses.
 */
export function fileArguments(argv: readonly string[], fromSource: boolean, directory: string): readonly string[] {
  const words = argv.slice(1).filter((word) => word !== '' && !word.startsWith('-'));
  return words
    .slice(fromSource ? 1 : 0)
    .map((word) => resolve(directory, word.startsWith('file://') ? fileURLToPath(word) : word));
}
