/** Requests for figures and reports. */
import { figureSchema, planSchema, PARTS_MOST, type ReportPlan } from '../report/plan.ts';
import { request, type, type ArgumentsOf } from './request.ts';
import { list, object, oneOf, optional, rule, text } from './schema.ts';
import { ofTrace } from './trace.ts';

export const FIGURE_FORMS = ['svg', 'png'] as const;

/** Paper sizes of a PDF. */
export const PAPER_SIZES = ['A4', 'Letter'] as const;
export type PaperSize = (typeof PAPER_SIZES)[number];

export const REPORT_FORMS = ['html', 'md', 'json', 'pdf'] as const;
export type ReportForm = (typeof REPORT_FORMS)[number];

const fileName = rule<string>(
  (value) => typeof value === 'string' && /^[^/\\\p{Cc}]{1,200}$/u.test(value),
  'must be a name of a file, without its folder',
);
/** Upper limit of a report with its drawings, in characters. */
const REPORT_MOST = 256 * 1024 * 1024;

/** The trace of the other run, for parts that compare two runs. */
const other = optional(text(200));

export const REPORT_REQUESTS = {
  /** A chart as a file. */
  figure: request({
    arguments: object({
      ...ofTrace,
      figure: figureSchema,
      /** Draws the change from this trace to another one: only heatmaps and flame graphs of whole traces, not in time order. */
      against: optional(
        object({
          trace: text(200),
          /** Addresses of the other trace minus those of this one, in decimal, may be negative. */
          shift: text(30),
        }),
      ),
      as: oneOf(FIGURE_FORMS),
      /** Pixels of a PNG per pixel of the figure; 1 by default. */
      scale: optional(oneOf([1, 2])),
      /** Light by default. */
      theme: optional(oneOf(['dark', 'light'])),
      /** By default the name of the trace and a description of the figure. */
      title: optional(text(500)),
    }),
    answer: type<FigureFile>(),
    event: type<ReportProgress>(),
    text: 'raw',
    once: true,
  }),
  /** The default plan of a report. It contains titles of notes, which people wrote. */
  reportPlan: request({
    arguments: object({ ...ofTrace, other }),
    answer: type<ReportPlan>(),
    event: type<ReportProgress>(),
    text: 'raw',
  }),
  report: request({
    arguments: object({
      ...ofTrace,
      other,
      /** The answer of `reportPlan` by default. */
      plan: optional(planSchema),
      as: oneOf(REPORT_FORMS),
      /** Only for a PDF; A4 by default. */
      paper: optional(oneOf(PAPER_SIZES)),
      /** Name of the report's file without folder and extension. Its other files are named after it. */
      name: optional(fileName),
    }),
    answer: type<ReportFiles>(),
    event: type<ReportProgress>(),
    text: 'raw',
    bodyBytes: 64 * 1024 * 1024,
    once: true,
  }),
  /** Recomputes everything in a report and lists the differences. */
  verify: request({
    arguments: object({
      ...ofTrace,
      other,
      /** The report as HTML, Markdown or JSON. */
      report: text(REPORT_MOST),
      /** Only for Markdown: its other files. */
      files: optional(list(object({ name: fileName, text: text(REPORT_MOST, 0) }), PARTS_MOST)),
    }),
    answer: type<Verified>(),
    event: type<ReportProgress>(),
    bodyBytes: 512 * 1024 * 1024,
    once: true,
  }),
} as const;

export type FigureArguments = ArgumentsOf<typeof REPORT_REQUESTS.figure>;
export type ReportArguments = ArgumentsOf<typeof REPORT_REQUESTS.report>;
export type VerifyArguments = ArgumentsOf<typeof REPORT_REQUESTS.verify>;

export interface FigureFile {
  /** Suggested name of the file, with its extension. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ReportFiles {
  /** The report itself, followed by the files that it refers to in the same folder. */
  readonly files: readonly FigureFile[];
}

export interface ReportProgress {
  readonly done: number;
  readonly of: number;
  /** The current step. */
  readonly what: string;
}

export interface Verified {
  /** Number of figures, tables, numbers of the summary and contexts of notes that were recomputed. */
  readonly checked: number;
  readonly differing: readonly Difference[];
}

export interface Difference {
  /** Number of the part in the report, starting at 1; 0 for the report as a whole. */
  readonly part: number;
  /** Name of the part: `Heatmap of records 0 to 5,000`. */
  readonly what: string;
  /** A sentence that describes the difference. */
  readonly how: string;
}
