/**
 * The instructions of a block with the registers that their opcodes define and where they lead, and its records that set registers, as
 * columns for searches from its end.
 */
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
import { meets } from './locations.ts';
import { recordBytes, recordView, visitBatches, type Decoded } from '../records/block-reader.ts';
import { registersNamed } from './definitions.ts';
import { createConditions, type Conditions, type Instructions } from './instructions.ts';

export interface BlockCode {
  /** The first record of the block. Rows of columns count from it. */
  readonly first: RecordNumber;
  /** Executed instructions, branches that were not taken, and exceptions, in record order. */
  readonly code: { readonly row: Uint32Array; readonly cpu: Int16Array; readonly opcode: Uint32Array };
  /** Records that set registers, in record order. `set` numbers the registers that a record sets. */
  readonly sets: { readonly row: Uint32Array; readonly cpu: Int16Array; readonly set: Uint32Array };
  /** By number of an opcode. */
  readonly opcodes: readonly Opcode[];
  /** By number of a set of registers: their bytes. */
  readonly spans: readonly (readonly RegisterSpan[])[];
}

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
  readonly blocks: Map<BlockNumber, BlockCode>;
  /** True if opcodes have the registers of their modes. */
  readonly hasBanks: boolean;
  /** True once the trace showed an instruction of Thumb, which earlier ones can make conditional. */
  hasThumb: boolean;
  /** By address: the opcode that ran there last. */
  readonly at: Map<number, KnownOpcode>;
  /** The first is that of exceptions. */
  readonly opcodes: Opcode[];
  /** By the decoder's number of a set of registers: ours. */
  readonly sets: (number | undefined)[];
  readonly spans: (readonly RegisterSpan[])[];
}

interface KnownOpcode {
  readonly key: number;
  /** The opcode that ran after it last. */
  next: KnownOpcode | undefined;
  /** The end of the record, starting at the opcode: a record at the same address with the same end has the same opcode. */
  readonly tail: Uint8Array;
  readonly number: number;
  readonly predicates: Effects['predicates'];
}

/** A block of one mebibyte has some ten thousand instructions. */
const MOST_BLOCKS = 64;
const MOST_OPCODES = 1 << 18;

const EXCEPTION: Opcode = { defines: [], flow: 'exception', decides: false, leaves: 'mode' };

const knownCode = cachePer((): Map<RegisterFile, KnownCode> => new Map());

const nothingKnown = (hasBanks: boolean): KnownCode => ({
  blocks: new Map(),
  hasBanks,
  hasThumb: false,
  at: new Map(),
  opcodes: [EXCEPTION],
  sets: [],
  spans: [],
});

export function blockCode(
  trace: Trace,
  block: BlockNumber,
  instructions: Instructions,
  file: RegisterFile,
): Result<BlockCode> {
  const files = knownCode(trace);
  const hasBanks = instructions.banks !== undefined;
  const last = files.get(file);
  const known = last?.hasBanks === hasBanks ? last : nothingKnown(hasBanks);
  files.set(file, known);
  const kept = known.blocks.get(block);
  if (kept !== undefined) return ok(kept);
  const first = trace.blocks.firstRecord(block);
  const { hasThumb } = known;
  // Read before the visit, because reading decodes into the buffers of the visit. It decodes the block before.
  const conditions = hasThumb ? instructions.conditionsBefore(first) : createConditions();
  const reading: Reading = { trace, known, instructions, conditions, file, first, latest: undefined };
  executed.count = 0;
  settings.count = 0;
  const read = visitBatches(trace, block, 0, (decoded) => {
    readBatch(reading, decoded);
    return true;
  });
  if (!read.ok) return read;
  if (known.hasThumb && !hasThumb) return blockCode(trace, block, instructions, file);
  if (known.blocks.size >= MOST_BLOCKS) {
    const [oldest] = known.blocks.keys();
    known.blocks.delete(oldest!);
  }
  const [code, sets] = [taken(executed), taken(settings)];
  const found: BlockCode = {
    first,
    code: { row: code.row, cpu: code.cpu, opcode: code.number },
    sets: { row: sets.row, cpu: sets.cpu, set: sets.number },
    opcodes: known.opcodes,
    spans: known.spans,
  };
  known.blocks.set(block, found);
  return ok(found);
}

/** Columns that grow while a block is read. */
interface Columns {
  count: number;
  row: Uint32Array;
  cpu: Int16Array;
  number: Uint32Array;
}

/** Kept from block to block. */
const executed: Columns = { count: 0, row: new Uint32Array(), cpu: new Int16Array(), number: new Uint32Array() };
const settings: Columns = { count: 0, row: new Uint32Array(), cpu: new Int16Array(), number: new Uint32Array() };

function makeRoom(columns: Columns, more: number): void {
  const wanted = columns.count + more;
  if (columns.row.length >= wanted) return;
  columns.row = grown(columns.row, new Uint32Array(2 * wanted));
  columns.cpu = grown(columns.cpu, new Int16Array(2 * wanted));
  columns.number = grown(columns.number, new Uint32Array(2 * wanted));
}

