/** What the program knows of itself: its version and where its page lies, in the project as in the bundle. */
import { fileURLToPath } from 'node:url';
import program from '../package.json' with { type: 'json' };

export const VERSION: string = program.version;

/** Folder of the bundled page: dist/page. The bundles lie flat in dist, the sources in electron. */
export const PAGE_DIRECTORY: string = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/page' : './page', import.meta.url),
);
