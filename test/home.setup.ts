// Gives tests a data folder of their own, empty at first: known notebooks of the person would be in their answers, and theirs in the home.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const DATA_HOME = fileURLToPath(new URL('../.cache/test-data', import.meta.url));

export function setup(): void {
  rmSync(DATA_HOME, { recursive: true, force: true });
}
