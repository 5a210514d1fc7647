// Which tests exist: one project per folder of test/, found by glob. The journeys run last and one file at a time,
// because each holds a browser; the others are plain Node.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** After this long a test hangs; the slowest takes a fifteenth of it on two idle cores. */
const HANGS_MS = 240_000;
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
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
    ],
  },
});
