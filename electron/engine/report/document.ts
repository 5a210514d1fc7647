/**
 * A report before it is HTML, Markdown or JSON: what was asked of the trace for each of its parts, and what that answered.
 * All of it is plain JSON; it is embedded in every form, so that `verify` can ask again.
 */
import type { DiagnosticGroup, ImageFacts, PageRow, TraceInfo } from '../../../shared/requests/requests.ts';
import type { Between, BranchEdge, CallFunction, CallStack } from '../../../shared/requests/flow.ts';
import type { Note } from '../../../shared/requests/notes.ts';
import type { Kind, RecordView } from '../../../shared/records/record.ts';
import type { RegisterValue } from '../../../shared/records/registers.ts';
import type { FigureRequest, ReportPart, ReportPlan, ReportTable } from '../../../shared/report/plan.ts';
import type { ByteOffset, Hex, RecordNumber } from '../../../shared/base/units.ts';

/** Raised whenever the same answers are shown in other words or another look: older reports then need the program that made them. */
export const LAYOUT = 3;

export interface ReportDocument {
  readonly report: 'tracebench';
  readonly layout: number;
  /** Version of the program. */
  readonly program: string;
  /** ISO 8601 in UTC. */
  readonly made: string;
  /** Of the file, without folder and ending: what lies beside it is named after it. */
  readonly name: string;
  readonly trace: TraceIdentity;
  readonly images: readonly ImageIdentity[];
  readonly plan: FullPlan;
  /** The notes that parts of the plan name. */
  readonly notes: readonly ReportNote[];
  /** One for each part of the plan, in its order. */
  readonly items: readonly Item[];
}

export type FullPlan = Required<ReportPlan>;

export interface TraceIdentity {
  /** Without its folder. */
  readonly name: string;
  /** Of what a compressed file holds; so is `sha256`. */
  readonly bytes: number;
  readonly compressed?: { readonly as: string; readonly bytes: number };
  /** Absent where the plan does without. */
  readonly sha256?: string;
  readonly records: number;
  readonly format: TraceInfo['format'];
}

/** As it was read when the trace was opened, whatever the file holds by now. */
export interface ImageIdentity {
  readonly name: string;
  readonly form: ImageFacts['form'];
  readonly bytes: number;
  readonly sha256: string;
  readonly shift?: Hex;
  /** Where raw bytes lie, which nothing in them tells. */
  readonly base?: Hex;
}

export type ReportNote = Pick<Note, 'id' | 'title' | 'text' | 'colour' | 'tags' | 'place' | 'created' | 'changed'>;

/** A question to the trace: a call of the api without the trace, and what it looked at. */
export interface Source {
  readonly call: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Records [from, to) and bytes of the file [from, to). */
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
  | FigureItem;

export interface FigureItem extends ItemOf<'figure', FigureData> {
  /** Not embedded beside the drawings themselves: `data` has their digests. */
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

export type TableData =
  | {
      readonly table: Extract<ReportTable, 'branches'>;
      readonly rows: readonly BranchEdge[];
      /** How many there are, and how many branches these take together. */
      readonly all: number;
      readonly count: number;
    }
  | {
      readonly table: Extract<ReportTable, 'functions'>;
      readonly rows: readonly CallFunction[];
      readonly all: number;
      readonly unit: string;
      readonly evidence: string;
      /** What all functions took in themselves. */
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
  /** Records around it; in long ranges those in the middle are left out. */
  readonly records: readonly RecordView[];
  /** What ran before those of them that are branch messages, as far as an image proves it; of long runs the last instructions. */
  readonly runs?: Between['runs'];
  /** Of the note itself: [from, to). */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly registers: readonly { readonly cpu?: number; readonly registers: readonly RegisterValue[] }[];
  readonly memory?: MemoryData;
  readonly stack?: Pick<CallStack, 'cpu' | 'frames' | 'notes'>;
}

export interface MemoryData {
  readonly address: Hex;
  readonly length: number;
  /** Two hex digits a byte, `??` where not known. */
  readonly bytes: string;
  /** Per byte the record that wrote it last; -1 where there is none. */
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
