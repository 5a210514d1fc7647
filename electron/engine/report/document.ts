/**
 * The format-independent form of a report: the queries for each of its parts, and their answers. All of it is plain JSON. It is embedded in
 * every output form, so that `verify` can repeat the queries.
 */
import type { DiagnosticGroup, ImageFacts, PageRow, TraceInfo } from '../../../shared/requests/requests.ts';
import type { Between, BranchEdge, CallFunction, CallStack } from '../../../shared/requests/flow.ts';
import type { Note } from '../../../shared/requests/notes.ts';
import type { Loop, ProfileFunction } from '../../../shared/requests/profile.ts';
import type { Coverage, CoveredFunction } from '../../../shared/requests/answers/coverage.ts';
import type { CoveredFile } from '../../../shared/requests/source/answers.ts';
import type { InstructionCost, LineCost } from '../../../shared/coverage/costs.ts';
import type { Kind, RecordView } from '../../../shared/records/record.ts';
import type { RegisterValue } from '../../../shared/records/registers.ts';
import type { Diff, DiffQuestion } from '../../../shared/requests/diff.ts';
import type { SqlAnswer } from '../../../shared/requests/sql/sql.ts';
import type { Why, WhyQuestion } from '../../../shared/requests/why.ts';
import type { FunctionChange } from '../../../shared/against/call-changes.ts';
import type { FunctionCodeChange, LineCodeChange, LineTotals } from '../../../shared/requests/answers/code-changes.ts';
import type { FigureRequest, ReportChange, ReportPart, ReportPlan, ReportTable } from '../../../shared/report/plan.ts';
import type { ByteOffset, Hex, RecordNumber } from '../../../shared/base/units.ts';

/**
 * Raised whenever the same answers are shown in other words or another design. Older reports must then be checked by the version that made
 * them.
 */
export const LAYOUT = 9;

export interface ReportDocument {
  readonly report: 'tracebench';
  readonly layout: number;
  /** Version of the program. */
  readonly program: string;
  /** ISO 8601 in UTC. */
  readonly made: string;
  /** Name of the report file without folder and extension. Files next to it are named after it. */
  readonly name: string;
  readonly trace: TraceIdentity;
  readonly images: readonly ImageIdentity[];
  /** The trace of the other run, if a part compares both. */
  readonly other?: OtherIdentity;
  readonly plan: FullPlan;
  /** The notes that parts of the plan refer to. */
  readonly notes: readonly ReportNote[];
  /** One item per part of the plan, in the same order. */
  readonly items: readonly Item[];
}

export interface OtherIdentity {
  readonly trace: TraceIdentity;
  readonly images: readonly ImageIdentity[];
}

export type FullPlan = Required<ReportPlan>;

export interface TraceIdentity {
  /** Without its folder. */
  readonly name: string;
  /** Size of the uncompressed content, which `sha256` covers as well. */
  readonly bytes: number;
  readonly compressed?: { readonly as: string; readonly bytes: number };
  /** Absent if the plan omits it. */
  readonly sha256?: string;
  readonly records: number;
  readonly format: TraceInfo['format'];
}

/** Identity of an image as it was read when the trace was opened, even if the file has changed since. */
export interface ImageIdentity {
  readonly name: string;
  readonly form: ImageFacts['form'];
  readonly bytes: number;
  readonly sha256: string;
  readonly shift?: Hex;
  /** Load address of raw bytes, which the file itself does not contain. */
  readonly base?: Hex;
  /** Separate debug file with its symbols. */
  readonly debug?: { readonly name: string; readonly sha256: string };
  /** Present if its symbols are shown as they are in the image. */
  readonly rawNames?: true;
}

export type ReportNote = Pick<Note, 'id' | 'title' | 'text' | 'colour' | 'tags' | 'place' | 'created' | 'changed'>;

/** A query of the trace: an API call without the trace argument, and the range it covers. */
export interface Source {
  /** The range is one of the other trace. */
  readonly of?: 'other';
  readonly call: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Records [from, to) and file bytes [from, to). */
  readonly records: Stretch;
  readonly bytes: Stretch;
}

export interface Stretch {
  readonly from: RecordNumber | ByteOffset;
  readonly to: RecordNumber | ByteOffset;
}

interface ItemOf<K extends ReportPart['kind'], D> {
  readonly kind: K;
  readonly title: string;
  readonly sources: readonly Source[];
  readonly data: D;
}

export type Item =
  | ItemOf<'text', { readonly text: string }>
  | ItemOf<'summary', SummaryData>
  | ItemOf<'diagnostics', { readonly groups: readonly DiagnosticGroup[] }>
  | ItemOf<'table', TableData>
  | ItemOf<'note', NoteData>
  | ItemOf<'why', WhyData>
  | ItemOf<'diff', DiffData>
  | ItemOf<'query', QueryData>
  | ItemOf<'change', ChangeData>
  | FigureItem;

