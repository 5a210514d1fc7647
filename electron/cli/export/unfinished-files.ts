/** Files that get their names together, when all of them are complete. Until then engines ignore them: their names begin with a dot. */
import { rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface UnfinishedFiles {
  /** Returns the temporary name of a file to write. */
  begin(file: string): string;
  /** Writes a file whose content is in memory. */
  write(file: string, text: string): Promise<void>;
  /** Gives all files their names, in the order in which they were begun. */
  publish(): Promise<void>;
  /** Removes the files that have no name yet. Called in any case. */
  discard(): Promise<void>;
}

export function createUnfinishedFiles(): UnfinishedFiles {
  const files = new Map<string, string>();
  // An interrupted program may have to end before the work does.
  const removeAtExit = (): void => {
    for (const temporary of files.values()) rmSync(temporary, { force: true });
  };
  process.on('exit', removeAtExit);
  return {
    begin,
    async write(file, text) {
      await writeFile(begin(file), text, { flag: 'wx' });
    },
    async publish() {
      for (const [file, temporary] of files) {
        await rename(temporary, file);
        files.delete(file);
      }
    },
    async discard() {
      for (const temporary of files.values()) await rm(temporary, { force: true });
      process.off('exit', removeAtExit);
    },
  };

  function begin(file: string): string {
    const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${String(process.pid)}.unfinished`);
    files.set(file, temporary);
    return temporary;
  }
}
