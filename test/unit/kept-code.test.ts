// Bundles are loaded with the code of earlier runs, which changes nothing about what they return.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-code-'));
  write('first.cjs', `const other = require('./second.cjs'); exports.answer = () => other.twice(21) + ' \u2026';`);
  write('second.cjs', `exports.twice = (value) => value * 2;`);
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** Loads first.cjs in a process with these arguments and returns what its function returns. */
function run(...args: readonly string[]): string {
  const source = pathToFileURL(join(import.meta.dirname, '../../electron/kept-code.ts')).href;
  write(
    'main.mjs',
    `import { loadScript } from ${JSON.stringify(source)};
     process.stdout.write(loadScript(${JSON.stringify(join(folder, 'first.cjs'))}).answer());`,
  );
  return execFileSync(process.execPath, [join(folder, 'main.mjs'), ...args], { encoding: 'utf8' });
}

/** Files with kept code, with the first line of each. */
function kept(): readonly (readonly [name: string, head: { readonly kinds: readonly string[] }])[] {
  return readdirSync(join(folder, '.compiled')).map((name) => {
    const [head = ''] = readFileSync(join(folder, '.compiled', name), 'latin1').split('\n');
    return [name.replace(/-.*/, ''), JSON.parse(head) as { kinds: readonly string[] }];
  });
}

test('keeps the code of each bundle once for each command, its options and types of files', () => {
  expect(run('records', 'a.log', '--from=1')).toBe('42 \u2026');
  expect(run('records', '--from=2', 'b.log')).toBe('42 \u2026');
  expect(run('find', 'b.trc')).toBe('42 \u2026');
  const kinds = ['records --from .log', 'find .trc'];
  expect(kept()).toMatchObject([
    ['first.cjs', { kinds }],
    ['second.cjs', { kinds }],
  ]);
});

test('runs a bundle that was built again without the code of the earlier build', () => {
  run('records');
  write('second.cjs', `exports.twice = (value) => value * 3;`);
  expect(run('records')).toBe('63 \u2026');
  expect(kept().length).toBe(2);
});

test('ignores damaged code and keeps it again', () => {
  run('records');
  const [first = '', second = ''] = readdirSync(join(folder, '.compiled')).map((name) =>
    join(folder, '.compiled', name),
  );
  const whole = readFileSync(first);
  whole[whole.length - 100]! ^= 1;
  writeFileSync(first, whole);
  writeFileSync(second, 'no line');
  expect(run('records')).toBe('42 \u2026');
  expect(kept()).toMatchObject([
    ['first.cjs', { kinds: ['records'] }],
    ['second.cjs', { kinds: ['records'] }],
  ]);
});

test('runs where the folder for the code cannot be made', () => {
  write('.compiled', 'a file');
  expect(run('records')).toBe('42 \u2026');
});
