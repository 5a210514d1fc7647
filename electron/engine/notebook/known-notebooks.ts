/**
 * Records the paths of notebooks. There is a small file per notebook in the user's data folder, named by the key of its trace, so that
 * several programs can add entries concurrently. If the records are lost, only notebooks in other folders are no longer found.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder, PRIVATE } from '../platform/private-files.ts';

const FOLDER = 'known-notebooks';

/** Returns recorded paths for the traces whose key is wanted. The files may no longer exist. */
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
    // Unreadable records are treated as missing.
    return [];
  }
}

/** Records the path of a notebook. Returns undefined on success, or else a sentence with the reason. */
export function rememberNotebook(dataDirectory: string, key: string, file: string): string | undefined {
  const name = `${key}.${createHash('sha256').update(file).digest('hex').slice(0, 16)}`;
  const entry = path.join(dataDirectory, FOLDER, name);
  try {
    if (fs.existsSync(entry)) return undefined;
    makeFolder(path.dirname(entry));
    const draft = `${entry}.${String(process.pid)}.unfinished`;
    fs.writeFileSync(draft, file, { mode: PRIVATE });
    fs.renameSync(draft, entry);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${file} cannot be recorded in ${dataDirectory} (${reason}): if you move the trace, move the notebook with it`;
  }
}
