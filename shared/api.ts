/**
 * Every call and event between a client (page, command line) and the engine: one interface, one argument object each.
 *
 * All answers but `formats` and `detect` speak of one open trace. While its index is being built they are exact for the
 * indexed prefix, and `reach` says how far that goes. Arrays of numbers that can be long are Float64Array ("bulk").
 */
import type {
  Between,
  BetweenArguments,
  BranchEvents,
  BranchEventsArguments,
  Branches,
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
} from './flow-answers.ts';
import type { FormatOption, Settings } from './format.ts';
import type { Notebook, NotebookChange, NotesImported } from './notes.ts';
import type { FieldSpan, Kind, RecordView } from './record.ts';
import type { RegisterValue } from './registers.ts';
import type {
  FigureArguments,
  FigureFile,
  ReportArguments,
  ReportFiles,
  ReportPlan,
  ReportProgress,
  Verified,
  VerifyArguments,
  PaperSize,
} from './report.ts';
import type { Failure, Result } from './result.ts';
import type { ByteOffset, Hex, RecordNumber, WireTime } from './units.ts';

/** An open trace, as long as the engine lives. */
export type TraceId = string;

/** Name of a call -> its argument object, its answer and the events it streams before the answer. */
export interface Calls {
  /** What can be read. */
  formats: Call<Record<string, never>, readonly FormatSummary[]>;
  /** Which formats a file could be, best first, each with its first records; of a compressed one what it holds. Opens nothing. */
  detect: Call<{ readonly path: string }, Detection>;
  /** The first records of a file as a format with these options reads it; fails as `open` would. Opens nothing. */
  preview: Call<{ readonly path: string; readonly format: string; readonly options?: Settings }, Preview>;
  /** What images are, in their order; fails as `open` would. Opens nothing. */
  images: Call<{ readonly images: readonly ImagePlace[] }, { readonly images: readonly ImageFacts[] }>;
  /**
   * Opens a trace: its first records can be asked for at once; nothing is indexed until `index` is called. A compressed file
   * is expanded first, unless it was before, and says how far that is.
   */
  open: Call<OpenArguments, Opened, ExpandProgress>;
  close: Call<OfTrace, Record<string, never>>;
  /**
   * Builds the index, or goes on building it, while the caller listens; answers when it is complete or when the wish
   * `until` is met. Cancelling the call pauses the build unless somebody else listens. `rebuild` starts over. With `ahead`, what
   * questions about calls and branches need is looked for behind the answer, once the index is complete, and kept in it. With
   * `flow` calls are looked for before the answer, where that would take long for who asks; events then tell how far that is.
   */
  index: Call<
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
  info: Call<OfTrace, TraceInfo>;
  /** Bad input grouped by code, then by shape, most frequent shapes first, each with the beginning of its first place. */
  diagnostics: Call<OfTrace, { readonly groups: readonly DiagnosticGroup[]; readonly reach: Reach }>;
  /** Accesses per page of `size` bytes (a power of two, 4096 or more), sorted by address. */
  pages: Call<OfTrace & { readonly size: number }, { readonly pages: readonly PageRow[]; readonly reach: Reach }>;
  /** The records from `from` on, at most `count` (and at most 10,000). Short at the end of the indexed prefix. */
  records: Call<
    OfTrace & { readonly from: RecordNumber; readonly count: number },
    { readonly records: readonly RecordView[]; readonly reach: Reach }
  >;
  /** Bytes of the file around an offset, with the records that lie in them and their fields. At most 64 KiB. */
  bytes: Call<OfTrace & { readonly offset: ByteOffset; readonly length: number }, ByteView>;
  /** The record that a byte of the file belongs to; null in a gap. */
  recordAt: Call<OfTrace & { readonly offset: ByteOffset }, { readonly n: RecordNumber | null; readonly reach: Reach }>;
  /** The first record at or after a time in file order of blocks; null where there is none. Times that run backwards give the first place. */
  recordAtTime: Call<OfTrace & { readonly time: number }, { readonly n: RecordNumber | null; readonly reach: Reach }>;
  /** The address spans that the trace touches at all: what a folded address axis shows. */
  bands: Call<
    OfTrace & {
      readonly from?: RecordNumber;
      readonly to?: RecordNumber;
      readonly kinds?: readonly Kind[];
      readonly most?: number;
    },
    { readonly bands: readonly Band[]; readonly reach: Reach }
  >;
  /** Functions, objects and segments of the images in [low, high), by address; where there are more than `most`, the largest. */
  names: Call<
    OfTrace & { readonly low: Hex; readonly high: Hex; readonly most: number },
    { readonly names: readonly NamedSpan[]; readonly left: number }
  >;
  /** Symbols of the images whose names have `text` in them, whatever the case: the name itself first, then those that begin with it. */
  symbols: Call<
    OfTrace & { readonly text: string; readonly most: number },
    { readonly symbols: readonly NamedSymbol[]; readonly left: number }
  >;
  /** The symbols of just this name, by address; of several images the first one that has any answers. */
  symbolsNamed: Call<OfTrace & { readonly name: string }, { readonly symbols: readonly NamedSymbol[] }>;
  /** Accesses per cell of time x address. */
  heat: Call<HeatArguments, HeatGrid>;
  /** Accesses per kind in one rectangle, exact. */
  tally: Call<OfTrace & Rectangle, { readonly kinds: Partial<Record<Kind, number>>; readonly reach: Reach }>;
  /** Records per kind over time: what the overview strip shows. */
  overview: Call<
    OfTrace & { readonly from?: RecordNumber; readonly to?: RecordNumber; readonly columns: number },
    Overview
  >;
  /**
   * A part of the records [from, to) in a form that other tools read; ask again from `next` until that is null. `head`: with
   * what a file of that form begins with.
   */
  exportPart: Call<
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
  find: Call<FindArguments, Found, FindProgress>;
  /** All records that match: how many, where, and the first of them; the events tell what is known so far. */
  findAll: Call<FindAllArguments, FoundAll, FindAllProgress>;
  /** Records by their numbers, at most 1000, ascending; without those that the index has not reached. */
  recordsAt: Call<
    OfTrace & { readonly numbers: readonly RecordNumber[] },
    { readonly records: readonly RecordView[]; readonly reach: Reach }
  >;
  /** What is known of the registers once record `at` has taken effect, for every cpu or for one. */
  registers: Call<OfTrace & { readonly at: RecordNumber; readonly cpu?: number }, RegisterFiles>;
  /**
   * What is known of memory once record `at` has taken effect. At most 64 KiB. The events of a question for opcodes, which may take
   * seconds, tell how far back it has looked.
   */
  memory: Call<MemoryArguments, MemoryView, SearchProgress>;
  /** Who last wrote, last or next touched memory or a register; null where nobody did, as far as the index reaches. */
  access: Call<AccessArguments, AccessFound>;
  /** Branches by kind and ends, most frequent first. */
  branches: Call<FlowRange, Branches, FlowProgress>;
  /** Branches one by one, in order of records. */
  branchEvents: Call<BranchEventsArguments, BranchEvents, FlowProgress>;
  /** The buffers of an XScale trace from number `from` on, at most `count` (and at most 10,000). */
  captures: Call<OfTrace & { readonly from?: number; readonly count: number }, Captures>;
  /** The instructions that one of them proves. */
  captureFlow: Call<CaptureFlowArguments, CaptureFlow>;
  /** Who called whom, and what functions took. */
  calls: Call<FlowRange, CallGraph, FlowProgress>;
  /** The calling-context tree. */
  tree: Call<CallTreeArguments, CallTree, FlowProgress>;
  /** Calls in time. */
  spans: Call<CallSpansArguments, CallSpans, FlowProgress>;
  /** The calls that are open at a record. */
  stack: Call<CallStackArguments, CallStack, FlowProgress>;
  /** The record that a step over or out of calls leads to. */
  step: Call<StepArguments, Step, FlowProgress>;
  /** How deep in calls records are. */
  depths: Call<DepthsArguments, Depths, FlowProgress>;
  /** What ran between branch messages. */
  between: Call<BetweenArguments, Between, FlowProgress>;
  /** The next or previous call of an edge of the call graph. */
  nextCall: Call<NextCallArguments, NextCall, FlowProgress>;
  /** What a person keeps about the trace. */
  notebook: Call<OfTrace, Notebook>;
  /** Answers once it is safe on the disk. Fails with NOTE_CHANGED where somebody else was there first. */
  changeNotebook: Call<NotebookChange, Notebook>;
  /** Tells the notebook's version, and again each time that somebody, here or in another program, changed it; ends when it is cancelled. */
  watchNotebook: Call<OfTrace, Record<string, never>, { readonly version: number }>;
  /** Adds what `exportNotes` gave, of this or another notebook of the same trace: a note that is there stays as it was changed last. */
  importNotes: Call<OfTrace & { readonly text: string }, NotesImported>;
  /** Everything in the notebook as JSON. */
  exportNotes: Call<OfTrace, { readonly text: string }>;
  /** A chart as a file. */
  figure: Call<FigureArguments, FigureFile, ReportProgress>;
  /** What a report has unless somebody says otherwise. */
  reportPlan: Call<OfTrace, ReportPlan, ReportProgress>;
  report: Call<ReportArguments, ReportFiles, ReportProgress>;
  /** Makes everything in a report anew and says what is not the same. */
  verify: Call<VerifyArguments, Verified, ReportProgress>;
}

