/** Source files in their folders. A folder whose only content is a folder shares a row with it. */

export interface TreeNode<Node> {
  /** Identity that stays over ranges and orders. */
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly children: readonly Node[];
}

/** Name of the node for code whose source file is unknown. */
export const NO_SOURCE = 'Code without debug information';

/** Key of the node of a file. */
export function fileKey(file: string | undefined): string {
  return `file ${file ?? ''}`;
}

/** Name of a file without its folders. */
export function fileName(file: string | undefined): string {
  return file === undefined ? NO_SOURCE : (partsOf(file).at(-1) ?? file);
}

/**
 * Returns the nodes of files in their folders.
 * @param folder makes the node of a folder, which sums its children; its kind is `folder`
 */
export function inFolders<Node extends TreeNode<Node>>(
  files: readonly (readonly [file: string | undefined, node: Node])[],
  folder: (of: { readonly key: string; readonly name: string; readonly children: readonly Node[] }) => Node,
): readonly Node[] {
  const level = (own: readonly Placed<Node>[], depth: number, path: string): readonly Node[] => {
    const isFile = ({ parts }: Placed<Node>): boolean => parts.length <= depth + 1;
    const folders = Map.groupBy(
      own.filter((one) => !isFile(one)),
      ({ parts }) => parts[depth]!,
    );
    return [
      ...[...folders].map(([name, within]) => {
        const children = level(within, depth + 1, `${path}${name}/`);
        const [only] = children;
        return children.length === 1 && only?.kind === 'folder'
          ? { ...only, name: `${name}/${only.name}` }
          : folder({ key: `folder ${path}${name}/`, name, children });
      }),
      ...own.filter(isFile).map(({ node }) => node),
    ];
  };
  return level(
    files.map(([file, node]) => ({ parts: file === undefined ? [NO_SOURCE] : partsOf(file), node })),
    0,
    '',
  );
}

interface Placed<Node> {
  readonly parts: readonly string[];
  readonly node: Node;
}

/** Compares two nodes by name. Code without a source is last. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return Number(a.name === NO_SOURCE) - Number(b.name === NO_SOURCE) || NAMES.compare(a.name, b.name);
}

/** Keys of nodes that a person opened or closed are kept up to this number. */
export const MOST_TURNED = 200;

/** Returns a list with a key added, or removed if it is there. */
export function turn(turned: readonly string[], key: string): readonly string[] {
  return turned.includes(key) ? turned.filter((other) => other !== key) : [...turned, key].slice(-MOST_TURNED);
}

function partsOf(file: string): readonly string[] {
  return file.split(/[/\\]+/).filter((part) => part !== '' && part !== '.');
}

const NAMES = new Intl.Collator('en', { numeric: true });
