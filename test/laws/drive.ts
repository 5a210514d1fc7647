/**
 * Decodes bytes as a given format in blocks of a given size and collects all results. It works like the engine, but slowly: it cuts
 * windows exactly as shared/format/format.ts promises, decodes each block from its true state and from a guessed one, and compares both
 * results if `agrees` accepts the guess. Bytes outside of a window are poisoned, so a decoder that reads them gives other results for
 * other block sizes.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { BATCH_RECORDS, createBatch, FLAG, NO_CPU, resetBatch } from '../../shared/records/batch.ts';
import type { Batch, Gap } from '../../shared/records/batch.ts';
import { Diagnostics, type Diagnostic } from '../../shared/format/diagnostics.ts';
import { agrees, exitState, LONG_LINE } from '../../shared/format/format.ts';
import { createRepeated } from '../../shared/format/repeated.ts';
import type { Decoder, State, Window } from '../../shared/format/format.ts';
import { kindName, READS, WRITES } from '../../shared/records/record.ts';
import type { FieldSpan, RecordFields } from '../../shared/records/record.ts';
import { joinAddress, toHex } from '../../shared/base/units.ts';
import type { ByteOffset, RecordNumber } from '../../shared/base/units.ts';

export interface DriveOptions {
  /** Size of a block; the whole file by default. */
  readonly blockBytes?: number;
  /** Records in a batch. */
  readonly batchRecords?: number;
  /** Guessed state from which block b > 0 is also decoded. */
  readonly guess?: (block: number) => State;
  /** Also calls `describe` and `fields` for the selected records and compares them with the columns. */
  readonly describe?: (n: RecordNumber) => boolean;
}

export interface Driven {
  readonly records: readonly DrivenRecord[];
  /** In file order. */
  readonly gaps: readonly Gap[];
  /** One per code and shape over the whole file, sorted by code; `firstRecord` counts from the start of the file. */
  readonly diagnostics: readonly Diagnostic[];
  /** True entry state of every block, and exit state of the last. */
  readonly states: readonly State[];
  /** Number of blocks with a wrong guess, which the engine decodes again. */
  readonly redone: number;
}

/** One record's columns, and the results of `describe` and `fields` if requested. */
export interface DrivenRecord {
  readonly n: RecordNumber;
  readonly start: ByteOffset;
  readonly end: ByteOffset;
  readonly time: number;
  readonly kind: string;
  readonly native: string;
  readonly address: string;
  readonly size: number;
  readonly cpu: number;
  readonly flags: number;
  readonly target: string;
  /** Bytes that an access moved, two digits each, in address order; '' if the columns have none. */
  readonly value: string;
  /** Number of its register set: decoders number sets as they occur, so it may differ from run to run. */
  readonly registers: number;
  readonly fields?: RecordFields;
  readonly spans?: readonly FieldSpan[];
}

