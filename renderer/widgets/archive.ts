/** ZIP archives: several files that a browser saves as one. */
import { zipSync } from 'fflate';

export interface ArchivedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Packs files into an archive. The same files and time give the same bytes. */
export function zipOf(files: readonly ArchivedFile[], mtime: Date): Uint8Array {
  return zipSync(Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])), { mtime });
}
