// Runs for each test file of the command line: they share a process, so each leaves its folder empty and its engines closed.
import { mkdirSync, rmSync } from 'node:fs';
import { afterAll } from 'vitest';
import { closeEngines } from '../run-cli.ts';
import { folder } from './driver.ts';

mkdirSync(folder, { recursive: true });
afterAll(async () => {
  await closeEngines();
  rmSync(folder, { recursive: true });
});
