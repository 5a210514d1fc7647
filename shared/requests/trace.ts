/** Requests about a trace as a whole: detection, opening, images, the index, facts, bad input. */
import type { SliceFacts } from './bundle/slice-facts.ts';
import type { FormatOption, Settings } from '../format/format.ts';
import type { Kind, RecordView } from '../records/record.ts';
import type { Failure } from '../base/result.ts';
import { request, type, type ArgumentsOf } from './request.ts';
import { check, where, flag, hex, list, object, optional, path, record, text, texts, type Checked } from './schema.ts';
import type { ByteOffset, Hex, RecordNumber, WireTime } from '../base/units.ts';

/** The fields of every request about one open trace. */
export const ofTrace = { trace: text(200) } as const;

/** Options of a format by their names. */
export const formatSettings = texts(64, text(1000, 0), 'must be an object of option values');

/** A program image: an ELF, Intel HEX or S-record file, raw bytes at a base, or a list of symbols as `nm` prints it. */
const image = where(
  object({
    path,
    /** Address of the first byte of a raw image, or of the lowest address that another file loads. Raw images need it, lists have none. */
    base: optional(hex),
    /** Instead of `base`: is added to the addresses in the file, modulo 2^64. */
    shift: optional(hex),
    /** Shows symbols as they are in the image instead of demangled. */
    rawNames: optional(flag),
  }),
  check('base', ({ base, shift }) => base === undefined || shift === undefined, 'and shift must not both be given'),
);
export const images = list(image, 100);

export type ImagePlace = Checked<typeof image>;

export const TRACE_REQUESTS = {
  /** The formats that can be read. */
  formats: request({ arguments: object({}), answer: type<readonly FormatSummary[]>() }),
  /** The files in a folder of this computer, for a page whose browser hides paths. Fails with `not-a-folder` or `missing`. */
  folder: request({ arguments: object({ path }), answer: type<Folder>(), text: 'raw' }),
  /**
   * The formats that a file could be in, best first, each with its first records. A compressed file is looked into. Opens nothing.
   */
  detect: request({ arguments: object({ path }), answer: type<Detection>() }),
  /** The first records of a file, read as a format with these options. Fails as `open` would. Opens nothing. */
  preview: request({
    arguments: object({ path, format: text(100), options: optional(formatSettings) }),
    answer: type<Preview>(),
  }),
  /** Facts about images, in the given order. Fails as `open` would. Opens nothing. */
  images: request({
    arguments: object({ images }),
    answer: type<{ readonly images: readonly ImageFacts[] }>(),
    event: type<ImageProgress>(),
  }),
  /**
   * Opens a trace. Its first records can be requested at once; nothing is indexed before `index`. A compressed file that was not
   * expanded before is expanded first, with events that report how far that is. So do images that take long to read.
   */
  open: request({
    arguments: object({
      path,
      /** Overrides detection. */
      format: optional(text(100)),
      options: optional(formatSettings),
      /** The images of the program that ran; symbols and bytes are looked up in this order. */
      images: optional(images),
    }),
    /** Both name files that are written to, so no page may choose them. */
    local: type<{
      /** Folder of the index; the user's cache folder by default. */
      readonly indexDirectory?: string;
      /** File of the notebook; by default the trace's own is looked for. */
      readonly notebook?: string;
    }>(),
    answer: type<Opened>(),
    event: type<ExpandProgress | ImageProgress>(),
    once: true,
  }),
  close: request({ arguments: object(ofTrace), answer: type<Record<string, never>>(), once: true }),
  /** Builds the index, or continues to build it. Answers once it is complete or has reached `until`. */
  index: request({
    arguments: object({
      ...ofTrace,
      /** Starts over. */
      rebuild: optional(flag),
      /** Stops early: once so many records are indexed. */
      until: optional(object({ records: record })),
      /** After the answer, once the index is complete: computes and keeps the results of flow analysis that later requests need. */
      ahead: optional(flag),
    }),
    /** Cancelling pauses the build unless another request waits for it. */
    answer: type<IndexReport>(),
    event: type<Progress>(),
  }),
  /** Everything that is known about the trace, as far as it is indexed. */
  /** `parts` adds the sizes of the parts of the index, for which all of it is read. */
  info: request({ arguments: object({ ...ofTrace, parts: optional(flag) }), answer: type<TraceInfo>() }),
  /** Bad input grouped by code and then by shape, most frequent shapes first, each with the start of its first occurrence. */
  diagnostics: request({
    arguments: object(ofTrace),
    answer: type<{ readonly groups: readonly DiagnosticGroup[]; readonly reach: Reach }>(),
  }),
} as const;

