/**
 * Finds a source file on this computer from its name in a line table: under its own name, by maps, in the compilation directory, and by the
 * longest matching end of its path in folders that a person chose. Nothing outside of these folders is searched or listed.
 */
import { opendir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SourceFile } from '../../../../shared/requests/source/answers.ts';

export interface SourcePlaces {
  readonly folders: readonly string[];
  readonly maps: readonly { readonly from: string; readonly to: string }[];
  /** Directories in which the compiler ran for this file. */
  readonly compiledIn: readonly string[];
}

export type FoundSource =
  | { readonly path: string; readonly by: NonNullable<SourceFile['by']>; readonly tried: readonly string[] }
  | { readonly tried: readonly string[]; readonly problem?: string };

/** Entries of a folder that are looked at, and levels below it. */
const MOST_SEARCHED = 100_000;
const MOST_LEVELS = 16;
/** Folders that hold no sources of a program. */
const NOT_SEARCHED = new Set(['node_modules', '__pycache__']);

export async function findSource(name: string, places: SourcePlaces, cancelled: () => boolean): Promise<FoundSource> {
  const tried: string[] = [];
  const { folders, maps, compiledIn } = places;
  const names = isAbsolute(name) ? [name] : compiledIn.map((folder) => joined(folder, name));
  const candidates = [
    ...(isAbsolute(name) ? [{ at: name, by: 'name' as const, root: undefined }] : []),
    ...maps.flatMap(({ from, to }) =>
      [name, ...names].flatMap((each) => {
        const rest = restOf(each, from);
        return rest === undefined ? [] : [{ at: path.join(to, ...rest), by: 'map' as const, root: to }];
      }),
    ),
    ...(isAbsolute(name) ? [] : names.map((at) => ({ at, by: 'compilation directory' as const, root: undefined }))),
  ];
  for (const { at, by, root } of candidates) {
    const whole = path.normalize(at);
    if (tried.includes(whole)) continue;
    // A name that is relative to nothing known would be read from the folder in which Tracebench was started.
    if (path.isAbsolute(whole) && (root === undefined || (await isInside(whole, root))) && (await isFile(whole)))
      return { path: whole, by, tried };
    tried.push(whole);
  }
  for (const folder of folders) {
    const found = await inFolder(folder, partsOf(names[0] ?? name), cancelled);
    if ('path' in found) return { path: found.path, by: 'folder', tried };
    if (found.problem !== undefined) return { tried, problem: found.problem };
    tried.push(path.join(folder, '…', partsOf(name).at(-1) ?? name));
  }
  return { tried };
}

/** Finds the file whose path ends most like the name. Several that end alike are a problem: none is chosen. */
async function inFolder(
  folder: string,
  parts: readonly string[],
  cancelled: () => boolean,
): Promise<{ readonly path: string } | { readonly problem?: string }> {
  const wanted = parts.at(-1);
  if (wanted === undefined) return {};
  let best: string[] = [];
  let length = 0;
  let left = MOST_SEARCHED;
  const waiting: { readonly at: string; readonly level: number }[] = [{ at: folder, level: 0 }];
  for (let next = waiting.shift(); next !== undefined && left > 0 && !cancelled(); next = waiting.shift()) {
    const { at, level } = next;
    try {
      for await (const entry of await opendir(at)) {
        if (--left <= 0) break;
        const whole = path.join(at, entry.name);
        if (entry.isDirectory()) {
          if (level < MOST_LEVELS && !entry.name.startsWith('.') && !NOT_SEARCHED.has(entry.name))
            waiting.push({ at: whole, level: level + 1 });
        } else if (entry.name === wanted && (await isInside(whole, folder)) && (await isFile(whole))) {
          // The folder itself may be named in the path, so that its own parts count, too.
          const matching = sameEnd(partsOf(whole), parts);
          if (matching > length) [best, length] = [[whole], matching];
          else if (matching === length) best.push(whole);
        }
      }
    } catch {
      // A folder that may not be listed, or has gone, has no file to offer.
    }
  }
  if (best.length === 1) return { path: best[0]! };
  if (best.length > 1)
    return {
      problem: `Several files could be it: ${best.slice(0, 3).join(', ')}. Choose the folder of the right one.`,
    };
  if (left <= 0)
    return { problem: `${folder} has too many files to search all of them. Choose a folder nearer to the source.` };
  return {};
}

/** Returns true if a file is within a folder after all links are followed. */
async function isInside(file: string, folder: string): Promise<boolean> {
  try {
    const [real, root] = await Promise.all([realpath(file), realpath(folder)]);
    const way = path.relative(root, real);
    return way !== '' && !way.startsWith('..') && !path.isAbsolute(way);
  } catch {
    return false;
  }
}

/** Only regular files: a pipe or a device could block the reader for ever. */
async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Returns true for an absolute path of any system. */
export function isAbsolute(name: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(name);
}

function joined(folder: string, name: string): string {
  return `${folder.replace(/[/\\]$/, '')}/${name}`;
}

/** Parts of a path of any system, without `.` and with `..` resolved. */
function partsOf(name: string): readonly string[] {
  const parts: string[] = [];
  for (const part of name.split(/[/\\]+/)) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}

/** Returns the parts of a path after a beginning; undefined if it does not begin so. */
function restOf(name: string, beginning: string): readonly string[] | undefined {
  const [all, first] = [partsOf(name), partsOf(beginning)];
  const rest = all.slice(first.length);
  return isAbsolute(name) === isAbsolute(beginning) && first.every((part, i) => part === all[i]) && !rest.includes('..')
    ? rest
    : undefined;
}

function sameEnd(a: readonly string[], b: readonly string[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  return same;
}
