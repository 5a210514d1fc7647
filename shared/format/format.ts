/**
 * The contract of a trace format.
 *
 * A format is a folder in `formats/` and one line in `formats/index.ts`. It recognises its files (`sniff`), checks its settings (`open`)
 * and returns a `Decoder`, which turns bytes into batches of records. A format sees bytes, never files: the engine reads the file, cuts
 * it into blocks as `framing` says, and passes each block as a `Window`. Nothing that a format returns may depend on where the engine cuts.
 *
 * A complete format of text lines such as `R 1000`:
 *
 *     export const mini: Format = {
 *       id: 'mini', name: 'Mini trace', dialects: [], extensions: ['mini'], options: [], diagnostics: LINE_DIAGNOSTICS,
 *       sniff: ({ bytes }) => (bytes[0] === UPPER_R ? { confidence: 0.4, options: {}, reasons: ['it begins with R'] } : undefined),
 *       open: (settings) => ok({
 *         format: mini, framing: { kind: 'lines' }, settings, initial: {},
 *         decode(window, state, batch) {
 *           decodeLines(window, batch, TEXT, readLine); // lines.ts; readLine fills one row
 *           return state;
 *         },
 *         describe: (bytes, batch, index) => ({ kind: kindName(batch.kind[index]!), native: 'R', address: addressOf(batch, index) }),
 *         fields: () => [{ name: 'address', start: 2, end: 6, text: '' }],
 *         nativeName: (code) => (code === TEXT ? 'TEXT' : 'R'),
 *       }),
 *     };
 *
 * Everything else is optional and listed in `Capabilities`, each with the feature or the speed that it buys.
 */
import type { Batch } from '../records/batch.ts';
import type { CodeSink, Events, FlowRun, FlowStretch, JoinedRun } from '../flow/events.ts';
import type { FieldSpan, Kind, RecordFields } from '../records/record.ts';
import type { Result } from '../base/result.ts';
import type { ByteOffset, Hex, WireTime } from '../base/units.ts';
import type { AddressCells } from './address-cells.ts';
import type { Repeated } from './repeated.ts';

export interface Format {
  readonly id: string;
  /** Name for people: `BYU 6-byte Pentium address trace`. */
  readonly name: string;
  readonly dialects: readonly string[];
  /** Processors that write this format; absent if any may. */
  readonly processor?: 'arm' | 'x86';
  /** File name endings for dialogs, without dots. Detection never looks at names. */
  readonly extensions: readonly string[];
  readonly options: readonly FormatOption[];
  /** One sentence for each diagnostic code that this format counts. */
  readonly diagnostics: Readonly<Record<string, string>>;
  /** Unit of the time column; absent if the format has no time. */
  readonly timeUnit?: string;
  /** Properties of its branch records; absent if instructions say what each branch is, or if there are no branches. */
  readonly branches?: BranchRecords;
  /** How a part of a trace is made a trace; absent if its bytes alone are one. */
  readonly slices?: SliceRules;
  /**
   * Judges the head of a file by content alone. Returns undefined if it is certainly something else. `named` is true if the user named this
   * format: any claim is then better than the default dialect.
   */
  sniff(head: Head, named?: boolean): Claim | undefined;
  /** Returns a decoder for one trace, or fails with one sentence on settings that the format does not have. */
  open(settings: Settings): Result<Decoder>;
}

export interface SliceRules {
  /** Why no part of a trace would open: the end of a sentence. */
  readonly never?: string;
  /**
   * Returns a line that sets a register, for a trace with one CPU; undefined if no line is certain to be read so. `time` is that of the record
   * behind it.
   */
  registerLine?(settings: Settings, name: string, value: Hex, time: WireTime): string | undefined;
  /** True if a record with this name and these marks is one only after others: a trace that begins with its line would read it differently. */
  neverFirst?(native: string, marks: readonly string[]): boolean;
}

