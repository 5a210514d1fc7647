// Finds Electron's program, fetching it once if need be: electron has no install script, so npm does not bring it.
import { existsSync } from 'node:fs';
import { findNode24 } from './node24.mjs';
import { inside, read, run, say, write } from './project.mjs';

const home = 'node_modules/electron';
const refusal = '.cache/electron-refused';
const day = 24 * 3600_000;

/** @returns {{ path: string } | { reason: string }} Electron's program, or in one sentence why it cannot be had */
export function bringElectron() {
  const found = findElectron();
  if (found) return { path: found };
  const last = JSON.parse(read(refusal) ?? '{"time":0}');
  if (Date.now() - last.time < day) return { reason: last.reason };

  const node = findNode24();
  if (!node) return { reason: 'Node 24 is not here: run npm start again' };
  say('fetching Electron');
  const env = { ...process.env, electron_config_cache: inside('.cache', 'electron') };
  const problem = run('electron', node, [inside(home, 'install.js')], { env, minutes: 5 });
  const path = findElectron();
  if (path) return { path };
  const reason = `Electron's program could not be fetched: ${problem ?? 'nothing came'}`;
  write(refusal, JSON.stringify({ time: Date.now(), reason }));
  return { reason };
}

/** @returns {string | undefined} Electron's program where it is here already */
function findElectron() {
  const name = read(`${home}/path.txt`);
  const dist = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? inside(home, 'dist');
  const path = name && `${dist}/${name.trim()}`;
  return path && existsSync(path) ? path : undefined;
}
