/** Recognises ZIP archives. Of files that commands read, only bundles are some. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Returns true if a file begins like a ZIP archive; false also if it cannot be read, which its reader reports. */
export function isArchive(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const head = Buffer.alloc(4);
    readSync(descriptor, head, 0, head.length, 0);
    return head.equals(LOCAL_HEADER);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** `PK` and the number of the header of a member. */
const LOCAL_HEADER = Buffer.from([0x50, 0x4b, 3, 4]);
