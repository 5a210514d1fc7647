/** Sample traces for a first look, in a private folder of the cache. They are the same bytes each time. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Arguments } from '../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { defaultIndexDirectory } from '../index/store/identity.ts';
import { makeFolder } from '../platform/private-files.ts';

const MADE = {
  'who-wrote-this': { format: 'tarmac', file: 'who-wrote-this.tarmac', size: 4_000_000, seed: 7 },
  'follow-the-calls': { format: 'brstack', file: 'follow-the-calls.txt', size: 3_000_000, seed: 3 },
  'pentium-bus': { format: 'byu6', file: 'pentium-bus.byu', size: 3_000_000, seed: 5 },
} as const;

export async function makeSample(
  indexDirectory: string | undefined,
  name: Arguments<'makeSample'>['sample'],
): Promise<Result<{ readonly path: string }>> {
  const { file, ...made } = MADE[name];
  const folder = path.join(indexDirectory ?? defaultIndexDirectory(), 'samples');
  const target = path.join(folder, file);
  if (existsSync(target)) return ok({ path: target });
  makeFolder(folder);
  // Loaded only when a sample is asked for.
  const { sample } = await import('../../sample/sample.ts');
  const done = await sample({ ...made, path: target, locality: 'spread' });
  return done.ok ? ok({ path: target }) : done;
}