export type CallName = keyof Calls;
export type Arguments<N extends CallName> = Calls[N]['arguments'];
export type Answer<N extends CallName> = Calls[N]['answer'];
export type CallEvent<N extends CallName> = Calls[N]['event'];

interface Call<A, B, E = never> {
  readonly arguments: A;
  readonly answer: B;
  readonly event: E;
}

/** What every client talks to: the engine itself in the same process, or the wire. */
export interface Client {
  call<N extends CallName>(name: N, args: Arguments<N>, options?: CallOptions<N>): Promise<Result<Answer<N>>>;
}

export interface CallOptions<N extends CallName> {
  readonly signal?: CancelSignal;
  readonly onEvent?: (event: CallEvent<N>) => void;
}

/** The part of an AbortSignal that is used: this layer has no platform types. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Failure code of a call whose signal was aborted. */
export const CANCELLED = 'cancelled';
/** Failure code of a call that met a damaged index: that has been thrown away and the trace can be indexed again. */
export const INDEX_DAMAGED = 'index-damaged';
/** Failure code of a question about records that the index has not reached yet. */
export const BEYOND_INDEX = 'beyond-index';

/** What records can be exported as: all fields as CSV or JSON Lines, label and address as a Dinero trace. */
export const EXPORT_FORMS = ['csv', 'jsonl', 'din'] as const;
export type ExportForm = (typeof EXPORT_FORMS)[number];

