/**
 * Slices of bundles as files that open like any trace, in the folder of the indexes. Beside each is a file that says where its records are in
 * the whole trace, so that the page can show it whenever the slice is open.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { SliceFile } from '../../../shared/requests/bundle/bundles.ts';
import type { SliceFacts } from '../../../shared/requests/bundle/slice-facts.ts';
import { defaultIndexDirectory } from '../index/store/identity.ts';
import { makeFolder, PRIVATE } from '../platform/private-files.ts';
import { removeOldSlices } from './old-slices.ts';
import { noMember, readBundleFile } from './read-bundle.ts';
import { SLICE_OF, SLICES_FOLDER } from './slice-facts.ts';

export async function bundleSlice(
  indexDirectory: string | undefined,
  bundle: string,
  member: string,
): Promise<Result<SliceFile>> {
  const read = await readBundleFile(bundle);
  if (!read.ok) return read;
  const { manifest, members, digest } = read.value;
  const slice = manifest.slices.find((each) => each.member === member);
  const content = members.get(member);
  if (slice === undefined || content === undefined) return noMember(bundle, member);
  const { from, to, stateRecords } = slice;
  const facts: SliceFacts = { bundle: path.resolve(bundle), of: manifest.trace.name, from, to, stateRecords };
  const folder = path.join(indexDirectory ?? defaultIndexDirectory(), SLICES_FOLDER, digest.slice(0, 16));
  const file = path.join(
    folder,
    `${plainName(manifest.trace.name)}.records-${String(from)}-to-${String(to - 1)}${path.extname(member)}`,
  );
  try {
    makeFolder(folder);
    writeWhole(`${file}${SLICE_OF}`, `${JSON.stringify(facts)}\n`);
    if (!existsSync(file)) writeWhole(file, content);
    removeOldSlices(path.dirname(folder));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(
      'unwritable',
      `${folder}: the slice cannot be written there (${why}); make room, or name another --index-dir`,
    );
  }
  const { id: format, options } = manifest.trace.format;
  return ok({ path: file, format, options, slice: facts });
}

/** The name of a trace comes from somebody else: it becomes one that every file system takes. */
function plainName(name: string): string {
  return name
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 80);
}

/** A program that ends meanwhile leaves no half of a file under its name. */
function writeWhole(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, content, { mode: PRIVATE, flag: 'wx' });
  renameSync(draft, file);
}