/** Content of branch records, and facts that only a program image can add. */
export interface BranchRecords {
  /** `instructions`: every executed instruction is a record. `messages`: one record per branch, with a straight run of instructions before it. */
  readonly as: 'instructions' | 'messages';
  /** Records do not say whether a branch is a call, a return or a jump: the image or inference has to. */
  readonly unclassified?: true;
  /** Sources and direct targets are missing: whole recordings must be followed through the image. The engine needs an `ImageFlow` for the format. */
  readonly followed?: true;
  /**
   * Pentium branch trace messages: the code is x86 with the operand size of each event. There is one message
   * for every branch, interrupt and serialising instruction.
   */
  readonly pentium?: true;
  /** Samples of a few branches each: they do not show where an interrupt began, and a sample may end inside one. */
  readonly sampled?: true;
}

export interface FormatOption {
  readonly name: string;
  /** Allowed values; empty if it is any text that `open` accepts. */
  readonly values: readonly string[];
  readonly default: string;
  /** Effect of the option, for people. */
  readonly text: string;
  /** True if the value `auto` is a way of reading of its own, which wins over what detection suggests. Otherwise `auto` means detection. */
  readonly autoReads?: boolean;
}

/** Layout of records in the file. The engine cuts blocks by it. */
export type Framing =
  /**
   * Records are lines that end in LF (or at the end of the file). A line belongs to the block in which it starts. `parts`: a
   * record may be a part of a line; without it each begins and ends with its line.
   */
  | { readonly kind: 'lines'; readonly parts?: true }
  /** Records have a fixed size. */
  | {
      readonly kind: 'units';
      /** Size of a record in bytes. */
      readonly bytes: number;
      /** Bytes after the first byte of a record that decoding it may read. */
      readonly lookahead: number;
      /** Bytes before the first byte of a record that decoding it may read if the file has them; 0 by default. */
      readonly lookbehind?: number;
      /** Returns the first record start at or after `offset`, given the state in which an earlier block ended. */
      align(offset: ByteOffset, state: State): ByteOffset;
    }
  /** The file is small and decoded as one block: a window holds all of it. It has at most WHOLE_BYTES. */
  | { readonly kind: 'whole' };

/** Largest size in bytes of a file with framing `whole`. */
export const WHOLE_BYTES = 64 * 1024 * 1024;

/** Longer lines are kept as one record of kind `other` with truncated text. A window holds at least this many bytes of its last line. */
export const LONG_LINE = 65536;
/** Largest number of bytes that `sniff` gets. */
export const HEAD_BYTES = 65536;

export interface Head {
  /** The first bytes of the file, at most HEAD_BYTES. */
  readonly bytes: Uint8Array;
  /** Size of the whole file in bytes. */
  readonly size: number;
}

export interface Claim {
  /** 0..1; the highest claim wins, and the earlier format in the list wins a tie. Below 0.5 it is a guess that a person should confirm. */
  readonly confidence: number;
  readonly dialect?: string;
  /** Settings that the content suggests: `{ endian: 'little' }`. */
  readonly options: Readonly<Record<string, string>>;
  /** Reasons, as short phrases that complete `because ...`. */
  readonly reasons: readonly string[];
}

/** Option name to value; an option that is left out has its default. The dialect is the option `dialect`. */
export type Settings = Readonly<Record<string, string>>;

/**
 * State that a decoder carries from one record to the next: a flat record of numbers, small, comparable, storable.
 * The engine keeps the state at the entry of every block.
 */
export type State = Readonly<Record<string, number>>;

/** A stretch of the file for one block. */
export interface Window {
  readonly bytes: Uint8Array;
  /** Number of valid bytes in `bytes`. */
  readonly length: number;
  /** File offset of bytes[0]. */
  readonly base: ByteOffset;
  /** File offset of the next record, initially of the block's first byte. The decoder advances it. */
  position: ByteOffset;
  /**
   * Records that start at or after this offset belong to the next block; the end of the file in the last block. A decoder of lines
   * with several records advances it to the end of the block's last line when a batch fills up inside that line.
   */
  end: ByteOffset;
  /** File offset of the end (line end included) of a last line that does not end within `bytes`. */
  readonly lastLineEnd: ByteOffset;
  /** Size of the file as it is decoded. */
  readonly fileEnd: ByteOffset;
}

