// Makes dist/ (the Node bundles, the preload and the page) when their sources changed.
import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { findNode24 } from './node24.mjs';
import { digest, inside, read, run, say, write } from './project.mjs';

const sources = [
  'shared',
  'electron',
  'present',
  'renderer',
  'build/vite',
  'build/licences',
  'svelte.config.js',
  'package.json',
  'package-lock.json',
];
/** Lies in dist/, which the build empties first: a build that was cut short leaves no stamp. */
const stamp = 'dist/.sources';

/** @returns {string | undefined} what went wrong, in one sentence */
export function makeBundles() {
  const native = join('electron', 'native', 'build') + sep;
  const key = digest(sources, (path) => !path.startsWith(native));
  if (read(stamp) === key && existsSync(inside('dist', 'cli.js'))) return undefined;
  const node = findNode24();
  if (!node) return 'Node 24 was not found: remove node_modules and start again';
  say('building the program and its page');
  // Tests set another mode, in which Svelte's runtime records a stack trace for many changes of state.
  const env = { ...process.env, NODE_ENV: 'production' };
  const problem = run('bundles', node, [inside('build', 'vite', 'bundle.ts')], { env, minutes: 5 });
  if (problem) return `the program could not be built: ${problem}`;
  write(stamp, key);
  return undefined;
}
