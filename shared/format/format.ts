/**
 * The contract of a trace format: how it is recognised, cut into blocks, decoded in bulk and described record by record.
 *
 * A format is one file in `formats/` and one line in `formats/index.ts`. It knows bytes, never files: whoever calls it
 * reads. Nothing it returns may depend on where a window or a block happens to be cut.
 */
import type { Batch } from '../records/batch.ts';
import type { Events, FlowRun, FlowStretch, JoinedRun } from '../flow/events.ts';
import type { FieldSpan, Kind, RecordFields } from '../records/record.ts';
import type { Result } from '../base/result.ts';
import type { ByteOffset } from '../base/units.ts';

export interface Format {
  readonly id: string;
  /** For people: `BYU 6-byte Pentium address trace`. */
  readonly name: string;
  readonly dialects: readonly string[];
  /** File name endings for dialogs, without dots. Detection never looks at names. */
  readonly extensions: readonly string[];
  readonly options: readonly FormatOption[];
  /** Unit of the time column; absent where the format has no time. */
  readonly timeUnit?: string;
  /** What its branches are told by; absent where that is executed instructions which say what each branch is, or nothing. */
  readonly branches?: BranchRecords;
  /** Judges the head of a file by content alone; undefined when it is certainly something else. */
  sniff(head: Head): Claim | undefined;
  /** A decoder for one trace with these settings; fails with one sentence on settings it does not have. */
  open(settings: Settings): Result<Decoder>;
  /** A sentence for each diagnostic code this format counts. */
  readonly diagnostics: Readonly<Record<string, string>>;
}

/** What kind of records tells of the branches of a trace, and what only the program's image can tell of them. */
export interface BranchRecords {
  /**
   * `instructions`: all that were executed. `messages`: one for each branch, between which a straight run of instructions was
   * executed. `captures`: those of trace buffers, each to be followed through the image as a whole.
   */
  readonly as: 'instructions' | 'messages' | 'captures';
  /** They do not say which branches are calls, returns or jumps. */
  readonly untold?: true;
  /**
   * They are the messages of a Pentium, whose code is x86 of the operand size that each event has, whatever an image says of
   * itself: one of every branch, interrupt and instruction that serialises.
   */
  readonly pentium?: true;
}

export interface FormatOption {
  readonly name: string;
  /** What it can be; empty where it is any text that `open` accepts. */
  readonly values: readonly string[];
  readonly default: string;
  /** What it decides, for a person. */
  readonly text: string;
  /** True where the value `auto` is a way of reading of its own, which wins over what detection suggests; else it asks detection. */
  readonly autoReads?: boolean;
}

/** How records lie in the file: this is all the engine knows to cut blocks. */
export type Framing =
  /**
   * Records are lines that end in LF (or at the end of the file). A line belongs to the block in which it starts. `parts`: a
   * record may be a part of a line; without it each begins and ends with its line.
   */
  | { readonly kind: 'lines'; readonly parts?: true }
  /**
   * Records have `bytes` bytes each. A decoder may look at most `lookahead` bytes past the first byte of the record it decodes
   * and, where the file has them, `lookbehind` bytes before it (0 where left out).
   */
  | { readonly kind: 'units'; readonly bytes: number; readonly lookahead: number; readonly lookbehind?: number }
  /** The file is small and decoded as one block: a window holds all of it, at most WHOLE_BYTES. */
  | { readonly kind: 'whole' };

/** Files of framing `whole` have no more bytes than this. */
export const WHOLE_BYTES = 64 * 1024 * 1024;

/** Lines longer than this are kept as one record of kind `other` whose text is cut; windows hold at least this much of a last line. */
export const LONG_LINE = 65536;
/** Bytes of the head that `sniff` gets at most. */
export const HEAD_BYTES = 65536;

export interface Head {
  /** The first bytes of the file, at most HEAD_BYTES. */
  readonly bytes: Uint8Array;
  /** Size of the whole file in bytes. */
  readonly size: number;
}

export interface Claim {
  /** 0..1; the highest claim wins, ties go to the earlier format in the list. Below 0.5 it is a guess that a person should confirm. */
  readonly confidence: number;
  readonly dialect?: string;
  /** Settings that the content suggests: `{ endian: 'little' }`. */
  readonly options: Readonly<Record<string, string>>;
  /** Why, in short phrases that complete `because ...`. */
  readonly reasons: readonly string[];
}

/** Option name to value; what is left out has its default. The dialect is the option `dialect`. */
export type Settings = Readonly<Record<string, string>>;

/**
 * What a decoder carries from one record to the next: a flat record of numbers, small, comparable, storable.
 * The engine keeps the state at the entry of every block.
 */
export type State = Readonly<Record<string, number>>;

/** A stretch of the file for one block. */
export interface Window {
  readonly bytes: Uint8Array;
  /** Valid bytes in `bytes`. */
  readonly length: number;
  /** File offset of bytes[0]. */
  readonly base: ByteOffset;
  /** Where the next record starts; the decoder moves it. At the beginning the block's first byte. */
  position: ByteOffset;
  /**
   * Records that start here or later belong to the next block. At the last block: the end of the file. A decoder of lines
   * that hold several records moves it on to the end of the block's last line when a batch fills up inside that line.
   */
  end: ByteOffset;
  /** Where a last line that does not end within `bytes` ends in the file (line end included). */
  readonly lastLineEnd: ByteOffset;
  /** Size of the file as it is decoded. */
  readonly fileEnd: ByteOffset;
}

