/** Makes sample traces for a first look, in a private folder of the cache. */
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { Arguments } from '../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { FIRST_LOOK } from '../../sample/writers/first-look.ts';
import { defaultIndexDirectory } from '../index/store/identity.ts';
import { makeFolder } from '../platform/private-files.ts';

export async function makeSample(
  indexDirectory: string | undefined,
  name: Arguments<'makeSample'>['sample'],
): Promise<Result<{ readonly path: string }>> {
  const { file, ...made } = FIRST_LOOK[name];
  const folder = path.join(indexDirectory ?? defaultIndexDirectory(), 'samples');
  const target = path.join(folder, file);
  if (existsSync(target)) return ok({ path: target });
  makeFolder(folder);
  // Loaded only when a sample is asked for.
  const { sample } = await import('../../sample/sample.ts');
  // A program that ends meanwhile leaves no half of a sample under its name.
  const draft = `${target}.${randomUUID()}`;
  const done = await sample({ ...made, path: draft, locality: 'spread' });
  if (!done.ok) return done;
  renameSync(draft, target);
  return ok({ path: target });
}