/**
 * Returns the index of an offset less than 2^31 bytes after a window's base, as an integer. A plain difference of offsets beyond 2 GiB
 * is a double to the compiler, and a loop over it takes twice as long.
 */
export function indexIn({ base }: Window, offset: ByteOffset): number {
  return (offset - base) | 0;
}

/** Decoder of one trace. Everything that is not listed here is optional: see `Capabilities`. */
export interface Decoder extends Capabilities {
  readonly format: Format;
  readonly framing: Framing;
  readonly dialect?: string;
  /** The settings in force, defaults and dialect included. */
  readonly settings: Settings;
  /** Unit of this trace's time column if it is not the format's. */
  readonly timeUnit?: string;
  /** The state at the start of the file. */
  readonly initial: State;

  /**
   * Decodes from `window.position` until the batch is full or no record of this block is left. Appends to the batch, advances the
   * position, and returns the state there. Never throws on any bytes. The block is done when the position has reached `window.end`
   * (it may be past it by the rest of the last record).
   */
  decode(window: Window, state: State, batch: Batch): State;

  /**
   * Returns all fields of record `index` of the batch. `bytes` are the record's own (truncated after LONG_LINE). Slow and exact.
   * With framing `units` a value occurs in those bytes unchanged, in either byte order.
   */
  describe(bytes: Uint8Array, batch: Batch, index: number): RecordFields;

  /** Returns the record's bytes by field, in order, for the Bytes pane. */
  fields(bytes: Uint8Array, batch: Batch, index: number): readonly FieldSpan[];

  /** Returns the format's name of a code of the `native` column. */
  nativeName(code: number): string;
}

/** Optional parts of a decoder: features that not every format has, facts that save work, and fast paths. */
export interface Capabilities {
  // Features.

  /** Branch events of the records; absent if they contain no program flow. It enables call graph, stack and branches. */
  readonly flow?: ProgramFlow;
  /** The `isa` of records is as Arm's own tools write it (`A`, `T`, `O` ...). It lets opcodes without text be disassembled. */
  readonly armIsa?: true;
  /** Register records can show the state before the next instruction. They have the mark `before-instruction`. */
  readonly lateEffects?: true;

  /** Lines that record where files were mapped into memory. They place position-independent images. */
  readonly mappings?: MappingLines;

  // Entry states. Blocks are decoded in parallel from a guess of their entry state, and again if the guess was wrong.

  /** Bytes before a block that, decoded from any state, most likely end in its true entry state. It makes guesses come true. */
  readonly warmUp?: number;
  /**
   * Returns true if decoding a block from `guess` gives the same batches and positions as from `entry`, except for what `join` and the
   * stored entry state correct. Without it a guess is right if all numbers of both states are equal.
   */
  agrees?(guess: State, entry: State): boolean;
  /** Returns the true exit state of a block from its true entry state and the exit state that decoding from a guess returned. */
  join?(entry: State, exit: State): State;

  // Facts. Searches and memory queries skip records and blocks that cannot match.

  /** Only records of these kinds have values or set registers. Absent if any kind may. */
  readonly valuedKinds?: readonly Kind[];
  /**
   * The text of a record shows each of its values in hexadecimal digits, highest or lowest byte first. Between two of the lowest eight is
   * nothing but perhaps `_`, `:` or `.`.
   */
  readonly valuesAsDigits?: true;
  /** No access ever has FLAG.noEffect, so the index knows all accesses to memory. */
  readonly neverAborts?: true;

  /** `decode` fills `Batch.parts`: queries can start in the middle of a block, and pass parts whose code does not matter. */
  readonly marksParts?: true;

  // Fast paths. Each gives what `decode` or `describe` would give, in less time.

