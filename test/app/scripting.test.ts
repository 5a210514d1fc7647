// The client for scripts, and the examples of docs/scripts.md, as processes of their own.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openTrace } from '../../scripting/client.ts';

const samples = fileURLToPath(new URL('../samples/tarmac/', import.meta.url));
const trace = `${samples}fault-off-by-one/trace.txt`;
const image = `${samples}fault-off-by-one/program.elf`;

async function example(name: string, ...args: readonly string[]): Promise<string> {
  const file = fileURLToPath(new URL(`../../scripting/examples/${name}.ts`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args]);
  return stdout;
}

test('the client sends requests without waiting for answers, and names what is wrong', async () => {
  const client = openTrace(trace, { args: ['--image', image] });
  const many = await Promise.all(
    Array.from({ length: 50 }, (_, n) => client.request('records', { from: n, count: 1 })),
  );
  expect(many.map(({ records }) => records[0]?.n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  await expect(client.request('records', { from: 0, count: 0 })).rejects.toMatchObject({ code: 'usage' });
  await client.close();
  await expect(client.request('info')).rejects.toMatchObject({ code: 'ended' });
});

test('the client gives the reason why a trace cannot be read', async () => {
  const client = openTrace(`${samples}nowhere.txt`);
  await expect(client.request('info')).rejects.toThrow(/nowhere\.txt: there is no such file/);
  await client.close();
});

test('an example lists the hot functions', async () => {
  const [head, first] = (await example('hot-functions', trace, image)).split('\n');
  expect([head, first]).toEqual([
    'function,calls,instructions,share',
    expect.stringMatching(/^sum_of,1,\d+,\d+\.\d %$/),
  ]);
});

test('an example counts the values of a register', async () => {
  // r3 counts the prices down, and later holds addresses, each once.
  const values = (await example('register-values', trace, 'r3')).split('\n');
  expect(values.slice(0, 5)).toEqual(['0x3 1', '0x2 1', '0x1 1', '0x0 1', '0xffffffff 1']);
});

test('an example finds where what was written came from', async () => {
  // The item too many is 9,999, and copy() moved it.
  expect(await example('writers', trace, image, '0x9200')).toBe(
    '178: 0x270f by copy+0xc, from record 158 in copy+0xc (origins)\n',
  );
});
