// The page of coverage, and the folders in it.
import { expect, test } from 'vitest';
import { derived } from '../../../shared/coverage/derive.ts';
import type { Coverage } from '../../../shared/requests/answers/coverage.ts';
import { folderTree, type Folder } from '../../../electron/cli/print/coverage/html/folders.ts';
import { pageOf } from '../../../electron/cli/print/coverage/html/page.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'&';

test('shows hostile names and source text as text', () => {
  const instructions = {
    addresses: ['0x8' as const],
    sizes: [4],
    counts: [1],
    kinds: ['plain' as const],
    skipped: [null],
    taken: [null],
    notTaken: [null],
    lines: [0],
    functions: [0],
  };
  const places = {
    lines: [{ file: HOSTILE, line: 1 }],
    functions: [{ name: HOSTILE, address: '0x8' as const, file: HOSTILE, line: 1 }],
  };
  const coverage: Coverage = {
    ...derived(instructions, places),
    notes: [HOSTILE],
    reach: { records: 0, bytes: 0, complete: true },
  };
  const page = pageOf(coverage, {
    count: 'most',
    pathOf: (file) => file,
    sources: new Map([[HOSTILE, [HOSTILE]]]),
    traces: [HOSTILE],
    others: [HOSTILE],
    version: '1',
  });
  expect(page).not.toContain('<img');
  expect(page).not.toContain(HOSTILE.slice(-3));
  expect(page.match(/&lt;img src=x onerror=alert\(1\)&gt;&quot;&#39;&amp;/g)!.length).toBeGreaterThan(6);
});

test('shows how often conditional instructions were skipped, and lines of which nothing else ran', () => {
  const instructions = {
    addresses: ['0x0', '0x4', '0x8', '0xc'] as const,
    sizes: [4, 4, 4, 4],
    counts: [8, 8, 8, 8],
    kinds: ['plain', 'conditional', 'conditional', 'conditional'] as const,
    skipped: [null, 3, 8, null],
    taken: [null, null, null, null],
    notTaken: [null, null, null, null],
    lines: [0, 0, 1, 2],
    functions: [0, 0, 0, 0],
  };
  const places = {
    lines: [1, 2, 3].map((line) => ({ file: 'a.c', line })),
    functions: [{ name: 'f', address: '0x0' as const, file: 'a.c', line: 1 }],
  };
  const reach = { records: 0, bytes: 0, complete: true };
  const coverage: Coverage = { ...derived(instructions, places), notes: [], reach };
  const page = pageOf(coverage, {
    count: 'most',
    pathOf: (file) => file,
    sources: new Map([['a.c', ['one', 'two', 'three']]]),
    traces: ['t'],
    others: [],
    version: '1',
  });
  const cells = page.match(/<td class="skips">.*?<\/td>/g);
  expect(cells).toEqual([
    '<td class="skips"><span class="both" title="executed 5, skipped 3">3 of 8</span></td>',
    '<td class="skips"><span class="partly" title="executed 0, skipped 8">8 of 8</span></td>',
    '<td class="skips"></td>',
  ]);
  expect([...page.matchAll(/<tr id="line-1-(\d)" class="(\w+)/g)].map(([, line, state]) => `${line} ${state}`)).toEqual(
    [...['1 heat', '2 skipped', '3 heat']],
  );
  expect(page).toContain('<dt>Outcomes of other conditional instructions</dt><dd>75.0 %</dd>');
});

test('joins a folder with its only folder, and keeps files without one apart', () => {
  const file = (path: string) => ({ path, lines: [], functions: [] });
  const shape = ({ name, folders, files }: Folder): unknown => [name, folders.map(shape), files.map((own) => own.name)];
  const tree = folderTree([file('/a/b/c/x.c'), file('/a/b/d/y.c'), file('z.c')]);
  expect(tree.map(shape)).toEqual([
    [
      '/a/b/',
      [
        ['c/', [], ['x.c']],
        ['d/', [], ['y.c']],
      ],
      [],
    ],
    ['', [], ['z.c']],
  ]);
});
