/** What is still open of a span's bytes while older and older blocks are looked at for opcodes, and what is remembered of that. */
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Span } from '../records/span.ts';

/** The newest opcodes up to a record, for the bytes of a line. */
export interface OpcodeLine {
  readonly at: RecordNumber;
  readonly bytes: Uint8Array;
  /** Per byte the record that proves it, -1 where none up to `at` does; NaN where that was not looked for. */
  readonly provedBy: Float64Array;
}

/** By address divided by the bytes of a line; those used last stay. */
export type OpcodeLines = Map<bigint, OpcodeLine>;

/** Bytes are those of the span. */
export interface OpcodeWalk {
  readonly bytes: Uint8Array;
  /** As in OpcodeLine. */
  readonly provedBy: Float64Array;
  /** 1 while an older opcode may prove the byte. */
  readonly open: Uint8Array;
  /** The record by which data told of the byte: opcodes that are older need not be found. */
  readonly since: Float64Array;
  /** What is remembered of the byte for an older record than the one that is asked for; `olderAt` is -1 where nothing is. */
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

/** Before a block is looked at whose records, and those of all older ones, come before `end`. */
export function settle(walk: OpcodeWalk, end: RecordNumber): void {
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

/** Bytes that are still open are proved by no opcode. Remembers what was found. */
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

/** The bytes [from, to) of the span that lie in each of its lines, and where in the line each does. */
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
