/** Paths as they are shown: nothing in them is hidden. Whoever opens a file takes the path itself. */
import { visible } from '../../shared/base/visible.ts';

/** The name without its folder. */
export function nameOf(path: string): string {
  return visible(path.split(/[\\/]/).at(-1) ?? path);
}

/** The folder, with the separator at its end. */
export function folderOf(path: string): string {
  return visible(path.slice(0, path.length - (path.split(/[\\/]/).at(-1) ?? path).length));
}
