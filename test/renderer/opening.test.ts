// Several traces at once, a question about the format of one of them, and a page that is loaded anew.
import { beforeEach, expect, test, vi } from 'vitest';
import { createWorkbench } from '../../renderer/stores/workbench.svelte.ts';
import type { CallName, Client } from '../../shared/api.ts';
import { fail, ok } from '../../shared/result.ts';

let kept: Map<string, string>;

beforeEach(() => {
  kept = new Map();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  vi.stubGlobal('localStorage', storage);
  vi.stubGlobal('sessionStorage', storage);
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: () => undefined });
});

/** An engine that knows every file but `/odd`, and in whose folder there is no `/gone`. */
function engine(): Client {
  const format = { id: 'byu6', name: 'BYU', confidence: 1, reasons: [], options: {} };
  const reach = { records: 1000, bytes: 6000, complete: true };
  const preview = { format, records: [], diagnostics: [] };
  const call = (name: CallName, { path = '' }: { readonly path?: string }): unknown => {
    const file = { path, bytes: 6000 };
    const isOdd = path === '/odd';
    switch (name) {
      case 'detect':
        if (path === '/gone') return fail('missing', `${path}: there is no such file`);
        return ok({ file, candidates: [{ format: 'byu6', confidence: isOdd ? 0.1 : 1, reasons: [], preview: [] }] });
      case 'open':
        return ok({ trace: path, file, format, reach, notices: [] });
      case 'preview':
        return ok(preview);
      default:
        return fail('not-asked', `${name} is not part of this test`);
    }
  };
  return { call: (name: CallName, args: object) => Promise.resolve(call(name, args)) } as unknown as Client;
}

function paths(workbench: ReturnType<typeof createWorkbench>): readonly string[] {
  return workbench.traces.map(({ source }) => source.path);
}

test('a question about one file holds up those behind it, and none is lost', async () => {
  const workbench = createWorkbench(engine(), undefined);
  const all = Promise.all(['/odd', '/b', '/c'].map((path) => workbench.open({ path })));
  await expect.poll(() => workbench.choice?.detection.file.path).toBe('/odd');
  expect(paths(workbench)).toEqual([]);
  await workbench.choose({ format: 'byu6' });
  await all;
  expect(paths(workbench)).toEqual(['/odd', '/b', '/c']);
});

test('what went wrong with one file is still said when the next one is open', async () => {
  const workbench = createWorkbench(engine(), undefined);
  await Promise.all(['/gone', '/b'].map((path) => workbench.open({ path })));
  expect([paths(workbench), workbench.failure?.path]).toEqual([['/b'], '/gone']);
  await workbench.open({ path: '/c' });
  expect(workbench.failure).toBe(null);
});

test('a page that is loaded anew shows the trace that was looked at, where one was, and no closed one', async () => {
  const asked = [{ path: '/a' }];
  const before = createWorkbench(engine(), undefined);
  await before.restore(asked);
  for (const path of ['/b', '/c']) await before.open({ path });
  const [a, b] = before.traces;
  if (!a || !b) throw new Error('two traces are open');
  await before.close(a);
  before.activate(b);
  b.cursor.jump(77);
  before.release();

  const after = createWorkbench(engine(), undefined);
  await after.restore(asked);
  expect([paths(after), after.active?.source.path, after.active?.cursor.n]).toEqual([['/b', '/c'], '/b', 77]);

  const other = createWorkbench(engine(), undefined);
  await other.restore([{ path: '/d' }]);
  expect([paths(other), other.active?.source.path]).toEqual([['/b', '/c', '/d'], '/d']);
});

test('what a search of one trace comes to is not said of the trace that came forward meanwhile', async () => {
  const found = Promise.withResolvers<unknown>();
  const { call } = engine();
  const slow = (name: CallName, args: never) => (name === 'find' ? found.promise : call(name, args));
  const workbench = createWorkbench({ call: slow } as unknown as Client, undefined);
  for (const path of ['/a', '/b']) await workbench.open({ path });
  const [a, b] = workbench.traces;
  if (!a || !b) throw new Error('two traces are open');
  workbench.activate(a);
  const searching = a.search.find({ criteria: { text: 'ldr' }, direction: 'next', label: 'match' });
  workbench.activate(b);
  found.resolve(ok({ records: [], reach: a.reach }));
  await searching;
  expect(workbench.said.text).toBe('');
  workbench.activate(a);
  expect(workbench.said.text).toBe('There is no later match.');
});
