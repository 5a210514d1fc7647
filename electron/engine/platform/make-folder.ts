/** Makes a folder and those it lies in, one by one: fs.mkdir's own recursion never ends where a kernel's folder refuses. */
import fs from 'node:fs';
import path from 'node:path';

export function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    // Another program may have been first.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
