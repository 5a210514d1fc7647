/**
 * The instructions of a part of a block with the registers that their opcodes define and where they lead, and its records that set
 * registers, as columns for searches. A search reads only the parts that it passes, and no part with the same code and registers as one that
 * was read before, if these do not matter to it.
 */
import { createLru, type Lru } from '../../../../shared/base/lru.ts';
import { PART_RECORDS } from '../../../../shared/records/batch.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { LONG_LINE } from '../../../../shared/format/format.ts';
import { namesSet } from '../../../../shared/records/registers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { isMemory, type Condition, type Effects } from '../../instructions/effects.ts';
import type { RegisterFile, RegisterSpan } from '../../instructions/register-file.ts';
import type { Trace } from '../../trace.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import { partsOf } from '../records/block-parts.ts';
import { meets } from './locations.ts';
import {
  batchRecords,
  recordBytes,
  recordView,
  visitBatches,
  visitColumns,
  type Decoded,
} from '../records/block-reader.ts';
import { registersNamed } from './definitions.ts';
import { createConditions, MOST_BEFORE, type Conditions, type Instructions } from './instructions.ts';

/** Some records of a block, [first, end). Rows of columns count from the first. */
export interface Part {
  readonly first: RecordNumber;
  readonly end: RecordNumber;
}

/** Executed instructions, branches that were not taken, and exceptions, in record order. */
export interface CodePart extends Part {
  readonly row: Uint16Array;
  readonly cpu: Int16Array;
  readonly opcode: Uint32Array;
  /** By number of an opcode. */
  readonly opcodes: readonly Opcode[];
}

/** Records that set registers, in record order. */
export interface SetsPart extends Part {
  readonly row: Uint16Array;
  readonly cpu: Int16Array;
  /** Numbers of the registers that each record sets. */
  readonly set: Uint32Array;
  /** By number of a set of registers: their bytes. */
  readonly spans: readonly (readonly RegisterSpan[])[];
}

/** Opcodes and registers that all parts with one fingerprint have. */
export interface PartContent {
  /** Numbers of the opcodes of their rows, each once. */
  readonly opcodes: Uint32Array;
  /** Numbers of their sets of registers, each once. */
  readonly sets: Uint32Array;
}

/** The same as far as it was read. */
type GrowingContent = { -readonly [Key in keyof PartContent]: PartContent[Key] | undefined };

/** A part with known content that was not read. */
export type KnownPart = Part & Pick<CodePart, 'opcodes'> & Pick<SetsPart, 'spans'> & { readonly content: PartContent };

export interface Opcode {
  /** Undefined for exceptions, and if the opcode is not known. */
  readonly effects?: Effects | undefined;
  /** Registers that it defines. */
  readonly defines: readonly RegisterSpan[];
  readonly flow: 'exception' | Effects['flow'];
  /** True if values decide where the program continues: flags, or an address in a register or in memory. */
  readonly decides: boolean;
  /**
   * `set`: an instruction of a set with other registers. `mode`: after it, the processor can be in another mode of Arm, where r8 to r14 are
   * other registers. `vector`: it is the first instruction in another mode. `bank`: it is not known which mode's registers it has.
   */
  readonly leaves?: 'set' | 'mode' | 'vector' | 'bank' | undefined;
}

/** Known code of a trace. */
interface KnownCode {
  /** By first record. */
  readonly code: Lru<RecordNumber, CodePart>;
  readonly sets: Lru<RecordNumber, SetsPart>;
  /** By fingerprint of a part. */
  readonly contents: Map<string, GrowingContent>;
  /** By block: those of its parts with fingerprints. */
  readonly blockContents: Map<BlockNumber, readonly (GrowingContent | undefined)[]>;
  /** True if opcodes have the registers of their modes. */
  readonly hasBanks: boolean;
  /** True once the trace showed an instruction of Thumb, which earlier ones can make conditional. */
  hasThumb: boolean;
  /** By the condition of an IT instruction, and by address: the opcode that ran there last. */
  readonly at: readonly Map<number, KnownOpcode>[];
  /** The first is that of exceptions. */
  readonly opcodes: Opcode[];
  /** By the decoder's number of a set of registers: ours. */
  readonly setNumbers: (number | undefined)[];
  readonly spans: (readonly RegisterSpan[])[];
}

