// Installs exactly what package-lock.json says, when node_modules is not from that lock already.
import { existsSync, lstatSync } from 'node:fs';
import { bringNode24, findNpm } from './node24.mjs';
import { digest, inside, read, run, say, write } from './project.mjs';

const stamp = 'node_modules/.tracebench-lock';

/** @returns {string | undefined} what went wrong, in one sentence */
export function installModules() {
  const wanted = `${process.platform}-${process.arch} ${digest(['package-lock.json'])}`;
  if (existsSync(inside('node_modules')) && read(stamp) === wanted) return undefined;
  if (isLink('node_modules')) {
    say('node_modules is a link to another folder and is used as it is, though package-lock.json may differ');
    return undefined;
  }
  const node = bringNode24();
  if ('problem' in node) return node.problem;
  const npm = findNpm();
  if (!npm) return 'npm was not found beside this Node: start set-up through npm (npm start, npm test)';

  say('installing packages (a minute or so, the first time)');
  // No package's own script runs: better-sqlite3 ships prebuilt, and the addon and Electron are brought by steps of ours.
  const options = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const problem = run('packages', node.path, [npm, ...options]);
  if (problem) return `the packages could not be installed from the npm registry: ${problem}`;
  write(stamp, wanted);
  return undefined;
}

/** @param {string} path */
const isLink = (path) => lstatSync(inside(path), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
