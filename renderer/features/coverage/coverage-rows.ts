/** The tree of the Coverage pane: folders, files, functions. */
import type { CoveredFunction, Share } from '../../../shared/requests/answers/coverage.ts';
import type { CoverageFiles, CoveredFile } from '../../../shared/requests/source/answers.ts';
import { byName, fileKey, fileName, inFolders, type TreeNode } from '../../widgets/file-tree.ts';

export const ORDERS = ['name', 'share', 'missed', 'count'] as const;
export type Order = (typeof ORDERS)[number];

export interface CoverageRow {
  /** Identity that stays over ranges and orders. */
  readonly key: string;
  readonly kind: 'folder' | 'file' | 'function';
  readonly name: string;
  readonly level: number;
  /** Undefined for functions. */
  readonly isOpen?: boolean;
  /** Lines; of code without debug information, instructions. */
  readonly share: Share;
  readonly what: 'line' | 'instruction';
  readonly instructions: Share;
  readonly branches: Share;
  readonly functions?: Share;
  /** How often the function was entered. */
  readonly count?: number;
  readonly file?: string;
  readonly function?: CoveredFunction;
}

interface Node extends TreeNode<Node> {
  readonly kind: CoverageRow['kind'];
  readonly lines: Share;
  readonly instructions: Share;
  readonly branches: Share;
  readonly functions?: Share;
  readonly count: number;
  readonly file?: string;
  readonly function?: CoveredFunction;
}

export interface TreeChoice {
  readonly order: Order;
  readonly isReversed: boolean;
  /** Files and functions whose name contains it; empty: all. */
  readonly text: string;
  readonly onlyMissed: boolean;
  readonly turned: readonly string[];
}

export function coverageRows({ files, functions }: CoverageFiles, choice: TreeChoice): readonly CoverageRow[] {
  const wanted = choice.text.trim().toLowerCase();
  const ofFile = new Map<string | undefined, CoveredFunction[]>();
  for (const one of functions) {
    const own = ofFile.get(one.file);
    if (own === undefined) ofFile.set(one.file, [one]);
    else own.push(one);
  }
  const shown = files.flatMap((file) => {
    const node = fileNode(file, ofFile.get(file.file) ?? [], wanted, choice.onlyMissed);
    return node === undefined ? [] : [[file.file, node] as const];
  });
  const rows: CoverageRow[] = [];
  const isSearch = wanted !== '';
  const walk = (nodes: readonly Node[], level: number): void => {
    for (const node of sorted(nodes, choice)) {
      // Folders are open at first, files are closed. A search opens all.
      const isOpen = isSearch || (node.kind === 'folder') !== choice.turned.includes(node.key);
      rows.push(rowOf(node, level, isOpen));
      if (isOpen) walk(node.children, level + 1);
    }
  };
  walk(inFolders<Node>(shown, folderNode), 0);
  return rows;
}

function rowOf(node: Node, level: number, isOpen: boolean): CoverageRow {
  const { key, kind, name, lines, instructions, branches, functions, count, file } = node;
  const hasLines = lines.total > 0;
  return {
    key,
    kind,
    name,
    level,
    ...(kind !== 'function' && { isOpen }),
    share: hasLines ? lines : instructions,
    what: hasLines ? 'line' : 'instruction',
    instructions,
    branches,
    ...(functions && { functions }),
    ...(kind === 'function' && { count }),
    ...(file !== undefined && { file }),
    ...(node.function && { function: node.function }),
  };
}

function fileNode(
  { file, lines, instructions, functions, branches }: CoveredFile,
  own: readonly CoveredFunction[],
  wanted: string,
  onlyMissed: boolean,
): Node | undefined {
  const name = fileName(file);
  const isFile = (file ?? name).toLowerCase().includes(wanted);
  const children = own
    .filter(
      (one) =>
        (isFile || one.name.toLowerCase().includes(wanted)) &&
        !(onlyMissed && one.instructions.covered === one.instructions.total),
    )
    .map((one): Node => ({
      key: `${one.address} ${one.name}`,
      kind: 'function',
      name: one.name,
      lines: one.lines,
      instructions: one.instructions,
      branches: one.branches,
      count: one.count,
      ...(file !== undefined && { file }),
      function: one,
      children: [],
    }));
  const isMissed = lines.covered < lines.total || instructions.covered < instructions.total;
  if ((!isFile && children.length === 0) || (onlyMissed && !isMissed)) return undefined;
  return {
    key: fileKey(file),
    kind: 'file',
    name,
    lines,
    instructions,
    branches,
    functions,
    count: 0,
    ...(file !== undefined && { file }),
    children,
  };
}

function folderNode(of: Pick<Node, 'key' | 'name' | 'children'>): Node {
  const sum = (share: (node: Node) => Share | undefined): Share => ({
    covered: of.children.reduce((all, node) => all + (share(node)?.covered ?? 0), 0),
    total: of.children.reduce((all, node) => all + (share(node)?.total ?? 0), 0),
  });
  return {
    ...of,
    kind: 'folder',
    lines: sum(({ lines }) => lines),
    instructions: sum(({ instructions }) => instructions),
    branches: sum(({ branches }) => branches),
    functions: sum(({ functions }) => functions),
    count: 0,
  };
}

function sorted(nodes: readonly Node[], { order, isReversed }: TreeChoice): readonly Node[] {
  const sign = isReversed ? -1 : 1;
  const measure = (node: Node): number => {
    const share = node.lines.total > 0 ? node.lines : node.instructions;
    if (order === 'share') return share.total === 0 ? 1 : share.covered / share.total;
    return order === 'missed' ? share.covered - share.total : -node.count;
  };
  return [...nodes].sort((a, b) => sign * (order === 'name' ? byName(a, b) : measure(a) - measure(b)) || byName(a, b));
}
