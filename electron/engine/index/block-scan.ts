/**
 * Scans one block on a worker: counts its records, sums up its accesses, and encodes them for the index.
 * The outcome depends on the block's bytes and its entry state only, so blocks can be scanned in any order.
 */
import type { Batch } from '../../../shared/records/batch.ts';
import { FLAG, recordsOf, resetBatch, SPAN_WORDS } from '../../../shared/records/batch.ts';
import { Diagnostics, type Diagnostic } from '../../../shared/format/diagnostics.ts';
import type { FlowStretch } from '../../../shared/flow/events.ts';
import type { Decoder, FlowReader, State, Window } from '../../../shared/format/format.ts';
import { KIND, kindBits, KINDS, READS, WRITES } from '../../../shared/records/record.ts';
import { assert } from '../../../shared/base/result.ts';
import type { ByteOffset } from '../../../shared/base/units.ts';
import type { AccessRows } from './builders/accesses/access-rows.ts';
import type { AccessCounter } from './builders/accesses/accesses.ts';
import type { CodeCounter } from './builders/code/code-counter.ts';
import type { CodeRow } from './builders/code/code-row.ts';
import type { EffectCounter } from './builders/effects/effect-counter.ts';
import type { PartCounter } from './builders/block-parts.ts';
import { encodeFlow } from './builders/flow-row.ts';
import { createFindRowWriter, type FindRow } from './builders/find.ts';
import { encodeHeat, heatTile, type HeatTile } from './builders/heat.ts';
import type { PageRow } from './builders/page-rows.ts';
import { encodeRegisterSets, type RegisterCounter, type RegisterSet } from './builders/register-sets.ts';
import type { Contradictions } from './builders/memory/replay.ts';
import type { BlockTouches, TouchCounter } from './builders/memory/touches.ts';
import { asPacked, pack, type Packed } from './store/packing.ts';

export interface BlockScan {
  /** Where its first record starts (or would). */
  readonly position: ByteOffset;
  /** Where the next block's first record starts, and the state that decoding ended with. */
  readonly exitPosition: ByteOffset;
  readonly exit: State;
  readonly records: number;
  /** Records per kind, by position in KINDS. */
  readonly kinds: Float64Array;
  /** [native code, records], by code. */
  readonly natives: readonly (readonly [code: number, count: number])[];
  /** First time in the block and the highest, which is another one than the last where times run backwards; NaN where it has none. */
  readonly timeFirst: number;
  readonly timeHighest: number;
  /** `firstRecord` counts from the block's start. */
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined if the rows would take too much room: the block then has to be decoded to know. */
  readonly find: readonly PackedRow[] | undefined;
  readonly heat: Packed;
  /** Undefined like `find`. */
  readonly touches: readonly PackedRow[] | undefined;
  readonly registers: Packed;
  /** Its branch events. Undefined if they would take too much room, or were not read: the block then has to be decoded to know. */
  readonly flow: Packed | undefined;
  /** Fingerprints of the effects of its instructions. */
  readonly effects: Packed;
  /** Its parts. Undefined unless the decoder has `marksParts`. */
  readonly parts: Packed | undefined;
  /** Whether any access has a value. */
  readonly valued: boolean;
  /** Within the block. */
  readonly contradictions: Contradictions;
}

/** Rows of a block are kept while they take no more than this share of its bytes. Of the find rows the level above has all. */
const FIND_SHARE = 1 / 16;
const TOUCH_SHARE = 1 / 10;
/** Branch events likewise: of programs that go round, messages and branch stacks take 0.6 to 2 %, instruction traces 0.2 %. */
const FLOW_SHARE = 1 / 16;
const SMALL_BYTES = 256;

export interface PackedRow {
  readonly low: number;
  readonly high: number;
  readonly packed: Packed;
}

/** Kinds as bits: those that report memory, and the one that reports registers. */
const MEMORY_KINDS = kindBits([...READS, ...WRITES]);
const REGISTER_KINDS = 1 << KIND.register;
const MESSAGE_KINDS = (1 << KIND.branch) | (1 << KIND.exception);

/**
 * Calls `visit` for each batch of a window and returns the exit state. `batch.first` counts from the block's start. If `condense` is
 * true, rows may stand for several records (`Batch.condensed`).
 */
export function decodeBlock(
  decoder: Decoder,
  window: Window,
  entry: State,
  batch: Batch,
  visit: (batch: Batch) => void,
  condense = false,
): State {
  let state = entry;
  let records = 0;
  while (window.position < window.end) {
    const before = window.position;
    resetBatch(batch, records);
    state = (condense ? decoder.condense?.(window, state, batch) : undefined) ?? decoder.decode(window, state, batch);
    assert(window.position > before, 'a decoder moves on');
    records += recordsOf(batch);
    visit(batch);
  }
  return state;
}