export interface OfTrace {
  readonly trace: TraceId;
}

/** How far answers go: the first `records` records, the first `bytes` bytes. */
export interface Reach {
  readonly records: RecordNumber;
  readonly bytes: ByteOffset;
  readonly complete: boolean;
}

export interface FormatSummary {
  readonly id: string;
  readonly name: string;
  readonly dialects: readonly string[];
  readonly extensions: readonly string[];
  readonly options: readonly FormatOption[];
}

export interface Detection {
  readonly file: FileFacts;
  readonly candidates: readonly Candidate[];
  /** Why no format fits, or what the file is instead (compressed ...); absent when the first candidate is good. */
  readonly problem?: Failure;
}

export interface Candidate {
  readonly format: string;
  readonly name: string;
  readonly dialect?: string;
  readonly confidence: number;
  readonly reasons: readonly string[];
  readonly options: Settings;
  /** The first records as this format reads them. */
  readonly preview: readonly RecordView[];
}

export interface Preview {
  /** What is in force, also of what was not asked for. */
  readonly format: FormatFacts;
  readonly records: readonly RecordView[];
  /** What is not as expected in these records and between them. */
  readonly diagnostics: readonly DiagnosticRow[];
}

export interface FileFacts {
  readonly path: string;
  /** Of the trace: of what a compressed file holds. */
  readonly bytes: number;
  readonly compressed?: {
    /** `gzip`, `zstd` or `compress`. */
    readonly as: string;
    /** Size of the file itself. */
    readonly bytes: number;
    /** Where the trace lies expanded. */
    readonly expanded: string;
  };
}