export type OpenArguments = ArgumentsOf<typeof TRACE_REQUESTS.open>;

/** Id of an open trace; valid as long as the engine runs. */
export type TraceId = string;

export interface OfTrace {
  readonly trace: TraceId;
}

/** The indexed prefix that an answer is about: the first `records` records, the first `bytes` bytes. */
export interface Reach {
  readonly records: RecordNumber;
  readonly bytes: ByteOffset;
  readonly complete: boolean;
}

/** Upper limit of the entries of a folder in an answer. */
export const MOST_ENTRIES = 5000;

export interface Folder {
  /** Absolute path. */
  readonly path: string;
  /** Absolute path of the folder that contains it; absent at the root. */
  readonly parent?: string;
  /** Folders and then regular files, each by name. Names that begin with a dot are left out. */
  readonly entries: readonly FolderEntry[];
  /** Number of entries that are left out because of MOST_ENTRIES. */
  readonly left: number;
}

export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
  /** Size of a file, and its modification time in milliseconds. */
  readonly bytes?: number;
  readonly modified?: number;
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
  /** Why no format fits, or what the file is instead; absent if the first candidate fits. */
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
  /** The format with all options in effect, including defaults. */
  readonly format: FormatFacts;
  readonly records: readonly RecordView[];
  /** Bad input in these records and between them. */
  readonly diagnostics: readonly DiagnosticRow[];
}

export interface FileFacts {
  readonly path: string;
  /** Size of the trace: of the content if the file is compressed. */
  readonly bytes: number;
  readonly compressed?: {
    /** `gzip`, `zstd` or `compress`. */
    readonly as: string;
    /** Size of the file itself. */
    readonly bytes: number;
    /** Path of the expanded trace. */
    readonly expanded: string;
  };
}

export interface Opened {
  readonly trace: TraceId;
  readonly file: FileFacts;
  readonly format: FormatFacts;
  readonly timeUnit?: string;
  /** Present if its records are branch messages: an image shows which instructions ran between them. */
  readonly messages?: true;
  /** Present if its records are trace buffers: only an image shows where their branches began and went. */
  readonly followed?: true;
  /** Present if its records contain program flow, at least with an image or with branch messages among them. */
  readonly flow?: true;
  /** Present if executed instructions are among its first records. */
  readonly instructions?: true;
  /** Present if its first records set registers. */
  readonly registers?: true;
  /** Where its records are in the whole trace, if it is a slice of a bundle. */
  readonly slice?: SliceFacts;
  readonly reach: Reach;
  /** Sentences for the person: a temporary index, the slower reader ... */
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
  /** Name of another program that builds this index, `process 1234`; absent if this program builds it. */
  readonly waitsFor?: string;
}

/** Progress of a walk through records in [at, to) for flow analysis: records before `at` are done. */
export interface FlowProgress {
  readonly at: RecordNumber;
  readonly to: RecordNumber;
}

/** Progress of expanding a compressed file: `bytes` of its `totalBytes` are done. */
export interface ExpandProgress extends Omit<Progress, 'records' | 'waitsFor'> {
  readonly expandedBytes: number;
}

/** Steps of reading an image, in their order: the parts of its file, then its mappings in the trace, and variables when they are needed. */
export const IMAGE_PARTS = {
  file: 'the file',
  symbols: 'symbols',
  lines: 'source lines',
  mappings: 'its addresses in the trace',
  variables: 'variables and types',
} as const;
export type ImagePart = keyof typeof IMAGE_PARTS;

/** Progress of reading an image: `bytes` of `totalBytes` of one of its parts, or of the trace, are read. */
export interface ImageProgress extends Omit<Progress, 'records' | 'waitsFor'> {
  /** Path of the image. */
  readonly image: string;
  readonly part: ImagePart;
}

export interface IndexReport {
  readonly records: RecordNumber;
  readonly bytes: number;
  /** Time spent building, in all sessions together. */
  readonly seconds: number;
  readonly bytesPerSecond: number;
  readonly indexBytes: number;
  readonly peakRssBytes: number;
  readonly jobs: number;
  readonly reader: 'mapped' | 'reads';
  readonly complete: boolean;
  /** False if an existing index was used without changes. */
  readonly built: boolean;
  /** Lowest and highest address that an access starts at; absent if there is none. */
  readonly address?: { readonly lowest: Hex; readonly highest: Hex };
}

