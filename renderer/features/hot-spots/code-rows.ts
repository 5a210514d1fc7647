/** The tree of the code by its cost: folders, files, functions, lines, instructions. */
import type { CodeCosts, FunctionCost, LineCostIn } from '../../../shared/requests/answers/code-costs.ts';
import type { Hex } from '../../../shared/base/units.ts';
import { byName, fileKey, fileName, inFolders, type TreeNode } from '../../widgets/file-tree.ts';

export const CODE_ORDERS = ['self', 'count', 'name'] as const;
export type CodeOrder = (typeof CODE_ORDERS)[number];

interface Node extends TreeNode<Node> {
  readonly kind: 'folder' | 'file' | 'function' | 'line' | 'instruction';
  /** Cost of its instructions that ran. */
  readonly self: number;
  /** How often a function was entered, or an instruction ran; of a line, the instruction that ran most. Undefined for files. */
  readonly count?: number;
  readonly file?: string;
  readonly line?: number;
  readonly address?: Hex;
  /** The function itself, or the one that the line or instruction is in. */
  readonly function?: FunctionCost;
  /** Lines and instructions are ranked by it, not by their names. */
  readonly place: number;
}

export interface CodeRow extends Omit<Node, 'children'> {
  readonly level: number;
  /** Undefined for instructions. */
  readonly isOpen?: boolean;
}

export interface CodeChoice {
  readonly order: CodeOrder;
  readonly isReversed: boolean;
  /** Files and functions whose name contains it; empty: all. */
  readonly text: string;
  /** Keys of folders that are closed, and of other rows that are open. */
  readonly turned: readonly string[];
}

const FUNCTION_KEY = 'function ';

/** Returns the addresses of the functions that are open: the question about costs returns their lines. */
export function openedFunctions(turned: readonly string[]): readonly Hex[] {
  return turned.flatMap((key) => (key.startsWith(FUNCTION_KEY) ? [key.slice(FUNCTION_KEY.length) as Hex] : []));
}

export function codeRows({ functions, opened }: CodeCosts, choice: CodeChoice): readonly CodeRow[] {
  const wanted = choice.text.trim().toLowerCase();
  const lines = new Map(opened.map((one) => [one.address, one.lines]));
  const files = [...Map.groupBy(functions, ({ file }) => file)].flatMap(([file, own]) => {
    const isFile = (file ?? fileName(file)).toLowerCase().includes(wanted);
    const shown = own.filter(({ name }) => isFile || name.toLowerCase().includes(wanted));
    return shown.length === 0 ? [] : [[file, fileNode(file, shown, lines)] as const];
  });
  const rows: CodeRow[] = [];
  const isSearch = wanted !== '';
  const walk = (nodes: readonly Node[], level: number): void => {
    for (const node of sorted(nodes, choice)) {
      const { children, ...row } = node;
      // Folders are open at first, all others are closed. A search opens folders and files.
      const isOpen =
        (isSearch && (node.kind === 'folder' || node.kind === 'file')) ||
        (node.kind === 'folder') !== choice.turned.includes(node.key);
      rows.push({ ...row, level, ...(node.kind !== 'instruction' && { isOpen }) });
      if (isOpen) walk(children, level + 1);
    }
  };
  walk(inFolders<Node>(files, folderNode), 0);
  return rows;
}

function folderNode(of: Pick<Node, 'key' | 'name' | 'children'>): Node {
  return { ...of, kind: 'folder', self: sumOf(of.children), place: 0 };
}

function fileNode(
  file: string | undefined,
  functions: readonly FunctionCost[],
  lines: ReadonlyMap<Hex, readonly LineCostIn[]>,
): Node {
  const children = functions.map((one): Node => ({
    key: `${FUNCTION_KEY}${one.address}`,
    kind: 'function',
    name: one.name,
    self: one.self,
    count: one.count,
    address: one.address,
    ...(file !== undefined && { file }),
    ...(one.line !== undefined && { line: one.line }),
    function: one,
    place: 0,
    children: (lines.get(one.address) ?? []).map((line) => lineNode(line, one)),
  }));
  return {
    key: fileKey(file),
    kind: 'file',
    name: fileName(file),
    ...(file !== undefined && { file }),
    self: sumOf(children),
    place: 0,
    children,
  };
}

function lineNode({ file, line, self, count, instructions }: LineCostIn, fn: FunctionCost): Node {
  const place = { ...(file !== undefined && { file }), ...(line !== undefined && { line }) };
  const key = `line ${fn.address} ${line ?? 0} ${file ?? ''}`;
  // Inlined code is of the file that it was written in.
  const of = file === fn.file ? '' : `${fileName(file)} `;
  return {
    key,
    kind: 'line',
    name: line === undefined ? 'instructions without a line' : `${of}line ${line}`,
    self,
    count,
    ...place,
    function: fn,
    place: line ?? 0,
    children: instructions.map(({ address, text, self: own, count: times }, at) => ({
      key: `${key} ${address}`,
      kind: 'instruction',
      name: `${address}  ${(text ?? '').replaceAll(/\s+/g, ' ')}`.trim(),
      self: own,
      count: times,
      address,
      ...place,
      function: fn,
      place: at,
      children: [],
    })),
  };
}

function sumOf(nodes: readonly Node[]): number {
  return nodes.reduce((sum, { self }) => sum + self, 0);
}

function sorted(nodes: readonly Node[], { order, isReversed }: CodeChoice): readonly Node[] {
  const sign = isReversed ? -1 : 1;
  const names = (a: Node, b: Node): number => a.place - b.place || byName(a, b);
  return [...nodes].sort((a, b) => {
    if (order === 'name') return sign * names(a, b);
    const measure = order === 'self' ? b.self - a.self : (b.count ?? b.self) - (a.count ?? a.self);
    return sign * measure || names(a, b);
  });
}
