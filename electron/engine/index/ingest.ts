/**
 * Builds the index of a trace. Workers scan groups of blocks in parallel, each from a guessed entry state. This thread stitches the
 * groups in order, and has a group scanned again if its guess was wrong.
 *
 * Every SEGMENT_BLOCKS blocks, everything that was stitched is committed with a new watermark. A build that was killed continues
 * at its last watermark. Long merges serve other requests every few milliseconds.
 */
import { setFlagsFromString } from 'node:v8';
import { assert, fail, ok, type Failure, type Result } from '../../../shared/base/result.ts';
import type { BlockNumber } from '../../../shared/base/units.ts';
import { agrees, exitState } from '../../../shared/format/format.ts';
import type { Pool } from '../threads/pool.ts';
import type { PackedRow } from './block-scan.ts';
import type { Entry } from './blocks.ts';
import type { LineBytes } from './builders/memory/merge-masks.ts';
import type { Contradictions } from './builders/memory/replay.ts';
import type { PageEntry } from './builders/pages.ts';
import { SCAN_GROUP, type GroupScan } from './group-scan.ts';
import { createMaskNodes } from './mask-nodes.ts';
import { createNodeMerger, HIGHEST_CUT_OFF } from './merge-nodes.ts';
import { createPageRuns } from './page-runs.ts';
import { FAN_IN, highestNodes, nodesCompletedBy, nodesLeftAtEnd, spanOf } from './pyramid.ts';
import { SEGMENT_BLOCKS, type BlockTable } from './store/block-table.ts';
import { isFull, isReadOnly } from './store/errors.ts';
import { NODE, type IndexFile } from './store/index-file.ts';
import { addContradictions, addTotals, NO_RECORDS, NO_TOTALS, spanOfAddresses, type Totals } from './totals.ts';
import { createStandstill, neighbourName, type Neighbour } from './neighbour.ts';
import type { TraceReader } from './trace-reader.ts';

/** The state of a build at a commit; stored in the index. */
interface Watermark {
  readonly blocks: number;
  readonly complete: boolean;
  /** Position and state after the last block. */
  readonly exit: Entry;
  readonly totals: Totals;
  readonly pageRuns: number;
  /** Time spent building so far. */
  readonly seconds: number;
  /** Number of distinct pages of the whole trace; undefined before the index is complete. */
  readonly pages?: number;
}

/** The build of one index. */
export interface Ingest {
  /** Totals of the stitched blocks, some of which may not be committed yet. */
  readonly totals: Totals;
  readonly complete: boolean;
  readonly seconds: number;
  readonly pageRuns: number;
  /** Pages since the last page run. */
  livePages(): Iterable<PageEntry>;
  readonly distinctPages: number | undefined;
  /** Other program that builds this index while this one waits for it; undefined if this one need not wait. */
  readonly neighbour: Neighbour | undefined;
  /**
   * Builds while `isWanted` returns true. Resolves when the index is complete, when it is no longer wanted, or with a failure:
   * NEIGHBOUR_STOPPED if another program holds the index but makes no progress. The block table shows the progress. Only one build of a
   * trace may run at a time.
   */
  run(isWanted: () => boolean): Promise<Result<undefined>>;
  /**
   * Lets other programs continue this index at its last commit; called while no build runs. What was stitched since stays readable
   * here. The next build continues after it, unless another program has committed more meanwhile.
   */
  release(): void;
}

/** Queries of the open trace that its build needs. */
export interface IngestCallbacks {
  countPages(): Promise<number>;
  /** Returns the node's first record that contradicts one of these bytes, and the record before the node that set the byte. */
  firstContradiction(level: number, node: number, lines: readonly LineBytes[]): Omit<Contradictions, 'bytes'>;
}

/** Failure code of a build that waits for another program, which is stopped. */
export const NEIGHBOUR_STOPPED = 'neighbour-stopped';
/** Failure code of a build for which the disk has no room. */
export const DISK_FULL = 'disk-full';

/**
 * V8 flag that lets the heaps of all threads treble before a collection: threads hold little, so V8 would collect several times a
 * second. Set only after all threads have started: with flags other than Node's own, each thread compiles Node's code again.
 */
const ROOMY_HEAPS = '--heap-growing-percent=200';
/** Groups in flight per worker, so that none waits while this thread merges the nodes of eight groups. */
const GROUPS_AHEAD = 3;
/** Groups in flight per worker during merges of level LONG_MERGES and higher, if groups are small. */
const GROUPS_FAR_AHEAD = 8;
const LONG_MERGES = 3;
const MOST_AHEAD_BYTES = 64 * 2 ** 20;
/** Interval between looks at an index that another program builds. */
const FOLLOW_MS = 200;
/** Looks without a sign of life before the other program counts as stopped: five seconds, or more if this program was stopped too. */
const PATIENCE = 25;
/** Interval between signs of life, also during long merges, which commit nothing. */
const BEAT_MS = 1000;

