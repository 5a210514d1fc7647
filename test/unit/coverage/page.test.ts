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