export interface OpenArguments {
  readonly path: string;
  /** Overrides detection. */
  readonly format?: string;
  readonly options?: Settings;
  /** What ran: asked for symbols and bytes in this order. */
  readonly images?: readonly ImagePlace[];
  /** Folder of the index; the user's cache folder by default. */
  readonly indexDirectory?: string;
  /** Where notes are kept; by default where the trace's own are found. */
  readonly notebook?: string;
}

/** A program image: an ELF file, raw bytes at a base, or a list of symbols as `nm` prints it. */
export interface ImagePlace {
  readonly path: string;
  /** Where it lies: the first byte of raw bytes, the lowest address that an ELF file loads. Raw bytes need it, lists have none. */
  readonly base?: Hex;
  /** Instead of `base`: what is added to the addresses of an ELF file or a list, modulo 2^64. */
  readonly shift?: Hex;
}

/** Failure code of an image that cannot be used. */
export const BAD_IMAGE = 'image';

export interface Opened {
  readonly trace: TraceId;
  readonly file: FileFacts;
  readonly format: FormatFacts;
  readonly timeUnit?: string;
  /** Its records are branch messages: what ran between them an image can tell. */
  readonly messages?: true;
  readonly reach: Reach;
  /** Things to tell the person: a temporary index, the slower reader ... */
  readonly notices: readonly string[];
}

export interface FormatFacts {
  readonly id: string;
  readonly name: string;
  readonly dialect?: string;
  readonly confidence: number;
  readonly reasons: readonly string[];
  readonly options: Settings;
}

export interface Progress {
  readonly bytes: ByteOffset;
  readonly totalBytes: number;
  readonly records: RecordNumber;
  readonly bytesPerSecond: number;
  readonly secondsLeft: number | null;
}

/** How far a compressed file is expanded: `bytes` of its `totalBytes` are done. */
export interface ExpandProgress extends Omit<Progress, 'records'> {
  readonly expandedBytes: number;
}

export interface IndexReport {
  readonly records: RecordNumber;
  readonly bytes: number;
  /** Time spent building, over all sessions that built it. */
  readonly seconds: number;
  readonly bytesPerSecond: number;
  readonly indexBytes: number;
  readonly peakRssBytes: number;
  readonly jobs: number;
  readonly reader: 'mapped' | 'reads';
  readonly complete: boolean;
  /** False when an index made earlier was taken as it was. */
  readonly built: boolean;
  /** Time that looking for calls took, beside `seconds`; absent where that was not asked for, or left to who asks for calls. */
  readonly flowSeconds?: number;
}

/** What an image is; addresses are those of the trace. */
export interface ImageFacts {
  readonly path: string;
  readonly form: 'elf' | 'raw' | 'symbols';
  /** Processor, width and byte order, where the file tells. */
  readonly machine?: string;
  readonly bits?: 32 | 64;
  readonly endian?: 'little' | 'big';
  /** What is added to the addresses in the file, modulo 2^64; absent where that is nothing. */
  readonly shift?: Hex;
  readonly segments: readonly {
    readonly address: Hex;
    /** What the file has of it, and what it takes in memory. */
    readonly bytes: number;
    readonly memory: number;
    /** May be read, written, executed: `r-x`. */
    readonly flags?: string;
  }[];
  readonly symbols: number;
  /** How many of these are functions. */
  readonly functions: number;
  /** Rows of the line table, the files that they name, what could not be read; absent where the image has none. */
  readonly lines?: { readonly rows: number; readonly files: number; readonly problems?: readonly string[] };
}