/** State that a worker reuses from one block to the next. */
export interface ScanTools {
  readonly batch: Batch;
  readonly accesses: AccessCounter;
  readonly records: RecordCounter;
  readonly touches: TouchCounter;
  readonly registers: RegisterCounter;
  readonly effects: EffectCounter;
  readonly code: CodeCounter;
  readonly parts: PartCounter;
  /** Undefined if the format has no branch events. Each trace has its own. */
  readonly flow: FlowReader | undefined;
}

export interface ScannedBlock {
  readonly scan: BlockScan;
  /** Encoded result of `scan.heat`. */
  readonly heat: HeatTile;
  /** Whether its accesses were summed up for the block: they are not where it has no locality. */
  readonly sorted: boolean;
  /** Encoded results of `scan.touches` and `scan.registers`. */
  readonly touches: BlockTouches;
  readonly registers: readonly RegisterSet[];
  /** Its code, until the next block is scanned. Undefined for traces of which `countsCode` is false. */
  readonly code: CodeRow | undefined;
}

/** The accesses are counted for the block here and go on counting for its group. */
export function scanBlock(
  decoder: Decoder,
  window: Window,
  entry: State,
  {
    batch,
    accesses: counter,
    records: recordCounter,
    touches: touchCounter,
    registers: registerCounter,
    effects: effectCounter,
    code: codeCounter,
    parts: partCounter,
    flow,
  }: ScanTools,
): ScannedBlock {
  const { position, end: nominalEnd } = window;
  const diagnostics = new Diagnostics();
  let records = 0;
  let timeFirst = Number.NaN;
  let timeHighest = Number.NEGATIVE_INFINITY;
  const timed = decoder.format.timeUnit !== undefined;
  let flowRead = flow !== undefined;
  const marksParts = decoder.marksParts === true;
  const counted = flow !== undefined && decoder.format.branches?.as !== 'messages';
  const executed = countsCode(decoder) ? codeCounter : undefined;
  executed?.clear();

  const visit = (filled: Batch): void => {
    records += recordsOf(filled);
    recordCounter.add(filled);
    if (recordCounter.met(MEMORY_KINDS)) touchCounter.add(filled, counter);
    else if (filled.condensed === undefined) counter.add(filled, filled.count);
    else counter.addCondensed(filled, filled.condensed);
    if (recordCounter.met(REGISTER_KINDS)) registerCounter.add(decoder, window, filled);
    if (filled.condensed === undefined) {
      flow?.add(window, filled, executed);
      if (counted) effectCounter.add(decoder, window, filled);
    } else if (recordCounter.met(MESSAGE_KINDS)) flowRead = false;
    if (marksParts) partCounter.add(filled);
    diagnostics.addAll(filled.diagnostics.list());
    if (!timed) return;
    if (Number.isNaN(timeFirst)) timeFirst = firstTime(filled);
    timeHighest = highestTime(filled, timeHighest);
  };
  const exit = decodeBlock(decoder, window, entry, batch, visit, true);

  const accesses = counter.endBlock(records);
  const exitPosition = Math.max(window.position, position);
  const heat = accesses.sorted ? heatTile(accesses.rows) : accesses.heat;
  const touches = touchCounter.endBlock();
  const registers = registerCounter.finish();
  const stretch = flow?.finish(executed);
  const code = executed && { code: executed.finish(stretch?.events), runs: stretch?.runs ?? [] };
  const scan: BlockScan = {
    position,
    exitPosition,
    exit,
    records,
    ...recordCounter.finish(),
    timeFirst,
    timeHighest: Number.isNaN(timeFirst) ? Number.NaN : timeHighest,
    diagnostics: diagnostics.list(),
    find: accesses.sorted ? affordable(packFindRows(accesses.rows), FIND_SHARE, exitPosition - position) : undefined,
    heat: packHeat(heat),
    touches:
      touches.rows === undefined
        ? undefined
        : affordable(packRows(touches.rows.touches), TOUCH_SHARE, exitPosition - position),
    registers: pack(encodeRegisterSets(registers)),
    effects: pack(effectCounter.finish(stretch)),
    parts: marksParts ? pack(partCounter.finish(position, nominalEnd)) : undefined,
    flow: stretch !== undefined && flowRead ? packFlow(stretch, exitPosition - position) : undefined,
    valued: touches.valued,
    contradictions: touches.contradictions,
  };
  return { scan, heat, sorted: accesses.sorted, touches, registers, code };
}

/** Returns true if the records are instructions, and show whether each of them branched. */
export function countsCode({ flow, format: { branches } }: Decoder): boolean {
  return flow !== undefined && branches?.as !== 'messages' && branches?.unclassified !== true;
}

function packFlow(stretch: FlowStretch, traceBytes: number): Packed | undefined {
  const packed = pack(encodeFlow(stretch));
  return packed.length <= traceBytes * FLOW_SHARE + SMALL_BYTES ? packed : undefined;
}