  /**
   * Decodes records that are alike into one row each (`Batch.condensed`), for scans that only count. Binary formats index twice as fast.
   * Takes an empty batch and at most `most` records, by default any number; returns undefined, with nothing changed, if it does not pay
   * off here: `decode` then has to be called.
   */
  condense?(window: Window, state: State, batch: Batch, most?: number): State | undefined;
  /**
   * Counts at most `records` plain records from the window's position without decoding them, those with an address below 4 GiB into `cells`, and
   * advances the position. Stops before any other record and at the end of the block. Exact heatmaps. The state that it returns gives later
   * records their kinds and addresses; marks and targets may be missing.
   */
  countPlain?(window: Window, state: State, records: number, cells: AddressCells): Counted;
  /**
   * For framing `units`: returns the newest place up to the record at `position` where the decoder's state is known without decoding, with
   * that state, if it was in `state` at an earlier record and no bytes were skipped since. The place may be before that record.
   */
  placeBefore?(position: ByteOffset, state: State): { readonly position: ByteOffset; readonly state: State };
  /**
   * Writes, for the rows [from, to), a number into `keys` at the same indexes. Records with the same positive number have the same name,
   * text and marks in `describe`, and if the batch also has the same kind, native code, cpu, size and flags, all other fields in the sense of
   * `repeats`, with the value in the batch. 0 means that only `describe` knows them. The bytes of the records are in the window. Text searches and
   * exports.
   */
  wordsKeys?(window: Window, batch: Batch, from: number, to: number, keys: Int32Array): void;
  /**
   * Writes what stands for row `index`, which is at [from, to) of `bytes`, into `out`; returns false if only `describe` knows the record. Rows
   * with the same key, native code, cpu and flags have the same fields in `describe`, except for these: time, address and target are those of the
   * batch, and so is the source of a row with an address; value and words may be those of `out`. Exports of text.
   */
  repeats?(bytes: Uint8Array, from: number, to: number, batch: Batch, index: number, out: Repeated): boolean;
}

/** Records that were counted without decoding. */
export interface Counted {
  /** Number of records, with and without an address. */
  readonly records: number;
  /** The state after them. */
  readonly state: State;
}

export interface MappingLines {
  /** Text that each of these lines contains. */
  readonly mark: string;
  /** Reads one line; undefined if it is not a mapping. */
  read(line: string): Mapping | undefined;
}

/** A part of a file in the memory of a process. */
export interface Mapping {
  readonly process: number;
  readonly address: bigint;
  readonly bytes: bigint;
  /** Offset of the part in the file. */
  readonly offset: bigint;
  readonly file: string;
  /** Differs for different files of one name, such as device and inode; empty if it is not recorded. */
  readonly identity: string;
  readonly isCode: boolean;
}

/** Returns true if a block that was decoded from `guess` need not be decoded again from its true entry state. */
export function agrees(decoder: Capabilities, guess: State, entry: State): boolean {
  return decoder.agrees?.(guess, entry) ?? Object.keys(entry).every((name) => guess[name] === entry[name]);
}

/** Returns the true exit state of a block that was decoded from an agreeing guess. */
export function exitState(decoder: Capabilities, entry: State, exit: State): State {
  return decoder.join?.(entry, exit) ?? exit;
}

/**
 * The branch events of a trace. Stretches of blocks can be read in parallel, because reading starts anywhere without knowledge of what
 * came before: `join` adds what happened between two stretches.
 */
export interface ProgramFlow {
  /** True if messages count instructions; executed instructions are counted anyway. */
  readonly counts?: true;
  /** A reader may take megabytes. */
  createReader(): FlowReader;
  /**
   * Appends what a cpu did between the end of one stretch (undefined before the first one) and the beginning of the next one in which it
   * occurs: mostly one event or none. The first event's `instructions` include `before.since`. `inside`: the events of the later stretch.
   */
  join(before: FlowRun | undefined, after: FlowRun, events: Events, inside?: Events): JoinedRun;
  /** Appends events that are only known once nothing follows. */
  end(last: FlowRun, events: Events): void;
}

/** Reads the branch events of a stretch from its batches. */
export interface FlowReader {
  /**
   * Reads the next batch in order. Event records count like `batch.first`; `batch.placed` is true if records are lines. If the records are
   * instructions, `executed` receives those that ran. A stretch has the same one for all its batches and for `finish`.
   */
  add(window: Window, batch: Batch, executed?: CodeSink): void;
  /** Returns what was read since the last call and forgets it. The columns are the reader's own: they hold until the next `add`. */
  finish(executed?: CodeSink): FlowStretch;
}
