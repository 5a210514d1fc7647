/**
 * Executed instructions of a trace, for comparing them with images: all of a short trace, otherwise those of blocks that are spread
 * evenly over the indexed part. The work is bounded, whatever the length of the trace.
 */
import { BATCH_RECORDS, FLAG } from '../../../../shared/records/batch.ts';
import { kindBits, type RecordFields } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, type BlockNumber, type RecordNumber } from '../../../../shared/base/units.ts';
import { createWholeTraceResult } from '../../flow/whole-trace.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { recordBytes, visitBatches, type Decoded } from '../records/block-reader.ts';

export interface Sample {
  /** Distinct instructions: an address with another opcode is another instruction. By first record. */
  readonly instructions: readonly Executed[];
  /** True if these are instructions that the processor executed; false if they are fetches, which may run ahead. */
  readonly executed: boolean;
  /** Number of records in the sample. */
  readonly records: number;
  /** Number of such records in the indexed part of the trace. */
  readonly of: number;
}

export interface Executed extends Pick<RecordFields, 'opcode' | 'isa' | 'flags'> {
  readonly address: bigint;
  /** Position in KINDS. */
  readonly kind: number;
  /** Size in bytes; 0 if the record does not contain it. */
  readonly size: number;
  /** First record of the sample that executes it, and the number of these records. */
  readonly n: RecordNumber;
  count: number;
}

/** Upper bounds. So many records take less than a second of the engine thread, in slices. */
export const MOST_RECORDS = 32 * BATCH_RECORDS;
const MOST_BLOCKS = 32;
const MOST_INSTRUCTIONS = 1 << 16;
/** Records that are read before other requests are served. */
const STEP = 1024;

const INSTRUCTIONS = kindBits(['instruction', 'skipped']);
const FETCHES = kindBits(['fetch', 'bus-fetch']);

export const sampleOf = keepSample('executed instructions', readSample);

/**
 * Returns a reader that keeps the sample of each trace, and reads it again once more of the trace is indexed. The index keeps that of a
 * whole trace: reading it takes longer than most questions of a program that starts with an image.
 */
export function keepSample<S>(name: string, read: (trace: Trace) => Steps<S>): (trace: Trace) => Steps<S> {
  const same = (sample: S): S => sample;
  const known = createWholeTraceResult<S, S>({ name, needsNoImage: true, toTable: same, fromTable: same });
  return function* (trace) {
    const { records } = trace.blocks;
    const kept = known.get(trace);
    if (kept !== undefined) return ok(kept);
    const sample = yield* read(trace);
    if (sample.ok && trace.blocks.records === records) known.set(trace, records, sample.value);
    return sample;
  };
}

function* readSample(trace: Trace): Steps<Sample> {
  const counted = trace.ingest.totals.kinds;
  const count = (kinds: number): number => counted.reduce((sum, n, kind) => sum + ((kinds >> kind) & 1) * n, 0);
  const isKnown = trace.blocks.length > 0;
  const kinds = isKnown ? (count(INSTRUCTIONS) > 0 ? INSTRUCTIONS : FETCHES) : INSTRUCTIONS | FETCHES;
  const all = createCollector(trace);
  for (const { block, from, to } of pieces(trace, STEP)) {
    const read = readPiece(trace, { block, from, to }, kinds, all.add);
    if (!read.ok) return read;
    yield isKnown ? trace.blocks.firstRecord(block) : 0;
  }
  const ran = all.instructions.filter(({ kind }) => isInstruction(kind));
  const executed = ran.length > 0;
  const instructions = executed ? ran : all.instructions;
  const records = instructions.reduce((sum, instruction) => sum + instruction.count, 0);
  return ok({ instructions, executed, records, of: Math.max(records, count(kinds)) });
}

interface Collector {
  readonly instructions: readonly Executed[];
  readonly add: (decoded: Decoded, index: number) => void;
}

/** An instruction with the end of its line, starting at its address: lines that end alike have the same opcode. */
interface Known {
  readonly instruction: Executed;
  readonly lineEnd: Buffer | undefined;
}

