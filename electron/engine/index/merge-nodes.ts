/**
 * The nodes of the pyramids while an index is built: writes those of blocks and groups, and merges higher nodes from their children.
 * A node of each level has heat, find rows, masks and register settings, and those of instruction traces the code that ran.
 */
import { assert } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { inSlices } from '../threads/in-slices.ts';
import type { Decoder } from '../../../shared/format/format.ts';
import { countsCode, packFindRow, type PackedRow } from './block-scan.ts';
import type { AccessRows } from './builders/accesses/access-rows.ts';
import { createCodeJoiner, decodeCode, encodeCode } from './builders/code/code-row.ts';
import { createFindRowWriter, decodeFindRows, mergeFind } from './builders/find.ts';
import { decodeHeat, encodeHeat, mergeHeat } from './builders/heat.ts';
import { decodeRegisterSets, encodeRegisterSets, joinRegisterSets } from './builders/register-sets.ts';
import type { MaskNodes } from './mask-nodes.ts';
import { childrenOf, spanOf } from './pyramid.ts';
import type { BlockTable } from './store/block-table.ts';
import { NODE, type IndexFile, type RowKind } from './store/index-file.ts';
import { asPacked, pack, type Packed } from './store/packing.ts';

export interface NodeMerger {
  /** Writes the heat and find rows of a node; `find` is undefined if its rows are left out. */
  put(level: number, node: number, find: readonly PackedRow[] | undefined, heat: Packed): void;
  /** Writes the rows of a node; undefined if they are left out. */
  putRows(kind: RowKind, level: number, node: number, rows: readonly PackedRow[] | undefined): void;
  /**
   * Merges a node of level 2 or higher from its children. `pending`: all accesses of the node, if it has level 2. `isCutOff`: the
   * trace ends inside the node. Such nodes of high levels keep no rows: merging takes long while nothing else is left to do, and
   * queries read their few children instead.
   */
  merge(level: number, node: number, pending: () => AccessRows, isCutOff: boolean): Promise<void>;
  /** Number of the first record of a node. */
  firstRecordOf(level: number, node: number): RecordNumber;
}

/** Highest level at which nodes that the end of the trace cuts off are merged. */
export const HIGHEST_CUT_OFF = 2;
/**
 * Maximum number of find rows, about eight megabytes, that are merged into a node. A node with more would rule out next to nothing and
 * take long to merge. Queries read its children instead.
 */
const MOST_MERGED_ROWS = 512;

/** `blockCount`: number of blocks of the whole trace. */
export function createNodeMerger(
  index: IndexFile,
  blocks: BlockTable,
  blockCount: number,
  masks: MaskNodes,
  decoder: Decoder,
): NodeMerger {
  return { put, putRows, merge, firstRecordOf };

  function put(level: number, node: number, find: readonly PackedRow[] | undefined, heat: Packed): void {
    index.putBlob(NODE.heat, level, node, heat);
    putRows(NODE.find, level, node, find);
  }

  function putRows(kind: RowKind, level: number, node: number, rows: readonly PackedRow[] | undefined): void {
    if (rows === undefined) {
      index.putUnknown(kind, level, node);
      return;
    }
    const target = index.rowWriter(kind, level, node);
    for (const { low, high, packed } of rows) target.row(low, high, packed);
    target.finish();
  }

  async function merge(level: number, node: number, pending: () => AccessRows, isCutOff: boolean): Promise<void> {
    const children = childrenOf(level, node, blockCount);
    const isBare = isCutOff && level > HIGHEST_CUT_OFF;
    mergeRegisters(level, node, children);
    mergeCode(level, node, children);
    if (isBare) index.putUnknown(NODE.masks, level, node);
    else await masks.merge(level, node, children);
    const heat = mergeHeat(children.map((child) => decodeHeat(index.blob(NODE.heat, level - 1, child))));
    index.putBlob(NODE.heat, level, node, asPacked(encodeHeat(heat)));
    if (isBare) index.putUnknown(NODE.find, level, node);
    else await mergeFindRows(level, node, children, pending);
  }

  function mergeRegisters(level: number, node: number, children: readonly number[]): void {
    const first = firstRecordOf(level, node);
    const stretches = children.map((child) => ({
      first: firstRecordOf(level - 1, child) - first,
      sets: decodeRegisterSets(index.blob(NODE.registers, level - 1, child)),
    }));
    index.putBlob(NODE.registers, level, node, pack(encodeRegisterSets(joinRegisterSets(stretches))));
  }

  function mergeCode(level: number, node: number, children: readonly number[]): void {
    if (decoder.flow === undefined || !countsCode(decoder)) return;
    const joiner = createCodeJoiner(decoder.flow);
    const first = firstRecordOf(level, node);
    for (const child of children)
      joiner.add(decodeCode(index.blob(NODE.code, level - 1, child)), firstRecordOf(level - 1, child) - first);
    index.putBlob(NODE.code, level, node, pack(encodeCode(joiner.finish())));
  }

  async function mergeFindRows(
    level: number,
    node: number,
    children: readonly number[],
    pending: () => AccessRows,
  ): Promise<void> {
    if (level > 2 && rowsToMerge(level, children) > MOST_MERGED_ROWS) {
      index.putUnknown(NODE.find, level, node);
      return;
    }
    const target = index.rowWriter(NODE.find, level, node);
    const writer = createFindRowWriter((row) => {
      const { low, high, packed } = packFindRow(row);
      target.row(low, high, packed);
    });
    if (level === 2) {
      writer.pushRows(pending());
      writer.finish();
    } else {
      const streams = children.map((child) => {
        const rows = index.rows(NODE.find, level - 1, child, 0, Number.MAX_SAFE_INTEGER);
        assert(rows !== undefined, 'nodes that are merged have their find rows');
        return decodeFindRows(rows);
      });
      await inSlices(mergeFind(streams, writer));
    }
    target.finish();
  }

  function rowsToMerge(level: number, children: readonly number[]): number {
    let rows = 0;
    for (const child of children) rows += index.rowCount(NODE.find, level - 1, child) ?? Number.POSITIVE_INFINITY;
    return rows;
  }

  function firstRecordOf(level: number, node: number): RecordNumber {
    return blocks.firstRecord(node * spanOf(level));
  }
}
