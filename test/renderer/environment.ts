// Runs the stores' tests as the browser's half of Svelte (live runes), though in plain Node without a DOM:
// tests that need a DOM run in a real browser under test/app.
import type { Environment } from 'vitest/runtime';

const environment: Environment = {
  name: 'runes',
  viteEnvironment: 'client',
  setup: () => ({ teardown: () => undefined }),
};

export default environment;
