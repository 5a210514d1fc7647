/** The view of a record outside the decoders: the list of kinds, and the fields that scripts and panes see. */
import type { CsvCell } from '../base/csv.ts';
import type { ByteOffset, Hex, RecordNumber, WireTime } from '../base/units.ts';

/** The closed list of kinds. A kind's position is its code in batches and in the index, so append only. */
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

/** All kinds as a set of bits: bit k stands for KINDS[k]. */
export const ALL_KINDS = 2 ** KINDS.length - 1;

/** Returns a list of kinds as a set of bits; without a list, the set of all kinds. */
export function kindBits(kinds: readonly Kind[] | undefined): number {
  return kinds?.reduce((bits, kind) => bits | (1 << KIND[kind]), 0) ?? ALL_KINDS;
}

/** Kinds that read memory and kinds that write memory. I/O ports and cpu-internal operations are not memory. */
export const READS: readonly Kind[] = ['fetch', 'read', 'bus-fetch', 'bus-read'];
export const WRITES: readonly Kind[] = ['write', 'bus-write'];

/** Kinds of records that can show where the program went. */
export const FLOW_KINDS: readonly Kind[] = ['instruction', 'skipped', 'branch', 'exception'];

/** Kinds that are effects of an instruction. Lists attach them to it. */
export function isEffect(kind: Kind): boolean {
  return kind === 'read' || kind === 'write' || kind === 'register' || kind === 'io-read' || kind === 'io-write';
}

export function isInstruction(kind: Kind): boolean {
  return kind === 'instruction' || kind === 'skipped';
}
/** By the code of a kind: 1 if records of that kind access memory. */
export const MOVES: Uint8Array = Uint8Array.from(KINDS, (kind) =>
  Number(READS.includes(kind) || WRITES.includes(kind)),
);

/** The fields of a record that its format provides; absent fields are left out. */
export interface RecordFields {
  readonly time?: WireTime;
  readonly cpu?: number;
  readonly kind: Kind;
  /** The record's own name in its format: `NC_I_FETCH`, `IT`, `MR4`. */
  readonly native: string;
  readonly address?: Hex;
  /** Number of bytes accessed, starting at `address`. */
  readonly size?: number;
  readonly value?: Hex;
  /** Name of the register that a `register` record sets. */
  readonly register?: string;
  /**
   * All registers of a `register` record in its order, if it can set several; an unknown value is absent. `register` and `value` are the
   * first of them.
   */
  readonly registers?: readonly (readonly [name: string, value?: Hex])[];
  readonly opcode?: Hex;
  readonly isa?: string;
  /** Disassembly, name or kept text, as written in the trace. */
  readonly text?: string;
  readonly target?: Hex;
  readonly source?: Hex;
  /** Marks for unusual, inferred or format-specific properties of this record. */
  readonly flags?: readonly string[];
}

/** A record as the command line prints it and the panes show it. */
export interface RecordView extends RecordFields {
  readonly n: RecordNumber;
  readonly offset: ByteOffset;
  /** Length in the file, in bytes. */
  readonly bytes: number;
  /** Symbols from program images for `address`, `target` and `source`, as `name` or `name+0x12`. */
  readonly symbol?: string;
  readonly targetSymbol?: string;
  readonly sourceSymbol?: string;
  /** Source file and line of the instruction at `address`: `main.c:12`. */
  readonly line?: string;
}

/** The fields that come from the trace, in the order in which they are printed and exported. */
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

/** Returns the fields of RECORD_KEYS as cells of a CSV line: flags separated by blanks, registers as JSON. A literal, as in `inOrder`. */
export function recordCells(record: RecordView): readonly CsvCell[] {
  return [
    record.n,
    record.offset,
    record.bytes,
    record.time,
    record.cpu,
    record.kind,
    record.native,
    record.address,
    record.size,
    record.register,
    record.value,
    record.registers && JSON.stringify(record.registers),
    record.opcode,
    record.isa,
    record.text,
    record.target,
    record.source,
    record.flags?.join(' '),
  ];
}

/**
 * Returns a record for JSON with its keys in the order of RECORD_KEYS, followed by the fields from program images. JSON leaves out
 * undefined values. The literal takes a third of the time of a loop over RECORD_KEYS.
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

/** A named part of a record's bytes for the Bytes pane. Positions are relative to the record's first byte. */
export interface FieldSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Decoded meaning for a person. */
  readonly text: string;
}

export function fieldSpan(name: string, start: number, end: number, text: string): FieldSpan {
  return { name, start, end, text };
}
