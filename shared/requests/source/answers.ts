/** Answers about the source and the static code of the program. */
import type { Coverage, CoveredFunction, InstructionSort, Share } from '../answers/coverage.ts';
import type { Reach } from '../trace.ts';
import type { Hex, RecordNumber } from '../../base/units.ts';

/** Why there is no source line: a person can do something about the first two. */
export type NoSource = 'no-image' | 'no-lines' | 'no-instruction' | 'no-line';

export interface SourcePlace {
  /** The record of the instruction, and its address; absent if no instruction is at the record or near before it. */
  readonly n?: RecordNumber;
  readonly address?: Hex;
  readonly file?: string;
  readonly line?: number;
  /** Name of the function, with the offset of the address. */
  readonly symbol?: string;
  /** Why there is no line; absent if there is one. */
  readonly missing?: NoSource;
  readonly reach: Reach;
}

/** A function that the compiler has inlined. */
export interface InlinedCall {
  readonly name: string;
  /** Where it was called. */
  readonly file?: string;
  readonly line?: number;
}

export interface SourceFile {
  /** The file that was read; absent if none was found. */
  readonly path?: string;
  /** How it was found. */
  readonly by?: 'name' | 'map' | 'compilation directory' | 'folder';
  /** Its lines without their ends. */
  readonly lines?: readonly string[];
  /** It was changed after the image was: its lines may not be those that ran. Times in milliseconds. */
  readonly newer?: { readonly source: number; readonly image: number };
  /** Paths at which it was not. */
  readonly tried: readonly string[];
  /** A sentence why a file that was found could not be used. */
  readonly problem?: string;
}

/** A line with code. */
export interface LineCount {
  readonly line: number;
  /** Count of its instruction that ran most. */
  readonly most: number;
  /** Its instructions, and those that ran. */
  readonly instructions: Share;
  /** Number of instructions that control reached, but that were skipped each time, as the trace shows. Absent if 0. */
  readonly skipped?: number;
  /** Functions that have code of this line, if there are several: it was inlined, or is a template. At most a few. */
  readonly functions?: readonly string[];
}

export interface SourceLines {
  /** Lines with code in the requested ones, ascending. */
  readonly lines: readonly LineCount[];
  /** The largest count of a line of the whole file, for the scale of heat. */
  readonly most: number;
  /** Lines of the whole file that have code. */
  readonly share: Share;
  /** Sentences about uncertainty. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}

/** An instruction of the program. */
export interface CodeInstruction {
  readonly address: Hex;
  /** Its bytes as two digits each. */
  readonly bytes: string;
  /** Absent if it cannot be disassembled. */
  readonly text?: string;
  /** How often control reached it, executed or skipped. */
  readonly count: number;
  readonly sort: InstructionSort;
  /**
   * How often it was skipped, because its condition failed. Absent if it has no condition of its own, or if the trace does not show it.
   */
  readonly skipped?: number;
  /** Of branches: how often it branched, and how often the next instruction followed. */
  readonly taken?: number;
  readonly notTaken?: number;
  /** Target of a direct branch, and its row if it is code of the list. */
  readonly target?: Hex;
  readonly targetRow?: number;
  readonly targetSymbol?: string;
  readonly file?: string;
  readonly line?: number;
  /** Name of its function with the offset of the instruction; of the rows of code only in `lineInstructions`. */
  readonly symbol?: string;
}

export interface LineInstructions {
  readonly instructions: readonly CodeInstruction[];
  /** Number of instructions that are omitted. */
  readonly left: number;
  readonly reach: Reach;
}

export type LineStepKind = 'into' | 'over' | 'back into' | 'back over';

export interface LineStep {
  /** null if there is no such record. */
  readonly n: RecordNumber | null;
  /** The code ran between this message and the one before, as the images prove. */
  readonly isProved?: boolean;
  /** Why there is none, as a sentence. */
  readonly reason?: string;
  readonly reach: Reach;
}

/** A row of the static code. */
export type CodeRow = CodeHeading | CodeInstruction;

export interface CodeHeading {
  readonly heading: string;
  readonly address: Hex;
  /** How often the function was entered. */
  readonly count: number;
  readonly instructions: Share;
}

export interface CodePart {
  /** Number of all rows. */
  readonly total: number;
  /** Number of the first row in the answer. */
  readonly first: number;
  readonly rows: readonly CodeRow[];
  /** Row of the instruction that contains the requested address; absent if no row does. */
  readonly row?: number;
  /** The largest count of an instruction, for the scale of heat. */
  readonly most: number;
  readonly notes: readonly string[];
  readonly reach: Reach;
}

/** A source file, or the functions without one. */
export interface CoveredFile {
  /** Absent for functions whose source is unknown. */
  readonly file?: string;
  readonly lines: Share;
  readonly instructions: Share;
  readonly functions: Share;
  readonly branches: Share;
}

export interface CoverageFiles {
  readonly files: readonly CoveredFile[];
  readonly functions: readonly CoveredFunction[];
  /** `conditions`: as of coverage. */
  readonly totals: CoveredFile & Pick<Coverage['totals'], 'conditions'>;
  readonly notes: readonly string[];
  readonly reach: Reach;
}
