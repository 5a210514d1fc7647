// Several traces at once, format questions, and a reloaded page.
import { beforeEach, expect, test, vi } from 'vitest';
import { startWorkbench } from './start-workbench.ts';
import type { Workbench } from '../../renderer/workbench/workbench.svelte.ts';
import type { Source } from '../../renderer/trace/trace-base.ts';
import type { RequestName, Client } from '../../shared/requests/requests.ts';
import { fail, ok } from '../../shared/base/result.ts';

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

/** An engine that knows every file except `/odd`, and has no `/gone`, `/lost` or images in `gone`. */
function engine(gone: readonly string[] = []): Client {
  const format = { id: 'byu6', name: 'BYU', confidence: 1, reasons: [], options: {} };
  const reach = { records: 1000, bytes: 6000, complete: true };
  const preview = { format, records: [], diagnostics: [] };
  const opened = new Set<string>();
  const request = (name: RequestName, { path = '', images = [] }: Partial<Source>): unknown => {
    const file = { path, bytes: 6000 };
    const isOdd = path === '/odd';
    const lacking = images.find((image) => gone.includes(image.path));
    const missing = lacking && fail('missing', `${lacking.path}: there is no such file`);
    const again = opened.has(path) ? ' again' : '';
    switch (name) {
      case 'detect':
        if (path === '/gone' || path === '/lost') return fail('missing', `${path}: there is no such file`);
        return ok({ file, candidates: [{ format: 'byu6', confidence: isOdd ? 0.1 : 1, reasons: [], preview: [] }] });
      case 'open':
        opened.add(path);
        return missing ?? ok({ trace: path + again, file, format, reach, notices: [] });
      case 'preview':
        return ok(preview);
      case 'images':
        return missing ?? ok({ images: [] });
      default:
        return fail('not-asked', `${name} is not part of this test`);
    }
  };
  return { request: (name: RequestName, args: object) => Promise.resolve(request(name, args)) } as unknown as Client;
}

function paths(workbench: Workbench): readonly string[] {
  return workbench.traces.map(({ source }) => source.path);
}

test('a format question about one file delays the next files, and all of them open', async () => {
  const workbench = startWorkbench(engine());
  const all = Promise.all(['/odd', '/b', '/c'].map((path) => workbench.open({ path })));
  await expect.poll(() => workbench.choice?.detection.file.path).toBe('/odd');
  expect(paths(workbench)).toEqual([]);
  await workbench.choose({ format: 'byu6' });
  await all;
  expect(paths(workbench)).toEqual(['/odd', '/b', '/c']);
});

test('indexes two traces at a time, so that requests about all of them have a connection', async () => {
  const building: string[] = [];
  const ends = new Map<string, () => void>();
  const { request } = engine();
  const slow = {
    async request(name: RequestName, args: { readonly trace?: string }, options?: { readonly signal?: AbortSignal }) {
      const { trace = '' } = args;
      if (name === 'open') {
        const opened = await request('open', args as never);
        return opened.ok ? ok({ ...opened.value, reach: { records: 0, bytes: 0, complete: false } }) : opened;
      }
      if (name !== 'index') return request(name, args as never);
      if (options?.signal?.aborted) return fail('cancelled', 'The request index was cancelled.');
      building.push(trace);
      await new Promise<void>((end) => ends.set(trace, end));
      return fail('not-asked', 'the build ended');
    },
  };
  const workbench = startWorkbench(slow);
  await Promise.all(['/a', '/b', '/c', '/d', '/e'].map((path) => workbench.open({ path })));
  expect(building).toEqual(['/a', '/b']);
  // Traces whose indexing has not begun are marked as waiting instead of 0 % indexed.
  const waiting = () => workbench.traces.filter(({ waits }) => waits).map(({ id }) => id);
  expect(waiting()).toEqual(['/c', '/d', '/e']);
  workbench.traces[2]?.pause();
  await expect.poll(() => workbench.traces[2]?.indexing).toBe('paused');
  expect(building).toEqual(['/a', '/b']);
  expect(waiting()).toEqual(['/d', '/e']);
  ends.get('/b')?.();
  await expect.poll(() => building).toEqual(['/a', '/b', '/d']);
  expect(waiting()).toEqual(['/e']);
  ends.get('/a')?.();
  await expect.poll(() => building).toEqual(['/a', '/b', '/d', '/e']);
});

