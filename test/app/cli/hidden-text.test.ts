// Names and text that would control a terminal or imitate other names: output for people shows the hidden characters, output for
// scripts is exact.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { cli, folder, lines } from './driver.ts';

const trace = join(folder, 'tr\u202eace.txt');
const list = join(folder, 'program.nm');
const LEAF = 'le\u202eaf\u200b';

beforeAll(() => {
  writeFileSync(
    trace,
    [
      '1 clk 0 IT (1) 00008000 e3a00001 A svc : mov r0, #1',
      'log \u001b[2J\u202etxet',
      '2 clk 0 IT (2) 00008004 eb000001 A svc : bl #0x8010',
      '3 clk 0 IT (3) 00008010 e3a00001 A svc : mov\tr0, #1',
      '4 clk 0 IT (4) 00008014 e12fff1e A svc : bx lr',
      '5 clk 0 IT (5) 00008008 e3a00001 A svc : mov r0, #1',
      '',
    ].join('\n'),
  );
  writeFileSync(list, `00008000 T start\n00008010 T ${LEAF}\n`);
});

const commands = ['records', 'info', 'stack --at 3', 'calls --dot', 'calls --folded', 'tree', 'branches'];

test.each(commands)('%s shows hidden characters by name', async (words) => {
  const [name = '', ...options] = words.split(' ');
  const { code, stdout, stderr } = await cli([name, trace, '--image', list, ...options]);
  expect(code).toBe(0);
  expect(`${stdout}${stderr}`).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
});

test('names in tables show hidden characters, and names in JSON are exact', async () => {
  const shown = await cli(['stack', trace, '--image', list, '--at', '3']);
  expect(shown.stdout).toContain('le[U+202E]af[U+200B]');
  const text = await cli(['records', trace, '--image', list]);
  expect(text.stdout).toContain('log [U+001B][2J[U+202E]txet');
  expect((await lines(['records', trace, '--image', list])).map(({ symbol }) => symbol)).toContain(LEAF);
});

test('an error message shows hidden characters of the file name', async () => {
  const { code, stderr } = await cli(['records', join(folder, 'no\u202ene')]);
  expect(code).toBe(1);
  expect(stderr).toContain('no[U+202E]ne');
});
