/** Makes a folder with its parents, one by one: the recursion of fs.mkdir never ends in a kernel folder (/proc) that refuses. */
import fs from 'node:fs';
import path from 'node:path';

export function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    // Another program may have made it meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
