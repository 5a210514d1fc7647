/**
 * Which files a page may have opened: those that the person handed to the program, by path.
 * On the desktop that is what a dialog, a drop, the recent list or the command line named. On localhost a path typed by
 * whoever has the token is such a gesture, as it would be in a terminal of the same user.
 */
import { resolve } from 'node:path';

export interface AllowedFiles {
  /** True when the person opened the file with this absolute path. */
  allows(path: string): boolean;
}

export interface GrantedFiles extends AllowedFiles {
  /** Makes a file readable that the person just chose. */
  grant(path: string): void;
}

export function createGrantedFiles(): GrantedFiles {
  const granted = new Set<string>();
  return {
    allows: (path) => granted.has(resolve(path)),
    grant: (path) => granted.add(resolve(path)),
  };
}

export const EVERY_FILE: AllowedFiles = { allows: () => true };
