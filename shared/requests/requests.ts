/**
 * Every request and event between a client (page, command line) and the engine: one interface, one argument object each.
 *
 * All answers but `formats` and `detect` speak of one open trace. While its index is being built they are exact for the
 * indexed prefix, and `reach` says how far that goes. Arrays of numbers that can be long are Float64Array ("bulk").
 *
 * What they are asked and answer stands by subject: of a trace as a whole in trace-answers.ts, of records in record-answers.ts, of
 * time and address in address-answers.ts, all of which can be had from here; of program flow in flow-answers.ts, of what a person
 * keeps in notes.ts, of reports in report.ts.
 */
import type {
  Band,
  HeatArguments,
  HeatGrid,
  NamedSpan,
  NamedSymbol,
  Overview,
  PageRow,
  Rectangle,
} from './addresses.ts';
import type {
  Between,
  BetweenArguments,
  BranchEvents,
  BranchEventsArguments,
  Branches,
  BranchesArguments,
  CallGraph,
  CallSpans,
  CallSpansArguments,
  CallStack,
  CallStackArguments,
  CallTree,
  CallTreeArguments,
  CaptureFlow,
  CaptureFlowArguments,
  Captures,
  Depths,
  DepthsArguments,
  FlowProgress,
  FlowRange,
  NextCall,
  NextCallArguments,
  Step,
  StepArguments,
} from './flow.ts';
import type { Settings } from '../format/format.ts';
import type { Notebook, NotebookChange, NotesImported } from './notes.ts';
import type { Kind, RecordView } from '../records/record.ts';
import type {
  AccessArguments,
  AccessFound,
  ByteView,
  ExportForm,
  FindAllArguments,
  FindAllProgress,
  FindArguments,
  FindProgress,
  Found,
  FoundAll,
  MemoryArguments,
  MemoryView,
  RegisterFiles,
  SearchProgress,
} from './records.ts';
import type {
  FigureArguments,
  FigureFile,
  ReportArguments,
  ReportFiles,
  ReportPlan,
  ReportProgress,
  Verified,
  VerifyArguments,
} from '../report/report.ts';
import type { Result } from '../base/result.ts';
import type {
  Detection,
  DiagnosticGroup,
  ExpandProgress,
  FormatSummary,
  ImageFacts,
  ImagePlace,
  IndexReport,
  OfTrace,
  OpenArguments,
  Opened,
  Preview,
  Progress,
  Reach,
  TraceInfo,
} from './trace.ts';
import type { ByteOffset, Hex, RecordNumber } from '../base/units.ts';

export * from './addresses.ts';
export * from './records.ts';
export * from './trace.ts';