export interface TraceInfo {
  readonly file: FileFacts;
  readonly format: FormatFacts;
  /** In the order in which they are asked; absent where there are none. */
  readonly images?: readonly ImageFacts[];
  readonly records: RecordNumber;
  readonly kinds: Partial<Record<Kind, number>>;
  readonly native: Readonly<Record<string, number>>;
  readonly time?: { readonly first: WireTime; readonly last: WireTime; readonly unit: string };
  /** Of all addresses that `pages` counts; `highest` is the last byte touched, `pages` is there once the index is complete. */
  readonly address?: { readonly lowest: Hex; readonly highest: Hex; readonly pages?: number };
  readonly diagnostics: readonly DiagnosticRow[];
  readonly index: {
    readonly path: string;
    readonly bytes: number;
    readonly complete: boolean;
    readonly seconds: number;
    /** What its parts take of `bytes`, in the order of `INDEX_PARTS`; there once the index is complete. */
    readonly parts?: readonly { readonly part: IndexPart; readonly bytes: number }[];
  };
  readonly reach: Reach;
  readonly notices: readonly string[];
}

/**
 * What an index has: where accesses are, how many, per page, the list of blocks, what was left in memory (by block, and joined),
 * what was left in registers; `file` is what keeping all this in one file takes.
 */
export const INDEX_PARTS = [
  'blocks',
  'pages',
  'heat',
  'find',
  'touches',
  'masks',
  'registers',
  'flow',
  'file',
] as const;
export type IndexPart = (typeof INDEX_PARTS)[number];

export interface DiagnosticRow {
  readonly code: string;
  readonly count: number;
  readonly firstOffset: ByteOffset;
  readonly firstRecord: RecordNumber;
  /** Of `read-contradicts`: the record that left the value which the first record contradicts. */
  readonly earlier?: RecordNumber;
  readonly text: string;
}

/**
 * Code of reads that found another value than was last written or read there; it counts bytes. While the index is built only
 * those are counted whose two records lie in parts that are joined already.
 */
export const READ_CONTRADICTS = 'read-contradicts';

export interface DiagnosticGroup extends DiagnosticRow {
  readonly shapes: readonly ShapeRow[];
}

/** All bad input of one code that looks alike. */
export interface ShapeRow {
  /** The line or byte pattern without its particulars; empty where the code says it all, OTHER_SHAPES for all that are not told apart. */
  readonly shape: string;
  readonly count: number;
  readonly firstOffset: ByteOffset;
  readonly firstRecord: RecordNumber;
  /** What the file holds at firstOffset: text to the end of its line, or bytes as two hex digits each with blanks between; the beginning of it where it is long. */
  readonly sample: string;
  readonly sampleIs: 'text' | 'hex';
}

export interface PageRow {
  readonly page: Hex;
  readonly kinds: Partial<Record<Kind, number>>;
  /** First and last record that starts an access in the page. */
  readonly first: RecordNumber;
  readonly last: RecordNumber;
}

export interface ByteView {
  readonly offset: ByteOffset;
  readonly bytes: Uint8Array;
  readonly fileBytes: number;
  /** The records that lie wholly or partly in these bytes, with their fields (relative to the record's first byte). */
  readonly records: readonly {
    readonly n: RecordNumber;
    readonly offset: ByteOffset;
    readonly bytes: number;
    readonly native: string;
    readonly fields: readonly FieldSpan[];
  }[];
}

/** A span of addresses, `high` exclusive; a band that reaches the top of the address space has high 0x10000000000000000. */
export interface Band {
  readonly low: Hex;
  readonly high: Hex;
}

/** A band with the name that an image gives it. */
export interface NamedSpan extends Band {
  readonly name: string;
  readonly kind: 'function' | 'object' | 'label' | 'segment';
}

export interface NamedSymbol {
  readonly name: string;
  readonly kind: 'function' | 'object' | 'label';
  readonly address: Hex;
  /** Where its image tells it. */
  readonly bytes?: number;
}

