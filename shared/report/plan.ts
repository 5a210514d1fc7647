/** The plan of a report: its title and its parts. Plans come from files, pages and reports that anybody may have written. */
import * as v from 'valibot';
import { fail, ok, type Result } from '../base/result.ts';
import {
  cells,
  check,
  where,
  cpu,
  flag,
  functionId,
  hex,
  hexEnd,
  kinds,
  list,
  object,
  oneOf,
  optional,
  ordered,
  problemOf,
  record,
  rule,
  span,
  text,
  whole,
  type Checked,
  type Problem,
} from '../requests/schema.ts';
import { diffQuestionSchema } from '../requests/diff.ts';
import { sqlValues } from '../requests/sql/sql.ts';
import { whyQuestionSchema } from '../requests/why.ts';
import { MOST_TRACKS, trackOf } from './time-tracks.ts';

/** Upper limit of the parts of one report. */
export const PARTS_MOST = 2000;
/** Upper limit of titles and captions, in characters. */
export const TITLE_MOST = 2000;
/** Upper limit of columns times rows in the figure of a heatmap: more does not fit into a picture of reasonable size. */
export const FIGURE_CELLS_MOST = 360_000;

export const FLAME_ORDERS = ['left-heavy', 'time', 'bottom-up'] as const;
export type FlameOrder = (typeof FLAME_ORDERS)[number];

export const REPORT_TABLES = [
  'profile',
  'loops',
  'lines',
  'instructions',
  'coverage',
  'functions',
  'branches',
  'pages',
] as const;

export const REPORT_CHANGES = ['profile', 'lines', 'coverage'] as const;
export type ReportChange = (typeof REPORT_CHANGES)[number];

/** Tables that need an image with code. */
export const CODE_TABLES: readonly ReportTable[] = ['lines', 'instructions', 'coverage'];
export type ReportTable = (typeof REPORT_TABLES)[number];

/** Functions from a root of the call tree to a frame. */
const functionPath = list(functionId, 10_000, 0);
const range = { from: optional(record), to: optional(record) } as const;

const track = rule<string>(
  (value) => typeof value === 'string' && value.length <= 240 && trackOf(value) !== undefined,
  'must be a track such as phases, register 0 r1 or memory 0x1000 4',
);

/** A chart. The page, the command line and reports draw it with the same code. */
export const figureSchema = v.variant(
  'figure',
  [
    where(
      object({
        figure: v.literal('heat'),
        ...range,
        low: optional(hex),
        high: optional(hexEnd),
        kinds: optional(kinds),
        columns: optional(cells),
        rows: optional(cells),
        /** Leaves out address space without accesses. */
        folded: optional(flag),
      }),
      ordered,
      span,
    ),
    where(
      object({
        figure: v.literal('overview'),
        ...range,
        /** Tracks below it, from the top, by their names (time-tracks.ts). */
        tracks: optional(list(track, MOST_TRACKS, 0)),
        /** CPU of the tracks about calls; by default the first CPU in the trace. */
        cpu: optional(cpu),
        /** In tracks of memory, the first byte is the highest. */
        bigEndian: optional(flag),
      }),
      ordered,
    ),
    where(
      object({
        figure: v.literal('graph'),
        ...range,
        /** The function in the middle; by default the one with the highest total below it. */
        centre: optional(functionId),
        /** Upper limit of the calls between the centre and a function. */
        steps: optional(whole(0, 20)),
        /** Upper limit of the functions. */
        most: optional(whole(1, 100)),
        /** Draws each cycle of calls as one box; true by default. */
        collapse: optional(flag),
        /** Functions whose cycles are drawn function by function. */
        opened: optional(list(functionId, 1000, 0)),
      }),
      ordered,
    ),
    where(
      object({
        figure: v.literal('flame'),
        ...range,
        /** `left-heavy` by default. */
        order: optional(oneOf(FLAME_ORDERS)),
        /** Not for `time`: the path to the frame that takes the full width. */
        path: optional(functionPath),
        /** Not for `time`: recursion is folded. */
        folded: optional(flag),
        /** Only for `time`; by default the first CPU in the trace. */
        cpu: optional(cpu),
      }),
      ordered,
    ),
  ],
  ({ path }) => (path === undefined ? 'must be an object' : 'must be one of heat, overview, graph, flame'),
);

export type FigureRequest = Checked<typeof figureSchema>;

