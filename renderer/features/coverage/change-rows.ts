/** The tree of the Coverage pane while it compares two runs: folders, files, functions, and what ran of them in A and in B. */
import { group } from '../../../shared/base/numbers.ts';
import { ranAlike } from '../../../shared/against/code-changes.ts';
import type { Share } from '../../../shared/requests/answers/coverage.ts';
import type { CodeDifference, PlacedChange } from '../../../shared/requests/answers/code-changes.ts';
import { inOrder, type ChangeColumn, type ChangedRow } from '../../widgets/change-table.ts';
import { shareText } from '../../widgets/covered.ts';
import { fileKey, fileName, inFolders, NO_SOURCE, type TreeNode } from '../../widgets/file-tree.ts';

interface Node extends TreeNode<Node> {
  readonly kind: 'folder' | 'file' | 'function';
  /** Instructions; undefined in a run without the code. */
  readonly a: Share | undefined;
  readonly b: Share | undefined;
  /** Lines that ran in one run only. */
  readonly onlyA: number;
  readonly onlyB: number;
  /** How often a function was entered; undefined for files. */
  readonly countA?: number;
  readonly countB?: number;
  readonly function?: PlacedChange;
}

export interface ChangeRow extends Omit<Node, 'children'>, ChangedRow {
  readonly level: number;
}

export interface ChangeChoice {
  readonly order: string;
  readonly isReversed: boolean;
  readonly text: string;
  /** Only functions of which other parts ran, or that only one run entered. */
  readonly onlyChanged: boolean;
  readonly turned: readonly string[];
}

export function changeRows({ functions }: CodeDifference, choice: ChangeChoice): readonly ChangeRow[] {
  const wanted = choice.text.trim().toLowerCase();
  const files = [...Map.groupBy(functions, fileOf)].flatMap(([file, own]) => {
    const isFile = (file ?? NO_SOURCE).toLowerCase().includes(wanted);
    const shown = own.filter(
      (one) => (isFile || one.name.toLowerCase().includes(wanted)) && !(choice.onlyChanged && ranAlike(one)),
    );
    return shown.length === 0 ? [] : [[file, sumOf('file', fileKey(file), fileName(file), shown.map(leaf))] as const];
  });
  const rows: ChangeRow[] = [];
  const walk = (nodes: readonly Node[], level: number): void => {
    for (const { children, ...node } of inOrder(nodes, CHANGE_COLUMNS, choice.order, choice.isReversed)) {
      // Folders are open at first, files are closed. A search opens all.
      const isOpen = wanted !== '' || (node.kind === 'folder') !== choice.turned.includes(node.key);
      rows.push({ ...node, level, ...(node.kind !== 'function' && { isOpen }) });
      if (isOpen) walk(children, level + 1);
    }
  };
  walk(
    inFolders<Node>(files, ({ key, name, children }) => sumOf('folder', key, name, children)),
    0,
  );
  return rows;
}

/** Code that both programs have is where A has it. */
function fileOf({ placeA, placeB }: PlacedChange): string | undefined {
  return (placeA ?? placeB)?.file;
}

function leaf(one: PlacedChange): Node {
  const { name, a, b, onlyA, onlyB, placeA, placeB } = one;
  return {
    key: `${placeA?.address ?? ''} ${placeB?.address ?? ''} ${name}`,
    kind: 'function',
    name,
    a: a?.instructions,
    b: b?.instructions,
    onlyA,
    onlyB,
    ...(a && { countA: a.count }),
    ...(b && { countB: b.count }),
    function: one,
    children: [],
  };
}

function sumOf(kind: 'folder' | 'file', key: string, name: string, children: readonly Node[]): Node {
  const sum = (side: 'a' | 'b'): Share | undefined => {
    const shares = children.flatMap((node) => node[side] ?? []);
    if (shares.length === 0) return undefined;
    return shares.reduce((all, { covered, total }) => ({ covered: all.covered + covered, total: all.total + total }));
  };
  return {
    key,
    kind,
    name,
    a: sum('a'),
    b: sum('b'),
    onlyA: children.reduce((all, node) => all + node.onlyA, 0),
    onlyB: children.reduce((all, node) => all + node.onlyB, 0),
    children,
  };
}

type Measured = Pick<Node, 'kind' | 'name' | 'a' | 'b' | 'onlyA' | 'onlyB' | 'countA' | 'countB'>;

const shareOf = (share: Share | undefined): number | undefined =>
  share === undefined || share.total === 0 ? undefined : share.covered / share.total;
const textOf = (share: Share | undefined): string => (share === undefined ? '–' : shareText(share));

export const CHANGE_COLUMNS: readonly ChangeColumn<Measured>[] = [
  {
    id: 'ran-a',
    title: 'Ran A',
    what: 'Share of the instructions that ran in A',
    of: ({ a }) => shareOf(a),
    textOf: ({ a }) => textOf(a),
  },
  {
    id: 'ran-b',
    title: 'Ran B',
    what: 'Share of the instructions that ran in B',
    of: ({ b }) => shareOf(b),
    textOf: ({ b }) => textOf(b),
  },
  {
    id: 'change',
    title: 'Change',
    what: 'Instructions that ran in B, minus those that ran in A',
    of: ({ a, b }) => (b?.covered ?? 0) - (a?.covered ?? 0),
    isChange: true,
  },
  { id: 'only-a', title: 'Only A', what: 'Lines that ran in A only', of: ({ onlyA }) => onlyA },
  { id: 'only-b', title: 'Only B', what: 'Lines that ran in B only', of: ({ onlyB }) => onlyB },
  {
    id: 'entered',
    title: 'Entered',
    what: 'How often the function was entered, in A and in B; sorted by the change',
    of: ({ countA, countB }) => (countB ?? 0) - (countA ?? 0),
    textOf: ({ kind, countA, countB }) =>
      kind !== 'function' ? '' : countA === countB ? timesOf(countA) : `${timesOf(countA)} → ${timesOf(countB)}`,
    titleOf: ({ countA, countB }) =>
      countA === undefined && countB === undefined ? '' : `${timesOf(countA)} in A, ${timesOf(countB)} in B`,
    isChange: true,
  },
];

function timesOf(count: number | undefined): string {
  return count === undefined ? '–' : group(count);
}

export const CHANGE_ORDERS = ['name', ...CHANGE_COLUMNS.map(({ id }) => id)];
