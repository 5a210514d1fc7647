// Runs the stores' tests as the browser's half of Svelte (live runes), though in plain Node without a DOM:
// what needs a DOM is tested in a real browser under test/app.
import type { Environment } from 'vitest/runtime';

const environment: Environment = {
  name: 'runes',
  viteEnvironment: 'client',
  setup: () => ({ teardown: () => undefined }),
};

export default environment;
