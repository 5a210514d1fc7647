/**
 * Access control for files that a page asks the engine to open.
 *
 * On the desktop a page may open only files that the user named in a dialog, by a drop, in the list of recent files or on the command
 * line, also before an earlier start. On localhost, a server that was started for one trace reads that trace, its images and its folders of sources; any other
 * server, and one that was started with --any-file, reads any path, as a terminal of the same user does.
 */
import { resolve } from 'node:path';

export interface AllowedFiles {
  /** True if the page may open the file with this absolute path. */
  allows(path: string): boolean;
  /** Explains to the user why a file is refused and what to do. */
  readonly advice: string;
  /** Allows a file that the engine offers, such as the program beside a trace; absent if every file is allowed. */
  grant?(path: string): void;
}

export interface GrantedFiles extends AllowedFiles {
  /** Allows a file that the user has just chosen. */
  grant(path: string): void;
}

export function createGrantedFiles(advice = 'choose it in the open dialog'): GrantedFiles {
  const granted = new Set<string>();
  return {
    advice,
    allows: (path) => granted.has(resolve(path)),
    grant: (path) => granted.add(resolve(path)),
  };
}

export const EVERY_FILE: AllowedFiles = { allows: () => true, advice: '' };
