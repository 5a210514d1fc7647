// Recent traces and settings: private files that may be damaged, written by several programs at once.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetTrace, keepSettings, keepTrace, kept } from '../../electron/engine/kept/kept.ts';
import { MOST_KEPT } from '../../shared/requests/kept.ts';

let folder: string;
let state: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-kept-')));
  state = path.join(folder, 'state', 'tracebench');
  let now = 1_000_000;
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 1));
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true, force: true });
});

function makeTrace(name: string): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, name);
  return file;
}

/** Files about traces. */
function files(): readonly string[] {
  return fs.readdirSync(path.join(state, 'traces')).map((name) => path.join(state, 'traces', name));
}

async function paths(): Promise<readonly string[]> {
  return (await kept(state, undefined)).traces.map((trace) => path.basename(trace.path));
}

describe('kept traces', () => {
  it('start empty, without making a folder', async () => {
    expect(await kept(state, undefined)).toEqual({ settings: {}, traces: [], problems: [] });
    expect(fs.existsSync(state)).toBe(false);
  });

  it('have their images and view, the newest first', async () => {
    const [a, b] = [makeTrace('a'), makeTrace('b')];
    const images = [{ path: '/program.elf', base: '0x8000' }] as const;
    await keepTrace(state, { path: a, images, format: 'byu6', options: { endian: 'big' }, view: '{"n":5}' });
    await keepTrace(state, { path: b });
    fs.utimesSync(a, 5, 5);
    await keepTrace(state, { path: a, images, view: '{"n":6}' });
    const { traces } = await kept(state, undefined);
    expect(traces).toMatchObject([{ path: a, images, view: '{"n":6}', bytes: 1, modified: 5000 }, { path: b }]);
    expect(traces[0]).not.toHaveProperty('format');
  });

  it('are found by every path of their file', async () => {
    const a = makeTrace('a');
    const link = path.join(folder, 'link');
    fs.symlinkSync(a, link);
    await keepTrace(state, { path: link, view: '{"n":5}' });
    expect((await kept(state, a)).traces).toMatchObject([{ path: a, view: '{"n":5}' }]);
    // The link now leads to another file, which was never left.
    fs.rmSync(link);
    fs.symlinkSync(makeTrace('b'), link);
    expect((await kept(state, link)).traces).toEqual([]);
    expect(await paths()).toEqual([]);
  });

  it('say if their file changed or is gone', async () => {
    const [same, changed, missing] = [makeTrace('same'), makeTrace('changed'), makeTrace('missing')];
    for (const trace of [same, changed, missing]) await keepTrace(state, { path: trace });
    fs.appendFileSync(changed, 'more');
    fs.rmSync(missing);
    const { traces } = await kept(state, undefined);
    expect(new Map(traces.map((trace) => [trace.path, trace.state]))).toEqual(
      new Map([
        [same, 'same'],
        [changed, 'changed'],
        [missing, 'missing'],
      ]),
    );
    expect(await keepTrace(state, { path: missing })).toMatchObject({ ok: false, error: { code: 'missing' } });
    await forgetTrace(state, missing);
    await forgetTrace(state, same);
    expect(await paths()).toEqual(['changed']);
  });

  it('are private', async () => {
    await keepTrace(state, { path: makeTrace('a') });
    await keepSettings(state, { theme: 'dark' });
    const modes = [state, path.join(state, 'traces'), path.join(state, 'settings.json'), ...files()].map((file) =>
      (fs.statSync(file).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['700', '700', '600', '600']);
  });

  it('are the newest ones only', async () => {
    const all = Array.from({ length: MOST_KEPT + 3 }, (_, i) => makeTrace(`trace-${i}`));
    for (const [i, trace] of all.entries()) {
      await keepTrace(state, { path: trace });
      for (const file of files()) if (fs.statSync(file).mtimeMs > 1e6) fs.utimesSync(file, i, i);
    }
    expect(files()).toHaveLength(MOST_KEPT);
    expect([await paths()].flat().includes('trace-2')).toBe(false);
    expect([await paths()].flat().includes('trace-3')).toBe(true);
  });

  it('survive programs that write at the same time, and the last one wins', async () => {
    const a = makeTrace('a');
    const views = Array.from({ length: 20 }, (_, n) => `{"n":${n}}`);
    await Promise.all(views.map((view) => keepTrace(state, { path: a, view })));
    const [left] = (await kept(state, a)).traces;
    expect(views).toContain(left?.view);
    expect(files()).toHaveLength(1);
    await keepTrace(state, { path: a, view: '{"n":99}' });
    expect((await kept(state, a)).traces[0]?.view).toBe('{"n":99}');
  });

  it.each([
    ['cut off', '{"version":1,"path":"/a', 'it is not JSON'],
    ['of another version', '{"version":2}', 'its content is not what Tracebench writes'],
    [
      'without a path',
      '{"version":1,"trace":{"bytes":1,"modified":1,"at":1}}',
      'its content is not what Tracebench writes',
    ],
    ['too large', ' '.repeat((1 << 20) + 1), 'it is too large'],
  ])('report a file that is %s once', async (_, content, reason) => {
    const [a, b] = [makeTrace('a'), makeTrace('b')];
    await keepTrace(state, { path: a });
    const [file = ''] = files();
    await keepTrace(state, { path: b });
    fs.writeFileSync(file, content);
    const first = await kept(state, undefined);
    expect(first.problems).toEqual([`${file} cannot be used (${reason}), so its trace opens at the start`]);
    expect(first.traces.map((trace) => trace.path)).toEqual([b]);
    expect((await kept(state, undefined)).problems).toEqual([]);
    // The trace can be kept again.
    await keepTrace(state, { path: a });
    expect(await paths()).toHaveLength(2);
  });

  it('fail in a sentence if the folder cannot be written to', async () => {
    const file = makeTrace('file');
    expect(await keepTrace(path.join(file, 'state'), { path: file })).toMatchObject({
      ok: false,
      error: { code: 'not-kept', message: expect.stringContaining('so nothing is kept for the next start') as string },
    });
  });
});

describe('kept settings', () => {
  it('change one by one, also at the same time', async () => {
    await Promise.all([
      keepSettings(state, { theme: 'light' }),
      keepSettings(state, { singleKeys: false }),
      keepSettings(state, { tourSeen: true }),
    ]);
    await keepSettings(state, { theme: 'dark' });
    expect((await kept(state, undefined)).settings).toEqual({ theme: 'dark', singleKeys: false, tourSeen: true });
  });

  it('have their defaults if the file is damaged, which is reported once', async () => {
    await keepSettings(state, { theme: 'light' });
    fs.writeFileSync(path.join(state, 'settings.json'), '{"version":1,"settings":{"theme":"purple"}}');
    const { settings, problems } = await kept(state, undefined);
    expect([settings, problems.length]).toEqual([{}, 1]);
    expect(problems[0]).toContain('so settings have their defaults');
    expect((await kept(state, undefined)).problems).toEqual([]);
    await keepSettings(state, { singleKeys: true });
    expect((await kept(state, undefined)).settings).toEqual({ singleKeys: true });
  });
});
