/** What a report is made of, what figures can be drawn, and what checking a report answers (see Requests in requests.ts). */
import type { OfTrace } from '../requests/trace.ts';
import type { FunctionId } from '../requests/flow.ts';
import type { NoteId } from '../requests/notes.ts';
import type { Kind } from '../records/record.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

/** A report in words: what it has, in which order. */
export interface ReportPlan {
  readonly title: string;
  readonly parts: readonly ReportPart[];
  /** When it was made, ISO 8601 in UTC; now by default. */
  readonly made?: string;
  /** Digest of the whole file: takes as long as reading it. True by default. */
  readonly sha256?: boolean;
}

export type ReportPart =
  /** Markdown between the others. */
  | { readonly kind: 'text'; readonly text: string }
  /** What the trace is, counts by kind, time, addresses, images. */
  | { readonly kind: 'summary' }
  | { readonly kind: 'diagnostics' }
  /** A note with the records around it and what registers, memory and the call stack held there. */
  | {
      readonly kind: 'note';
      readonly note: NoteId;
      /** Records before and behind it; 5 by default. */
      readonly around?: number;
    }
  | { readonly kind: 'figure'; readonly figure: FigureWish; readonly caption?: string }
  | {
      readonly kind: 'table';
      readonly table: ReportTable;
      /** Rows at most; 20 by default. */
      readonly most?: number;
      readonly from?: RecordNumber;
      readonly to?: RecordNumber;
    };

export const REPORT_TABLES = ['branches', 'functions', 'pages'] as const;
export type ReportTable = (typeof REPORT_TABLES)[number];

/** Paper that a PDF is laid out for. */
export const PAPER_SIZES = ['A4', 'Letter'] as const;
export type PaperSize = (typeof PAPER_SIZES)[number];

export const REPORT_FORMS = ['html', 'md', 'json', 'pdf'] as const;
export type ReportForm = (typeof REPORT_FORMS)[number];

/** A chart: what it shows. The same code draws it for the page, the command line and reports. */
export type FigureWish =
  | {
      readonly figure: 'heat';
      readonly from?: RecordNumber;
      readonly to?: RecordNumber;
      readonly low?: Hex;
      readonly high?: Hex;
      readonly kinds?: readonly Kind[];
      readonly columns?: number;
      readonly rows?: number;
      /** Address space that nobody touches takes no room. */
      readonly folded?: boolean;
    }
  | { readonly figure: 'overview'; readonly from?: RecordNumber; readonly to?: RecordNumber }
  | {
      readonly figure: 'graph';
      readonly from?: RecordNumber;
      readonly to?: RecordNumber;
      /** The function in the middle; the one that most was spent below by default. */
      readonly centre?: FunctionId;
      /** Calls away from it, and functions, at most. */
      readonly steps?: number;
      readonly most?: number;
      /** Circles of calls as one box; true by default. */
      readonly collapse?: boolean;
      /** Of these functions' circles every function is a box. */
      readonly opened?: readonly FunctionId[];
    }
  | {
      readonly figure: 'flame';
      readonly from?: RecordNumber;
      readonly to?: RecordNumber;
      /** Left-heavy by default. */
      readonly order?: FlameOrder;
      /** Not of `time`: functions from a root to the frame that takes the whole width. */
      readonly path?: readonly FunctionId[];
      /** Only of `time`: the cpu, the first one that is seen by default. */
      readonly cpu?: number;
    };

/** Columns times rows of a heatmap's figure, at most: more is no picture of decent size. */
export const FIGURE_CELLS_MOST = 360_000;

export const FLAME_ORDERS = ['left-heavy', 'time', 'bottom-up'] as const;
export type FlameOrder = (typeof FLAME_ORDERS)[number];

export interface FigureArguments extends OfTrace {
  readonly figure: FigureWish;
  readonly as: 'svg' | 'png';
  /** Pixels of a PNG per pixel of the figure; 1 by default. */
  readonly scale?: 1 | 2;
  /** Light by default. */
  readonly theme?: 'dark' | 'light';
  /** What stands above it; name of the trace and what is shown by default. */
  readonly title?: string;
}

export interface FigureFile {
  /** A name for the file, with its ending. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ReportArguments extends OfTrace {
  /** What `reportPlan` answers by default. */
  readonly plan?: ReportPlan;
  readonly as: ReportForm;
  /** Of a PDF; A4 by default. */
  readonly paper?: PaperSize;
  /** Name of the first file, without folder and ending: what it refers to is named after it. */
  readonly name?: string;
}

/** The first is the report itself; the others are what it refers to, to lie beside it. */
export interface ReportFiles {
  readonly files: readonly FigureFile[];
}

export interface ReportProgress {
  readonly done: number;
  readonly of: number;
  /** What is being made. */
  readonly what: string;
}

export interface VerifyArguments extends OfTrace {
  /** A report as HTML, Markdown or JSON. */
  readonly report: string;
  /** Of Markdown: the files beside it. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
}

export interface Verified {
  /** How many figures, tables, numbers of the summary and contexts of notes were made anew. */
  readonly checked: number;
  readonly differing: readonly Difference[];
}

export interface Difference {
  /** Number of the part in the report, from 1; 0 for the report as a whole. */
  readonly part: number;
  /** What it is: `Heatmap of records 0 to 5,000`. */
  readonly what: string;
  /** A sentence: how it differs. */
  readonly how: string;
}
