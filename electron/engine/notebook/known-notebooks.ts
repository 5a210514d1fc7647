/**
 * Where were notebooks seen? A small file for each, under the key of its trace in the user's data folder, so that any
 * number of programs can add theirs. All of it may be lost: then only notebooks that lie elsewhere are not found again.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../platform/make-folder.ts';

const FOLDER = 'known-notebooks';

/** Paths, for traces whose key is wanted, that may have gone meanwhile. */
export function knownNotebooks(dataDirectory: string, wanted: (key: string) => boolean): readonly string[] {
  const folder = path.join(dataDirectory, FOLDER);
  if (!fs.existsSync(folder)) return [];
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => /^\d+-[0-9a-f]{32}\.[0-9a-f]{16}$/.test(name) && wanted(name.slice(0, -17)))
      .sort()
      .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))
      .filter((file) => path.isAbsolute(file) && !file.includes('\0'));
  } catch {
    // A list that cannot be read is as good as lost.
    return [];
  }
}

/** Why it could not be noted, as a sentence; undefined when it is. */
export function rememberNotebook(dataDirectory: string, key: string, file: string): string | undefined {
  const name = `${key}.${createHash('sha256').update(file).digest('hex').slice(0, 16)}`;
  const entry = path.join(dataDirectory, FOLDER, name);
  try {
    if (fs.existsSync(entry)) return undefined;
    makeFolder(path.dirname(entry));
    const draft = `${entry}.${String(process.pid)}.unfinished`;
    fs.writeFileSync(draft, file);
    fs.renameSync(draft, entry);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${file} cannot be noted in ${dataDirectory} (${reason}): when the trace moves, move it along`;
  }
}