function grown<T extends Uint32Array | Int16Array>(column: T, larger: T): T {
  larger.set(column);
  return larger;
}

/** Returns copies of the filled rows. */
function taken({ count, row, cpu, number }: Columns): Omit<Columns, 'count'> {
  return { row: row.slice(0, count), cpu: cpu.slice(0, count), number: number.slice(0, count) };
}

/** A block that is read. */
interface Reading {
  readonly trace: Trace;
  readonly known: KnownCode;
  readonly instructions: Instructions;
  readonly conditions: Conditions;
  readonly file: RegisterFile;
  /** First record of the block. */
  readonly first: RecordNumber;
  /** The opcode that was read last: the one that followed it before is tried first. */
  latest: KnownOpcode | undefined;
}

/** Adds the instructions and register settings of a batch to the columns. Runs for every record of a block. */
function readBatch(reading: Reading, decoded: Decoded): void {
  const { known, conditions } = reading;
  const { batch, window } = decoded;
  const { kind, cpu, addressLow, addressHigh, registers, start, end } = batch;
  const { bytes, base, length } = window;
  const before = decoded.first - reading.first;
  const count = batch.count | 0;
  makeRoom(executed, count);
  makeRoom(settings, count);
  let { latest } = reading;
  let codes = executed.count;
  let sets = settings.count;
  for (let i = 0; i < count; i++) {
    const its = kind[i]!;
    if (its === KIND.instruction || its === KIND.skipped) {
      const condition = conditions.next(cpu[i]!);
      // Exact below 2^53; above, only their opcodes distinguish addresses that share a number.
      const address = addressLow[i]! + addressHigh[i]! * 2 ** 32;
      const key = its === KIND.skipped ? -1 - address : address;
      const follower = latest?.next;
      let opcode = follower !== undefined && follower.key === key ? follower : known.at.get(key);
      const from = start[i]! - base;
      const to = Math.min(end[i]! - base, from + LONG_LINE, length);
      if (opcode === undefined || condition !== undefined || !endsWith(bytes, from, to, opcode.tail))
        opcode = readOpcode(reading, decoded, i, key, condition);
      else if (latest !== undefined) latest.next = opcode;
      latest = opcode;
      if (opcode.predicates !== undefined) conditions.begin(cpu[i]!, opcode.predicates);
      if (opcode.number < 0) continue;
      executed.row[codes] = before + i;
      executed.cpu[codes] = cpu[i]!;
      executed.number[codes++] = opcode.number;
    } else if (its === KIND.register) {
      settings.row[sets] = before + i;
      settings.cpu[sets] = cpu[i]!;
      settings.number[sets++] = known.sets[registers[i]!] ?? readSet(reading, decoded, i);
    } else if (its === KIND.exception) {
      executed.row[codes] = before + i;
      executed.cpu[codes] = cpu[i]!;
      executed.number[codes++] = 0;
    }
  }
  reading.latest = latest;
  executed.count = codes;
  settings.count = sets;
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
      leaves: instructions.isForeign(view)
        ? 'set'
        : instructions.banks?.isKnown(view) === false
          ? 'bank'
          : modeChange(view, effects, instructions.control),
    });
  }
  const tail = tailFrom(recordBytes(decoded, index), view.opcode);
  const read = { key, next: undefined, tail: tail ?? new Uint8Array(), number, predicates: effects?.predicates };
  if (tail !== undefined && condition === undefined) {
    if (known.at.size >= MOST_OPCODES) known.at.clear();
    known.at.set(key, read);
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

/** Returns true if the bytes `from` to `to` end with a tail. */
function endsWith(bytes: Uint8Array, from: number, to: number, tail: Uint8Array): boolean {
  const { length } = tail;
  const start = to - length;
  if (start < from) return false;
  for (let k = 0; k < length; k++) if (bytes[start + k] !== tail[k]) return false;
  return true;
}

/** Returns the bytes of a record, starting at its opcode; empty if the opcode is that of an image, undefined if it is not found. */
function tailFrom(bytes: Uint8Array, opcode: string | undefined): Uint8Array | undefined {
  if (opcode === undefined) return new Uint8Array();
  const at = Buffer.from(bytes).toString('latin1').toLowerCase().indexOf(opcode.slice(2));
  return at < 0 ? undefined : bytes.slice(at);
}

/** Returns the number of the registers that a record sets. */
function readSet({ trace, known, file }: Reading, decoded: Decoded, index: number): number {
  const { batch } = decoded;
  const names = namesSet(trace.reader.decoder.describe(recordBytes(decoded, index), batch, index));
  known.spans.push(names.flatMap(([name]) => registersNamed(name, file)));
  const number = known.spans.length - 1;
  const code = batch.registers[index]!;
  if (code !== 0) known.sets[code] = number;
  return number;
}
