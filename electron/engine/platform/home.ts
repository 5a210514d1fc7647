/** The user's home folder. */
import os from 'node:os';
import path from 'node:path';

/**
 * Returns an absolute path in every environment. HOME may be empty or relative. A user of a container may have neither HOME nor
 * an account; the home folder is then the root, as in Docker.
 */
export function homeDirectory(): string {
  return [os.homedir, () => os.userInfo().homedir].map(orEmpty).find(path.isAbsolute) ?? path.parse(process.cwd()).root;
}

/** Returns an empty text if the system has no account for this user. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
