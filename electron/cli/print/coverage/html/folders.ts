/** The folders of source files. A folder with nothing but one folder is shown with it as one. */
import type { FileCode } from '../files.ts';

export interface Folder {
  /** Empty for the root of files without a folder. */
  readonly name: string;
  readonly folders: readonly Folder[];
  readonly files: readonly { readonly name: string; readonly file: FileCode }[];
  /** Files in it and in its folders. */
  readonly all: readonly FileCode[];
}

interface Growing {
  readonly folders: Map<string, Growing>;
  readonly files: { readonly name: string; readonly file: FileCode }[];
}

export function folderTree(files: readonly FileCode[]): readonly Folder[] {
  const root: Growing = { folders: new Map(), files: [] };
  for (const file of files) {
    // An absolute path begins with the folder `/`.
    const parts = file.path.split(/(?<=[/\\])/);
    let at = root;
    for (const part of parts.slice(0, -1)) {
      let next = at.folders.get(part);
      if (next === undefined) at.folders.set(part, (next = { folders: new Map(), files: [] }));
      at = next;
    }
    at.files.push({ name: parts.at(-1)!, file });
  }
  return [...[...root.folders].map(([name, folder]) => folderOf(name, folder)), { ...folderOf('', root), folders: [] }];
}

function folderOf(name: string, { folders, files }: Growing): Folder {
  const [only] = folders;
  if (folders.size === 1 && files.length === 0 && name !== '') return folderOf(`${name}${only![0]}`, only![1]);
  const inner = [...folders].map(([own, folder]) => folderOf(own, folder));
  const all = [...inner.flatMap((folder) => folder.all), ...files.map(({ file }) => file)];
  return { name, folders: inner, files, all };
}
