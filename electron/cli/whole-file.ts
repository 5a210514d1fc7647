/** Writes a result file so that it is there whole or not at all, whatever happens meanwhile. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { fail, ok } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';

export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
}

export async function writeWholeFile(
  path: string,
  data: Uint8Array,
  signal: AbortSignal,
): Promise<Result<WrittenFile>> {
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await writeFile(unfinished, data, { signal, flag: 'wx' });
    await rename(unfinished, path);
    return ok({ path, bytes: data.length });
  } catch (error) {
    await rm(unfinished, { force: true });
    if (signal.aborted) return fail('cancelled', 'Interrupted.');
    return fail(
      'output',
      `${path}: the result cannot be written there: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
