/** Folder for temporary files of one engine. It is removed when the engine ends, also if its program is made to end in the middle. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface Scratch {
  /** Path of the folder, which nobody can guess. It is made by its first user. */
  readonly folder: string;
  remove(): void;
}

export function createScratch(): Scratch {
  const folder = path.join(os.tmpdir(), `tracebench-${randomUUID()}`);
  inUse.add(folder);
  return {
    folder,
    remove() {
      removeFolder(folder);
      inUse.delete(folder);
    },
  };
}

const inUse = new Set<string>();

process.on('exit', () => {
  for (const folder of inUse) removeFolder(folder);
});

/** The engine thread may still write into the folder, hence the retries. */
function removeFolder(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
