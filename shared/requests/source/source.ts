/** Requests about the source and the static code of the program: where a record is in it, its text, counts, and ways to other lines. */
import { request, type } from '../request.ts';
import {
  check,
  flag,
  hex,
  list,
  object,
  oneOf,
  optional,
  ordered,
  path,
  record,
  text,
  where,
  whole,
  type ObjectRule,
} from '../schema.ts';
import type { FlowProgress } from '../flow.ts';
import { ofTrace, type ImageProgress } from '../trace.ts';
import type {
  CodePart,
  CoverageFiles,
  InlinedCall,
  LineInstructions,
  LineStep,
  LineStepKind,
  SourceFile,
  SourceLines,
  SourcePlace,
} from './answers.ts';

/** Steps by source line. */
export const LINE_STEPS = ['into', 'over', 'back into', 'back over'] as const satisfies readonly LineStepKind[];

/** Largest number of lines and of rows of code in an answer. */
export const MOST_SOURCE_LINES = 4000;
export const MOST_CODE_ROWS = 1000;
/** Largest source file that is read, in bytes. */
export const MOST_SOURCE_BYTES = 8 * 1024 * 1024;
/** Largest number of folders and of mapped paths that are searched. */
export const MOST_SOURCE_PLACES = 20;

/** A file as the line table of an image names it. */
const file = text(32_768);
const line = whole(1, 0xffff_ffff);
const range = { from: optional(record), to: optional(record) } as const;

export const sourceFolders = list(path, MOST_SOURCE_PLACES, 0);
/** A path that begins with `from` is at `to` on this computer. */
export const sourceMaps = list(object({ from: path, to: path }), MOST_SOURCE_PLACES, 0);

interface Place {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly address?: string | undefined;
}

const lineOrAddress: ObjectRule<Place> = {
  at: 'line',
  test: ({ file: its, line: number, address }) =>
    address === undefined ? its !== undefined && number !== undefined : its === undefined && number === undefined,
  must: 'must be given with a file, or an address instead of both',
};

export const SOURCE_REQUESTS = {
  /** The source line of the instruction at a record, or of the last one before it. */
  sourceAt: request({ arguments: object({ ...ofTrace, at: record }), answer: type<SourcePlace>() }),
  /**
   * The text of a source file that the line table of an image names; other files are refused. It is searched for under its own name, by
   * maps, in the compilation directories, and by the longest matching end of its path in the folders.
   */
  sourceFile: request({
    arguments: object({ ...ofTrace, file, folders: optional(sourceFolders), maps: optional(sourceMaps) }),
    answer: type<SourceFile>(),
  }),
  /** How often lines of a file ran in the records [from, to), everything indexed by default. */
  sourceLines: request({
    arguments: where(
      object({ ...ofTrace, ...range, file, first: line, last: line }),
      ordered,
      check('last', ({ first, last }) => last >= first && last - first < MOST_SOURCE_LINES, 'must be near first'),
    ),
    answer: type<SourceLines>(),
    event: type<FlowProgress>(),
  }),
  /** The instructions of a line, with counts. */
  lineInstructions: request({
    arguments: where(object({ ...ofTrace, ...range, file, line }), ordered),
    answer: type<LineInstructions>(),
    event: type<FlowProgress>(),
  }),
  /** The functions that the compiler has inlined at addresses, the innermost first; none if the debug information does not say. */
  inlinedAt: request({
    arguments: object({ ...ofTrace, addresses: list(hex, 1000, 0) }),
    answer: type<{ readonly calls: readonly (readonly InlinedCall[])[] }>(),
    event: type<ImageProgress>(),
  }),
  /**
   * The next (or previous) record at which a line begins to run, or that executes the instruction at an address. In a trace of branch messages
   * it is the message after code that the images prove to have run.
   */
  lineExecution: request({
    arguments: where(
      object({
        ...ofTrace,
        at: record,
        file: optional(file),
        line: optional(line),
        address: optional(hex),
        backwards: optional(flag),
      }),
      lineOrAddress,
    ),
    answer: type<LineStep>(),
    event: type<FlowProgress>(),
  }),
  /** The record that a step by source line leads to. */
  lineStep: request({
    arguments: object({ ...ofTrace, at: record, step: oneOf(LINE_STEPS) }),
    answer: type<LineStep>(),
    event: type<FlowProgress>(),
  }),
  /**
   * Rows of the static code of the images: `count` rows from row `first`, or around an address. Headings of functions are rows, too.
   */
  code: request({
    arguments: where(
      object({
        ...ofTrace,
        ...range,
        first: optional(record),
        address: optional(hex),
        count: whole(1, MOST_CODE_ROWS),
      }),
      ordered,
    ),
    answer: type<CodePart>(),
    event: type<FlowProgress>(),
  }),
  /** The share of each file and function that ran. */
  coverageFiles: request({
    arguments: where(object({ ...ofTrace, ...range }), ordered),
    answer: type<CoverageFiles>(),
    event: type<FlowProgress>(),
  }),
} as const;