/** Fails on behaviour that no decoder may show for any bytes: throwing, standing still, leaving out or overlapping bytes. */
export function decodeAll(decoder: Decoder, bytes: Uint8Array, options: DriveOptions = {}): Driven {
  const whole = decoder.framing.kind === 'whole';
  const blockBytes = (whole ? undefined : options.blockBytes) ?? Math.max(1, bytes.length);
  const batch = createBatch(options.batchRecords ?? BATCH_RECORDS);
  const drive: Drive = {
    decoder,
    bytes,
    options,
    batch,
    registers: new Map(),
    words: new Map(),
    repeated: repeatedOf(decoder),
  };
  const records: DrivenRecord[] = [];
  const gaps: Gap[] = [];
  const diagnostics = new Diagnostics();
  const states: State[] = [decoder.initial];
  let entry = decoder.initial;
  let reached = 0;
  let redone = 0;
  for (let block = 0; block * blockBytes < bytes.length; block++) {
    const from = block * blockBytes;
    const to = Math.min(from + blockBytes, bytes.length);
    const run = decodeBlock(drive, from, to, entry, records.length);
    assert.ok(agrees(decoder, entry, entry), 'a state agrees with itself');
    assert.deepEqual(exitState(decoder, entry, run.exit), run.exit, 'join leaves a true exit state as it is');
    const guess = block === 0 ? undefined : options.guess?.(block);
    if (guess !== undefined && !isDeepStrictEqual(guess, entry)) {
      const guessed = decodeBlock(drive, from, to, guess, records.length);
      if (agrees(decoder, guess, entry)) checkAgreed(guessed, run, exitState(decoder, entry, guessed.exit));
      else redone++;
    }
    entry = run.exit;
    assert.equal(run.from, reached, `block ${String(block)} starts where the one before it ended`);
    reached = run.to;
    for (const record of run.records) records.push(record);
    gaps.push(...run.gaps);
    diagnostics.addAll(run.diagnostics);
    states.push(entry);
  }
  checkTiling(records, gaps, bytes.length);
  const sorted = [...diagnostics.list()].sort((a, b) =>
    a.code === b.code ? a.firstOffset - b.firstOffset : a.code < b.code ? -1 : 1,
  );
  return { records, gaps, diagnostics: sorted, states, redone };
}

/** A block decoded from an accepted guess differs from the true one only in assumed times; `join` repairs its exit state. */
function checkAgreed(guessed: BlockRun, run: BlockRun, joined: State): void {
  assert.deepEqual(indexed(guessed), indexed(run));
  assert.deepEqual(joined, run.exit, 'join mends the exit state of a guess');
}

/** Data that the index keeps about a block, as text, since thousands of them are compared. */
function indexed({ from, to, records, gaps, diagnostics }: BlockRun): string {
  const kept = records.map(({ n, start, end, time, kind, native, address, size, cpu, flags, target, value }) =>
    [
      ...[n, start, end, flags & FLAG.timeAssumed ? '' : time, kind, native, address, size, target],
      ...[cpu, flags, value],
    ].join(' '),
  );
  return JSON.stringify([from, to, kept, gaps, diagnostics]);
}

/** Checks that records and gaps cover the file from first to last byte exactly once. */
function checkTiling(records: readonly DrivenRecord[], gaps: readonly Gap[], fileEnd: ByteOffset): void {
  let at = 0;
  let gap = 0;
  const takeGaps = (): void => {
    for (let next = gaps[gap]; next?.start === at && next.end > at; next = gaps[++gap]) at = next.end;
  };
  for (const record of records) {
    takeGaps();
    assert.equal(record.start, at, `record ${String(record.n)} starts where the bytes before it end`);
    assert.ok(record.end > record.start, `record ${String(record.n)} has bytes`);
    at = record.end;
  }
  takeGaps();
  assert.equal(gap, gaps.length, 'gaps lie in file order, between records');
  assert.equal(at, fileEnd, 'records and gaps reach the end of the file');
}

/** By format and settings: fields by the keys of records, from all inputs so far, because a damaged input has few records that repeat. */
const REPEATED = new Map<string, Map<string, string>>();
const MOST_REPEATED = 20_000;

function repeatedOf({ format, settings }: Decoder): Map<string, string> {
  const reading = JSON.stringify([format.id, settings]);
  const known = REPEATED.get(reading);
  if (known !== undefined && known.size < MOST_REPEATED) return known;
  const empty = new Map<string, string>();
  REPEATED.set(reading, empty);
  return empty;
}

interface Drive {
  readonly decoder: Decoder;
  readonly bytes: Uint8Array;
  readonly options: DriveOptions;
  readonly batch: Batch;
  /** Names of registers seen for each number. */
  readonly registers: Map<number, string>;
  /** Words seen for each number. */
  readonly words: Map<number, string>;
  /** Fields that records share, by the bytes that stand for these records. */
  readonly repeated: Map<string, string>;
}

