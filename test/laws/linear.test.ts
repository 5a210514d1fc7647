/**
 * The law of linear time: a reader's work is proportional to the length of a line, for detection and for every format. A reader with
 * quadratic time would run thousands of blocks of code for each byte of these lines. Regular expressions are checked by `npm run check`
 * (eslint.config.js), because their work is not counted.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Work } from './linear.ts';

/** Number of blocks of code that may run for each byte of a line: twice the number of the slowest reader. */
const MOST_BLOCKS = 400;

test('every format and detection read long lines with work that is proportional to their length', () => {
  const program = fileURLToPath(new URL('./linear.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { inputs, worst } = JSON.parse(stdout) as { inputs: number; worst: readonly Work[] };
  expect(inputs).toBeGreaterThan(60);
  expect(worst.filter(({ blocksPerByte }) => blocksPerByte > MOST_BLOCKS)).toEqual([]);
});
