/**
 * What a record is to everyone outside the decoders: its kind and its fields as scripts and panes see them.
 */
import type { ByteOffset, Hex, RecordNumber, WireTime } from '../base/units.ts';

/** The closed list of kinds. A kind's position is its code in batches and in the index: append only. */
export const KINDS = [
  'instruction',
  'skipped',
  'fetch',
  'read',
  'write',
  'bus-fetch',
  'bus-read',
  'bus-write',
  'io-read',
  'io-write',
  'interrupt-acknowledge',
  'special',
  'branch',
  'exception',
  'register',
  'event',
  'idle',
  'other',
] as const;

export type Kind = (typeof KINDS)[number];

/** Kind to code, the inverse of KINDS. */
export const KIND: Readonly<Record<Kind, number>> = Object.fromEntries(
  KINDS.map((kind, code) => [kind, code]),
) as Record<Kind, number>;

export function kindName(code: number): Kind {
  const kind = KINDS[code];
  if (kind === undefined) throw new RangeError(`no kind has the code ${String(code)}`);
  return kind;
}

export function isKind(text: string): text is Kind {
  return Object.hasOwn(KIND, text);
}

/** Kinds that read memory, and those that write it. I/O ports and what a cpu does inside itself are not memory. */
export const READS: readonly Kind[] = ['fetch', 'read', 'bus-fetch', 'bus-read'];
export const WRITES: readonly Kind[] = ['write', 'bus-write'];
/** By kind's code: 1 for those of memory. */
export const MOVES: Uint8Array = Uint8Array.from(KINDS, (kind) =>
  Number(READS.includes(kind) || WRITES.includes(kind)),
);

/** The fields of a record that its format gives; absent ones are left out. */
export interface RecordFields {
  readonly time?: WireTime;
  readonly cpu?: number;
  readonly kind: Kind;
  /** The record's own name in its format: `NC_I_FETCH`, `IT`, `MR4`. */
  readonly native: string;
  readonly address?: Hex;
  /** Bytes touched from `address` on. */
  readonly size?: number;
  readonly value?: Hex;
  /** Name of the register that a `register` record sets. */
  readonly register?: string;
  /** All registers that a `register` record sets, in its order, where it may set several; `register` and `value` are the first. */
  readonly registers?: readonly (readonly [name: string, value: Hex])[];
  readonly opcode?: Hex;
  readonly isa?: string;
  /** Disassembly, name or the kept text, as the trace has it. */
  readonly text?: string;
  readonly target?: Hex;
  readonly source?: Hex;
  /** Marks: what is unusual, inferred or format specific about this record. */
  readonly flags?: readonly string[];
}

/** One record as the command line prints it and the panes show it. */
export interface RecordView extends RecordFields {
  readonly n: RecordNumber;
  readonly offset: ByteOffset;
  /** Length in the file. */
  readonly bytes: number;
  /** What images tell of `address`, `target` and `source`: the symbol that each belongs to, as `name` or `name+0x12`. */
  readonly symbol?: string;
  readonly targetSymbol?: string;
  readonly sourceSymbol?: string;
  /** Where in the source the instruction at `address` comes from: `main.c:12`. */
  readonly line?: string;
}

/** What the trace gives, in the order in which it is printed and exported. */
export const RECORD_KEYS: (keyof RecordView)[] = [
  'n',
  'offset',
  'bytes',
  'time',
  'cpu',
  'kind',
  'native',
  'address',
  'size',
  'register',
  'value',
  'registers',
  'opcode',
  'isa',
  'text',
  'target',
  'source',
  'flags',
];

/**
 * A record with just these keys in their order, and behind them what images tell, for JSON, which leaves out what is absent: written
 * without a list of keys it takes a third of the time.
 */
export function inOrder(record: RecordView): Readonly<Record<keyof RecordView, unknown>> {
  return {
    n: record.n,
    offset: record.offset,
    bytes: record.bytes,
    time: record.time,
    cpu: record.cpu,
    kind: record.kind,
    native: record.native,
    address: record.address,
    size: record.size,
    register: record.register,
    value: record.value,
    registers: record.registers,
    opcode: record.opcode,
    isa: record.isa,
    text: record.text,
    target: record.target,
    source: record.source,
    flags: record.flags,
    symbol: record.symbol,
    line: record.line,
    targetSymbol: record.targetSymbol,
    sourceSymbol: record.sourceSymbol,
  };
}

/** A named part of a record's bytes, relative to the record's first byte: the Bytes pane draws these. */
export interface FieldSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The decoded meaning, for a person. */
  readonly text: string;
}
