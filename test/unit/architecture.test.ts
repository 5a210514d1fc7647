// ARCHITECTURE.md stays true: every path in it exists, and it names no line that an edit would move.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');
/** Made by set-up and not tracked by git. */
const made = new Set(['dist/']);
const paths = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]*)+)`/g)]
  .map((match) => match[1]!)
  .filter((path) => !made.has(path));

test('every path named in ARCHITECTURE.md exists', () => {
  expect(paths).toContain('shared/format/format.ts');
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

test('ARCHITECTURE.md names no line numbers', () => {
  expect(text).not.toMatch(/\.(ts|svelte|c):\d|\blines? \d/i);
});