export function createIngest(
  reader: TraceReader,
  blocks: BlockTable,
  index: IndexFile,
  pool: Pool,
  callbacks: IngestCallbacks,
  patience = PATIENCE,
): Ingest {
  const { decoder, plan, ref } = reader;
  let watermark = startingPoint();
  // A program that was killed, or that ended while others had the index open, left a log.
  if (watermark.complete) index.endLog();
  let { totals, exit, seconds } = watermark;
  let writing = false;
  let neighbour: Neighbour | undefined;
  /** The stored watermark when the lock was released, if rows were stitched after it that only this program knows. */
  let released: string | undefined;
  const pages = createPageRuns(index, watermark.pageRuns);
  const masks = createMaskNodes(index);
  const nodes = createNodeMerger(index, blocks, plan.blocks, masks, decoder);

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
      return pages.rows;
    },
    get distinctPages() {
      return watermark.pages;
    },
    get neighbour() {
      return neighbour;
    },
    livePages: () => pages.pendingPages(),
    run,
    release,
  };

  /** Loads the last committed watermark with its block rows, or returns the start of the trace. */
  function startingPoint(): Watermark {
    const stored = index.watermark();
    blocks.truncate(0);
    if (stored === undefined) {
      const initial: Entry = { position: 0, state: decoder.initial };
      return { blocks: 0, complete: false, exit: initial, totals: NO_TOTALS, pageRuns: 0, seconds: 0 };
    }
    // The content is sealed, so it is a watermark that `commit` wrote.
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
    ({ totals, exit, seconds } = watermark);
    pages.restart(watermark.pageRuns, blocks.records);
    masks.clear();
  }

  async function run(isWanted: () => boolean): Promise<Result<undefined>> {
    setFlagsFromString(ROOMY_HEAPS);
    const beats = setInterval(() => {
      if (writing) index.beat();
    }, BEAT_MS);
    const isStandingStill = createStandstill(patience);
    try {
      while (!watermark.complete && isWanted()) {
        if (writing || takeLock()) {
          neighbour = undefined;
          const stitched = await stitchAll(isWanted);
          if (!stitched.ok) return stitched;
        } else {
          // Another program builds this index: follow its watermark until it is done or gone.
          const process = index.builder();
          neighbour = process === undefined ? {} : { process };
          if (isStandingStill(index.signOfLife())) return neighbourStopped(neighbour);
          await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
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
    } finally {
      clearInterval(beats);
      neighbour = undefined;
    }
  }

  function neighbourStopped({ process }: Neighbour): Result<never> {
    return fail(
      NEIGHBOUR_STOPPED,
      `${index.path}: ${neighbourName(process)} is building this index and has made no progress for ${String(Math.round((patience * FOLLOW_MS) / 1000))} seconds`,
    );
  }

  function takeLock(): boolean {
    if (!index.begin()) return false;
    // Rows that were stitched here are still valid if nothing was committed since.
    if (released === storedWatermark()) released = undefined;
    else reload();
    // Another program may have completed the index before the lock was taken.
    if (watermark.complete) index.rollback();
    else writing = index.builder() === process.pid || index.claim();
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

  /** Runs the pipeline: keeps some groups in flight, and stitches them in order. */
  async function stitchAll(isWanted: () => boolean): Promise<Result<undefined>> {
    const inFlight = new Map<BlockNumber, Promise<Result<GroupScan>>>();
    let next = blocks.length;
    let started = performance.now();
    let failure: Failure | undefined;
    /** Memory of stitched groups, which later scans reuse. */
    const rooms: Int32Array[] = [];
    /** Size of the largest group so far. */
    let largest = 0;
    const scanAhead = (groups: number): void => {
      while (next < plan.blocks && inFlight.size < groups) {
        const task = { trace: ref, firstBlock: next, guess: exit.state, room: rooms.pop() };
        inFlight.set(next, pool.run(SCAN_GROUP, task));
        next += FAN_IN;
      }
    };

    while (blocks.length < plan.blocks && failure === undefined && isWanted()) {
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
        await pages.write(blocks.records);
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
      for (const { level, node } of nodesLeftAtEnd(plan.blocks))
        if (level > 1) await nodes.merge(level, node, pages.pending, true);
      await compareHighestNodes();
      addContradictionsOfNodes();
      await pages.write(blocks.records);
      const distinct = pages.distinctPages() ?? (await callbacks.countPages());
      seconds += (performance.now() - started) / 1000;
      commit(distinct);
      writing = false;
      index.endLog();
    }
  }

  /** Returns true if the scan equals a scan from the true entry state. */
  function fits(group: GroupScan): boolean {
    const placed = decoder.framing.kind === 'lines' || group.position === exit.position;
    return placed && agrees(decoder, group.guess, exit.state);
  }

  async function stitch(group: GroupScan): Promise<void> {
    const firstBlock = blocks.length;
    const firstRecord = blocks.records;
    group.blocks.forEach((scan, i) => {
      const block = firstBlock + i;
      nodes.put(0, block, scan.find, scan.heat);
      nodes.putRows(NODE.touches, 0, block, scan.touches);
      index.putBlob(NODE.registers, 0, block, scan.registers);
      if (scan.parts !== undefined) index.putBlob(NODE.parts, 0, block, scan.parts);
      if (decoder.flow === undefined) return;

      if (scan.flow === undefined) index.putUnknown(NODE.flow, 0, block);
      else index.putBlob(NODE.flow, 0, block, scan.flow);
      index.putBlob(NODE.effects, 0, block, scan.effects);
    });
    if (group.code !== undefined) index.putBlob(NODE.code, 1, firstBlock / FAN_IN, group.code);
    // All nodes are written before their blocks count as done: a request that is served meanwhile finds every node of the blocks it sees.
    if (plan.blocks > 1) {
      const node = firstBlock / FAN_IN;
      nodes.put(1, node, group.find, group.heat);
      masks.put(1, node, group.masks);
      index.putBlob(NODE.registers, 1, node, group.registers);
    }
    pages.add(group.accesses, firstRecord);
    for (const { level, node } of nodesCompletedBy(firstBlock + group.blocks.length)) {
      // Commits coincide with nodes of level 2, so the pending accesses are those of the node.
      if (level > 1) await nodes.merge(level, node, pages.pending, false);
    }
    // All states of the group follow from its guess.
    const entry = exit;
    for (const scan of group.blocks) {
      totals = addTotals(totals, scan, blocks.records);
      totals = addContradictions(totals, scan.contradictions, blocks.records);
      blocks.append(scan, exit.state);
      exit = { position: scan.exitPosition, state: exitState(decoder, entry.state, scan.exit) };
    }
    totals = { ...totals, ...spanOfAddresses(totals, group.accesses) };
    totals = addContradictions(totals, group.contradictions, firstRecord);
    addContradictionsOfNodes();
  }

  /** Adds the contradictions that merges found. Called when the blocks of the merged nodes can be read. */
  function addContradictionsOfNodes(): void {
    for (const { bytes, level, node, lines } of masks.contradicting()) {
      const before = totals.contradictions.record;
      const mayBeFirst = before < 0 || nodes.firstRecordOf(level, node) < before;
      const records = mayBeFirst ? callbacks.firstContradiction(level, node, lines) : NO_RECORDS;
      totals = addContradictions(totals, { bytes, ...records }, 0);
    }
  }

  /** Finds the contradictions between the highest nodes that have masks: nodes above them are cut off and were not merged. */
  async function compareHighestNodes(): Promise<void> {
    const highest = [...highestNodes(plan.blocks, HIGHEST_CUT_OFF)];
    if (!totals.valued || highest.length === 1) return;
    await masks.compare(highest);
  }

  /** Commits all blocks, after `pages.write`. With the number of distinct pages the index becomes complete. */
  function commit(distinctPages?: number): void {
    const segment = Math.ceil(blocks.length / SEGMENT_BLOCKS) - 1;
    index.putBlob(NODE.segment, 0, segment, blocks.encodeSegment(segment));
    watermark = {
      blocks: blocks.length,
      complete: distinctPages !== undefined,
      exit,
      totals,
      pageRuns: pages.rows,
      seconds,
      ...(distinctPages === undefined ? {} : { pages: distinctPages }),
    };
    index.commit(watermark, watermark.complete);
  }
}

/** Approximate memory of a scanned group. */
function bytesOf({ accesses, blocks, find, masks = [] }: GroupScan): number {
  const ofRows = (rows: readonly PackedRow[] = []): number => rows.reduce((sum, { packed }) => sum + packed.length, 0);
  const ofBlocks = blocks.reduce((sum, block) => sum + ofRows(block.find) + ofRows(block.touches), 0);
  const ofMasks = masks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return accesses.words.byteLength + ofBlocks + ofRows(find) + ofRows(masks) + ofMasks;
}