/** Kinds of image files, with their names. */
export const IMAGE_FORMS = {
  elf: 'ELF',
  'intel-hex': 'Intel HEX',
  's-record': 'S-record',
  raw: 'raw bytes',
  symbols: 'list of symbols',
} as const;
export type ImageForm = keyof typeof IMAGE_FORMS;

/** True if files of this kind can contain symbols. */
export function hasSymbols(form: ImageForm): boolean {
  return form === 'elf' || form === 'symbols';
}

/** Facts about an image. Addresses are those of the trace. */
export interface ImageFacts {
  readonly path: string;
  readonly form: ImageForm;
  /** Processor, width and byte order, if the file records them. */
  readonly machine?: string;
  readonly bits?: 32 | 64;
  readonly endian?: 'little' | 'big';
  /** Is added to the addresses in the file, modulo 2^64; absent if it is zero. */
  readonly shift?: Hex;
  /** Line of the trace that gave `shift`: its offset, and its record once it is indexed. */
  readonly mappedBy?: { readonly offset: number; readonly record?: RecordNumber };
  readonly segments: readonly {
    readonly address: Hex;
    /** Size in the file, and in memory. */
    readonly bytes: number;
    readonly memory: number;
    /** Permissions to read, write and execute: `r-x`. */
    readonly flags?: string;
  }[];
  readonly symbols: number;
  /** Number of symbols that are functions. */
  readonly functions: number;
  /** Path of the separate debug file that symbols or lines come from; absent if there is none. */
  readonly debug?: string;
  /** The line table: its rows, the files that they name, sentences about unreadable parts. Absent if the image has none. */
  readonly lines?: { readonly rows: number; readonly files: number; readonly problems?: readonly string[] };
}

export interface TraceInfo {
  readonly file: FileFacts;
  readonly format: FormatFacts;
  /** In the order of look-up; absent if there are none. */
  readonly images?: readonly ImageFacts[];
  readonly records: RecordNumber;
  readonly kinds: Partial<Record<Kind, number>>;
  readonly native: Readonly<Record<string, number>>;
  readonly time?: { readonly first: WireTime; readonly last: WireTime; readonly unit: string };
  /** Bounds of all accesses; `highest` is the last byte touched. `pages`, of 4 KiB, is present once the index is complete. */
  readonly address?: { readonly lowest: Hex; readonly highest: Hex; readonly pages?: number };
  readonly diagnostics: readonly DiagnosticRow[];
  readonly index: {
    readonly path: string;
    readonly bytes: number;
    readonly complete: boolean;
    readonly seconds: number;
    /** Sizes of its parts, in the order of `INDEX_PARTS`; present on request, once the index is complete. */
    readonly parts?: readonly { readonly part: IndexPart; readonly bytes: number }[];
  };
  readonly reach: Reach;
  readonly notices: readonly string[];
}

/**
 * Parts of an index: the list of blocks, accesses per page, how often and whether cells and lines were accessed, memory contents by
 * block (`touches`) and merged (`masks`), register contents, branches and the code that ran, fingerprints of what instructions read, wrote and set
 * (`effects`). `file` is the overhead of keeping them in one file.
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
  'effects',
  'file',
] as const;
export type IndexPart = (typeof INDEX_PARTS)[number];

export interface DiagnosticRow {
  readonly code: string;
  readonly count: number;
  readonly firstOffset: ByteOffset;
  readonly firstRecord: RecordNumber;
  /** Only for `read-contradicts`: the record whose value the first record contradicts. */
  readonly earlier?: RecordNumber;
  readonly text: string;
}

/**
 * Diagnostic code of reads whose value differs from the value last written or read there; its count is in bytes. While the index is
 * built, only pairs of records in merged parts are counted.
 */
export const READ_CONTRADICTS = 'read-contradicts';

export interface DiagnosticGroup extends DiagnosticRow {
  readonly shapes: readonly ShapeRow[];
}

/** Bad input of one code and one shape. */
export interface ShapeRow {
  /** The line or byte pattern without its particulars; empty if the code says it all, OTHER_SHAPES for the rest. */
  readonly shape: string;
  readonly count: number;
  readonly firstOffset: ByteOffset;
  readonly firstRecord: RecordNumber;
  /** Content at firstOffset, cut if long: text to the end of its line, or bytes as two hexadecimal digits separated by blanks. */
  readonly sample: string;
  readonly sampleIs: 'text' | 'hex';
}
