/** Scripts with kept code: each run of a program is a process of its own, which ends by itself. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { scratch } from '../engine/traces.ts';

const place = scratch();
afterAll(() => place.dispose());

const module = fileURLToPath(new URL('../../electron/kept-code.ts', import.meta.url));

/** A program whose script returns a word. */
function program(word: string) {
  const folder = mkdtempSync(join(place.folder, 'program-'));
  const script = join(folder, 'script.cjs');
  const main = join(folder, 'main.mts');
  const write = (its: string): void => writeFileSync(script, `exports.say = () => '${its}';`);
  write(word);
  // Its second argument is the exit code.
  writeFileSync(
    main,
    `import { loadScript } from ${JSON.stringify(module)};
    console.log(loadScript(${JSON.stringify(script)}).say());
    process.exitCode = Number(process.argv[3] ?? 0);`,
  );
  const run = (...args: string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim();
  };
  const compiled = join(folder, '.compiled');
  const file = (): string => join(compiled, readdirSync(compiled)[0]!);
  const kinds = (): unknown => (JSON.parse(readFileSync(file(), 'latin1').split('\n')[0]!) as { kinds: unknown }).kinds;
  return { write, run, kinds, file, hasKept: () => existsSync(compiled) };
}

test('the code is kept for each kind of command line, whatever the values and the order of its options', () => {
  const { run, kinds } = program('one');
  expect(run('heat', '0', 'a.txt', '--rows=4')).toBe('one');
  expect(kinds()).toEqual(['heat --rows .txt']);
  expect(run('heat', '0', '--rows=5', 'b.txt')).toBe('one');
  expect(kinds()).toEqual(['heat --rows .txt']);
  expect(run('calls', '0', 'b.txt')).toBe('one');
  expect(kinds()).toEqual(['heat --rows .txt', 'calls .txt']);
});

test('a script that has changed is compiled again, even if it is as long as before', () => {
  const { write, run } = program('one');
  expect(run('heat')).toBe('one');
  write('two');
  expect(run('heat')).toBe('two');
  expect(run('heat')).toBe('two');
});

test.each([
  ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
  ['empty', () => Buffer.alloc(0)],
  ['changed in one bit', (bytes: Buffer) => bytes.with(bytes.length - 20, bytes.at(-20)! ^ 1)],
])('a file of kept code that is %s is replaced', (_, damage) => {
  const { run, file } = program('one');
  expect(run('heat')).toBe('one');
  const whole = readFileSync(file());
  writeFileSync(file(), damage(whole));
  expect(run('heat')).toBe('one');
  expect(readFileSync(file()).length).toBeGreaterThan(whole.length >> 1);
  expect(run('heat')).toBe('one');
});

test('the code of a run that failed is not kept', () => {
  const { run, hasKept } = program('one');
  expect(run('heat', '1')).toBe('one');
  expect(hasKept()).toBe(false);
});
