/**
 * The nodes of masks while the index is built: those of groups are put, those above are merged from the ones below, and what
 * nodes contradict of the nodes before them is kept in mind.
 *
 * Rows of the latest nodes are kept in memory too, since most are merged soon: reading them back takes longer than merging them.
 */
import { assert } from '../../../shared/base/result.ts';
import { mergeMasks, type LineBytes, type MaskStream } from './builders/memory/merge-masks.ts';
import { bitCount } from '../collections/byte-sets.ts';
import { PageRowWriter, type PageRow } from './builders/page-rows.ts';
import { inSlices } from '../threads/in-slices.ts';
import type { TreeNode } from './pyramid.ts';
import { NODE, type IndexFile } from './store/index-file.ts';
import { pack, type Packed } from './store/packing.ts';

/** A row as it is and as it lies in the index. */
export interface MaskRow extends PageRow {
  readonly packed: Packed;
}

/** Contradictions of a node with earlier ones: how many bytes, and in which lines. */
export interface ContradictingNode extends TreeNode {
  readonly bytes: number;
  readonly lines: readonly LineBytes[];
}

export interface MaskNodes {
  /** Undefined: they would take too much room. */
  put(level: number, node: number, rows: readonly MaskRow[] | undefined): void;
  /** From the children of the node, all of which were put or merged. */
  merge(level: number, node: number, children: readonly number[]): Promise<void>;
  /** Nodes that follow each other and have none above them. */
  compare(nodes: readonly TreeNode[]): Promise<void>;
  /** Returns the contradictions found since the last call. */
  contradicting(): readonly ContradictingNode[];
  /** Discards nodes that were added but not committed. */
  clear(): void;
}

/** Rows that are kept in memory at most: those of eight groups and of eight nodes above them where data is spread. Higher nodes are merged seldom. */
const MOST_KEPT_BYTES = 32 * 2 ** 20;
const HIGHEST_KEPT = 2;

export function createMaskNodes(index: IndexFile): MaskNodes {
  const kept = new Map<string, readonly PageRow[]>();
  let keptBytes = 0;
  const contradicting: ContradictingNode[] = [];

  return {
    put(level, node, rows): void {
      if (rows === undefined) {
        index.putUnknown(NODE.masks, level, node);
        return;
      }
      const target = index.rowWriter(NODE.masks, level, node);
      for (const { low, high, packed } of rows) target.row(low, high, packed);
      target.finish();
      keep(level, node, rows);
    },
    async merge(level, node, children): Promise<void> {
      const nodes = children.map((child) => ({ level: level - 1, node: child }));
      const streams = streamsOf(nodes);
      if (streams === undefined) {
        index.putUnknown(NODE.masks, level, node);
        return;
      }
      const rows: PageRow[] = [];
      const target = index.rowWriter(NODE.masks, level, node);
      const writer = new PageRowWriter((row) => {
        target.row(row.low, row.high, pack(row.bytes));
        rows.push(row);
      });
      await mergeRows(nodes, streams, writer);
      target.finish();
      nodes.forEach(forget);
      keep(level, node, rows);
    },
    async compare(nodes): Promise<void> {
      const streams = streamsOf(nodes);
      if (streams !== undefined) await mergeRows(nodes, streams, undefined);
    },
    contradicting: () => contradicting.splice(0),
    clear(): void {
      kept.clear();
      keptBytes = contradicting.length = 0;
    },
  };

  /** Undefined if a node's masks are not known. */
  function streamsOf(nodes: readonly TreeNode[]): readonly MaskStream[] | undefined {
    const streams: MaskStream[] = [];
    for (const { level, node } of nodes) {
      const rows =
        kept.get(keyOf(level, node))?.values() ?? index.rows(NODE.masks, level, node, 0, Number.MAX_SAFE_INTEGER);
      if (rows === undefined) return undefined;
      streams.push(rows as MaskStream);
    }
    return streams;
  }

  async function mergeRows(
    nodes: readonly TreeNode[],
    streams: readonly MaskStream[],
    writer: PageRowWriter | undefined,
  ): Promise<void> {
    // The first contradicting node has the first contradicting records.
    let first = nodes.length;
    let lines: LineBytes[] = [];
    let bytes = 0;
    await inSlices(
      mergeMasks(streams, writer, (child, page, line, low, high) => {
        bytes += bitCount(low) + bitCount(high);
        if (child > first) return;
        if (child < first) lines = [];
        first = child;
        lines.push({ page, line, low, high });
      }),
    );
    if (bytes > 0) contradicting.push({ bytes, ...nodes[first]!, lines });
  }

  function keep(level: number, node: number, rows: readonly PageRow[]): void {
    const bytes = bytesOf(rows);
    if (level > HIGHEST_KEPT || keptBytes + bytes > MOST_KEPT_BYTES) return;
    kept.set(keyOf(level, node), rows);
    keptBytes += bytes;
  }

  function forget({ level, node }: TreeNode): void {
    const rows = kept.get(keyOf(level, node));
    if (rows === undefined) return;
    kept.delete(keyOf(level, node));
    keptBytes -= bytesOf(rows);
    assert(keptBytes >= 0, 'what is forgotten was kept');
  }
}

function keyOf(level: number, node: number): string {
  return `${level} ${node}`;
}

function bytesOf(rows: readonly PageRow[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
