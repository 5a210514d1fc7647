/**
 * Access control for files that a page asks the engine to open.
 *
 * On the desktop a page may open only files that the user named in a dialog, by a drop, in the list of recent files or on the command
 * line. On localhost every holder of the token may name any path, as in a terminal of the same user.
 */
import { resolve } from 'node:path';

export interface AllowedFiles {
  /** True if the page may open the file with this absolute path. */
  allows(path: string): boolean;
  /** Allows a file that the engine offers, such as the program beside a trace; absent if every file is allowed. */
  grant?(path: string): void;
}

export interface GrantedFiles extends AllowedFiles {
  /** Allows a file that the user has just chosen. */
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
