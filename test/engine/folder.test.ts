import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folder } from '../../electron/engine/open/folder.ts';

describe('folder', () => {
  let root = '';
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'tracebench-folder-'));
    for (const name of ['run-10.trc', 'run-2.trc']) writeFileSync(join(root, name), 'abc');
    writeFileSync(join(root, '.hidden'), '');
    mkdirSync(join(root, 'zoo'));
    symlinkSync(join(root, 'absent'), join(root, 'broken'));
    symlinkSync(join(root, 'zoo'), join(root, 'linked'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('lists folders and then files by name, without hidden ones and broken links', async () => {
    const listed = await folder(root);
    if (!listed.ok) throw new Error(listed.error.message);
    const { path, parent, entries, left } = listed.value;
    expect({ path, parent, left }).toEqual({ path: root, parent: dirname(root), left: 0 });
    expect(entries.map(({ name, isFolder, bytes }) => [name, isFolder, bytes])).toEqual([
      ['linked', true, undefined],
      ['zoo', true, undefined],
      ['run-2.trc', false, 3],
      ['run-10.trc', false, 3],
    ]);
    expect(entries[2]?.path).toBe(join(root, 'run-2.trc'));
  });

  it('has no parent at the root of the file system', async () => {
    const listed = await folder('/');
    expect(listed.ok && 'parent' in listed.value).toBe(false);
  });

  it('says why a folder cannot be listed', async () => {
    const absent = await folder(join(root, 'absent'));
    expect(absent).toMatchObject({ ok: false, error: { code: 'missing' } });
    const file = await folder(join(root, 'run-2.trc'));
    expect(file).toMatchObject({ ok: false, error: { code: 'not-a-folder' } });
  });
});