interface KnownOpcode {
  readonly key: number;
  readonly condition: Condition | undefined;
  /** The opcode that ran after it last. */
  next: KnownOpcode | undefined;
  /** The end of the record, starting at the opcode: a record at the same address with the same end has the same opcode. */
  readonly tail: Uint8Array;
  /** Its words with the lowest byte first; the last may overlap the one before. Empty if it has less than four bytes. */
  readonly words: Int32Array;
  readonly number: number;
  readonly predicates: Effects['predicates'];
}

/** Parts that are kept: those of some hundred blocks of one mebibyte. */
const MOST_PARTS = 2048;
/** Contents that are kept: some tens of megabytes if most parts of a trace differ. */
const MOST_CONTENTS = 1 << 15;
const MOST_OPCODES = 1 << 18;
/** Stands for no condition of an IT instruction. */
const NO_CONDITION = 15;

const EXCEPTION: Opcode = { defines: [], flow: 'exception', decides: false, leaves: 'mode' };

const knownCode = cachePer((): Map<RegisterFile, KnownCode> => new Map());

const nothingKnown = (hasBanks: boolean): KnownCode => ({
  code: createLru(MOST_PARTS),
  sets: createLru(MOST_PARTS),
  contents: new Map(),
  blockContents: new Map(),
  hasBanks,
  hasThumb: false,
  at: Array.from({ length: NO_CONDITION + 1 }, () => new Map()),
  opcodes: [EXCEPTION],
  setNumbers: [],
  spans: [],
});

/** Returns the lists of opcodes and sets of registers in which the numbers of parts count. They only grow. */
export function codeOf(trace: Trace, instructions: Instructions): Pick<KnownPart, 'opcodes' | 'spans'> {
  return knownOf(trace, instructions);
}

function knownOf(trace: Trace, { banks, file }: Instructions): KnownCode {
  const files = knownCode(trace);
  const hasBanks = banks !== undefined;
  const last = files.get(file);
  const known = last?.hasBanks === hasBanks ? last : nothingKnown(hasBanks);
  files.set(file, known);
  return known;
}

/** Returns the part with a record of the trace. */
function partWith({ blocks }: Trace, n: RecordNumber): Part {
  const block = blocks.blockOfRecord(n);
  const start = blocks.firstRecord(block);
  const first = n - ((n - start) % PART_RECORDS);
  const end = block + 1 < blocks.length ? blocks.firstRecord(block + 1) : blocks.records;
  return { first, end: Math.min(first + PART_RECORDS, end) };
}

/**
 * Returns the opcodes and sets of registers in the part with a record of the trace without reading it; undefined if no part with its
 * fingerprint was read. IT instructions of Thumb can make those of the next part conditional, so such code has to be read.
 */
export function contentWith(trace: Trace, n: RecordNumber, instructions: Instructions): KnownPart | undefined {
  const known = knownOf(trace, instructions);
  if (known.hasThumb) return undefined;
  const part = partWith(trace, n);
  const content = contentOf(trace, known, part);
  return content !== undefined && isWhole(content)
    ? { ...part, content, opcodes: known.opcodes, spans: known.spans }
    : undefined;
}

/** Returns the numbers of the opcodes in the part with a record of the trace without reading it; undefined as for `contentWith`. */
export function opcodesWith(
  trace: Trace,
  n: RecordNumber,
  instructions: Instructions,
): (Part & { readonly numbers: Uint32Array }) | undefined {
  const known = knownOf(trace, instructions);
  if (known.hasThumb) return undefined;
  const part = partWith(trace, n);
  const numbers = contentOf(trace, known, part)?.opcodes;
  return numbers && { ...part, numbers };
}

