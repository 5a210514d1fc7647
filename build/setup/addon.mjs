// Builds the memory-map addon when its sources changed. It is a gain, not a need: without it traces are read with
// positioned reads, so a failure is one line and set-up goes on.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { findNode24 } from './node24.mjs';
import { digest, inside, read, run, say, write } from './project.mjs';

const home = 'electron/native';
const stamp = '.cache/addon.json';

export function buildAddon() {
  const node = findNode24();
  if (!node) return;
  // The tools count as inputs, so that a failure is tried again once a compiler is there.
  const tools = ['python3', 'python', 'make', 'c++', 'g++', 'cc', 'cl.exe'].filter(onPath);
  const sources = digest([home, 'package-lock.json'], (path) => !path.startsWith(join(home, 'build') + sep));
  const key = [process.platform, process.arch, sources, ...tools].join(' ');
  const last = JSON.parse(read(stamp) ?? '{}');
  if (last.key === key && (last.problem ?? isBuilt())) {
    if (last.problem) say(last.problem);
    return;
  }
  say('building the memory-map addon');
  const headers = headersOf(node);
  const where = headers ? ['--nodedir', headers] : ['--devdir', inside('.cache', 'node-gyp')];
  const gyp = inside('node_modules', 'node-gyp', 'bin', 'node-gyp.js');
  // node-gyp builds in, and first empties, the folder `build` below the current one: that must be the addon's.
  const cause = run('addon', node, [gyp, 'rebuild', ...where], { cwd: inside(home), minutes: 5 });
  const problem =
    cause &&
    `the memory-map addon could not be built, so traces are read with positioned reads, which is slower: ${cause}`;
  if (problem) say(problem);
  write(stamp, JSON.stringify({ key, problem }));
}

function isBuilt() {
  const release = inside(home, 'build', 'Release');
  return existsSync(release) && readdirSync(release).some((name) => name.endsWith('.node'));
}

/** The folder whose `include/node` has Node's headers, or undefined if they must be fetched. @param {string} node */
function headersOf(node) {
  const folder = dirname(dirname(node));
  return existsSync(join(folder, 'include', 'node', 'node_api.h')) ? folder : undefined;
}

/** @param {string} program */
function onPath(program) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
