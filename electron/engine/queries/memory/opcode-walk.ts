/** Tracks which bytes of a span are unresolved during a backward search for opcodes, and caches the results by line. */
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Span } from '../records/span.ts';

/** The newest opcode bytes up to a record, for the bytes of a line. */
export interface OpcodeLine {
  readonly at: RecordNumber;
  readonly bytes: Uint8Array;
  /** Per byte: the record that proves it, -1 if none up to `at` does, or NaN if it was not searched for. */
  readonly provedBy: Float64Array;
}

/** Keyed by address divided by the line length. The most recently used lines are kept. */
export type OpcodeLines = Map<bigint, OpcodeLine>;

/** State of a backward search for the opcode bytes of a span. */
export interface OpcodeWalk {
  readonly bytes: Uint8Array;
  /** Same values as in OpcodeLine. */
  readonly provedBy: Float64Array;
  /** 1 while an older opcode may prove the byte. */
  readonly open: Uint8Array;
  /** Per byte: the record of the newest data access that determined it. Older opcodes are irrelevant. */
  readonly since: Float64Array;
  /** Cached result of the byte for a record before the requested one. `olderAt` is -1 if nothing is cached. */
  readonly olderAt: Float64Array;
  readonly olderBy: Float64Array;
  readonly olderBytes: Uint8Array;
}

const LINE = 64;
const MOST_LINES = 4096;

export function createWalk(lines: OpcodeLines, span: Span, at: RecordNumber, since: Float64Array): OpcodeWalk {
  const { length } = since;
  const walk: OpcodeWalk = {
    bytes: new Uint8Array(length),
    provedBy: new Float64Array(length).fill(Number.NaN),
    open: new Uint8Array(length).fill(1),
    since,
    olderAt: new Float64Array(length).fill(-1),
    olderBy: new Float64Array(length),
    olderBytes: new Uint8Array(length),
  };
  eachLine(span, (line, byteOfLine, from, to) => {
    const known = lines.get(line);
    if (known === undefined) return;
    for (let byte = from; byte < to; byte++) {
      const place = byteOfLine(byte);
      const by = known.provedBy[place]!;
      if (Number.isNaN(by)) continue;
      if (known.at < at) {
        walk.olderAt[byte] = known.at;
        walk.olderBy[byte] = by;
        walk.olderBytes[byte] = known.bytes[place]!;
      } else if (by <= at) close(walk, byte, by, known.bytes[place]!);
    }
  });
  return walk;
}

/** Resolves bytes before the search reads a block that ends before record `end`, using cached results and newer data. */
export function resolveBefore(walk: OpcodeWalk, end: RecordNumber): void {
  for (let byte = 0; byte < walk.open.length; byte++) {
    if (walk.open[byte] === 0) continue;
    if (walk.olderAt[byte]! >= end - 1) close(walk, byte, walk.olderBy[byte]!, walk.olderBytes[byte]!);
    else if (walk.since[byte]! >= end) walk.open[byte] = 0;
  }
}

function close(walk: OpcodeWalk, byte: number, by: RecordNumber, value: number): void {
  walk.open[byte] = 0;
  walk.provedBy[byte] = by;
  walk.bytes[byte] = value;
}

/** Marks the remaining bytes as proved by no opcode, and caches the results. */
export function finishWalk(walk: OpcodeWalk, lines: OpcodeLines, span: Span, at: RecordNumber): void {
  for (let byte = 0; byte < walk.open.length; byte++) if (walk.open[byte] === 1) close(walk, byte, -1, 0);
  eachLine(span, (line, byteOfLine, from, to) => {
    const before = lines.get(line);
    const known =
      before?.at === at
        ? before
        : { at, bytes: new Uint8Array(LINE), provedBy: new Float64Array(LINE).fill(Number.NaN) };
    for (let byte = from; byte < to; byte++) {
      if (Number.isNaN(walk.provedBy[byte])) continue;
      known.bytes[byteOfLine(byte)] = walk.bytes[byte]!;
      known.provedBy[byteOfLine(byte)] = walk.provedBy[byte]!;
    }
    lines.delete(line);
    lines.set(line, known);
  });
  for (const line of lines.keys()) {
    if (lines.size <= MOST_LINES) break;
    lines.delete(line);
  }
}

/** Visits each line of the span, with its bytes [from, to) of the span and a function that maps them to positions in the line. */
function eachLine(
  { low, high }: Span,
  visit: (line: bigint, byteOfLine: (byte: number) => number, from: number, to: number) => void,
): void {
  const length = Number(high - low) + 1;
  const skipped = Number(low % BigInt(LINE));
  let line = low / BigInt(LINE);
  for (let start = -skipped; start < length; start += LINE, line++)
    visit(line, (byte) => byte - start, Math.max(0, start), Math.min(length, start + LINE));
}
