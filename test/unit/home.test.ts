import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { defaultDataDirectory } from '../../electron/engine/notebook/folders.ts';
import { defaultIndexDirectory } from '../../electron/engine/index/store/identity.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.skipIf(process.platform === 'win32').each(['', 'relative'])(
  'HOME %j does not create folders in the working directory',
  (home) => {
    vi.stubEnv('XDG_CACHE_HOME', undefined);
    vi.stubEnv('XDG_DATA_HOME', undefined);
    vi.stubEnv('HOME', home);
    for (const folder of [defaultIndexDirectory(), defaultDataDirectory()]) {
      expect(path.isAbsolute(folder)).toBe(true);
      expect(folder.startsWith(process.cwd())).toBe(false);
    }
  },
);
