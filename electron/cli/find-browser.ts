/** Finds a Chromium that can print: named in TRACEBENCH_BROWSER, otherwise in the usual places of each system. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fail, ok, type Result } from '../../shared/base/result.ts';

/** Fails with `report-browser`. */
export function findBrowser(): Result<string> {
  const named = process.env['TRACEBENCH_BROWSER'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return ok(named);
    return fail(
      'report-browser',
      `TRACEBENCH_BROWSER names ${named}, which does not exist; set it to a Chromium or Chrome`,
    );
  }
  const found = places().find((place) => existsSync(place));
  if (found !== undefined) return ok(found);
  return fail(
    'report-browser',
    'a PDF needs a Chromium, Chrome or Edge, and none was found: install one, name it in TRACEBENCH_BROWSER, or write .html and print that',
  );
}

/** Most likely places first. */
function places(): readonly string[] {
  if (process.platform === 'darwin') {
    const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
    return apps.map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`);
  }
  if (process.platform === 'win32') {
    const homes = ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap((name) => process.env[name] ?? []);
    const programs = [
      ['Google', 'Chrome', 'Application', 'chrome.exe'],
      ['Chromium', 'Application', 'chrome.exe'],
      ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
    ];
    return programs.flatMap((program) => homes.map((home) => join(home, ...program)));
  }
  const names = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser', 'microsoft-edge', 'msedge'];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}
