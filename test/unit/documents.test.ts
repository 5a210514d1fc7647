// Links in documents lead to existing files, and every package is pinned and justified.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = globSync('{*.md,docs/**/*.md}', { cwd: root });

test('their links lead to files that are there', () => {
  const links = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => join(dirname(document), target)),
  );
  expect(links).toContain(join('docs', 'formats', 'byu6.md'));
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
});

test('every package is of one version, and CONTRIBUTING.md says why it is here', () => {
  const manifest = JSON.parse(read('package.json')) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
  const packages = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
  expect(packages.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const reasons = [...read('CONTRIBUTING.md').matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  // The parts of Electron Forge follow its command line without its name.
  const named = packages.map(([name]) => name.replace(/^@electron-forge\/(?!cli$)/, ''));
  expect(named).toContain('svelte');
  expect(named.filter((name) => !reasons.includes(name))).toEqual([]);
});
