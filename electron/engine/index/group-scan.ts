/**
 * Scans a group on a worker: FAN_IN consecutive blocks, each separately and together as a node of the level above.
 * Only the group's own entry is a guess; within it every block starts where and as the one before has ended.
 */
import type { State } from '../../../shared/format/format.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { BlockNumber, ByteOffset } from '../../../shared/base/units.ts';
import {
  affordable,
  countsCode,
  decodeBlock,
  packFindRows,
  packHeat,
  scanBlock,
  type BlockScan,
  type PackedRow,
  type ScanTools,
  type ScannedBlock,
} from './block-scan.ts';
import { createCodeJoiner, encodeCode } from './builders/code/code-row.ts';
import { heatTile, mergeHeat } from './builders/heat.ts';
import type { Entry } from './blocks.ts';
import type { AccessRows } from './builders/accesses/access-rows.ts';
import { joinMasks } from './builders/memory/join-masks.ts';
import type { PageRow } from './builders/page-rows.ts';
import { encodeRegisterSets, joinRegisterSets } from './builders/register-sets.ts';
import type { Contradictions } from './builders/memory/replay.ts';
import type { MaskRow } from './mask-nodes.ts';
import { FAN_IN } from './pyramid.ts';
import { pack, type Packed } from './store/packing.ts';
import { poolTask } from '../threads/pool-task.ts';
import type { TraceReader, TraceRef } from './trace-reader.ts';

export interface GroupScan {
  /** Where its first record starts (or would), and the state that decoding started from. */
  readonly position: ByteOffset;
  readonly guess: State;
  readonly blocks: readonly BlockScan[];
  /** Totals of all blocks; `first` and `last` count from the start of the group. */
  readonly accesses: AccessRows;
  /** Its node one level above the blocks. */
  readonly find: readonly PackedRow[];
  readonly heat: Packed;
  /** Undefined if they would take too much room, or a block has none. */
  readonly masks: readonly MaskRow[] | undefined;
  readonly registers: Packed;
  /** The code that ran. Undefined for traces of which `countsCode` is false. */
  readonly code: Packed | undefined;
  /** Of one block by an earlier one; records count from the group's start. */
  readonly contradictions: Contradictions;
}

/**
 * Masks of a group without values are kept while they take no more than this share of its bytes. Those with values always are:
 * what reads contradict is found by joining them.
 */
const MASK_SHARE = 1 / 20;

/** Scans the group that begins with a block, for the index. */
export const SCAN_GROUP = poolTask<
  {
    readonly trace: TraceRef;
    readonly firstBlock: BlockNumber;
    readonly entry?: Entry | undefined;
    readonly guess: State;
    /** The accesses of an earlier answer that are no longer needed: shared memory for those of this one. */
    readonly room?: Int32Array | undefined;
  },
  GroupScan
>('scan group', 'scan');

/** Scans the blocks from `firstBlock` to the end of its group or of the trace; its accesses lie in `room` where that is large enough. */
export function scanGroup(
  reader: TraceReader,
  firstBlock: BlockNumber,
  entry: Entry | undefined,
  guess: State,
  tools: ScanTools,
  room?: Int32Array,
): Result<GroupScan> {
  const blocks: BlockScan[] = [];
  // A failed scan can leave data behind.
  tools.flow?.finish();
  tools.effects.finish(undefined);
  tools.parts.finish(0, 0);
  const scanned: Omit<ScannedBlock, 'scan' | 'code'>[] = [];
  const { flow } = reader.decoder;
  const code = flow !== undefined && countsCode(reader.decoder) ? createCodeJoiner(flow) : undefined;
  let records = 0;
  const endBlock = Math.min(firstBlock + FAN_IN, reader.plan.blocks);
  const guessed = entry === undefined ? warmUp(reader, firstBlock, guess, tools) : ok(entry.state);
  if (!guessed.ok) return guessed;
  let next = entry;
  let state = guessed.value;
  for (let block = firstBlock; block < endBlock; block++) {
    const window = reader.loader.load(block, next, state);
    if (!window.ok) return window;
    const { scan, code: its, ...rest } = scanBlock(reader.decoder, window.value, state, tools);
    blocks.push(scan);
    scanned.push(rest);
    if (its !== undefined) code?.add(its, records);
    records += scan.records;
    state = scan.exit;
    next = { position: scan.exitPosition, state };
  }
  const accesses = tools.accesses.endGroup(room);
  const valued = blocks.some((block) => block.valued);
  const allSorted = scanned.every(({ sorted }) => sorted);
  const firsts = firstRecords(blocks);
  const joined = joinMasks(
    scanned.map(({ touches }) => touches.rows),
    firsts,
  );
  const bytes = (next?.position ?? 0) - (blocks[0]?.position ?? 0);
  return ok({
    position: blocks[0]?.position ?? 0,
    guess: guessed.value,
    blocks,
    accesses,
    find: packFindRows(accesses),
    // Blocks without locality have tiles as coarse as the group's would be: nothing is lost by adding them.
    heat: packHeat(allSorted ? heatTile(accesses) : mergeHeat(scanned.map(({ heat }) => heat))),
    masks:
      joined.rows === undefined
        ? undefined
        : valued
          ? packMasks(joined.rows)
          : affordable(packMasks(joined.rows), MASK_SHARE, bytes),
    registers: pack(
      encodeRegisterSets(joinRegisterSets(scanned.map(({ registers: sets }, i) => ({ first: firsts[i]!, sets })))),
    ),
    code: code && pack(encodeCode(code.finish())),
    contradictions: joined.contradictions,
  });
}

function packMasks(rows: readonly PageRow[]): MaskRow[] {
  return rows.map((row) => ({ ...row, packed: pack(row.bytes) }));
}

/** Where each block's records begin, counted from the group's start. */
function firstRecords(blocks: readonly BlockScan[]): number[] {
  let sum = 0;
  return blocks.map(({ records }) => {
    const first = sum;
    sum += records;
    return first;
  });
}

/** The guess, made better by decoding what lies right before the group where its format gains by that. */
function warmUp(
  { decoder, loader }: TraceReader,
  firstBlock: BlockNumber,
  guess: State,
  { batch }: ScanTools,
): Result<State> {
  if (decoder.warmUp === undefined || firstBlock === 0) return ok(guess);
  const window = loader.loadBefore(firstBlock, decoder.warmUp, guess);
  return window.ok ? ok(decodeBlock(decoder, window.value, guess, batch, () => undefined, true)) : window;
}