function isWhole(content: GrowingContent): content is PartContent {
  return content.opcodes !== undefined && content.sets !== undefined;
}

/** Returns the content of a part, which all parts with its fingerprint share; undefined if the index has no fingerprint of it. */
function contentOf(trace: Trace, { contents, blockContents }: KnownCode, { first }: Part): GrowingContent | undefined {
  const block = trace.blocks.blockOfRecord(first);
  let all = blockContents.get(block);
  if (all === undefined) {
    if (contents.size >= MOST_CONTENTS) {
      contents.clear();
      blockContents.clear();
    }
    all = partsOf(trace, block).map(({ first: one, second: other }) => {
      if (one === 0 && other === 0) return undefined;
      const fingerprint = `${one} ${other}`;
      const known = contents.get(fingerprint) ?? { opcodes: undefined, sets: undefined };
      contents.set(fingerprint, known);
      return known;
    });
    blockContents.set(block, all);
  }
  return all[(first - trace.blocks.firstRecord(block)) / PART_RECORDS];
}

/** Keeps opcodes or sets of registers for all parts with the fingerprint of this one. */
function keepContent(
  trace: Trace,
  known: KnownCode,
  part: Part,
  name: keyof PartContent,
  numbersOfRows: Uint32Array,
): void {
  const content = contentOf(trace, known, part);
  if (content !== undefined) content[name] ??= distinct(numbersOfRows);
}

/** By number: 1 if `distinct` has met it. */
let met = new Uint8Array(4096);

function distinct(all: Uint32Array): Uint32Array {
  const found: number[] = [];
  for (let at = 0; at < all.length; at++) {
    const number = all[at]!;
    if (number >= met.length) {
      const larger = new Uint8Array(2 * number);
      larger.set(met);
      met = larger;
    }
    if (met[number] === 1) continue;
    met[number] = 1;
    found.push(number);
  }
  for (const number of found) met[number] = 0;
  return Uint32Array.from(found);
}

/** Returns the code of the part with a record of the trace. */
export function codeWith(trace: Trace, n: RecordNumber, instructions: Instructions): Result<CodePart> {
  const known = knownOf(trace, instructions);
  const part = partWith(trace, n);
  const kept = known.code.get(part.first);
  if (kept !== undefined) return ok(kept);
  const { hasThumb } = known;
  const block = trace.blocks.blockOfRecord(part.first);
  const inBlock = part.first - trace.blocks.firstRecord(block);
  const inBatch = inBlock % batchRecords(trace);
  // Instructions just before the part can make some of it conditional. Those of the batch before are read before the visit, because
  // reading can load other bytes than those of the visit.
  const isInside = inBatch >= MOST_BEFORE;
  const conditions = hasThumb && !isInside ? instructions.conditionsBefore(part.first) : createConditions();
  const before = hasThumb && isInside ? MOST_BEFORE : 0;
  const found: CodePart[] = [];
  const read = visitBatches(trace, block, inBlock, (decoded) => {
    found.push(readCode({ trace, known, instructions, conditions }, decoded, part, before));
    return false;
  });
  if (!read.ok) return read;
  if (known.hasThumb && !hasThumb) return codeWith(trace, n, instructions);
  const [code] = found as [CodePart];
  known.code.set(part.first, code);
  keepContent(trace, known, part, 'opcodes', code.opcode);
  return ok(code);
}

/** Returns the records of the part with a record of the trace that set registers. */
export function setsWith(trace: Trace, n: RecordNumber, instructions: Instructions): Result<SetsPart> {
  const known = knownOf(trace, instructions);
  const part = partWith(trace, n);
  const kept = known.sets.get(part.first);
  if (kept !== undefined) return ok(kept);
  const block = trace.blocks.blockOfRecord(part.first);
  const found: SetsPart[] = [];
  const read = visitColumns(trace, block, part.first - trace.blocks.firstRecord(block), ({ batch, first }) => {
    found.push(readSets(known, instructions, batch, first, part));
    return false;
  });
  if (!read.ok) return read;
  const [sets] = found as [SetsPart];
  known.sets.set(part.first, sets);
  keepContent(trace, known, part, 'sets', sets.set);
  return ok(sets);
}

