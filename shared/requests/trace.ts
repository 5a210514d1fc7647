/** What the calls about a trace as a whole are asked and answer (see Requests in requests.ts): what a file could be, opening, images, the index, facts, bad input. */
import type { FormatOption, Settings } from '../format/format.ts';
import type { Kind, RecordView } from '../records/record.ts';
import type { Failure } from '../base/result.ts';
import type { ByteOffset, Hex, RecordNumber, WireTime } from '../base/units.ts';

/** An open trace, as long as the engine lives. */
export type TraceId = string;

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
