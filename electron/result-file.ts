/**
 * Writes result files atomically: under a temporary name in the same folder, renamed when complete. Replaces ordinary files only
 * (also through links), but never a file that the result is made from, and never a notebook.
 */
import { rmSync } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fail, ok, type Result } from '../shared/base/result.ts';
import { handlesProblem } from './engine/platform/handles.ts';

/** A file that the result is made from. */
export interface FileRead {
  readonly path: string;
  /** Completes `this is ...`. */
  readonly what: string;
}

/**
 * `write` gets the temporary name and writes the file. If it fails or throws, nothing is left. Fails with `unwritable` or as
 * `write` does.
 */
export async function writeWholeFile<T>(
  file: string,
  write: (unfinished: string) => Promise<Result<T>>,
  from: readonly FileRead[] = [],
): Promise<Result<T>> {
  const place = await resultPlace(file, from);
  if (!place.ok) return place;
  const unfinished = `${place.value}.${String(process.pid)}.unfinished`;
  // An interrupted program may have to end before the work does.
  const removeAtExit = (): void => {
    rmSync(unfinished, { force: true });
  };
  process.on('exit', removeAtExit);
  try {
    const made = await write(unfinished);
    if (made.ok) await rename(unfinished, place.value);
    else await rm(unfinished, { force: true });
    return made;
  } catch (error) {
    await rm(unfinished, { force: true });
    return fail('unwritable', `${file}: ${unwritable(error)}`);
  } finally {
    process.off('exit', removeAtExit);
  }
}

/** Returns the path of the file that a result named `file` would replace or create. Fails with `unwritable` if it must not or cannot be written. */
export async function resultPlace(file: string, from: readonly FileRead[] = []): Promise<Result<string>> {
  try {
    const found = await stat(file, { bigint: true });
    // A rename would replace a device or a pipe by an ordinary file.
    if (!found.isFile()) {
      return fail('unwritable', `${file}: this is not an ordinary file; name one, or one that does not exist yet`);
    }
    for (const one of from) {
      if (await leadsTo(one.path, found)) {
        return fail('unwritable', `${file}: this is ${one.what}, which is never written to; name another file`);
      }
    }
    const { peek } = await import('./engine/notebook/peek.ts');
    if (peek(file).kind === 'notebook') {
      return fail('unwritable', `${file}: this is a notebook, and the notes in it would be lost; name another file`);
    }
    return ok(await realpath(file));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return fail('unwritable', `${file}: ${unwritable(error)}`);
  }
  try {
    await stat(path.dirname(file));
    return ok(file);
  } catch (error) {
    return fail('unwritable', `${file}: ${unwritable(error)}`);
  }
}

async function leadsTo(file: string, { dev, ino }: { readonly dev: bigint; readonly ino: bigint }): Promise<boolean> {
  try {
    const found = await stat(file, { bigint: true });
    return found.dev === dev && found.ino === ino;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Returns why a file cannot be written, and what to do. */
export function unwritable(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full; free some room or ask for less';
    case 'EFBIG':
      return 'the file would become larger than it may be; ask for less';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'this place cannot be written to; choose another';
    case 'ENOENT':
    case 'ENOTDIR':
      return 'the folder does not exist; create it or choose another';
    case 'EMFILE':
    case 'ENFILE':
      return handlesProblem(error) ?? '';
    default:
      return `the file cannot be written (${error instanceof Error ? error.message : String(error)}); choose another place`;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