interface BlockRun {
  readonly records: readonly DrivenRecord[];
  readonly gaps: readonly Gap[];
  readonly diagnostics: readonly Diagnostic[];
  readonly exit: State;
  readonly from: ByteOffset;
  readonly to: ByteOffset;
}

function decodeBlock(drive: Drive, from: ByteOffset, to: ByteOffset, entry: State, first: RecordNumber): BlockRun {
  const { decoder, batch } = drive;
  const window = cutBlock(drive, from, to, entry);
  const start = window.position;
  const records: DrivenRecord[] = [];
  const gaps: Gap[] = [];
  const diagnostics = new Diagnostics();
  let state = entry;
  while (window.position < window.end) {
    const before = window.position;
    resetBatch(batch, first + records.length);
    state = decoder.decode(window, state, batch);
    assert.ok(window.position > before, `decode moves on from byte ${String(before)}`);
    assert.ok(window.position <= window.fileEnd, 'decode stays inside the file');
    assert.ok(batch.count <= batch.start.length, 'a batch holds no more than its columns');
    for (let index = 0; index < batch.count; index++) records.push(readRecord(drive, index));
    gaps.push(...batch.gaps);
    diagnostics.addAll(batch.diagnostics.list());
  }
  return { records, gaps, diagnostics: diagnostics.list(), exit: state, from: start, to: window.position };
}

function cutBlock(drive: Drive, from: ByteOffset, to: ByteOffset, entry: State): Window {
  const { bytes } = drive;
  switch (drive.decoder.framing.kind) {
    case 'lines':
      return lineWindow(bytes, from, to);
    case 'units':
      return unitWindow(drive, from, to, entry);
    case 'whole':
      return cutWindow(bytes, 0, bytes.length, bytes.length, bytes.length);
  }
}

const LF = 10;

/** Block b starts after the first LF at or after b * B - 1; the window contains at most LONG_LINE bytes of the block's last line. */
function lineWindow(bytes: Uint8Array, from: ByteOffset, to: ByteOffset): Window {
  const start = from === 0 ? 0 : lineEnd(bytes, from - 1);
  if (start >= to) return cutWindow(bytes, start, start, to, start);
  const lastStart = to < 2 ? start : Math.max(start, bytes.lastIndexOf(LF, to - 2) + 1);
  const lastLineEnd = lineEnd(bytes, lastStart);
  return cutWindow(bytes, start, Math.min(lastLineEnd, Math.max(to, lastStart + LONG_LINE)), to, lastLineEnd);
}

function lineEnd(bytes: Uint8Array, from: ByteOffset): ByteOffset {
  const at = bytes.indexOf(LF, from);
  return at === -1 ? bytes.length : at + 1;
}

/** The window contains the lookahead after the block and the lookbehind before it, unless the file ends before. */
function unitWindow(drive: Drive, from: ByteOffset, to: ByteOffset, entry: State): Window {
  const { decoder, bytes } = drive;
  const framing = decoder.framing;
  assert.ok(framing.kind === 'units', 'the format has units');
  const start = framing.align(from, entry);
  assert.ok(start >= from, 'align goes forward');
  const held = Math.min(bytes.length, to + Math.max(framing.bytes, framing.lookahead));
  return cutWindow(bytes, start, Math.max(start, held), to, Math.min(to, bytes.length), framing.lookbehind);
}

const POISON = [0x0a, 0x00, 0xff, 0x20, 0x90] as const;
const MARGIN = 96;

/** A copy of bytes [start - lookbehind, until) with poison on both sides. */
function cutWindow(
  bytes: Uint8Array,
  start: ByteOffset,
  until: ByteOffset,
  end: ByteOffset,
  lastLineEnd: ByteOffset,
  behind = 0,
): Window {
  const first = Math.max(0, start - behind);
  const margin = Math.min(MARGIN, first);
  const length = margin + until - first;
  const copy = new Uint8Array(length + MARGIN).fill(POISON[(start + end) % POISON.length]!);
  copy.set(bytes.subarray(first, until), margin);
  return { bytes: copy, length, base: first - margin, position: start, end, lastLineEnd, fileEnd: bytes.length };
}

