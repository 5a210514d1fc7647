/** The tree of the Coverage pane: folders, files, functions. Folders with one folder in them share a row. */
import type { CoveredFunction, Share } from '../../../shared/requests/answers/coverage.ts';
import type { CoverageFiles, CoveredFile } from '../../../shared/requests/source/answers.ts';

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

interface Node {
  readonly key: string;
  readonly kind: CoverageRow['kind'];
  readonly name: string;
  readonly lines: Share;
  readonly instructions: Share;
  readonly branches: Share;
  readonly functions?: Share;
  readonly count: number;
  readonly file?: string;
  readonly function?: CoveredFunction;
  readonly children: Node[];
}

export interface TreeChoice {
  readonly order: Order;
  readonly isReversed: boolean;
  /** Files and functions whose name contains it; empty: all. */
  readonly text: string;
  readonly onlyMissed: boolean;
  readonly turned: readonly string[];
}

export const NO_SOURCE = 'Code without debug information';

export function coverageRows({ files, functions }: CoverageFiles, choice: TreeChoice): readonly CoverageRow[] {
  const wanted = choice.text.trim().toLowerCase();
  const ofFile = new Map<string | undefined, CoveredFunction[]>();
  for (const one of functions) {
    const own = ofFile.get(one.file);
    if (own === undefined) ofFile.set(one.file, [one]);
    else own.push(one);
  }
  const top: Node[] = [];
  for (const file of files) {
    const node = fileNode(file, ofFile.get(file.file) ?? [], wanted, choice.onlyMissed);
    if (node !== undefined) insert(top, node, partsOf(file.file));
  }
  const rows: CoverageRow[] = [];
  const isSearch = wanted !== '';
  const walk = (nodes: readonly Node[], level: number): void => {
    for (const node of sorted(nodes, choice)) {
      const joined = joinedFolders(node);
      // Folders are open at first, files are closed. A search opens all.
      const isOpen = isSearch || (joined.kind === 'folder') !== choice.turned.includes(joined.key);
      rows.push(rowOf(joined, level, isOpen));
      if (isOpen) walk(joined.children, level + 1);
    }
  };
  walk(top, 0);
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
  const name = file === undefined ? NO_SOURCE : (partsOf(file).at(-1) ?? file);
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
    key: `file ${file ?? ''}`,
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

function partsOf(file: string | undefined): readonly string[] {
  return file === undefined ? [NO_SOURCE] : file.split(/[/\\]+/).filter((part) => part !== '' && part !== '.');
}

/** Puts a file into its folders, and adds its shares to theirs. */
function insert(top: Node[], node: Node, parts: readonly string[]): void {
  let list = top;
  let path = '';
  for (const part of parts.slice(0, -1)) {
    path += `${part}/`;
    const key = `folder ${path}`;
    const at = list.findIndex((other) => other.key === key);
    const before = at < 0 ? undefined : list[at];
    const folder: Node = {
      key,
      kind: 'folder',
      name: part,
      lines: sum(before?.lines, node.lines),
      instructions: sum(before?.instructions, node.instructions),
      branches: sum(before?.branches, node.branches),
      functions: sum(before?.functions, node.functions),
      count: 0,
      children: before?.children ?? [],
    };
    if (at < 0) list.push(folder);
    else list[at] = folder;
    list = folder.children;
  }
  list.push(node);
}

function sum(a: Share | undefined, b: Share | undefined): Share {
  return { covered: (a?.covered ?? 0) + (b?.covered ?? 0), total: (a?.total ?? 0) + (b?.total ?? 0) };
}

/** Returns a folder whose only content is a folder as one node. */
function joinedFolders(node: Node): Node {
  const [only] = node.children;
  if (node.kind !== 'folder' || node.children.length !== 1 || only?.kind !== 'folder') return node;
  const inner = joinedFolders(only);
  return { ...inner, name: `${node.name}/${inner.name}` };
}

function sorted(nodes: readonly Node[], { order, isReversed }: TreeChoice): readonly Node[] {
  const sign = isReversed ? -1 : 1;
  const byName = (a: Node, b: Node): number =>
    Number(a.name === NO_SOURCE) - Number(b.name === NO_SOURCE) || NAMES.compare(a.name, b.name);
  const measure = (node: Node): number => {
    const share = node.lines.total > 0 ? node.lines : node.instructions;
    if (order === 'share') return share.total === 0 ? 1 : share.covered / share.total;
    return order === 'missed' ? share.covered - share.total : -node.count;
  };
  return [...nodes].sort((a, b) => sign * (order === 'name' ? byName(a, b) : measure(a) - measure(b)) || byName(a, b));
}

const NAMES = new Intl.Collator('en', { numeric: true });
