import type { PathElements } from '../../../../../shared/requests/diff.ts';
import type { IgnoredCode } from '../ignored/ignored-code.ts';
import type { PathChunks } from '../../../flow/path/path-chunks.ts';
import type { Trace } from '../../../trace.ts';

/** One of the two traces. */
export interface Side {
  readonly trace: Trace;
  readonly chunks: PathChunks;
  /** The elements of its path. */
  readonly elements: PathElements;
  /** FLAG bits of the ends of branches that count, because both traces show them. */
  readonly ends: number;
  /** Its addresses minus those of the first trace. */
  readonly shift: bigint;
  /** Instructions that do not count; undefined if all of them do. */
  readonly ignored?: IgnoredCode;
  /** Set if instructions are not equal by their addresses alone, or some do not count. The chunks are of their numbers then. */
  readonly numbers?: InstructionNumbers;
}

/** Shift of chunks that are equal: undefined if their fingerprints say all, wherever they begin. */
export function chunkShift([one, other]: readonly [Side, Side]): bigint | undefined {
  return one.numbers === undefined ? other.shift : undefined;
}

/** Numbers the instructions of both programs: equal numbers are the same instruction. */
export interface InstructionNumbers {
  /** Number of the instruction at an address of the trace, 0 or more. */
  of(low: number, high: number): number;
  /** Returns true for instructions that were to be numbered by symbol, but are outside of all symbols. */
  isOutside(number: number): boolean;
  /** The function at an address of the trace, in a comparison by symbol; undefined if no symbol contains it. */
  readonly functionAt?: (address: bigint) => NumberedFunction | undefined;
}

export interface NumberedFunction {
  /** The same for a function of both programs. */
  readonly key: string;
  readonly name: string;
  /** Entry point in the own program, and in the first one if it has the function. */
  readonly entry: bigint;
  readonly firstEntry: bigint;
}