function readRecord(drive: Drive, index: number): DrivenRecord {
  const { decoder, batch, bytes, options } = drive;
  const flags = batch.flags[index]!;
  assert.ok(decoder.neverAborts !== true || (flags & FLAG.noEffect) === 0, 'no access is without effect');
  const hasAddress = (flags & FLAG.address) !== 0;
  const record: DrivenRecord = {
    n: batch.first + index,
    start: batch.start[index]!,
    end: batch.end[index]!,
    time: batch.time[index]!,
    kind: kindName(batch.kind[index]!),
    native: decoder.nativeName(batch.native[index]!),
    address: hasAddress ? toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!)) : '',
    size: batch.size[index]!,
    cpu: batch.cpu[index]!,
    flags,
    target: (flags & FLAG.target) === 0 ? '' : toHex(joinAddress(batch.targetLow[index]!, batch.targetHigh[index]!)),
    value: readValue(batch, index),
    registers: batch.registers[index]!,
  };
  checkColumns(record);
  if (options.describe?.(record.n) !== true) return record;
  const own = bytes.slice(record.start, Math.min(record.end, record.start + LONG_LINE));
  const fields = decoder.describe(own, batch, index);
  const spans = decoder.fields(own, batch, index);
  checkFields(record, fields);
  checkValue(record, fields, decoder.settings['endian'] === 'big');
  if (decoder.framing.kind === 'units') checkOwnBytes(record, fields, own);
  checkValued(decoder, record, fields);
  checkRegisters(drive, record, fields);
  checkWords(drive, index, record, fields);
  checkRepeats(drive, index, record, fields);
  checkSpans(record, spans, own.length);
  return { ...record, fields, spans };
}

/** Checks that `describe` agrees with the columns, and that assumed or damaged records carry a visible mark. */
function checkFields(record: DrivenRecord, fields: RecordFields): void {
  const where = `record ${String(record.n)}`;
  assert.equal(fields.kind, record.kind, `${where}: kind`);
  assert.equal(fields.native, record.native, `${where}: native`);
  assert.equal(fields.address ?? '', record.address, `${where}: address`);
  assert.equal(fields.target ?? '', record.target, `${where}: target`);
  assert.equal(fields.size ?? 0, record.size, `${where}: size`);
  assert.equal(fields.cpu ?? NO_CPU, record.cpu, `${where}: cpu`);
  assert.equal(Number(fields.time ?? Number.NaN), record.time, `${where}: time`);
  const marks = fields.flags ?? [];
  assert.equal(marks.includes('malformed'), (record.flags & FLAG.malformed) !== 0, `${where}: mark malformed`);
  assert.equal(marks.includes('time-assumed'), (record.flags & FLAG.timeAssumed) !== 0, `${where}: mark time-assumed`);
  assert.equal(marks.includes('cpu-assumed'), (record.flags & FLAG.cpuAssumed) !== 0, `${where}: mark cpu-assumed`);
}

