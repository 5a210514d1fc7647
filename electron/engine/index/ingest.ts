/**
 * Building the index: blocks are scanned in parallel with guessed entry states and stitched in order by this thread.
 *
 * A block whose guess turns out wrong is scanned again from its true entry. Every SEGMENT_BLOCKS blocks all that was
 * stitched is committed with a new watermark; a build that is killed goes on from there. Long merges give way to
 * questions every few milliseconds.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import v8 from 'node:v8';
import { assert, fail, ok, type Failure, type Result } from '../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../shared/base/units.ts';
import { agrees, exitState } from '../../../shared/format/format.ts';
import { packFindRow, type PackedRow } from './block-scan.ts';
import type { Entry } from './blocks.ts';
import { createAccessSum } from './builders/accesses/access-sum.ts';
import { createFindRowWriter, mergeFind } from './builders/find.ts';
import { decodeHeat, encodeHeat, mergeHeat } from './builders/heat.ts';
import type { LineBytes } from './builders/memory/merge-masks.ts';
import { decodeRegisterSets, encodeRegisterSets, joinRegisterSets } from './builders/register-sets.ts';
import type { Contradictions } from './builders/memory/replay.ts';
import { createPageSet, type PageSet } from './builders/accesses/page-set.ts';
import { encodePageRun, pagesOf, type PageEntry } from './builders/pages.ts';
import { SCAN_GROUP, type GroupScan } from './group-scan.ts';
import { inSlices } from '../threads/in-slices.ts';
import { createMaskNodes } from './mask-nodes.ts';
import type { Pool } from '../threads/pool.ts';
import { childrenOf, FAN_IN, highestNodes, nodesCompletedBy, nodesLeftAtEnd, spanOf } from './pyramid.ts';
import { SEGMENT_BLOCKS, type BlockTable } from './store/block-table.ts';
import { isFull, isReadOnly, NODE, type IndexFile, type RowKind } from './store/index-file.ts';
import { asPacked, pack, type Packed } from './store/packing.ts';
import { addTotals, NO_RECORDS, NO_TOTALS, spanOfAddresses, type Totals } from './totals.ts';
import type { TraceReader } from './trace-reader.ts';

export interface Watermark {
  readonly blocks: number;
  readonly complete: boolean;
  /** State after the last block. */
  readonly exit: Entry;
  readonly totals: Totals;
  readonly pageRuns: number;
  /** Time spent building so far. */
  readonly seconds: number;
  /** Distinct pages of the whole trace; there once complete. */
  readonly pages?: number;
}

export interface Ingest {
  /** As of the last stitched block: may be ahead of the last commit. */
  readonly totals: Totals;
  readonly complete: boolean;
  readonly seconds: number;
  readonly pageRuns: number;
  /** Pages since the last run of the index. */
  livePages(): Iterable<PageEntry>;
  readonly distinctPages: number | undefined;
  /**
   * Builds while `go` says so; resolves when it is complete, or reported to stop, or has failed. Progress is whatever the
   * block table says. Only one build of a trace runs at a time.
   */
  run(go: () => boolean): Promise<Result<undefined>>;
  /**
   * While no build runs: lets other programs build this index starting at its last commit. What was stitched since stays readable here,
   * and the next build goes on behind it unless another program has built more meanwhile.
   */
  release(): void;
}

/** Callbacks of the index build into the open trace. */
export interface IngestCallbacks {
  countPages(): Promise<number>;
  /** The first record of a node that read one of these bytes first, and the record before the node that left that byte its value. */
  firstContradiction(level: number, node: number, lines: readonly LineBytes[]): Omit<Contradictions, 'bytes'>;
}

/** Failure code of a build for which the disk has no room. */
export const DISK_FULL = 'disk-full';

/** Some ten megabytes. */
const MOST_PAGE_WORDS = 2 ** 17;
/**
 * Heaps of all threads may treble before they are collected. Threads hold little, so that V8 would collect them several times a
 * second. Not set before they have started: with flags other than Node's own, each compiles all of Node that it needs again.
 */
const ROOMY_HEAPS = '--heap-growing-percent=200';
/** Groups in flight for each worker: enough that none waits while this thread merges the nodes of eight groups; */
const GROUPS_AHEAD = 3;
/** and enough for merges starting at this level, where groups are small. */
const GROUPS_FAR_AHEAD = 8;
const LONG_MERGES = 3;
const MOST_AHEAD_BYTES = 64 * 2 ** 20;
/** Up to this level nodes that the end of the trace cuts off are merged as well. */
const LOWEST_MERGED = 2;
/**
 * Find rows that are merged into a node, some eight megabytes: a node with more would rule out next to nothing, and takes long.
 * Questions ask its children instead.
 */
const MOST_MERGED_ROWS = 512;

