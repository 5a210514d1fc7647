// The layer table of the architecture holds for every import of the program.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { matchesGlob, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { needs, violations } from '../../build/layers.ts';

const root = new URL('../../', import.meta.url);
const files = globSync('{shared,electron,present,renderer}/**/*.{ts,svelte}', { cwd: fileURLToPath(root) }).map(
  (path) => path.split(sep).join('/'),
);

test('every file keeps to its layer', () => {
  for (const path of [
    'shared/format/format.ts',
    'electron/cli/main.ts',
    'present/heat/heat.ts',
    'renderer/shell/App.svelte',
  ])
    expect(files).toContain(path);
  const found = files.flatMap((path) => violations(path, readFileSync(new URL(path, root), 'utf8')));
  expect(found).toEqual([]);
});

test('no file needs itself, by whatever way round', () => {
  const graph = new Map(files.map((path) => [path, needs(path, readFileSync(new URL(path, root), 'utf8'))]));
  expect(circleIn(graph)).toBeUndefined();
});

test('the table speaks of files that are there', () => {
  const { downwards, layers } = JSON.parse(readFileSync(new URL('build/layers.json', root), 'utf8')) as {
    readonly downwards: readonly string[];
    readonly layers: readonly { readonly files: readonly string[] }[];
  };
  const patterns = [...downwards, ...layers.flatMap((layer) => layer.files)];
  expect(patterns).toContain('present/**');
  expect(patterns.filter((pattern) => !files.some((path) => matchesGlob(path, pattern)))).toEqual([]);
});

test('the search for circles finds one', () => {
  const graph = new Map([
    ['a', ['b', 'c']],
    ['b', []],
    ['c', ['d']],
    ['d', ['b', 'c']],
  ]);
  expect(circleIn(graph)).toEqual(['c', 'd', 'c']);
});

describe('the judge refuses', () => {
  const refused: readonly (readonly [what: string, path: string, text: string, target: string])[] = [
    [
      'a format that imports another',
      'shared/formats/byu6/byu6.ts',
      'import { x } from "../tarmac/tarmac.ts";',
      'shared/formats/tarmac/tarmac.ts',
    ],
    ['Node in shared', 'shared/base/bytes.ts', 'import { readFileSync } from "node:fs";', 'node:fs'],
    [
      'an import upwards',
      'shared/base/units.ts',
      'import type { Format } from "../format/format.ts";',
      'shared/format/format.ts',
    ],
    ['electron in the engine', 'electron/engine/engine.ts', 'import { app } from "electron";', 'electron'],
    ['electron in the command line', 'electron/cli/main.ts', 'const e = await import("electron");', 'electron'],
    [
      'SQLite outside of the index file and the notebook',
      'electron/engine/queries/heat/heat.ts',
      'import Database from "better-sqlite3";',
      'better-sqlite3',
    ],
    [
      'a builder that knows the store',
      'electron/engine/index/builders/heat.ts',
      'import { x } from "../store/index-file.ts";',
      'electron/engine/index/store/index-file.ts',
    ],
    [
      'the addon outside of the source',
      'electron/engine/index/ingest.ts',
      'import { loadMap } from "../../native/map.ts";',
      'electron/native/map.ts',
    ],
    [
      'the engine in the page',
      'renderer/client/client.ts',
      'export { x } from "../../electron/engine/engine.ts";',
      'electron/engine/engine.ts',
    ],
  ];
  test.each(refused)('%s', (_, path, text, target) => {
    expect(violations(path, text)).toEqual([expect.stringMatching(new RegExp(`^${path} .*may not import ${target}$`))]);
  });

  test('a file without a layer', () => {
    expect(violations('electron/elsewhere/file.ts', '')).toEqual(['electron/elsewhere/file.ts belongs to no layer']);
  });
});

describe('the judge allows', () => {
  const allowed: readonly (readonly [what: string, path: string, text: string])[] = [
    [
      'parts of one format',
      'shared/formats/tarmac/tarmac.ts',
      'import { x } from "./qemu4v.ts"; import type { Batch } from "../../records/batch.ts";',
    ],
    [
      'types of shared in a feature',
      'renderer/features/bytes/Bytes.svelte',
      '<script lang="ts">import type { Api } from "../../../shared/requests/requests.ts";</script>',
    ],
    [
      'the addon in the source',
      'electron/engine/platform/source.ts',
      'import { loadMap } from "../../native/map.ts"; import fs from "node:fs";',
    ],
    [
      'SQLite in the store',
      'electron/engine/index/store/blocks.ts',
      'import Database from "better-sqlite3"; import { x } from "./open.ts";',
    ],
  ];
  test.each(allowed)('%s', (_, path, text) => {
    expect(violations(path, text)).toEqual([]);
  });
});

/** The first way from a file back to itself, or undefined. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const clean = new Set<string>();
  const walk = (path: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (clean.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const circle = walk(next, [...way, path]);
      if (circle) return circle;
    }
    clean.add(path);
    return undefined;
  };
  for (const path of graph.keys()) {
    const circle = walk(path, []);
    if (circle) return circle;
  }
  return undefined;
}
