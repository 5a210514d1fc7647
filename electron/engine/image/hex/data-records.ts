/** Collects the data records of an image file, which come in any order, and joins them into segments. */
import type { Segment } from '../image.ts';
import { sharedBytes } from '../shared-memory.ts';

export interface DataRecords {
  /** Copies the bytes. */
  add(address: number, bytes: Uint8Array): void;
  finish(): Joined;
}

export interface Joined {
  /** By address, without overlaps. All bytes are views of one buffer. */
  readonly segments: readonly Segment[];
  /** Phrases about bytes that were left out. */
  readonly problems: readonly string[];
}

/** Bytes of records that follow one another in the file and in memory. */
interface Piece {
  readonly address: number;
  /** Offset of the first byte in the buffer. */
  readonly start: number;
  length: number;
}

/** Upper bound on segments. Queries look through them one by one. */
const MOST_SEGMENTS = 10_000;

/** `most`: upper bound on the number of data bytes. */
export function createDataRecords(most: number): DataRecords {
  const buffer = new Uint8Array(most);
  const pieces: Piece[] = [];
  let length = 0;
  return {
    add(address, bytes) {
      if (bytes.length === 0) return;
      const last = pieces.at(-1);
      buffer.set(bytes, length);
      if (last !== undefined && last.address + last.length === address) last.length += bytes.length;
      else pieces.push({ address, start: length, length: bytes.length });
      length += bytes.length;
    },
    finish: () => join(pieces, buffer.subarray(0, length)),
  };
}

/** Addresses [low, high) that records cover without a gap. */
interface Run {
  readonly low: number;
  high: number;
  readonly pieces: Piece[];
}

function join(pieces: readonly Piece[], buffer: Uint8Array): Joined {
  const runs: Run[] = [];
  for (const piece of [...pieces].sort((a, b) => a.address - b.address)) {
    const last = runs.at(-1);
    const high = piece.address + piece.length;
    if (last === undefined || piece.address > last.high) runs.push({ low: piece.address, high, pieces: [piece] });
    else {
      last.high = Math.max(last.high, high);
      last.pieces.push(piece);
    }
  }
  const used = runs.slice(0, MOST_SEGMENTS);
  const joined = sharedBytes(used.reduce((sum, { low, high }) => sum + high - low, 0));
  const segments: Segment[] = [];
  const problems: string[] = [];
  let at = 0;
  for (const run of used) {
    const bytes = joined.subarray(at, at + run.high - run.low);
    at += bytes.length;
    const isContested = fill(bytes, run, buffer);
    segments.push(...(isContested === undefined ? [segmentOf(run.low, bytes)] : agreedParts(run, bytes, isContested)));
    if (isContested !== undefined) problems.push(contestedText(run, isContested));
  }
  if (used.length < runs.length) problems.push(`only the first ${MOST_SEGMENTS} of its ${runs.length} parts are used`);
  return { segments, problems };
}

/** Copies the pieces of a run. Returns 1 for each byte to which two records give different values; undefined if there is none. */
function fill(bytes: Uint8Array, { low, pieces }: Run, buffer: Uint8Array): Uint8Array | undefined {
  const isDisjoint = pieces.reduce((sum, { length }) => sum + length, 0) === bytes.length;
  const isFilled = new Uint8Array(isDisjoint ? 0 : bytes.length);
  let isContested: Uint8Array | undefined;
  for (const { address, start, length } of pieces) {
    const to = address - low;
    for (let i = 0; !isDisjoint && i < length; i++) {
      if (isFilled[to + i] === 1 && bytes[to + i] !== buffer[start + i])
        (isContested ??= new Uint8Array(bytes.length))[to + i] = 1;
      isFilled[to + i] = 1;
    }
    bytes.set(buffer.subarray(start, start + length), to);
  }
  return isContested;
}

function agreedParts({ low }: Run, bytes: Uint8Array, isContested: Uint8Array): Segment[] {
  const parts: Segment[] = [];
  for (let start = isContested.indexOf(0); start >= 0;) {
    const next = isContested.indexOf(1, start);
    const end = next < 0 ? bytes.length : next;
    parts.push(segmentOf(low + start, bytes.subarray(start, end)));
    start = isContested.indexOf(0, end);
  }
  return parts;
}

function segmentOf(address: number, bytes: Uint8Array): Segment {
  return { address: BigInt(address), bytes, memory: BigInt(bytes.length) };
}

function contestedText({ low }: Run, isContested: Uint8Array): string {
  const count = isContested.reduce((sum, one) => sum + one, 0);
  const first = `0x${(low + isContested.indexOf(1)).toString(16)}`;
  return `its records give different values to ${count === 1 ? `the byte at ${first}` : `${count} bytes, the first at ${first}`}; ${count === 1 ? 'it is' : 'they are'} left out`;
}
