// Finds a real browser for the tests: named by the person, installed on the system, or, where we are root on Debian,
// installed now.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { read, run, say, write } from './project.mjs';

const variable = 'TRACEBENCH_BROWSER';
const refusal = '.cache/browser-refused';
const day = 24 * 3600_000;

/** @returns {{ path: string } | { reason: string }} a Chromium or Chrome, or in one sentence why there is none */
export function findBrowser() {
  const named = process.env[variable];
  if (named) {
    return existsSync(named) ? { path: named } : { reason: `${variable} names ${named}, which does not exist` };
  }
  const path = places().find((place) => existsSync(place));
  if (path) return { path };
  return { reason: `no Chromium or Chrome was found: install one, or name it in ${variable}` };
}

/** As findBrowser, but installs Debian's Chromium where that is possible. @returns {{ path: string } | { reason: string }} */
export function bringBrowser() {
  const found = findBrowser();
  if ('path' in found || process.env[variable] || !canInstall()) return found;
  const last = JSON.parse(read(refusal) ?? '{"time":0}');
  if (Date.now() - last.time < day) return { reason: `${found.reason} (${last.problem})` };

  say('installing Chromium for the tests');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const problem =
    run('apt-update', 'apt-get', ['update'], { env }) ??
    run('apt-chromium', 'apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { env });
  if (!problem) return findBrowser();
  write(refusal, JSON.stringify({ time: Date.now(), problem }));
  return { reason: `${found.reason} (apt-get could not: ${problem})` };
}

function canInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/** @returns {string[]} where a browser may lie, the likeliest first */
function places() {
  if (process.platform === 'darwin') {
    const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
    return apps.map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`);
  }
  if (process.platform === 'win32') {
    const homes = [process.env['ProgramFiles'], process.env['ProgramFiles(x86)'], process.env['LocalAppData']];
    const programs = [
      'Google/Chrome/Application/chrome.exe',
      'Chromium/Application/chrome.exe',
      'Microsoft/Edge/Application/msedge.exe',
    ];
    return programs.flatMap((program) => homes.flatMap((home) => (home ? [join(home, program)] : [])));
  }
  const names = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser', 'microsoft-edge', 'msedge'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}