/**
 * The index of an offset less than 2^31 bytes from a window's base: a whole number, while a difference of offsets beyond 2 GiB is a
 * double to a compiler, and a loop over it takes twice as long.
 */
export function indexIn({ base }: Window, offset: ByteOffset): number {
  return (offset - base) | 0;
}

export interface Decoder {
  readonly format: Format;
  readonly framing: Framing;
  readonly dialect?: string;
  /** The settings in force, defaults and dialect included. */
  readonly settings: Settings;
  /** Unit of this trace's time column where it is not the format's. */
  readonly timeUnit?: string;
  /** The state at the start of the file. */
  readonly initial: State;

  /** `isa` of records is as Arm's own tools have it (`A`, `T`, `O` ...), and no other processor's. */
  readonly armIsa?: true;

  /** Records of other kinds say no value and set no register. Absent where any kind may. */
  readonly valuedKinds?: readonly Kind[];

  /** No access is ever one that FLAG.noEffect marks: what the index keeps of memory then knows them all. */
  readonly neverAborts?: true;

  /**
   * Where what a record is read as depends on records shortly before it: bytes before a block that, decoded from any state,
   * most likely end in its true entry state. The engine then guesses entry states that way.
   */
  readonly warmUp?: number;

  /**
   * Decodes from `window.position` until the batch is full or no record of this block is left, appending to the batch
   * and moving the position. Returns the state there. Never throws on any bytes. The block is done when the position has
   * reached `window.end` (it may lie past it by the rest of the last record).
   */
  decode(window: Window, state: State, batch: Batch): State;

  /**
   * For framing `units`, a quick way past records that are an access below 4 GiB and nothing else: counts at most `records` of
   * them, from the window's position on, and moves the position behind those. It stops before any other record and where the
   * block ends, and returns the state there. Addresses, kinds and states are those that `decode` gives.
   */
  countPlain?(window: Window, state: State, records: number, cells: AddressCells): State;

  /**
   * Blocks are first decoded with a guess of their entry state. True when decoding a block from `guess` gave the same
   * batches and positions that `entry` would have given, but for what `join` and the stored entry state mend.
   */
  agrees(guess: State, entry: State): boolean;

  /** The true exit state of a block whose true entry state is `entry`, from the exit state that decoding from a guess returned. */
  join(entry: State, exit: State): State;

  /** For framing `units`: the first record start at or after `offset`, judging from a state that an earlier block ended with. */
  align?(offset: ByteOffset, state: State): ByteOffset;

  /**
   * All fields of record `index` of the batch; `bytes` are the record's own (cut after LONG_LINE). Slow and exact.
   * For framing `units` a value lies in those bytes as it is, in one order or the other.
   */
  describe(bytes: Uint8Array, batch: Batch, index: number): RecordFields;

  /**
   * Numbers that stand for the name, text and marks that `describe` gives records whose bytes lie in the window, of the rows
   * [from, to) into `keys` at the same indexes: records with the same number, which is positive, have the same ones; 0 where
   * only `describe` can tell. Cheap; searches of binary traces need it.
   */
  wordsKeys?(window: Window, batch: Batch, from: number, to: number, keys: Int32Array): void;

  /** The record's bytes by field, in order, for the Bytes pane. */
  fields(bytes: Uint8Array, batch: Batch, index: number): readonly FieldSpan[];

  /** The name in the format of a code of the `native` column. */
  nativeName(code: number): string;

  /** A reader of the program's flow; absent where records tell nothing of it. */
  flow?(): FlowReader;
}

/** Rows of addresses in which accesses are counted, all of the same height but for the rounding of their bounds. */
export interface AddressCells {
  /** The lowest address. */
  readonly low: number;
  /** Row r holds the addresses bounds[r] <= a - low < bounds[r + 1], all of them below 4 GiB. */
  readonly bounds: Float64Array;
  /** Bit k set: records of KINDS[k] count. */
  readonly kinds: number;
  /** The count of row r is counts[firstCell + r]. */
  readonly counts: Uint32Array;
  readonly firstCell: number;
}

/** The row of an address that lies `distance` above the lowest one and below the last bound; `rowsPerByte` is the mean of all. */
export function rowAt(distance: number, rowsPerByte: number, bounds: Float64Array): number {
  // Rows are few: they fit 31 bits.
  const row = (distance * rowsPerByte) | 0;
  if (distance < bounds[row]!) return row - 1;
  return distance >= bounds[row + 1]! ? row + 1 : row;
}

/**
 * Reads the events of a trace from its batches. It is started anywhere in the trace without knowledge of what came before, so
 * that stretches can be read in parallel: what happened between two stretches is read from where the one ended and the other began.
 */
export interface FlowReader {
  /** True where messages count instructions; executed ones are counted anyway. */
  readonly counts?: true;
  /** Reads the next batch in order. `batch.first` counts as the events shall; `batch.placed` is true where records are lines. */
  add(window: Window, batch: Batch): void;
  /** What was read since the last call; the reader then knows nothing of what came before. The columns are its own: they hold until the next `add`. */
  finish(): FlowStretch;
  /**
   * Appends what a cpu did from where one stretch left it, `undefined` before the first one, to where the next one that has it
   * begins: mostly one event or none. Their `instructions` are those since the event before, `before.since` with the first one.
   */
  join(before: FlowRun | undefined, after: FlowRun, events: Events): JoinedRun;
  /** Appends what is only known once nothing follows. */
  end(last: FlowRun, events: Events): void;
}
