// Which tests exist: one project per folder of test/, found by glob. The journeys run last and one file at a time,
// because each holds a browser; the others are plain Node.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** After this long a test hangs; the slowest takes a fifteenth of it on two idle cores. */
const HANGS_MS = 240_000;
/**
 * Threads of the tests strip the types of what they load, by a WebAssembly module of Node's. Once a thread has called out of such a
 * module a thousand times V8 compiles the way there for all threads, and where two do so at once it may free it twice and end the
 * process, as every few runs did (https://github.com/nodejs/node/issues/64500 tells of such ends). So none does.
 */
const execArgv = ['--wasm-wrapper-tiering-budget=1000000000'];
const plain = ['unit', 'laws', 'engine', 'handler'];

export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      ...plain.map((name) => ({
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`],
          pool: 'forks' as const,
          execArgv,
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      })),
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'renderer',
          include: ['test/renderer/**/*.test.ts'],
          environment: './test/renderer/environment.ts',
          testTimeout: HANGS_MS,
        },
      },
      {
        test: {
          name: 'app',
          include: ['test/app/**/*.test.ts'],
          pool: 'forks' as const,
          execArgv,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
    ],
  },
});