/** Columns of one part, kept from part to part. */
const rows = new Uint16Array(PART_RECORDS);
const cpus = new Int16Array(PART_RECORDS);
const numbers = new Uint32Array(PART_RECORDS);

interface Reading {
  readonly trace: Trace;
  readonly known: KnownCode;
  readonly instructions: Instructions;
  readonly conditions: Conditions;
}

/** @param before records before the part whose conditions count */
function readCode(reading: Reading, decoded: Decoded, { first, end }: Part, before: number): CodePart {
  const { known, conditions } = reading;
  const { batch, window } = decoded;
  const { kind, cpu, addressLow, addressHigh, start: starts, end: ends } = batch;
  const { bytes, base, length } = window;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = first - decoded.first;
  const to = end - decoded.first;
  /** The opcode that was read last: the one that followed it before is tried first. */
  let latest: KnownOpcode | undefined;
  let count = 0;
  for (let i = from - before; i < to; i++) {
    const its = kind[i]!;
    if (its === KIND.instruction || its === KIND.skipped) {
      const condition = conditions.next(cpu[i]!);
      // Exact below 2^53; above, only their opcodes distinguish addresses that share a number.
      const address = addressLow[i]! + addressHigh[i]! * 2 ** 32;
      const key = its === KIND.skipped ? -1 - address : address;
      const follower = latest?.next;
      const isNext = follower !== undefined && follower.key === key && follower.condition === condition;
      let opcode = isNext ? follower : known.at[condition ?? NO_CONDITION]!.get(key);
      const start = starts[i]! - base;
      const stop = Math.min(ends[i]! - base, start + LONG_LINE, length);
      if (opcode === undefined || !endsWith(view, start, stop, opcode))
        opcode = readOpcode(reading, decoded, i, key, condition);
      else if (latest !== undefined) latest.next = opcode;
      latest = opcode;
      if (opcode.predicates !== undefined) conditions.begin(cpu[i]!, opcode.predicates);
      if (opcode.number < 0 || i < from) continue;
      rows[count] = i - from;
      cpus[count] = cpu[i]!;
      numbers[count++] = opcode.number;
    } else if (its === KIND.exception && i >= from) {
      rows[count] = i - from;
      cpus[count] = cpu[i]!;
      numbers[count++] = 0;
    }
  }
  return { first, end, ...taken(count), opcodes: known.opcodes };
}

function readSets(
  known: KnownCode,
  instructions: Instructions,
  { kind, cpu, registers }: Decoded['batch'],
  firstOfBatch: RecordNumber,
  { first, end }: Part,
): SetsPart {
  const from = first - firstOfBatch;
  const to = end - firstOfBatch;
  let count = 0;
  for (let i = from; i < to; i++) {
    if (kind[i] !== KIND.register) continue;
    rows[count] = i - from;
    cpus[count] = cpu[i]!;
    numbers[count++] = known.setNumbers[registers[i]!] ?? readSet(known, instructions, registers[i]!, firstOfBatch + i);
  }
  const { row, cpu: own, opcode: set } = taken(count);
  return { first, end, row, cpu: own, set, spans: known.spans };
}

/** Returns copies of the filled rows. */
function taken(count: number): Pick<CodePart, 'row' | 'cpu' | 'opcode'> {
  return { row: rows.slice(0, count), cpu: cpus.slice(0, count), opcode: numbers.slice(0, count) };
}

