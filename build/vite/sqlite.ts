/** Puts the JavaScript of better-sqlite3 into the bundles: Node takes longer to load its 13 small modules than most answers take. */
import type { Plugin } from 'vite';

/** The module of the package that finds its native library, which stays in the package. */
const BINDING = /better-sqlite3[\\/]lib[\\/]binding\.js$/;

const CODE = `
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
export function getBinding(path) {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('better-sqlite3/package.json'));
  return require(join(folder, 'lib', 'binding.js')).getBinding(path);
}`;

export function sqlite(): Plugin {
  return {
    name: 'sqlite',
    enforce: 'pre',
    load(id) {
      return BINDING.test(id) ? CODE : undefined;
    },
  };
}
