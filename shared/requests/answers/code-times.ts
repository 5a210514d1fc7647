/** The code of a program by the time that it took. */
import type { Reach } from '../trace.ts';
import type { Hex } from '../../base/units.ts';

export interface InstructionTime {
  readonly address: Hex;
  /** Sum of the times from each of its executions to the next instruction of the same processor, as far as they are known. */
  readonly time: number;
  /** How often it ran or was skipped, and for how many of these the time is unknown; absent if 0. */
  readonly count: number;
  readonly unknown?: number;
  /** Disassembly; absent without an image. */
  readonly text?: string;
  readonly function?: string;
  readonly file?: string;
  readonly line?: number;
}

export interface LineTime {
  readonly file: string;
  readonly line: number;
  readonly time: number;
  /** Count of its instruction that ran most. */
  readonly count: number;
  readonly unknown?: number;
}

export interface CodeTimes {
  /** Unit of the times, and the sum of all that are known. */
  readonly unit: string;
  readonly cost: number;
  /** Most expensive first. */
  readonly instructions: readonly InstructionTime[];
  readonly lines: readonly LineTime[];
  /** Sentences about how time is counted, and about time that is unknown. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}