/** Returns the number of rows up to a record. */
export function rowsUpTo({ first, row }: Pick<CodePart, 'first' | 'row'>, n: RecordNumber): number {
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (first + row[middle]! <= n) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Decodes the opcode of a record and keeps it for records that are alike. */
function readOpcode(
  { trace, known, instructions }: Reading,
  decoded: Decoded,
  index: number,
  key: number,
  condition: Condition | undefined,
): KnownOpcode {
  const skipped = decoded.batch.kind[index] === KIND.skipped;
  const view = recordView(trace, decoded, index);
  known.hasThumb ||= view.isa?.startsWith('T') === true;
  const effects = instructions.decode(view, condition);
  const flow = effects?.flow;
  const number = skipped && flow === undefined ? -1 : known.opcodes.length;
  if (number >= 0) {
    const definitions = skipped ? [] : (effects?.definitions ?? []);
    known.opcodes.push({
      effects,
      defines: definitions.flatMap(({ to }) => (isMemory(to) ? [] : [to.register])),
      flow: skipped ? 'conditional' : flow,
      decides: skipped || (effects?.decides?.length ?? 0) > 0,
      leaves:
        effects === undefined && instructions.isForeign(view)
          ? 'set'
          : instructions.banks?.isKnown(view) === false
            ? 'bank'
            : modeChange(view, effects, instructions.control),
    });
  }
  const tail = tailFrom(recordBytes(decoded, index), view.opcode);
  const { predicates } = effects ?? {};
  const read = { key, condition, next: undefined, ...wordsOf(tail ?? new Uint8Array()), number, predicates };
  if (tail !== undefined) {
    const alike = known.at[condition ?? NO_CONDITION]!;
    if (alike.size >= MOST_OPCODES) alike.clear();
    alike.set(key, read);
  }
  return read;
}

function modeChange(
  { address = '0x0' }: RecordView,
  effects: Effects | undefined,
  control: RegisterSpan | undefined,
): 'mode' | 'vector' | undefined {
  if (control === undefined) return undefined;
  const place = BigInt(address);
  if (place < VECTORS || (place >= HIGH_VECTORS && place < HIGH_VECTORS + VECTORS)) return 'vector';
  const writes = effects?.definitions.some(({ to }) => !isMemory(to) && meets(to.register, control)) ?? false;
  return writes || effects?.flow === 'trap' ? 'mode' : undefined;
}

/** The vectors of Arm are eight words at 0 or 0xffff0000 (DDI 0406C, B1.8.1). */
const VECTORS = 0x20n;
const HIGH_VECTORS = 0xffff_0000n;

function wordsOf(tail: Uint8Array): Pick<KnownOpcode, 'tail' | 'words'> {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const count = tail.length < 4 ? 0 : Math.ceil(tail.length / 4);
  const words = Int32Array.from({ length: count }, (_, k) => view.getInt32(Math.min(4 * k, tail.length - 4), true));
  return { tail, words };
}

/** Returns true if the bytes `from` to `to` end with the tail of an opcode. Compares words, because it runs for every instruction. */
function endsWith(view: DataView, from: number, to: number, { tail, words }: KnownOpcode): boolean {
  const start = to - tail.length;
  if (start < from) return false;
  const last = words.length - 1;
  for (let k = 0; k < last; k++) if (view.getInt32(start + 4 * k, true) !== words[k]) return false;
  if (last >= 0) return view.getInt32(to - 4, true) === words[last];
  for (let k = 0; k < tail.length; k++) if (view.getUint8(start + k) !== tail[k]) return false;
  return true;
}

/** Returns the bytes of a record, starting at its opcode; empty if the opcode is that of an image, undefined if it is not found. */
function tailFrom(bytes: Uint8Array, opcode: string | undefined): Uint8Array | undefined {
  if (opcode === undefined) return new Uint8Array();
  const at = Buffer.from(bytes).toString('latin1').toLowerCase().indexOf(opcode.slice(2));
  return at < 0 ? undefined : bytes.slice(at);
}

/** Returns the number of the registers that a record sets. `code`: the decoder's number of them, 0 if it has none. */
function readSet(known: KnownCode, { at, file }: Instructions, code: number, n: RecordNumber): number {
  const record = at(n);
  const names = record === undefined ? [] : namesSet(record);
  known.spans.push(names.flatMap(([name]) => registersNamed(name, file)));
  const number = known.spans.length - 1;
  if (code !== 0) known.setNumbers[code] = number;
  return number;
}
