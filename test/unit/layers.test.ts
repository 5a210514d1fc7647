// Every product file has a rank in build/layers.json, imports only what its layer allows, and belongs to no import cycle.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, matchesGlob, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filePatterns, projectImports, violations } from '../../build/layers.ts';

const root = new URL('../../', import.meta.url);
const files = globSync('{shared,electron,present,renderer}/**/*.{ts,svelte}', { cwd: fileURLToPath(root) })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => !path.endsWith('.d.ts'));
const texts = new Map(files.map((path) => [path, readFileSync(new URL(path, root), 'utf8')]));

test('every file has a rank and follows the rules of its layer', () => {
  for (const path of ['shared/base/units.ts', 'electron/engine/engine.ts', 'renderer/shell/App.svelte'])
    expect(files).toContain(path);
  expect([...texts].flatMap(([path, text]) => violations(path, text))).toEqual([]);
});

test('no import cycle exists, including type imports', () => {
  const graph = new Map([...texts].map(([path, text]) => [path, projectImports(path, text)]));
  expect(cycleIn(graph)).toBeUndefined();
});

test('every pattern in the table matches a file', () => {
  const patterns = filePatterns();
  expect(patterns).toContain('shared/base/**');
  expect(patterns.filter((pattern) => !files.some((path) => matchesGlob(path, pattern)))).toEqual([]);
});

/** Folders that contain a list of peers. */
const LISTS = ['electron/cli/commands', 'renderer/widgets'];

test('no folder contains more than 20 files, except lists of peers', () => {
  const counts = new Map<string, number>();
  for (const path of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  expect([...counts].filter(([folder, count]) => count > 20 && !LISTS.includes(folder))).toEqual([]);
});

test('the cycle search finds a cycle', () => {
  const graph = new Map([
    ['a', ['b', 'c']],
    ['b', []],
    ['c', ['d']],
    ['d', ['b', 'c']],
  ]);
  expect(cycleIn(graph)).toEqual(['c', 'd', 'c']);
});

describe('the table refuses', () => {
  const refused: readonly (readonly [what: string, path: string, text: string, target: string])[] = [
    [
      'a feature that imports another',
      'renderer/features/bytes/Bytes.svelte',
      '<script lang="ts">import H from "../heatmap/Heatmap.svelte";</script>',
      'renderer/features/heatmap/Heatmap.svelte',
    ],
    [
      'a feature that imports the shell',
      'renderer/features/bytes/Bytes.svelte',
      '<script lang="ts">import H from "../../shell/App.svelte";</script>',
      'renderer/shell/App.svelte',
    ],
    [
      'a format that imports another',
      'shared/formats/byu6/byu6.ts',
      'import { x } from "../tarmac/tarmac.ts";',
      'shared/formats/tarmac/tarmac.ts',
    ],
    ['Node in shared', 'shared/base/bytes.ts', 'import { readFileSync } from "node:fs";', 'node:fs'],
    [
      'an import upwards, of types too',
      'shared/base/units.ts',
      'import type { Format } from "../format/format.ts";',
      'shared/format/format.ts',
    ],
    ['Electron in the engine', 'electron/engine/engine.ts', 'import { app } from "electron";', 'electron'],
    ['Electron in the command line', 'electron/cli/main.ts', 'const e = await import("electron");', 'electron'],
    [
      'SQLite outside the index file and the notebook',
      'electron/engine/queries/heat/heat.ts',
      'import Database from "better-sqlite3";',
      'better-sqlite3',
    ],
    [
      'a builder that imports the store',
      'electron/engine/index/builders/heat.ts',
      'import { x } from "../store/index-file.ts";',
      'electron/engine/index/store/index-file.ts',
    ],
    [
      'the addon outside the source',
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

describe('the table allows', () => {
  const allowed: readonly (readonly [what: string, path: string, text: string])[] = [
    [
      'parts of one format',
      'shared/formats/tarmac/tarmac.ts',
      'import { x } from "./line/line.ts"; import type { Batch } from "../../records/batch.ts";',
    ],
    [
      'types of requests in a feature',
      'renderer/features/bytes/Bytes.svelte',
      '<script lang="ts">import type { Requests } from "../../../shared/requests/requests.ts";</script>',
    ],
    [
      'the addon in the source',
      'electron/engine/platform/source.ts',
      'import { loadMap } from "../../native/map.ts"; import fs from "node:fs";',
    ],
    [
      'SQLite in the store',
      'electron/engine/index/store/index-file.ts',
      'import Database from "better-sqlite3"; import { x } from "./packing.ts";',
    ],
  ];
  test.each(allowed)('%s', (_, path, text) => {
    expect(violations(path, text)).toEqual([]);
  });
});

/** Returns the first path from a file back to itself, or undefined. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const clean = new Set<string>();
  const walk = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (clean.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const cycle = walk(next, [...trail, path]);
      if (cycle) return cycle;
    }
    clean.add(path);
    return undefined;
  };
  for (const path of graph.keys()) {
    const cycle = walk(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}
