/** The reported peak memory is this program's, not its parent's. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const own = fileURLToPath(new URL('../../electron/engine/platform/peak-memory.ts', import.meta.url));
const MEGABYTE = 2 ** 20;

test.runIf(process.platform === 'linux')('does not count the memory of the parent process', () => {
  const small = `import(${JSON.stringify(own)}).then(({ peakMemory }) => console.log(peakMemory()))`;
  const large = `
    const room = Buffer.alloc(${600 * MEGABYTE}, 1);
    const { stdout } = require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(small)}]);
    process.stdout.write(stdout);
    if (room[0] !== 1) throw new Error('the memory was not used');`;
  const { stdout } = spawnSync(process.execPath, ['-e', large], { encoding: 'utf8' });
  expect(Number(stdout)).toBeGreaterThan(MEGABYTE);
  expect(Number(stdout)).toBeLessThan(600 * MEGABYTE);
});