export function createIngest(
  reader: TraceReader,
  blocks: BlockTable,
  index: IndexFile,
  pool: Pool,
  callbacks: IngestCallbacks,
): Ingest {
  const { decoder, plan, ref } = reader;
  let watermark = startingPoint();
  // A program that ended while others had the index open, or was killed, left a log.
  if (watermark.complete) index.settle();
  let totals = watermark.totals;
  let exit: Entry = watermark.exit;
  let pageRuns = watermark.pageRuns;
  let seconds = watermark.seconds;
  let writing = false;
  /** The stored watermark as the lock was given up between builds, with rows behind it that only this program knows of. */
  let released: string | undefined;
  /** The accesses since the last commit, and the record they count from: what the next node of level 2 and page run hold. */
  const pending = createAccessSum();
  let pendingFrom: RecordNumber = 0;
  /** All page runs; undefined if some were made elsewhere, or if they are too many: then pages are counted at the end. */
  let pageSet: PageSet | undefined;
  const masks = createMaskNodes(index);

  return {
    get totals() {
      return totals;
    },
    get complete() {
      return watermark.complete;
    },
    get seconds() {
      return seconds;
    },
    get pageRuns() {
      return pageRuns;
    },
    get distinctPages() {
      return watermark.pages;
    },
    livePages: () => pagesOf(pending.rows(), pendingFrom),
    run,
    release,
  };

  /** The last committed watermark with its block rows, or the start. */
  function startingPoint(): Watermark {
    const stored = index.watermark();
    blocks.truncate(0);
    if (stored === undefined) {
      const initial: Entry = { position: 0, state: decoder.initial };
      return { blocks: 0, complete: false, exit: initial, totals: NO_TOTALS, pageRuns: 0, seconds: 0 };
    }
    // Sealed content: it is what `commit` wrote.
    const found = stored as Watermark;
    for (let segment = 0; segment * SEGMENT_BLOCKS < found.blocks; segment++) {
      blocks.appendSegment(index.blob(NODE.segment, 0, segment));
    }
    assert(blocks.length === found.blocks, 'the segments hold the blocks of the watermark');
    return found;
  }

  function reload(): void {
    released = undefined;
    watermark = startingPoint();
    ({ totals, exit, pageRuns, seconds } = watermark);
    pageSet = pageRuns === 0 ? createPageSet() : undefined;
    pending.clear();
    masks.clear();
    pendingFrom = blocks.records;
  }

  async function run(go: () => boolean): Promise<Result<undefined>> {
    v8.setFlagsFromString(ROOMY_HEAPS);
    try {
      while (!watermark.complete && go()) {
        if (writing || takeLock()) {
          const stitched = await stitchAll(go);
          if (!stitched.ok) return stitched;
        } else {
          // Another program builds this index: follow its watermark until it is done or gone.
          await new Promise((resolve) => setTimeout(resolve, 200));
          reload();
        }
      }
      return ok(undefined);
    } catch (error) {
      const readOnly = isReadOnly(error);
      if (!readOnly && !isFull(error)) throw error;
      index.rollback();
      writing = false;
      reload();
      if (readOnly) {
        return fail(
          'index-unusable',
          `${index.path}: the index may not be written there; choose another folder with --index-dir`,
        );
      }
      return fail(
        DISK_FULL,
        `${index.path}: no room left for the index; free some or choose another folder with --index-dir`,
      );
    }
  }

  function takeLock(): boolean {
    if (!index.begin()) return false;
    // The rows stitched here still follow the last commit.
    if (released === storedWatermark()) released = undefined;
    else reload();
    writing = !watermark.complete;
    // Another program completed it before the lock was taken: it is not ended twice.
    if (!writing) index.rollback();
    return writing;
  }

  function storedWatermark(): string {
    return JSON.stringify(index.watermark() ?? null);
  }

  function release(): void {
    if (!writing) return;
    writing = false;
    try {
      const stored = storedWatermark();
      index.commitRows();
      released = stored;
    } catch (error) {
      if (!isFull(error) && !isReadOnly(error)) throw error;
      index.rollback();
      reload();
    }
  }

  /** The pipeline: some groups are in flight, and stitched in order. */
  async function stitchAll(go: () => boolean): Promise<Result<undefined>> {
    const inFlight = new Map<BlockNumber, Promise<Result<GroupScan>>>();
    let next = blocks.length;
    let started = performance.now();
    let failure: Failure | undefined;
    /** Of groups that are stitched. */
    const rooms: Int32Array[] = [];
    /** Size of the largest group so far. */
    let largest = 0;
    const scanAhead = (groups: number): void => {
      while (next < plan.blocks && inFlight.size < groups) {
        inFlight.set(
          next,
          pool.run(SCAN_GROUP, { trace: ref, firstBlock: next, guess: exit.state, room: rooms.pop() }),
        );
        next += FAN_IN;
      }
    };

    while (blocks.length < plan.blocks && failure === undefined && go()) {
      scanAhead(pool.jobs * GROUPS_AHEAD);
      const firstBlock = blocks.length;
      let group = await inFlight.get(firstBlock)!;
      inFlight.delete(firstBlock);
      if (group.ok && !fits(group.value)) {
        group = await pool.run(SCAN_GROUP, { trace: ref, firstBlock, entry: exit, guess: exit.state });
      }
      if (!group.ok) {
        failure = group.error;
        break;
      }
      largest = Math.max(largest, bytesOf(group.value));
      const mergesMany = (firstBlock + FAN_IN) % spanOf(LONG_MERGES) === 0;
      if (mergesMany && largest * pool.jobs * GROUPS_FAR_AHEAD < MOST_AHEAD_BYTES)
        scanAhead(pool.jobs * GROUPS_FAR_AHEAD);
      await stitch(group.value);
      rooms.push(group.value.accesses.words);
      if (blocks.length % SEGMENT_BLOCKS === 0 && blocks.length < plan.blocks) {
        await putPages();
        seconds += (performance.now() - started) / 1000;
        started = performance.now();
        commit();
        if (!index.begin()) {
          writing = false;
          break;
        }
      }
    }
    await Promise.all(inFlight.values());
    if (failure === undefined && writing && blocks.length === plan.blocks) await finish();
    else seconds += (performance.now() - started) / 1000;
    return failure === undefined ? ok(undefined) : { ok: false, error: failure };

    async function finish(): Promise<void> {
      for (const { level, node } of nodesLeftAtEnd(plan.blocks)) if (level > 1) await mergeNode(level, node, 'cut off');
      await mergeWhatIsCutOff();
      contradictAcrossNodes();
      await putPages();
      const pages = pageSet?.count() ?? (await callbacks.countPages());
      seconds += (performance.now() - started) / 1000;
      commit(pages);
      writing = false;
      index.settle();
    }
  }

  /** Whether the scan is what decoding from the true entry gives. */
  function fits(group: GroupScan): boolean {
    const placed = decoder.framing.kind === 'lines' || group.position === exit.position;
    return placed && agrees(decoder, group.guess, exit.state);
  }

  async function stitch(group: GroupScan): Promise<void> {
    const firstBlock = blocks.length;
    const firstRecord = blocks.records;
    group.blocks.forEach((scan, i) => {
      const block = firstBlock + i;
      putNode(0, block, scan.find, scan.heat);
      putRows(NODE.touches, 0, block, scan.touches);
      index.putBlob(NODE.registers, 0, block, scan.registers);
      if (decoder.flow === undefined) return;
      if (scan.flow === undefined) index.putUnknown(NODE.flow, 0, block);
      else index.putBlob(NODE.flow, 0, block, scan.flow);
    });
    // Every node is there before its blocks count as done, so that the caller meanwhile finds all that should be there.
    if (plan.blocks > 1) {
      const node = firstBlock / FAN_IN;
      putNode(1, node, group.find, group.heat);
      masks.put(1, node, group.masks);
      index.putBlob(NODE.registers, 1, node, group.registers);
    }
    pending.add(group.accesses, firstRecord - pendingFrom);
    for (const { level, node } of nodesCompletedBy(firstBlock + group.blocks.length)) {
      if (level > 1) await mergeNode(level, node);
    }
    // All states of the group were reached from its guess.
    const entry = exit;
    for (const scan of group.blocks) {
      totals = addTotals(totals, scan, blocks.records);
      contradict(scan.contradictions, blocks.records);
      blocks.append(scan, exit.state);
      exit = { position: scan.exitPosition, state: exitState(decoder, entry.state, scan.exit) };
    }
    totals = { ...totals, ...spanOfAddresses(totals, group.accesses) };
    contradict(group.contradictions, firstRecord);
    contradictAcrossNodes();
  }

  /** Contradictions found by merges, once the blocks exist from which their records can be read. */
  function contradictAcrossNodes(): void {
    for (const { bytes, level, node, lines } of masks.contradicting()) {
      const before = totals.contradictions.record;
      const mayBeFirst = before < 0 || firstRecordOf(level, node) < before;
      contradict({ bytes, ...(mayBeFirst ? callbacks.firstContradiction(level, node, lines) : NO_RECORDS) }, 0);
    }
  }

  function contradict({ bytes, record, earlier }: Contradictions, first: RecordNumber): void {
    if (bytes === 0) return;
    const known = totals.contradictions;
    const isFirst = record >= 0 && (known.record < 0 || first + record < known.record);
    totals = {
      ...totals,
      contradictions: {
        ...(isFirst ? { record: first + record, earlier: earlier < 0 ? earlier : first + earlier } : known),
        bytes: known.bytes + bytes,
      },
    };
  }

  function putNode(level: number, node: number, find: readonly PackedRow[] | undefined, heat: Packed): void {
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

  /**
   * Nodes of high levels that the end of the trace cuts off keep no rows: merging them takes long while nothing else is left to
   * do, and questions ask their few children instead.
   */
  async function mergeNode(level: number, node: number, kept: 'whole' | 'cut off' = 'whole'): Promise<void> {
    const children = childrenOf(level, node, plan.blocks);
    const bare = kept === 'cut off' && level > LOWEST_MERGED;
    mergeRegisters(level, node, children);
    if (bare) index.putUnknown(NODE.masks, level, node);
    else await masks.merge(level, node, children);
    await mergeFindNode(level, node, children, bare);
  }

  function mergeRegisters(level: number, node: number, children: readonly number[]): void {
    const stretches = children.map((child) => ({
      first: firstRecordOf(level - 1, child),
      sets: decodeRegisterSets(index.blob(NODE.registers, level - 1, child)),
    }));
    const first = firstRecordOf(level, node);
    const joined = joinRegisterSets(stretches.map(({ first: its, sets }) => ({ first: its - first, sets })));
    index.putBlob(NODE.registers, level, node, pack(encodeRegisterSets(joined)));
  }

  function firstRecordOf(level: number, node: number): RecordNumber {
    return blocks.firstRecord(node * spanOf(level));
  }

  /** Compares the highest nodes with masks, in place of the nodes that the end of the trace cuts off. */
  async function mergeWhatIsCutOff(): Promise<void> {
    const nodes = [...highestNodes(plan.blocks, LOWEST_MERGED)];
    if (!totals.valued || nodes.length === 1) return;
    await masks.compare(nodes);
  }

  async function mergeFindNode(level: number, node: number, children: readonly number[], bare: boolean): Promise<void> {
    const heat = mergeHeat(children.map((child) => decodeHeat(index.blob(NODE.heat, level - 1, child))));
    index.putBlob(NODE.heat, level, node, asPacked(encodeHeat(heat)));
    if (bare || (level > 2 && rowsToMerge(level, children) > MOST_MERGED_ROWS)) {
      index.putUnknown(NODE.find, level, node);
      return;
    }
    const target = index.rowWriter(NODE.find, level, node);
    const writer = createFindRowWriter((row) => {
      const { low, high, packed } = packFindRow(row);
      target.row(low, high, packed);
    });
    if (level === 2) {
      // Commits fall together with nodes of level 2, so what is pending is just what this one holds.
      writer.pushRows(pending.rows());
      writer.finish();
      target.finish();
      return;
    }
    const streams = children.map((child) => {
      const rows = index.findRows(level - 1, child, 0, Number.MAX_SAFE_INTEGER);
      assert(rows !== undefined, 'nodes that are merged have their find rows');
      return rows;
    });
    await inSlices(mergeFind(streams, writer));
    target.finish();
  }

  function rowsToMerge(level: number, children: readonly number[]): number {
    let rows = 0;
    for (const child of children) rows += index.rowCount(NODE.find, level - 1, child) ?? Number.POSITIVE_INFINITY;
    return rows;
  }

  /** Turns the pending pages into a page run. */
  async function putPages(): Promise<void> {
    pageSet?.addStarts(pending.rows());
    if ((pageSet?.words() ?? 0) > MOST_PAGE_WORDS) pageSet = undefined;
    for (const row of encodePageRun(pending.rows(), pendingFrom)) {
      index.putBlob(NODE.pages, 0, pageRuns, pack(row));
      pageRuns++;
      await breathe();
    }
    pending.clear();
    pendingFrom = blocks.records;
  }

  /** Nothing is pending. With the number of distinct pages the index is complete. */
  function commit(pages?: number): void {
    const segment = Math.ceil(blocks.length / SEGMENT_BLOCKS) - 1;
    index.putBlob(NODE.segment, 0, segment, blocks.encodeSegment(segment));
    watermark = {
      blocks: blocks.length,
      complete: pages !== undefined,
      exit,
      totals,
      pageRuns,
      seconds,
      ...(pages === undefined ? {} : { pages }),
    };
    index.commit(watermark);
  }
}

/** Approximate memory of a group, in bytes. */
function bytesOf({ accesses, blocks, find, masks = [] }: GroupScan): number {
  const ofRows = (rows: readonly PackedRow[] = []): number => rows.reduce((sum, { packed }) => sum + packed.length, 0);
  const ofBlocks = blocks.reduce((sum, block) => sum + ofRows(block.find) + ofRows(block.touches), 0);
  const ofMasks = masks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return accesses.words.byteLength + ofBlocks + ofRows(find) + ofRows(masks) + ofMasks;
}