export interface FigureItem extends ItemOf<'figure', FigureData> {
  /** Omitted from the embedded data of a report that shows the drawings. `data` contains their digests. */
  readonly drawing?: Drawing;
}

export interface Drawing {
  readonly light: string;
  readonly dark: string;
}

export interface SummaryData {
  readonly records: number;
  readonly kinds: Partial<Record<Kind, number>>;
  readonly native: Readonly<Record<string, number>>;
  readonly time?: TraceInfo['time'];
  readonly address?: TraceInfo['address'];
  readonly images: readonly Pick<ImageFacts, 'form' | 'machine' | 'bits' | 'endian' | 'symbols' | 'functions'>[];
  readonly diagnostics: number;
}

/** Fields of tables of costs. */
interface CostData {
  /** Number of rows before the limit. */
  readonly all: number;
  /** Unit of the costs, and their sum over the range: a share of 100 %. */
  readonly unit: string;
  readonly cost: number;
  readonly notes: readonly string[];
}

export type TableData =
  | ({
      readonly table: Extract<ReportTable, 'profile'>;
      readonly rows: readonly ProfileFunction[];
      readonly evidence: string;
    } & CostData)
  | ({ readonly table: Extract<ReportTable, 'loops'>; readonly rows: readonly Loop[] } & CostData)
  | ({ readonly table: Extract<ReportTable, 'lines'>; readonly rows: readonly LineCost[] } & CostData)
  | ({ readonly table: Extract<ReportTable, 'instructions'>; readonly rows: readonly InstructionCost[] } & CostData)
  | {
      readonly table: Extract<ReportTable, 'coverage'>;
      /** Functions of which something never ran, the most missed lines first; without lines, instructions. */
      readonly rows: readonly CoveredFunction[];
      /** Number of these functions before the limit. */
      readonly all: number;
      /** Source files, by name, with as many as the limit of rows. */
      readonly files: readonly CoveredFile[];
      readonly allFiles: number;
      readonly totals: Coverage['totals'];
      readonly notes: readonly string[];
    }
  | {
      readonly table: Extract<ReportTable, 'branches'>;
      readonly rows: readonly BranchEdge[];
      /** Total number of edges, and the total number of branches over all edges. */
      readonly all: number;
      readonly count: number;
    }
  | {
      readonly table: Extract<ReportTable, 'functions'>;
      readonly rows: readonly CallFunction[];
      readonly all: number;
      readonly unit: string;
      readonly evidence: string;
      /** Sum of the self costs of all functions. */
      readonly sum: number;
      readonly notes: readonly string[];
    }
  | {
      readonly table: Extract<ReportTable, 'pages'>;
      readonly rows: readonly PageRow[];
      readonly all: number;
      readonly count: number;
    };

export interface NoteData {
  readonly note: ReportNote;
  /** Records around the note. The middle of a long range is omitted. */
  readonly records: readonly RecordView[];
  /**
   * Instructions that ran before branch messages among these records, as far as an image proves them. Only the last instructions of a long
   * run are kept.
   */
  readonly runs?: Between['runs'];
  /** Range of the note itself: [from, to). */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly registers: readonly { readonly cpu?: number; readonly registers: readonly RegisterValue[] }[];
  readonly memory?: MemoryData;
  readonly stack?: Pick<CallStack, 'cpu' | 'frames' | 'notes'>;
}

export type DiffData = Diff & { readonly question: DiffQuestion };

interface ChangedRows<Of extends ReportChange, Row> {
  readonly of: Of;
  /** Addresses of the other trace minus those of this one. */
  readonly shift: string;
  readonly rows: readonly Row[];
  /** Number of rows before the limit. */
  readonly all: number;
  readonly notes: readonly string[];
}

export type ChangeData =
  | (ChangedRows<'profile', FunctionChange> & {
      readonly unit: string;
      readonly cost: { readonly a: number; readonly b: number };
    })
  | ChangedRows<'lines', LineCodeChange>
  | (ChangedRows<'coverage', FunctionCodeChange> & {
      readonly totals: LineTotals;
      /** Number of all functions. */
      readonly functions: number;
    });

export type QueryData = Omit<SqlAnswer, 'reach'> & {
  readonly sql: string;
  readonly set: Readonly<Record<string, string>>;
};

export type WhyData = Omit<Why, 'reach'> & { readonly question: WhyQuestion };

export interface MemoryData {
  readonly address: Hex;
  readonly length: number;
  /** Two hex digits per byte, `??` if the byte is unknown. */
  readonly bytes: string;
  /** Per byte: the record that wrote it last, or -1. */
  readonly writers: readonly number[];
}

export interface FigureData {
  readonly figure: FigureRequest;
  readonly title: string;
  readonly description: string;
  readonly caption?: string;
  /** SHA-256 of the drawings. */
  readonly light: string;
  readonly dark: string;
}
