/**
 * Slices of bundles are written when somebody opens them, and can be written again: those of a bundle that nobody opened for a month are
 * removed when a slice of another bundle is written. The file beside a slice has the time of its last opening.
 */
import { readdirSync, rmdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { KEPT_DAYS } from '../index/store/identity.ts';
import { SLICE_OF } from './slice-facts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A draft of a program that ended while it wrote a slice. */
const DRAFT = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Marks a slice as opened now. Does nothing if the file beside it may not be changed. */
export function markSliceOpened(slice: string): void {
  try {
    utimesSync(`${slice}${SLICE_OF}`, new Date(), new Date());
  } catch {
    // The folder of the indexes may be read-only.
  }
}

/**
 * Removes the folders of bundles that have old slices only. A folder with any other file, such as the notebook of a slice, stays. A program
 * that has a slice open keeps its content: POSIX keeps open files, and Windows refuses to remove them.
 * @param folder with a folder for each bundle
 */
export function removeOldSlices(folder: string): void {
  const oldest = Date.now() - KEPT_DAYS * DAY_MS;
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const place = path.join(folder, name);
    try {
      const files = readdirSync(place).map((file) => path.join(place, file));
      const isOld =
        files.length > 0 && files.every((file) => isOfSlice(file, files) && statSync(file).mtimeMs < oldest);
      if (!isOld) continue;
      // A slice is never without the file that says where its records are.
      for (const file of files.toSorted((a, b) => Number(a.endsWith(SLICE_OF)) - Number(b.endsWith(SLICE_OF))))
        rmSync(file);
      // Fails if somebody has written another file meanwhile.
      rmdirSync(place);
    } catch {
      // Another program may have removed it meanwhile, or may have a slice open.
    }
  }
}

function isOfSlice(file: string, files: readonly string[]): boolean {
  return file.endsWith(SLICE_OF) || files.includes(`${file}${SLICE_OF}`) || DRAFT.test(file);
}
