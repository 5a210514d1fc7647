// `npm test`: runs every test under Node 24 and ends with one plain line, added up from the runners' own reports.
// Arguments go to the runner: `npm test -- test/unit`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { findBrowser } from './setup/browser.mjs';
import { findNode24 } from './setup/node24.mjs';
import { inside, read, root } from './setup/project.mjs';

/**
 * @typedef {{ status: string, fullName: string }} Test
 * @typedef {{ name: string, status: string, message: string, assertionResults: Test[] }} File
 * @typedef {{ passed: number, failed: number, skipped: number }} Sum
 */

const sum = vitest(process.argv.slice(2));
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;

/** @param {string[]} args @returns {Sum} */
function vitest(args) {
  const report = '.cache/reports/vitest.json';
  mkdirSync(inside('.cache', 'reports'), { recursive: true });
  rmSync(inside(report), { force: true });
  const browser = findBrowser();
  const env = { ...process.env, ...homes(), ...('path' in browser ? { TRACEBENCH_BROWSER: browser.path } : {}) };
  const reporters = [
    '--reporter=default',
    `--reporter=${inside('build', 'skip-reporter.ts')}`,
    '--reporter=json',
    `--outputFile.json=${inside(report)}`,
  ];
  const program = inside('node_modules', 'vitest', 'vitest.mjs');
  const node = findNode24() ?? process.execPath;
  const done = spawnSync(node, [program, 'run', ...reporters, ...args], { cwd: root, env, stdio: 'inherit' });

  const text = read(report);
  if (text === undefined) return stopped('the test runner ended without a report');
  const total = add(JSON.parse(text).testResults);
  if (done.status !== 0 && total.failed === 0) {
    return { ...total, failed: stopped('the test runner failed outside of the tests (see above)').failed };
  }
  return total;
}

/** Folders of the run's own, so that neither the tests nor the runner touch what belongs to the person. */
function homes() {
  const names = { XDG_CACHE_HOME: 'cache', XDG_CONFIG_HOME: 'config', XDG_DATA_HOME: 'data' };
  return Object.fromEntries(Object.entries(names).map(([name, folder]) => [name, inside('.cache', 'home', folder)]));
}

/** @param {File[]} files @returns {Sum} */
function add(files) {
  const tests = files.flatMap((file) => file.assertionResults);
  const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  // A file that could not be loaded, or whose set-up broke, has no failed test of its own, yet it failed.
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  for (const file of broken)
    process.stdout.write(`failed: ${relative(root, file.name)}: ${file.message.split('\n')[0]}\n`);
  return {
    passed: tests.filter((test) => test.status === 'passed').length,
    failed: tests.filter((test) => test.status === 'failed').length + broken.length,
    skipped: skipped.length,
  };
}

/** @param {string} reason @returns {Sum} */
function stopped(reason) {
  process.stdout.write(`failed: ${reason}\n`);
  return { passed: 0, failed: 1, skipped: 0 };
}
