import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the absolute paths of the traces named on the command line of the desktop program, in order.
 *
 * Switches are skipped, and `file:` URLs, which desktop environments pass, become paths.
 * @param fromSource true if the first argument after Electron's switches is the program's own folder
 * @param directory base of relative paths
 */
export function fileArguments(argv: readonly string[], fromSource: boolean, directory: string): readonly string[] {
  const words = argv.slice(1).filter((word) => word !== '' && !word.startsWith('-'));
  return words
    .slice(fromSource ? 1 : 0)
    .map((word) => resolve(directory, word.startsWith('file://') ? fileURLToPath(word) : word));
}
