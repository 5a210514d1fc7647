// The bundles in dist/ keep the properties that hosts rely on: flat modules, a preload that a sandbox can load, and a page
// that a strict Content-Security-Policy lets run.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = join(root, 'dist');
const read = (name: string): string => readFileSync(join(dist, name), 'utf8');

beforeAll(() => {
  expect(spawnSync(process.execPath, ['build/setup.mjs'], { cwd: root, encoding: 'utf8' })).toMatchObject({
    status: 0,
  });
});

test('Node bundles are in one folder, so that every chunk finds the workers', () => {
  const names = readdirSync(dist);
  for (const name of ['main.js', 'preload.cjs', 'cli.js', 'engine-worker.js', 'decode-worker.js']) {
    expect(names).toContain(name);
  }
  const folders = readdirSync(dist, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  // The command line keeps compiled code beside the bundles once it has run.
  expect(folders.map((entry) => entry.name).filter((name) => name !== '.compiled')).toEqual(['page']);
});

test('the preload requires only electron', () => {
  const required = [...read('preload.cjs').matchAll(/require\(\s*["'`]([^"'`]*)["'`]\s*\)/g)].map((match) => match[1]);
  expect(new Set(required)).toEqual(new Set(['electron']));
  expect(read('preload.cjs')).not.toMatch(/^\s*(import|export)\b|\bimport\(/m);
});

test('only the desktop modules import electron', () => {
  const knowing = readdirSync(dist).filter(
    (name) => /\.c?js$/.test(name) && /\b(from|import|require)\s*\(?\s*["'`]electron["'`]/.test(read(name)),
  );
  expect(knowing).toContain('main.js');
  for (const name of ['cli.js', 'engine-worker.js', 'decode-worker.js']) expect(knowing).not.toContain(name);
});

test('the page has no inline code or style and requests its own files only', () => {
  const html = read('page/index.html');
  const scripts = [...html.matchAll(/<script\b([^>]*)>([^]*?)<\/script>/g)];
  expect(scripts.length).toBeGreaterThan(0);
  for (const [, attributes, body] of scripts) {
    expect(attributes).toMatch(/\bsrc="\.\//);
    expect(body).toBe('');
  }
  expect(html).not.toMatch(/<style\b|\sstyle=|\son\w+=/);
  for (const [, address] of html.matchAll(/\b(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\.\//);
});
