// Links in documents lead to existing files, and every package is pinned and justified.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FORMATS } from '../../shared/formats/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = globSync('{*.md,docs/**/*.md}', { cwd: root });

test('links in documents lead to existing files', () => {
  const links = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => join(dirname(document), target)),
  );
  expect(links).toContain(join('docs', 'formats', 'byu6.md'));
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
});

test('every package has one pinned version and a reason in CONTRIBUTING.md', () => {
  const manifest = JSON.parse(read('package.json')) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
  const packages = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
  expect(packages.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  const reasons = [...read('CONTRIBUTING.md').matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  // Parts of Electron Forge used by its command line, not imported by name.
  const named = packages.map(([name]) => name.replace(/^@electron-forge\/(?!cli$)/, ''));
  expect(named).toContain('svelte');
  expect(named.filter((name) => !reasons.includes(name))).toEqual([]);
});

test('each format guide quotes its options and the message of every diagnostic', () => {
  const missing = FORMATS.flatMap(({ id, options, diagnostics }) => {
    const rows = read(`docs/formats/${id}.md`)
      .replaceAll('`', '')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const texts = [...options.map(({ name, text }) => [name, text] as const), ...Object.entries(diagnostics)];
    return texts
      .filter(
        ([name, text]) =>
          !rows.some(([, first, ...rest]) => first === name && rest.some((cell) => cell.startsWith(text))),
      )
      .map(([name]) => `${id} ${name}`);
  });
  expect(missing).toEqual([]);
});