function readValue({ flags, valueAt, values, size }: Batch, index: number): string {
  if ((flags[index]! & FLAG.value) === 0) return '';
  const from = valueAt[index]!;
  const to = from + size[index]!;
  assert.ok(to <= values.length && values.length <= values.bytes.length, 'a value lies among the bytes in use');
  return Array.from(values.bytes.subarray(from, to), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Only a memory access with effect moves bytes, and only a record that sets registers has a register-set number. */
function checkColumns({ n, kind, flags, size, registers }: DrivenRecord): void {
  const where = `record ${String(n)}`;
  if ((flags & FLAG.value) !== 0) {
    assert.ok(MOVES.has(kind), `${where}: a ${kind} moves no bytes of memory`);
    assert.ok((flags & FLAG.address) !== 0 && size > 0, `${where}: a value has its place`);
    assert.ok((flags & FLAG.noEffect) === 0, `${where}: what did not happen has no value`);
  }
  if (registers !== 0) assert.equal(kind, 'register', `${where}: a ${kind} sets no registers`);
}

const MOVES = new Set<string>([...READS, ...WRITES]);

/** Only kinds that the decoder declares have values or set registers. */
function checkValued({ valuedKinds }: Decoder, { n, kind }: DrivenRecord, fields: RecordFields): void {
  if (valuedKinds === undefined || valuedKinds.some((one) => one === kind)) return;
  const { value, register, registers } = fields;
  const says = value ?? register ?? registers;
  assert.equal(says, undefined, `record ${String(n)}: a ${kind} says no value`);
}

/** Checks that a described value occurs in the record's bytes, in either order. */
function checkOwnBytes({ n }: DrivenRecord, { value }: RecordFields, own: Uint8Array): void {
  if (value === undefined) return;
  const digits = BigInt(value).toString(16);
  const highFirst = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  const described = Buffer.from(own);
  const lies = described.includes(highFirst) || described.includes(Buffer.from(highFirst).reverse());
  assert.ok(lies, `record ${String(n)}: ${value} lies in its bytes`);
}

/** Checks that the bytes are the described value in the current byte order; a described value of full size has bytes. */
function checkValue(record: DrivenRecord, { value, flags }: RecordFields, big: boolean): void {
  const where = `record ${String(record.n)}`;
  const { size } = record;
  if ((record.flags & FLAG.value) !== 0) {
    assert.ok(value !== undefined, `${where}: a value is described`);
    const digits = BigInt(value)
      .toString(16)
      .padStart(2 * size, '0');
    const bytes = digits.match(/../g) ?? [];
    assert.equal(record.value, (big ? bytes : bytes.reverse()).join(''), `${where}: bytes of ${value}`);
    return;
  }
  if (value === undefined || !MOVES.has(record.kind) || (record.flags & FLAG.noEffect) !== 0) return;
  if (flags?.some((mark) => NOT_IN_MEMORY_ORDER.has(mark)) === true) return;
  const fills = size > 0 && record.address !== '' && BigInt(value) < 1n << BigInt(8 * size);
  assert.ok(!fills, `${where}: the bytes of ${value} are in the columns`);
}

/** Marks of values whose digits are not the bytes at the address. */
const NOT_IN_MEMORY_ORDER = new Set(['bus-order', 'data-size', 'reserved-size']);

/** Checks that a number always stands for the same registers. */
function checkRegisters({ registers: seen }: Drive, record: DrivenRecord, fields: RecordFields): void {
  if (record.registers === 0) return;
  const { register, registers } = fields;
  const set = new Set(registers?.map(([name]) => name) ?? [register]);
  const names = JSON.stringify([...set].sort());
  assert.equal(seen.get(record.registers) ?? names, names, `record ${String(record.n)}: registers of its number`);
  seen.set(record.registers, names);
}

/** Checks that a number always stands for the same words, since a text search calls `describe` once per number. */
function checkWords(
  { decoder, bytes, batch, words: seen }: Drive,
  index: number,
  record: DrivenRecord,
  fields: RecordFields,
): void {
  if (decoder.wordsKeys === undefined) return;
  const key = numberOf({ decoder, bytes, batch }, index, record);
  assert.ok(key >= 0, `record ${String(record.n)}: the number of its words`);
  if (key === 0) return;
  const words = JSON.stringify([fields.native, fields.text, fields.flags]);
  assert.equal(seen.get(key) ?? words, words, `record ${String(record.n)}: words of its number`);
  seen.set(key, words);
}

function numberOf(
  { decoder, bytes, batch }: Pick<Drive, 'decoder' | 'bytes' | 'batch'>,
  index: number,
  { start, end }: DrivenRecord,
): number {
  const keys = new Int32Array(index + 1).fill(-1);
  const fileEnd = bytes.length;
  const window: Window = { bytes, length: fileEnd, base: 0, position: start, end, lastLineEnd: end, fileEnd };
  decoder.wordsKeys!(window, batch, index, index + 1, keys);
  return keys[index]!;
}

/** Checks that equal keys stand for equal fields, since an export calls `describe` for the first of them. */
function checkRepeats(
  { decoder, bytes, batch, repeated: seen }: Drive,
  index: number,
  record: DrivenRecord,
  fields: RecordFields,
): void {
  const { native, cpu, flags, kind, size } = record;
  const isExact = Number.isNaN(record.time) || (Number.isSafeInteger(record.time) && (flags & FLAG.wideTime) === 0);
  if (!isExact) return;
  const key = keyOf({ decoder, bytes, batch }, index, record);
  if (key === undefined) return;
  const where = `record ${String(record.n)}: what stands for it`;
  const { time, address, target, source, value, ...rest } = fields;
  assert.equal(time ?? Number.NaN, record.time, `${where}: its time`);
  if (key.value !== undefined && value !== undefined) assert.equal(value, key.value, `${where}: its value`);
  if (address !== undefined && source !== undefined) assert.equal(source, address, `${where}: its source`);
  const texts = Object.entries(rest).map(([name, field]): string => {
    const text = name === 'flags' ? (field as readonly string[]).join(' ') : JSON.stringify(field);
    return key.words.reduce((template, word, number) => {
      const parts = template.split(word);
      assert.ok(parts.length <= 2, `${where}: ${word} once in ${text}`);
      return parts.join(`<${String(number)}>`);
    }, text);
  });
  const shared = JSON.stringify([
    ...[texts, address === undefined, target === undefined],
    ...[address === undefined ? source : source === undefined],
    key.value === undefined ? value : value === undefined,
  ]);
  const id = [key.bytes, native, cpu, flags, ...(decoder.repeats === undefined ? [kind, size] : [])].join(' ');
  assert.equal(seen.get(id) ?? shared, shared, where);
  seen.set(id, shared);
}

interface Key {
  readonly bytes: string;
  readonly value: string | undefined;
  readonly words: readonly string[];
}

/** Returns what stands for a record: a key of its bytes, or the number of its words. */
function keyOf(
  { decoder, bytes, batch }: Pick<Drive, 'decoder' | 'bytes' | 'batch'>,
  index: number,
  record: DrivenRecord,
): Key | undefined {
  if (decoder.repeats !== undefined) {
    const out = createRepeated();
    if (!decoder.repeats(bytes, record.start, record.end, batch, index, out)) return undefined;
    return {
      bytes: Buffer.from(out.bytes.subarray(0, out.length)).toString('hex'),
      value: out.hasValue ? toHex(joinAddress(out.low, out.high)) : undefined,
      words: Array.from({ length: out.wordCount }, (_, word) =>
        Buffer.from(out.words.subarray(word === 0 ? 0 : out.wordEnds[word - 1], out.wordEnds[word])).toString(),
      ),
    };
  }
  if (decoder.wordsKeys === undefined) return undefined;
  const number = numberOf({ decoder, bytes, batch }, index, record);
  const isMoved = record.value !== '' && record.size <= 8;
  if (number === 0) return undefined;
  if (!isMoved && decoder.valuedKinds?.some((kind) => kind === record.kind) !== false) return undefined;
  const pairs = record.value.match(/../g) ?? [];
  const digits = (decoder.settings['endian'] === 'big' ? pairs : pairs.reverse()).join('');
  return { bytes: String(number), value: isMoved ? toHex(BigInt(`0x${digits}`)) : undefined, words: [] };
}

function checkSpans(record: DrivenRecord, spans: readonly FieldSpan[], length: number): void {
  let at = 0;
  for (const span of spans) {
    const where = `record ${String(record.n)}: field ${span.name}`;
    assert.ok(
      span.start >= at && span.end > span.start && span.end <= length,
      `${where} lies in order inside the record`,
    );
    at = span.end;
  }
}
