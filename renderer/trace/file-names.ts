/** Parts of paths for display, with hidden characters made visible. Use the path itself to open a file. */
import { visible } from '../../shared/base/visible.ts';

/** Returns the file name without its folder. */
export function nameOf(path: string): string {
  return visible(path.split(/[\\/]/).at(-1) ?? path);
}

/** Returns the folder, ending with a separator. */
export function folderOf(path: string): string {
  return visible(path.slice(0, path.length - (path.split(/[\\/]/).at(-1) ?? path).length));
}