/** A rectangle of time and address; `to` and `high` are exclusive, the whole by default. */
export interface Rectangle {
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
  readonly low?: Hex;
  readonly high?: Hex;
  /** All kinds that have an address by default. */
  readonly kinds?: readonly Kind[];
}

export interface HeatArguments extends OfTrace {
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
  readonly kinds?: readonly Kind[];
  /** Wanted columns of time. */
  readonly columns: number;
  /** The address axis, lowest first: spans and the rows wanted in each. One band of everything touched by default. */
  readonly bands?: readonly (Band & { readonly rows: number })[];
  /** Wanted rows where no bands are given. */
  readonly rows?: number;
  /**
   * `even`: columns and rows of equal width, exactly as asked, however long it takes.
   * `quick`: columns end where blocks of the index end and rows are powers of two where that makes it fast: the answer may
   * have other columns, rows and slightly wider spans than asked for; its counts are exact for what it says they span.
   */
  readonly precision: 'even' | 'quick';
}

export interface HeatGrid {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly columns: number;
  /** columns + 1 record numbers: column c holds the records edges[c] <= n < edges[c + 1]. */
  readonly edges: Float64Array;
  readonly bands: readonly HeatBand[];
  /** Rows of all bands together, lowest addresses first. */
  readonly rows: number;
  /** counts[column * rows + row]. */
  readonly counts: Float64Array;
  readonly most: number;
  /** True when asking for finer columns or rows of the same rectangle could show more. */
  readonly coarse: boolean;
  readonly reach: Reach;
}

export interface HeatBand extends Band {
  readonly rows: number;
  /** Bytes of address per row; the last row of a band may be cut by `high`. Not always a whole number when precision is `even`. */
  readonly rowBytes: number;
}

export interface Overview {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly columns: number;
  /** As in HeatGrid. Where the range has many blocks, columns end where blocks end: there may be fewer than asked for. */
  readonly edges: Float64Array;
  readonly kinds: readonly Kind[];
  /** counts[column * kinds.length + kind]. */
  readonly counts: Float64Array;
  /** Diagnostics counted per column, each in the column of a record at most some hundred records before. */
  readonly bad: Float64Array;
  readonly reach: Reach;
}

/** What a record must be, all of it: without any of these every record matches. */
export interface Criteria {
  /** Touches any byte of [low, high], both inclusive. */
  readonly address?: { readonly low: Hex; readonly high: Hex };
  readonly kinds?: readonly Kind[];
  /** Moves just this value, or sets a register to it. */
  readonly value?: Hex;
  /**
   * The value has this many bytes, which stand anywhere within what the record moves, aligned or not, or within the register
   * that it sets. Needs `value`.
   */
  readonly width?: number;
  /** Sets the register of this name. */
  readonly register?: string;
  /**
   * JavaScript regular expression, read with the flag u, over the record's own text: the line in text formats, and the name
   * and words of an event; name, text and marks in binary ones.
   */
  readonly text?: string;
  /** Only the records [from, to); all by default. */
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
}

export interface FindArguments extends OfTrace, Criteria {
  /** Only records n > after, oldest first (default: from the start), or n < before, newest first. Not both. */
  readonly after?: RecordNumber;
  readonly before?: RecordNumber;
  /** At most this many; 1 by default. */
  readonly limit?: number;
}

export interface Found {
  readonly records: readonly RecordView[];
  readonly reach: Reach;
}

export interface SearchProgress {
  /** Where the search is. */
  readonly at: RecordNumber;
}

export interface FindProgress extends SearchProgress {
  readonly found: number;
}

export interface FindAllArguments extends OfTrace, Criteria {
  /** How many parts of equal width the range is counted in; 1 by default. */
  readonly columns?: number;
  /** How many numbers of matches are wanted, at most 1,000,000; none by default. */
  readonly most?: number;
}