/** The rows where they take no more than a share of the trace's bytes. */
export function affordable<Row extends PackedRow>(rows: Row[], share: number, traceBytes: number): Row[] | undefined {
  const bytes = rows.reduce((sum, { packed }) => sum + packed.length, 0);
  return bytes <= traceBytes * share + SMALL_BYTES ? rows : undefined;
}

function packRows(rows: readonly PageRow[]): PackedRow[] {
  return rows.map(({ low, high, bytes }) => ({ low, high, packed: pack(bytes) }));
}

export function packHeat(tile: HeatTile): Packed {
  return asPacked(encodeHeat(tile));
}

let findRows: PackedRow[] = [];
/** One for all blocks: its functions are compiled once, and its room is larger than most blocks' rows. */
const findWriter = createFindRowWriter((row) => findRows.push(packFindRow(row)));

export function packFindRows(accesses: AccessRows): PackedRow[] {
  findRows = [];
  findWriter.pushRows(accesses);
  findWriter.finish();
  return findRows;
}

export function packFindRow(row: FindRow): PackedRow {
  return { low: row.low, high: row.high, packed: asPacked(row.bytes) };
}

/** Uses only a record's own time: a time taken from an earlier record can come from a guessed state. */
function firstTime(batch: Batch): number {
  for (let i = 0; i < batch.count; i++) if (hasTime(batch, i)) return batch.time[i]!;
  return Number.NaN;
}

/** The highest of `least` and the times of the batch, from its end on since times mostly rise. */
function highestTime({ time, flags, count }: Batch, least: number): number {
  let highest = least;
  // An unknown one, NaN, is above no other.
  for (let i = count - 1; i >= 0; i--)
    if (time[i]! > highest && (flags[i]! & FLAG.timeAssumed) === 0) highest = time[i]!;
  return highest;
}

function hasTime(batch: Batch, i: number): boolean {
  return !Number.isNaN(batch.time[i]!) && (batch.flags[i]! & FLAG.timeAssumed) === 0;
}

/** Counts records by kind and native code together; one per worker, since its table is large. */
export interface RecordCounter {
  add(batch: Batch): void;
  /** Whether any record since the last `finish` had one of these kinds, given as bits. */
  met(kinds: number): boolean;
  /** The counts since the last call. */
  finish(): Pick<BlockScan, 'kinds' | 'natives'>;
}

export function createRecordCounter(): RecordCounter {
  // By kind << 16 | native code. Only the few entries that a format uses are ever touched.
  const counts = new Int32Array(32 * 65536);
  /** Of every second record: most are like the one before, and a number just written takes a while to be read again. */
  const others = new Int32Array(32 * 65536);
  const seen: number[] = [];
  let kinds = 0;
  const meet = (key: number): void => {
    seen.push(key);
    kinds |= 1 << (key >>> 16);
  };
  const addCondensed = ({ count, kind, native }: Batch, spans: Int32Array): void => {
    for (let row = 0; row < count; row++) {
      const key = (kind[row]! << 16) | native[row]!;
      const before = counts[key]!;
      counts[key] = before + spans[row * SPAN_WORDS]!;
      if (before === 0) meet(key);
    }
  };
  return {
    add(batch): void {
      const { count, kind, native, condensed } = batch;
      if (condensed !== undefined) {
        addCondensed(batch, condensed.spans);
        return;
      }
      const even = counts;
      const odd = others;
      const pairs = count & ~1;
      for (let i = 0; i < pairs; i += 2) {
        const key = (kind[i]! << 16) | native[i]!;
        const other = (kind[i + 1]! << 16) | native[i + 1]!;
        const before = even[key]!;
        const otherBefore = odd[other]!;
        even[key] = before + 1;
        odd[other] = otherBefore + 1;
        if (before === 0) meet(key);
        if (otherBefore === 0) meet(other);
      }
      if (pairs === count) return;
      const key = (kind[pairs]! << 16) | native[pairs]!;
      if (even[key] === 0) meet(key);
      even[key] = even[key]! + 1;
    },
    met: (wanted) => (kinds & wanted) !== 0,
    finish(): Pick<BlockScan, 'kinds' | 'natives'> {
      const perKind = new Float64Array(KINDS.length);
      const natives = new Map<number, number>();
      for (const key of seen.sort((a, b) => (a & 0xffff) - (b & 0xffff))) {
        // Both have it: zero when it comes again.
        const count = counts[key]! + others[key]!;
        counts[key] = others[key] = 0;
        perKind[key >>> 16] = perKind[key >>> 16]! + count;
        natives.set(key & 0xffff, (natives.get(key & 0xffff) ?? 0) + count);
      }
      seen.length = kinds = 0;
      return { kinds: perKind, natives: [...natives] };
    },
  };
}