function createCollector({ reader: { decoder } }: Trace): Collector {
  const byAddress = new Map<bigint, Known[]>();
  const instructions: Executed[] = [];
  // Only lines of text contain opcodes.
  const isText = decoder.framing.kind === 'lines';
  return {
    instructions,
    add(decoded, index) {
      const { batch, first } = decoded;
      const address = joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!);
      const kind = batch.kind[index]!;
      const size = batch.size[index]!;
      const line = isText ? recordBytes(decoded, index) : EMPTY;
      const known = byAddress.get(address) ?? [];
      const isExecuted = isInstruction(kind);
      const alike = known.filter(({ instruction }) => isInstruction(instruction.kind) === isExecuted);
      const same = alike.find(({ lineEnd }) => endsWith(line, lineEnd));
      if (same !== undefined) {
        same.instruction.count++;
        return;
      }
      const { opcode, isa, flags } = isText ? decoder.describe(line, batch, index) : NO_FIELDS;
      const again = alike.find(({ instruction }) => instruction.opcode === opcode && instruction.isa === isa);
      if (again !== undefined) {
        again.instruction.count++;
        return;
      }
      if (instructions.length >= MOST_INSTRUCTIONS) return;
      const instruction = {
        address,
        size,
        kind,
        n: first + index,
        count: 1,
        ...(opcode === undefined ? {} : { opcode }),
        ...(isa === undefined ? {} : { isa }),
        ...(flags === undefined ? {} : { flags }),
      };
      instructions.push(instruction);
      known.push({ instruction, lineEnd: isText ? endOf(line, address) : EMPTY });
      byAddress.set(address, known);
    },
  };
}

function isInstruction(kind: number): boolean {
  return ((INSTRUCTIONS >> kind) & 1) === 1;
}

const EMPTY = Buffer.alloc(0);
const NO_FIELDS: Partial<RecordFields> = {};

/** Returns the end of a line, starting at its address; undefined if the line does not contain the address in hexadecimal digits. */
function endOf(line: Uint8Array, address: bigint): Buffer | undefined {
  const digits = address.toString(16);
  const at = digits.length < LEAST_DIGITS ? -1 : Buffer.from(line).toString('latin1').toLowerCase().indexOf(digits);
  return at < 0 ? undefined : Buffer.from(line.subarray(at));
}

/** Fewer digits may occur in a line before its address. */
const LEAST_DIGITS = 4;

function endsWith(line: Uint8Array, end: Buffer | undefined): boolean {
  return end !== undefined && line.length >= end.length && end.equals(line.subarray(line.length - end.length));
}

/** A stretch of records in a block, numbered within the block. */
export interface Piece {
  readonly block: BlockNumber;
  readonly from: number;
  readonly to: number;
}

/** Yields the first records of blocks at equal distances: all records of a short trace. `step`: largest number of records in a piece. */
export function* pieces({ blocks }: Pick<Trace, 'blocks'>, step: number): Generator<Piece> {
  const chosen = Math.max(1, Math.min(blocks.length, MOST_BLOCKS));
  for (let i = 0; i < chosen; i++) {
    const block = Math.floor((i * blocks.length) / chosen);
    const records = blocks.length === 0 ? MOST_RECORDS : blocks.row(block).records;
    const end = Math.min(records, Math.floor(MOST_RECORDS / chosen));
    for (let from = 0; from < end; from += step) yield { block, from, to: Math.min(from + step, end) };
  }
}

function readPiece(
  trace: Trace,
  { block, from, to }: Piece,
  kinds: number,
  add: (decoded: Decoded, index: number) => void,
): Result<undefined> {
  return visitBatches(trace, block, from, (decoded) => {
    const { batch } = decoded;
    for (let i = Math.max(0, from - batch.first); i < Math.min(batch.count, to - batch.first); i++)
      if (((kinds >> batch.kind[i]!) & 1) === 1 && (batch.flags[i]! & FLAG.address) !== 0) add(decoded, i);
    return batch.first + batch.count < to;
  });
}