/** The matches in the records [from, to) of the question, as far as the index reaches. */
export interface FoundAll {
  readonly found: number;
  /** columns + 1 record numbers: column c holds the records edges[c] <= n < edges[c + 1]; there are none where no records are. */
  readonly edges: Float64Array;
  readonly counts: Float64Array;
  /** The first `most` matches. */
  readonly numbers: Float64Array;
  readonly reach: Reach;
}

/** What is known while the search runs; `numbers` are the first 1000 at most. */
export interface FindAllProgress extends Omit<FoundAll, 'reach'> {
  /** All matches before this record are found. */
  readonly at: RecordNumber;
}

export interface RegisterFiles {
  readonly at: RecordNumber;
  /** By cpu number; one file without a cpu where the trace names none. */
  readonly files: readonly {
    readonly cpu?: number;
    /** Registers that are known, in the order of their names; digits in them count as numbers. */
    readonly registers: readonly RegisterValue[];
  }[];
  readonly reach: Reach;
}

export interface MemoryArguments extends OfTrace {
  readonly at: RecordNumber;
  readonly address: Hex;
  /** Bytes, 1 to 65,536; none past the top of the address space. */
  readonly length: number;
  /** Also bytes that executed opcodes prove. */
  readonly opcodes?: boolean;
}

/**
 * Bytes from `address` on. A write leaves its value and a read proves one; a write whose value the trace does not have leaves
 * the byte unknown. Accesses without effect count for nothing.
 */
export interface MemoryView {
  readonly at: RecordNumber;
  readonly address: Hex;
  readonly length: number;
  /** 0 where not known. */
  readonly bytes: Uint8Array;
  /** Per byte: how its value is known, as in KNOWN. */
  readonly known: Uint8Array;
  /** Per byte: the record that wrote it last, the one that last read, fetched or wrote it; -1 where there is none. */
  readonly writers: Float64Array;
  readonly touched: Float64Array;
  readonly reach: Reach;
}

export const KNOWN = { not: 0, data: 1, opcode: 2 } as const;

/** What `access` looks for: reads and writes of memory by any cpu (READS and WRITES in record.ts), or records that set a register. */
export const ACCESS_WAYS = [
  'last-write',
  'last-read',
  'last-access',
  'next-write',
  'next-read',
  'next-access',
] as const;
export type AccessWay = (typeof ACCESS_WAYS)[number];

export interface AccessArguments extends OfTrace {
  readonly way: AccessWay;
  /** `last` ways: the newest record n <= at. `next` ways: the oldest record n > at. */
  readonly at: RecordNumber;
  /** Touches any byte of [low, high], both inclusive. This or `register`. */
  readonly address?: { readonly low: Hex; readonly high: Hex };
  /** Only writes of registers are recorded: `access` is `write` for them, and nothing is found with `read`. */
  readonly register?: string;
  /** Whose register; any cpu's by default. */
  readonly cpu?: number;
}

export interface AccessFound {
  readonly record: RecordView | null;
  /**
   * What the span, of at most 64 bytes, or the register held before the record and after it: memory as two hex digits a byte,
   * `??` where not known; a register as its value. Absent where there is no record, the span is longer or nothing is known.
   */
  readonly before?: string;
  readonly after?: string;
  readonly reach: Reach;
}

/** What the desktop gives a page beyond the wire; absent on localhost. */
export interface DesktopBridge {
  readonly kind: 'desktop';
  /** Shows the open dialog for traces or for images; the chosen files are then readable through `open`. */
  openDialog(what?: 'image'): Promise<readonly string[]>;
  /** The path of a dropped DOM `File`, made readable; empty where it has none. */
  pathOf(file: unknown): Promise<string>;
  recentFiles(): Promise<readonly string[]>;
  /** A report as HTML printed to a PDF, by a window that nobody sees, runs no scripts and has no network. */
  printReport(report: { readonly html: string; readonly paper: PaperSize }): Promise<Result<Uint8Array>>;
  /** A command chosen in the menu, by its id in the list of commands. */
  onCommand(listener: (id: string) => void): void;
  /** Files handed to the program from outside: command line, file association, second instance. */
  onOpenFile(listener: (path: string) => void): void;
}