test('keeps the error of one file when the next one opens', async () => {
  const workbench = startWorkbench(engine());
  await Promise.all(['/gone', '/b'].map((path) => workbench.open({ path })));
  expect([paths(workbench), workbench.failure?.path]).toEqual([['/b'], '/gone']);
  await workbench.open({ path: '/c' });
  expect(workbench.failure).toBe(null);
});

test('reports every file that cannot be opened', async () => {
  const workbench = startWorkbench(engine());
  await Promise.all(['/gone', '/b', '/lost'].map((path) => workbench.open({ path })));
  expect(workbench.failure?.message.split('\n')).toEqual([
    '/gone: there is no such file',
    '/lost: there is no such file',
  ]);
  await workbench.open({ path: '/gone' });
  expect(workbench.failure?.message).toBe('/gone: there is no such file');
});

test('keeps a trace open if its image is missing when its format or images change', async () => {
  const gone: string[] = [];
  const workbench = startWorkbench(engine(gone));
  const images = [{ path: '/gone.elf' }];
  await workbench.open({ path: '/b', images });
  gone.push('/gone.elf');
  const trace = workbench.traces[0]!;
  await workbench.setImages(trace, [...images, { path: '/other.elf' }]);
  expect([workbench.traces, workbench.said.text]).toEqual([[trace], '/gone.elf: there is no such file']);

  await workbench.reconsider(trace);
  expect(await workbench.choose({ format: 'byu6' })).toMatchObject({ code: 'missing' });
  expect(workbench.traces).toEqual([trace]);
  expect(workbench.choice?.trace).toBe(trace);
  await workbench.choose(null);

  await workbench.setImages(trace, [{ path: '/other.elf' }]);
  expect(workbench.traces.map(({ source }) => source.images)).toEqual([[{ path: '/other.elf' }]]);
});

test('shows a trace, which a person may use, until it is open again with other images', async () => {
  const { request } = engine();
  const answers: (() => void)[] = [];
  const slow = {
    async request(name: RequestName, args: Partial<Source>) {
      if (name === 'open' && args.images) await new Promise<void>((settle) => answers.push(settle));
      return request(name, args as never);
    },
  };
  const workbench = startWorkbench(slow);
  for (const path of ['/a', '/b', '/c']) await workbench.open({ path });
  const trace = workbench.traces[1];
  if (!trace) throw new Error('three traces are open');
  workbench.activate(trace);
  const done = workbench.setImages(trace, [{ path: '/b.elf' }]);
  await expect.poll(() => answers.length).toBe(1);
  expect([workbench.active, paths(workbench)]).toEqual([trace, ['/a', '/b', '/c']]);
  trace.cursor.jump(77);
  answers[0]?.();
  await done;
  expect(paths(workbench)).toEqual(['/a', '/b', '/c']);
  expect([workbench.active?.source, workbench.active?.cursor.n]).toEqual([
    { path: '/b', images: [{ path: '/b.elf' }] },
    77,
  ]);

  // A trace that a person closes meanwhile stays closed.
  const again = workbench.setImages(workbench.traces[1]!, [{ path: '/other.elf' }]);
  await expect.poll(() => answers.length).toBe(2);
  await workbench.close(workbench.traces[1]!);
  answers[1]?.();
  await again;
  expect(paths(workbench)).toEqual(['/a', '/c']);
});

test('a reload restores the open traces and the active one, without closed ones', async () => {
  const requested = [{ path: '/a' }];
  const before = startWorkbench(engine());
  await before.restore(requested);
  for (const path of ['/b', '/c']) await before.open({ path });
  const [a, b] = before.traces;
  if (!a || !b) throw new Error('two traces are open');
  await before.close(a);
  before.activate(b);
  b.cursor.jump(77);
  before.release();

  const after = startWorkbench(engine());
  await after.restore(requested);
  expect([paths(after), after.active?.source.path, after.active?.cursor.n]).toEqual([['/b', '/c'], '/b', 77]);

  const other = startWorkbench(engine());
  await other.restore([{ path: '/d' }]);
  expect([paths(other), other.active?.source.path]).toEqual([['/b', '/c', '/d'], '/d']);
});

