/** The folder in which a person's other folders lie, as an absolute path, whatever the environment says. */
import os from 'node:os';
import path from 'node:path';

/** HOME may be empty or relative, and a user of a container has neither HOME nor an account: there it is the root, as Docker has it. */
export function homeDirectory(): string {
  return [os.homedir, () => os.userInfo().homedir].map(asked).find(path.isAbsolute) ?? path.parse(process.cwd()).root;
}

function asked(ask: () => string): string {
  try {
    return ask();
  } catch {
    // The system knows no account of this user.
    return '';
  }
}
