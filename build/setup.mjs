// Brings everything the program needs, before `npm start` and (with --tests) `npm test`: packages exactly as locked,
// Node 24, the addon, the bundles, a browser for the tests. What is there already is left alone, so that a second run
// costs next to nothing. Plain Node 20 without dependencies; writes nowhere but into the project's folder.
import { buildAddon } from './setup/addon.mjs';
import { bringBrowser } from './setup/browser.mjs';
import { makeBundles } from './setup/bundles.mjs';
import { installModules } from './setup/modules.mjs';
import { say } from './setup/project.mjs';

process.exitCode = setUp(process.argv.includes('--tests'));

/** @param {boolean} tests whether a browser is wanted too @returns the exit code */
function setUp(tests) {
  const problem = installModules();
  if (problem) return stop(problem);
  buildAddon();
  const broken = makeBundles();
  if (broken) return stop(broken);
  if (tests) {
    const browser = bringBrowser();
    if ('reason' in browser) say(`the tests that need a browser will be skipped: ${browser.reason}`);
  }
  return 0;
}

/** @param {string} problem */
function stop(problem) {
  say(problem);
  return 1;
}