test('does not announce a search result of a trace that is in the background', async () => {
  const found = Promise.withResolvers<unknown>();
  const { request } = engine();
  const slow = (name: RequestName, args: never) => (name === 'find' ? found.promise : request(name, args));
  const workbench = startWorkbench({ request: slow } as unknown as Client);
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

/** The same engine, with one request answered when the test releases it. */
function slowly(name: RequestName) {
  const { request } = engine();
  const waiting: (() => void)[] = [];
  const client = {
    request: async (requested: RequestName, args: object) => {
      if (requested === name) await new Promise<void>((settle) => waiting.push(settle));
      return request(requested, args as never);
    },
  };
  return { client, waiting };
}

test('opens nothing if the user cancels a format before it is tried', async () => {
  const { client, waiting } = slowly('preview');
  const workbench = startWorkbench(client);
  await workbench.open({ path: '/odd' });
  const choosing = workbench.choose({ format: 'byu6' });
  await workbench.choose(null);
  waiting.shift()?.();
  expect([await choosing, paths(workbench)]).toEqual([null, []]);
});

test('uses the last of two answers to a format question and opens the file once', async () => {
  const { client, waiting } = slowly('preview');
  const workbench = startWorkbench(client);
  await workbench.open({ path: '/odd' });
  const both = Promise.all(['byu6', 'byu12'].map((format) => workbench.choose({ format })));
  for (const go of waiting) go();
  await both;
  expect(workbench.traces.map(({ source }) => source.format)).toEqual(['byu12']);
});

test('asks no format question for a trace closed meanwhile, or in place of another question', async () => {
  const { client, waiting } = slowly('detect');
  const workbench = startWorkbench(client);
  const opening = workbench.open({ path: '/a' });
  await expect.poll(() => waiting.length).toBe(1);
  waiting.shift()?.();
  await opening;
  const [a] = workbench.traces;
  if (!a) throw new Error('a trace is open');
  const first = workbench.open({ path: '/odd' });
  const second = workbench.reconsider(a);
  await expect.poll(() => waiting.length).toBe(1);
  waiting.shift()?.();
  await first;
  expect([workbench.choice?.detection.file.path, waiting.length]).toEqual(['/odd', 0]);
  await workbench.choose(null);
  await expect.poll(() => waiting.length).toBe(1);
  await workbench.close(a);
  waiting.shift()?.();
  await second;
  expect(workbench.choice).toBe(null);
});

test('a double click opens a file, or asks about it, once', async () => {
  const workbench = startWorkbench(engine());
  const both = Promise.all([workbench.open({ path: '/odd' }), workbench.open({ path: '/odd' })]);
  await both;
  await workbench.choose(null);
  await workbench.open({ path: '/b' });
  expect([workbench.choice, paths(workbench)]).toEqual([null, ['/b']]);
});

test('stays with a trace chosen, and a record reached, while restored traces are still opening', async () => {
  const before = startWorkbench(engine());
  await before.restore([]);
  for (const path of ['/a', '/b']) await before.open({ path });
  for (const { cursor } of before.traces) cursor.jump(50);
  before.release();
  const { client, waiting } = slowly('open');
  const after = startWorkbench(client);
  const restoring = after.restore([]);
  await expect.poll(() => waiting.length).toBe(1);
  waiting.shift()?.();
  await expect.poll(() => after.traces.length).toBe(1);
  const [a] = after.traces;
  if (!a) throw new Error('a trace is open');
  after.activate(a);
  a.cursor.jump(7);
  await expect.poll(() => waiting.length).toBe(1);
  waiting.shift()?.();
  await restoring;
  expect([after.active?.source.path, ...after.traces.map(({ cursor }) => cursor.n)]).toEqual(['/a', 7, 50]);
});
