/** The program's version and the folder of its page, both in a source tree and in a bundle. */
import { fileURLToPath } from 'node:url';
import program from '../package.json' with { type: 'json' };

export const VERSION: string = program.version;

/** Returns the folder of the bundled page: dist/page. Bundles are direct children of dist; this source is in electron. */
export function pageDirectory(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith('.ts') ? '../dist/page' : './page', here));
}