const someRecords = check<{ readonly from?: number | undefined; readonly to?: number | undefined }>(
  'from',
  ({ from, to }) => from === undefined || to === undefined || from < to,
  'must be less than to',
);

const part = v.variant(
  'kind',
  [
    /** Markdown between the others. */
    object({ kind: v.literal('text'), text: text(1_000_000, 0) }),
    /** Format, counts by kind, time, addresses and images of the trace. */
    object({ kind: v.literal('summary') }),
    object({ kind: v.literal('diagnostics') }),
    /** A note with the records around it, and with registers, memory and call stack at its record. */
    object({
      kind: v.literal('note'),
      /** Id of the note. */
      note: text(200, 0),
      /** Number of records before and after it; 5 by default. */
      around: optional(whole(0, 500)),
    }),
    object({
      kind: v.literal('figure'),
      figure: where(figureSchema, someRecords),
      caption: optional(text(TITLE_MOST, 0)),
    }),
    where(
      object({
        kind: v.literal('table'),
        table: oneOf(REPORT_TABLES),
        /** Upper limit of the rows; 20 by default. */
        most: optional(whole(1, 10_000)),
        ...range,
      }),
      someRecords,
    ),
    /** The instructions that made a value. */
    object({ kind: v.literal('why'), question: whyQuestionSchema }),
    /** Where this run and that of the other trace differ. The report is then about both traces. */
    object({ kind: v.literal('diff'), question: diffQuestionSchema }),
    /** The rows of a SELECT. */
    object({
      kind: v.literal('query'),
      /** By default the beginning of the statement. */
      title: optional(text(TITLE_MOST, 0)),
      sql: text(100_000),
      /** Values of its named parameters. */
      set: optional(sqlValues),
      /** Upper limit of the rows; 20 by default. */
      most: optional(whole(1, 10_000)),
    }),
    /** The change from this run to that of the other trace: of the costs of functions or lines, or of what ran. */
    object({
      kind: v.literal('change'),
      of: oneOf(REPORT_CHANGES),
      /** Upper limit of the rows; 20 by default. */
      most: optional(whole(1, 10_000)),
    }),
  ],
  ({ path }) =>
    path === undefined
      ? 'must be an object'
      : 'must be one of text, summary, diagnostics, note, figure, table, why, diff, query, change',
);

export type ReportPart = Checked<typeof part>;

/** Returns true if a part compares two runs. */
export function comparesRuns({ parts }: { readonly parts: readonly Pick<ReportPart, 'kind'>[] }): boolean {
  return parts.some(({ kind }) => kind === 'diff' || kind === 'change');
}

export const planSchema = object({
  title: text(TITLE_MOST, 0),
  parts: list(part, PARTS_MOST, 0),
  /** Creation time, ISO 8601 in UTC; now by default. */
  made: optional(
    rule<string>(
      (value) =>
        typeof value === 'string' &&
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value) &&
        !Number.isNaN(Date.parse(value)),
      'must be a time such as 2026-01-31T12:00:00Z',
    ),
  ),
  /** Includes a digest of the whole file, which takes as long as reading it. True by default. */
  sha256: optional(flag),
});

export type ReportPlan = Checked<typeof planSchema>;

/** Checks a plan. Fails with `plan` and a sentence about the first problem. */
export function parsePlan(value: unknown): Result<ReportPlan> {
  const problem = problemOf(planSchema, value);
  return problem === undefined
    ? ok(value as ReportPlan)
    : fail('plan', `the plan of the report: ${planProblem(problem)}`);
}

/** Parts are numbered from 1: `part 2, figure, rows must be ...`. */
function planProblem({ path, must, isMissing, isUnknown }: Problem): string {
  const names = path.flatMap((key, i) => {
    if (key === 'parts' && typeof path[i + 1] === 'number') return [];
    if (typeof key === 'string') return [key];
    return [`${path[i - 1] === 'parts' ? 'part' : 'item'} ${key + 1}`];
  });
  const [owner, name] = [names.slice(0, -1).join(', ') || 'it', names.at(-1)];
  if (isMissing && name !== undefined) return `${owner} has no ${name}`;
  if (isUnknown && name !== undefined) return `${owner} has '${name.slice(0, 40)}', which is not part of a plan`;
  return `${names.join(', ') || 'it'} ${must}`;
}
