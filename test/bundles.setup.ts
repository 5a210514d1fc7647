// Brings dist/ up to date before any test runs, also where the runner is started without `npm test`.
import { makeBundles } from '../build/setup/bundles.mjs';

export function setup(): void {
  const problem = makeBundles();
  if (problem !== undefined) throw new Error(problem);
}
