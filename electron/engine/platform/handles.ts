/** Names the lack of file handles, which programs otherwise report as files that are missing or cannot be opened. */
import fs from 'node:fs';

/** Returns a sentence if an error means that no file handle is left, else undefined. */
export function handlesProblem(error: unknown): string | undefined {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EMFILE':
      return 'this program has no file handle left; close other traces, or raise the limit (ulimit -n)';
    case 'ENFILE':
      return 'the system has no file handle left; end programs that keep many files open';
    case 'SQLITE_CANTOPEN':
      return probe();
    default:
      return undefined;
  }
}

/** SQLite does not say why it cannot open a file. */
function probe(): string | undefined {
  try {
    fs.closeSync(fs.openSync(process.execPath, 'r'));
    return undefined;
  } catch (error) {
    return handlesProblem(error);
  }
}
