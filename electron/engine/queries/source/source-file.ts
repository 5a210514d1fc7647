/** Returns the text of a source file. Only files that the line table of an image names are read, and never written. */
import { open, stat } from 'node:fs/promises';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import type { SourceFile } from '../../../../shared/requests/source/answers.ts';
import { MOST_SOURCE_BYTES } from '../../../../shared/requests/source/source.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { indexesOf } from '../../image/shared-memory.ts';
import type { Image } from '../../image/image.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { findSource, isAbsolute } from './find-source.ts';
import { directoriesOf } from './scopes.ts';

/** Fails with `not-a-source` for a file that no image names. */
export async function sourceFile(
  trace: Trace,
  { file, folders = [], maps = [] }: Omit<Arguments<'sourceFile'>, 'trace'>,
  task: Task,
): Promise<Result<SourceFile>> {
  const image = trace.images.list.find(
    ({ lines }) => lines !== undefined && indexesOf(lines().columns.files, file).length > 0,
  );
  if (image === undefined) return fail('not-a-source', `${file}: no image names this source file, so it is not read`);
  const directories = isAbsolute(file) ? ok([]) : await directoriesOf(image, file, task);
  if (!directories.ok) return directories;
  const places = { folders, maps, compiledIn: directories.value };
  const found = await findSource(file, places, () => task.cancelled());
  if (task.cancelled()) return task.cancel();
  if (!('path' in found)) return ok(found);
  const { path, by, tried } = found;
  try {
    const handle = await open(path, 'r');
    try {
      const { size, mtimeMs } = await handle.stat();
      if (size > MOST_SOURCE_BYTES) return ok({ path, tried, problem: `${path} is too large for a source file.` });
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await handle.read(bytes, 0, size, 0);
      const text = bytes.subarray(0, bytesRead).toString('utf8');
      if (text.includes('\0')) return ok({ path, tried, problem: `${path} is not text.` });
      const built = await modifiedAt(image);
      const newer = built !== undefined && mtimeMs > built ? { newer: { source: mtimeMs, image: built } } : {};
      return ok({ path, by, lines: linesOf(text), tried, ...newer });
    } finally {
      await handle.close();
    }
  } catch (error) {
    return ok({
      path,
      tried,
      problem: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    });
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Milliseconds; undefined if the file is gone. */
async function modifiedAt({ path }: Image): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}
