/** Reads the source files that an image names, where this machine has them. */
import { open, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ImageFacts } from '../../../shared/requests/requests.ts';

/** Lines of a source file. */
export type Sources = ReadonlyMap<string, readonly string[]>;

export interface SourcesRead {
  readonly sources: Sources;
  /** Sentences about files that are newer than the image. */
  readonly notes: readonly string[];
}

/** Longer files are no source code that a person reads. */
const MOST_BYTES = 8 << 20;

/**
 * Reads each file at its path, or else the one with the longest suffix of its path in the folder. Files that are not there, and those that
 * are not ordinary files, are left out.
 */
export async function readSources(
  paths: readonly string[],
  folder: string | undefined,
  images: readonly ImageFacts[],
): Promise<SourcesRead> {
  const sources = new Map<string, readonly string[]>();
  const newer: string[] = [];
  const built = await builtAt(images);
  for (const path of paths) {
    for (const place of placesOf(path, folder)) {
      const found = await read(place);
      if (found === undefined) continue;
      sources.set(path, found.lines);
      if (built !== undefined && found.changed > built.time) newer.push(place);
      break;
    }
  }
  const [first] = newer;
  if (first === undefined || built === undefined) return { sources, notes: [] };
  const others = newer.length > 1 ? ` and ${newer.length - 1} more` : '';
  const are = newer.length > 1 ? 'are' : 'is';
  return { sources, notes: [`${first}${others} ${are} newer than ${built.name}: lines may not be those that ran.`] };
}

/** The path itself, then its suffixes in the folder, the longest first. */
function placesOf(path: string, folder: string | undefined): readonly string[] {
  if (folder === undefined) return [path];
  const parts = path.split(/[/\\]+/).filter((part) => part !== '' && part !== '.' && part !== '..');
  return [path, ...parts.map((_, at) => join(folder, ...parts.slice(at)))];
}

async function read(
  place: string,
): Promise<{ readonly lines: readonly string[]; readonly changed: number } | undefined> {
  try {
    // A pipe or a device may never end.
    const facts = await stat(place);
    if (!facts.isFile() || facts.size > MOST_BYTES) return undefined;
    const file = await open(place);
    try {
      const text = await file.readFile('utf8');
      const lines = text.split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      return { lines, changed: facts.mtimeMs };
    } finally {
      await file.close();
    }
  } catch {
    // The image names paths of the machine that it was built on: most are not here, and the page says which.
    return undefined;
  }
}

/** When the newest of the images was written. */
async function builtAt(
  images: readonly ImageFacts[],
): Promise<{ readonly name: string; readonly time: number } | undefined> {
  let newest: { readonly name: string; readonly time: number } | undefined;
  for (const { path } of images) {
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && (newest === undefined || facts.mtimeMs > newest.time))
      newest = { name: basename(path), time: facts.mtimeMs };
  }
  return newest;
}