/** Name of a request -> its argument object, its answer and the events it streams before the answer. */
export interface Requests {
  /** What can be read. */
  formats: Request<Record<string, never>, readonly FormatSummary[]>;
  /** Which formats a file could be, best first, each with its first records; of a compressed one what it holds. Opens nothing. */
  detect: Request<{ readonly path: string }, Detection>;
  /** The first records of a file as a format with these options reads it; fails as `open` would. Opens nothing. */
  preview: Request<{ readonly path: string; readonly format: string; readonly options?: Settings }, Preview>;
  /** What images are, in their order; fails as `open` would. Opens nothing. */
  images: Request<{ readonly images: readonly ImagePlace[] }, { readonly images: readonly ImageFacts[] }>;
  /**
   * Opens a trace: its first records can be asked for at once; nothing is indexed until `index` is called. A compressed file
   * is expanded first, unless it was before, and says how far that is.
   */
  open: Request<OpenArguments, Opened, ExpandProgress>;
  close: Request<OfTrace, Record<string, never>>;
  /**
   * Builds the index, or goes on building it, while the caller listens; answers when it is complete or when the wish
   * `until` is met. Cancelling the call pauses the build unless somebody else listens. `rebuild` starts over. With `ahead`, what
   * questions about calls and branches need is looked for behind the answer, once the index is complete, and kept in it. With
   * `flow` calls are looked for before the answer, where that would take long for who asks; events then tell how far that is.
   */
  index: Request<
    OfTrace & {
      readonly rebuild?: boolean;
      readonly until?: { readonly records: RecordNumber };
      readonly ahead?: boolean;
      readonly flow?: boolean;
    },
    IndexReport,
    Progress | FlowProgress
  >;
  /** All about the trace, as far as it is indexed. */
  info: Request<OfTrace, TraceInfo>;
  /** Bad input grouped by code, then by shape, most frequent shapes first, each with the beginning of its first place. */
  diagnostics: Request<OfTrace, { readonly groups: readonly DiagnosticGroup[]; readonly reach: Reach }>;
  /** Accesses per page of `size` bytes (a power of two, 4096 or more), sorted by address. */
  pages: Request<OfTrace & { readonly size: number }, { readonly pages: readonly PageRow[]; readonly reach: Reach }>;
  /** The records from `from` on, at most `count` (and at most 10,000). Short at the end of the indexed prefix. */
  records: Request<
    OfTrace & { readonly from: RecordNumber; readonly count: number },
    { readonly records: readonly RecordView[]; readonly reach: Reach }
  >;
  /** Bytes of the file around an offset, with the records that lie in them and their fields. At most 64 KiB. */
  bytes: Request<OfTrace & { readonly offset: ByteOffset; readonly length: number }, ByteView>;
  /** The record that a byte of the file belongs to; null in a gap. */
  recordAt: Request<
    OfTrace & { readonly offset: ByteOffset },
    { readonly n: RecordNumber | null; readonly reach: Reach }
  >;
  /** The first record in file order at or after a time, also where times run backwards; null where there is none. */
  recordAtTime: Request<
    OfTrace & { readonly time: number },
    { readonly n: RecordNumber | null; readonly reach: Reach }
  >;
  /** The address spans that the trace touches at all: what a folded address axis shows. */
  bands: Request<
    OfTrace & {
      readonly from?: RecordNumber;
      readonly to?: RecordNumber;
      readonly kinds?: readonly Kind[];
      readonly most?: number;
    },
    { readonly bands: readonly Band[]; readonly reach: Reach }
  >;
  /** Functions, objects and segments of the images in [low, high), by address; where there are more than `most`, the largest. */
  names: Request<
    OfTrace & { readonly low: Hex; readonly high: Hex; readonly most: number },
    { readonly names: readonly NamedSpan[]; readonly left: number }
  >;
  /** Symbols of the images whose names have `text` in them, whatever the case: the name itself first, then those that begin with it. */
  symbols: Request<
    OfTrace & { readonly text: string; readonly most: number },
    { readonly symbols: readonly NamedSymbol[]; readonly left: number }
  >;
  /** The symbols of just this name, by address; of several images the first one that has any answers. */
  symbolsNamed: Request<OfTrace & { readonly name: string }, { readonly symbols: readonly NamedSymbol[] }>;
  /** Accesses per cell of time x address. */
  heat: Request<HeatArguments, HeatGrid>;
  /** Accesses per kind in one rectangle, exact. */
  tally: Request<OfTrace & Rectangle, { readonly kinds: Partial<Record<Kind, number>>; readonly reach: Reach }>;
  /** Records per kind over time: what the overview strip shows. */
  overview: Request<
    OfTrace & { readonly from?: RecordNumber; readonly to?: RecordNumber; readonly columns: number },
    Overview
  >;
  /**
   * A part of the records [from, to) in a form that other tools read; ask again from `next` until that is null. `head`: with
   * what a file of that form begins with.
   */
  exportPart: Request<
    OfTrace & {
      readonly as: ExportForm;
      readonly from: RecordNumber;
      readonly to?: RecordNumber;
      readonly kinds?: readonly Kind[];
      readonly head?: boolean;
    },
    { readonly bytes: Uint8Array; readonly rows: number; readonly next: RecordNumber | null }
  >;
  /** Next or previous records that match; before = newest first. */
  find: Request<FindArguments, Found, FindProgress>;
  /** All records that match: how many, where, and the first of them; the events tell what is known so far. */
  findAll: Request<FindAllArguments, FoundAll, FindAllProgress>;
  /** Records by their numbers, at most 1000, ascending; without those that the index has not reached. */
  recordsAt: Request<
    OfTrace & { readonly numbers: readonly RecordNumber[] },
    { readonly records: readonly RecordView[]; readonly reach: Reach }
  >;
  /** What is known of the registers once record `at` has taken effect, for every cpu or for one. */
  registers: Request<OfTrace & { readonly at: RecordNumber; readonly cpu?: number }, RegisterFiles>;
  /**
   * What is known of memory once record `at` has taken effect. At most 64 KiB. Of a question that takes long, as for opcodes or
   * where data lies without locality, events tell how far back it has looked.
   */
  memory: Request<MemoryArguments, MemoryView, SearchProgress>;
  /** Who last wrote, last or next touched memory or a register; null where nobody did, as far as the index reaches. */
  access: Request<AccessArguments, AccessFound>;
  /** Branches by kind and ends, most frequent first. */
  branches: Request<BranchesArguments, Branches, FlowProgress>;
  /** Branches one by one, in order of records. */
  branchEvents: Request<BranchEventsArguments, BranchEvents, FlowProgress>;
  /** The buffers of an XScale trace from number `from` on, at most `count` (and at most 10,000). */
  captures: Request<OfTrace & { readonly from?: number; readonly count: number }, Captures>;
  /** The instructions that one of them proves. */
  captureFlow: Request<CaptureFlowArguments, CaptureFlow>;
  /** Who called whom, and what functions took. */
  calls: Request<FlowRange, CallGraph, FlowProgress>;
  /** The calling-context tree. */
  tree: Request<CallTreeArguments, CallTree, FlowProgress>;
  /** Calls in time. */
  spans: Request<CallSpansArguments, CallSpans, FlowProgress>;
  /** The calls that are open at a record. */
  stack: Request<CallStackArguments, CallStack, FlowProgress>;
  /** The record that a step over or out of calls leads to. */
  step: Request<StepArguments, Step, FlowProgress>;
  /** How deep in calls records are. */
  depths: Request<DepthsArguments, Depths, FlowProgress>;
  /** What ran between branch messages. */
  between: Request<BetweenArguments, Between, FlowProgress>;
  /** The next or previous call of an edge of the call graph. */
  nextCall: Request<NextCallArguments, NextCall, FlowProgress>;
  /** What a person keeps about the trace. */
  notebook: Request<OfTrace, Notebook>;
  /** Answers once it is safe on the disk. Fails with NOTE_CHANGED where somebody else was there first. */
  changeNotebook: Request<NotebookChange, Notebook>;
  /** Tells the notebook's version, and again each time that somebody, here or in another program, changed it; ends when it is cancelled. */
  watchNotebook: Request<OfTrace, Record<string, never>, { readonly version: number }>;
  /** Adds what `exportNotes` gave, of this or another notebook of the same trace: a note that is there stays as it was changed last. */
  importNotes: Request<OfTrace & { readonly text: string }, NotesImported>;
  /** Everything in the notebook as JSON. */
  exportNotes: Request<OfTrace, { readonly text: string }>;
  /** A chart as a file. */
  figure: Request<FigureArguments, FigureFile, ReportProgress>;
  /** What a report has unless somebody says otherwise. */
  reportPlan: Request<OfTrace, ReportPlan, ReportProgress>;
  report: Request<ReportArguments, ReportFiles, ReportProgress>;
  /** Makes everything in a report anew and says what is not the same. */
  verify: Request<VerifyArguments, Verified, ReportProgress>;
}

export type RequestName = keyof Requests;
export type Arguments<N extends RequestName> = Requests[N]['arguments'];
export type Answer<N extends RequestName> = Requests[N]['answer'];
export type RequestEvent<N extends RequestName> = Requests[N]['event'];

interface Request<A, B, E = never> {
  readonly arguments: A;
  readonly answer: B;
  readonly event: E;
}

/** What every client talks to: the engine itself in the same process, or the wire. */
export interface Client {
  request<N extends RequestName>(name: N, args: Arguments<N>, options?: RequestOptions<N>): Promise<Result<Answer<N>>>;
}

export interface RequestOptions<N extends RequestName> {
  readonly signal?: CancelSignal;
  readonly onEvent?: (event: RequestEvent<N>) => void;
}

/** The part of an AbortSignal that is used: this layer has no platform types. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Failure code of a request whose signal was aborted. */
export const CANCELLED = 'cancelled';
/** Failure code of a request that met a damaged index: that has been thrown away and the trace can be indexed again. */
export const INDEX_DAMAGED = 'index-damaged';
/** Failure code of a question about records that the index has not reached yet. */
export const BEYOND_INDEX = 'beyond-index';
