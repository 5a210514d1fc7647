// Which tests exist: one project per folder of test/, found by glob. The journeys run last and one file at a time,
// because each holds a browser; the others are plain Node.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

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
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      })),
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'renderer',
          include: ['test/renderer/**/*.test.ts'],
          environment: './test/renderer/environment.ts',
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'app',
          include: ['test/app/**/*.test.ts'],
          pool: 'forks' as const,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
