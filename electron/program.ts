/** The program's version and the folder of its page, both in a source tree and in a bundle. */
import { fileURLToPath } from 'node:url';
import program from '../package.json' with { type: 'json' };

export const VERSION: string = program.version;

/** Folder of the bundled page: dist/page. Bundles are direct children of dist; this source is in electron. */
export const PAGE_DIRECTORY: string = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/page' : './page', import.meta.url),
);
