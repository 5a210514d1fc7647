// `npm start -- TRACE`: the desktop window where there is Electron and a display, else, after one line that says why,
// the same workbench on localhost.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { follow } from './follow.mjs';
import { bringElectron } from './setup/electron.mjs';
import { findNode24 } from './setup/node24.mjs';
import { inside, root } from './setup/project.mjs';

const args = process.argv.slice(2).map(absolute);
const node = findNode24();
const program = inside('dist', 'cli.js');
const desktop = hasDisplay() ? bringElectron() : { reason: 'there is no display' };
if (!node || !existsSync(program)) {
  process.stderr.write('tracebench: set-up has not run yet: run `npm run setup` in the project once\n');
  process.exitCode = 1;
} else if ('path' in desktop) {
  // Chromium refuses its sandbox to root.
  const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  follow(desktop.path, [...asRoot, root, ...args], { cwd: root });
} else {
  process.stderr.write(`tracebench: no desktop window, so the workbench is served on localhost: ${desktop.reason}\n`);
  follow(node, [program, 'serve', ...args], { cwd: root });
}

/** npm runs scripts in the project's folder, but a path is meant from where the person stands. @param {string} arg */
function absolute(arg) {
  const path = resolve(process.env['INIT_CWD'] ?? process.cwd(), arg);
  return !arg.startsWith('-') && existsSync(path) ? path : arg;
}

function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}
