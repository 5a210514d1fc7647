// Lists the test projects, one per folder of test/, each found by glob. All projects share two workers.
import { fileURLToPath } from 'node:url';
import { dirname, resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { configDefaults, defineConfig } from 'vitest/config';
import { DATA_HOME } from './test/home.setup.ts';
import { NIGHTLY } from './test/short-form.ts';

/** Milliseconds after which a test counts as hung: many times what the slowest test takes, also on a busy machine. */
const HANGS_MS = 600_000;
/** Milliseconds that a test waits for a condition before it fails: only a broken program reaches this, however busy the machine is. */
const expectation = { poll: { timeout: 200_000 } };
/** Test files that run at the same time. Two keep two cores busy; more only make every process slower. */
const WORKERS = 2;
/**
 * Node strips types with a WebAssembly module. After a thousand calls from one thread, V8 compiles the call wrapper for all threads.
 * If two threads do so at once, V8 may free the wrapper twice and end the process (https://github.com/nodejs/node/issues/64500).
 * This budget is never used up, so V8 never compiles the wrapper.
 */
const execArgv = ['--wasm-wrapper-tiering-budget=1000000000'];

/** Files that only the nightly run runs: they take long and prove little more than others. */
const exclude = NIGHTLY ? configDefaults.exclude : [...configDefaults.exclude, '**/*.nightly.test.ts'];

const ENGINE_SOURCE = fileURLToPath(new URL('./electron/engine/engine.ts', import.meta.url));
const ENGINE_BUNDLE = fileURLToPath(new URL('./dist/engine.js', import.meta.url));

/**
 * Starts the engine that users run: threads of the bundle start five times as fast, because threads of the sources strip types
 * again. The file test/app/sources.test.ts runs the sources.
 */
const bundledEngine = {
  name: 'bundled-engine',
  enforce: 'pre' as const,
  resolveId(source: string, importer: string | undefined): string | undefined {
    if (importer === undefined || !source.endsWith('/engine.ts')) return undefined;
    return resolve(dirname(importer), source) === ENGINE_SOURCE ? ENGINE_BUNDLE : undefined;
  },
};

const node = {
  exclude,
  pool: 'forks' as const,
  // Files share a process: starting one for each takes longer than most files. A test puts back what it changes.
  isolate: false,
  execArgv,
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  expect: expectation,
  server: { deps: { external: [ENGINE_BUNDLE] } },
};

export default defineConfig({
  test: {
    passWithNoTests: false,
    maxWorkers: WORKERS,
    globalSetup: ['./test/bundles.setup.ts', './test/home.setup.ts'],
    // Child processes and threads that do run from the sources strip the types of each file once, not at every start.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('./.cache/compile', import.meta.url)), XDG_DATA_HOME: DATA_HOME },
    projects: [
      ...['unit', 'laws', 'engine', 'handler'].map((name) => ({
        plugins: [bundledEngine],
        test: { ...node, name, include: [`test/${name}/**/*.test.ts`] },
      })),
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'renderer',
          isolate: false,
          include: ['test/renderer/**/*.test.ts'],
          environment: './test/renderer/environment.ts',
          testTimeout: HANGS_MS,
          expect: expectation,
        },
      },
      {
        plugins: [bundledEngine],
        test: {
          ...node,
          name: 'app',
          include: ['test/app/*.test.ts', 'test/app/stories/*.test.ts'],
          globalSetup: ['./test/app/browser.setup.ts'],
        },
      },
      {
        plugins: [bundledEngine],
        test: {
          ...node,
          name: 'cli',
          include: ['test/app/cli/**/*.test.ts'],
          setupFiles: ['./test/app/cli/each-file.setup.ts'],
        },
      },
    ],
  },
});
