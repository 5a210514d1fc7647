/** Lists a folder, so that a page can offer its files. Nothing is opened. */
import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';
import { MOST_ENTRIES, type Folder, type FolderEntry } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';

/** Number of entries whose sizes are read at a time. */
const AT_ONCE = 64;

export async function folder(given: string): Promise<Result<Folder>> {
  const whole = path.resolve(given);
  const names: string[] = [];
  let left = 0;
  try {
    for await (const { name } of await opendir(whole)) {
      if (name.startsWith('.')) continue;
      if (names.length < MOST_ENTRIES) names.push(name);
      else left++;
    }
  } catch (problem) {
    return fail(...reasonOf(whole, problem as NodeJS.ErrnoException));
  }
  const entries: FolderEntry[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const part = names.slice(from, from + AT_ONCE).map((name) => entryOf(whole, name));
    entries.push(...(await Promise.all(part)).filter((entry) => entry !== undefined));
  }
  // `run-2` comes before `run-10`. Made here, because loading the rules of a language takes several milliseconds.
  const order = new Intl.Collator('en', { numeric: true });
  entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || order.compare(a.name, b.name));
  const parent = path.dirname(whole);
  return ok({ path: whole, ...(parent !== whole && { parent }), entries, left });
}

/** Returns undefined for what is neither a folder nor a regular file, and for links that lead nowhere. */
async function entryOf(whole: string, name: string): Promise<FolderEntry | undefined> {
  const own = path.join(whole, name);
  try {
    const facts = await stat(own);
    if (facts.isDirectory()) return { name, path: own, isFolder: true };
    if (!facts.isFile()) return undefined;
    return { name, path: own, isFolder: false, bytes: facts.size, modified: facts.mtimeMs };
  } catch {
    // It was deleted meanwhile, or may not be looked at: there is nothing that could be opened.
    return undefined;
  }
}

function reasonOf(whole: string, { code, message }: NodeJS.ErrnoException): [string, string] {
  if (code === 'ENOENT') return ['missing', `${whole}: there is no such folder; check the path`];
  if (code === 'ENOTDIR') return ['not-a-folder', `${whole} is a file, not a folder; open it as a trace`];
  if (code === 'EACCES' || code === 'EPERM') return ['permission', `${whole} may not be listed; check its permissions`];
  return ['io', `${whole} cannot be listed: ${message}`];
}
