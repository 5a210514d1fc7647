/**
 * The instructions of a block with the registers that their opcodes define and where they lead, and its records that set registers, as
 * columns for searches from its end.
 */
import type { Batch } from '../../../../shared/records/batch.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { namesSet } from '../../../../shared/records/registers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { isMemory, type Effects } from '../../instructions/effects.ts';
import type { RegisterFile, RegisterSpan } from '../../instructions/register-file.ts';
import type { Trace } from '../../trace.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import { meets } from './locations.ts';
import { recordBytes, recordView, visitBatches, type Decoded } from '../records/block-reader.ts';
import { registersNamed } from './definitions.ts';
import type { Conditions, Instructions } from './instructions.ts';

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
   * other registers. `vector`: it is the first instruction in another mode.
   */
  readonly leaves?: 'set' | 'mode' | 'vector' | undefined;
}

/** Known code of a trace. */
interface KnownCode {
  readonly blocks: Map<BlockNumber, BlockCode>;
  /** By address: the opcode that ran there last. */
  readonly at: Map<number, KnownOpcode>;
  /** The first is that of exceptions. */
  readonly opcodes: Opcode[];
  /** By the decoder's number of a set of registers: ours. */
  readonly sets: Map<number, number>;
  readonly spans: (readonly RegisterSpan[])[];
}

interface KnownOpcode {
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

const nothingKnown = (): KnownCode => ({
  blocks: new Map(),
  at: new Map(),
  opcodes: [EXCEPTION],
  sets: new Map(),
  spans: [],
});

export function blockCode(
  trace: Trace,
  block: BlockNumber,
  instructions: Instructions,
  file: RegisterFile,
): Result<BlockCode> {
  const files = knownCode(trace);
  const known = files.get(file) ?? nothingKnown();
  files.set(file, known);
  const kept = known.blocks.get(block);
  if (kept !== undefined) return ok(kept);
  // Read before the visit, because reading decodes into the buffers of the visit.
  const conditions = instructions.conditionsBefore(trace.blocks.firstRecord(block));
  const code = createColumns();
  const sets = createColumns();
  const read = visitBatches(trace, block, 0, (decoded) => {
    const { batch, first } = decoded;
    const before = first - trace.blocks.firstRecord(block);
    for (let i = 0; i < batch.count; i++) {
      const kind = batch.kind[i]!;
      if (kind === KIND.instruction || kind === KIND.skipped) {
        const opcode = opcodeAt(trace, known, decoded, i, instructions, conditions);
        if (opcode >= 0) code.add(before + i, batch.cpu[i]!, opcode);
      } else if (kind === KIND.exception) code.add(before + i, batch.cpu[i]!, 0);
      else if (kind === KIND.register) sets.add(before + i, batch.cpu[i]!, setAt(trace, known, decoded, i, file));
    }
    return true;
  });
  if (!read.ok) return read;
  if (known.blocks.size >= MOST_BLOCKS) {
    const [oldest] = known.blocks.keys();
    known.blocks.delete(oldest!);
  }
  const [executed, set] = [code.columns(), sets.columns()];
  const found: BlockCode = {
    first: trace.blocks.firstRecord(block),
    code: { row: executed.row, cpu: executed.cpu, opcode: executed.number },
    sets: { row: set.row, cpu: set.cpu, set: set.number },
    opcodes: known.opcodes,
    spans: known.spans,
  };
  known.blocks.set(block, found);
  return ok(found);
}

interface Columns {
  readonly row: Uint32Array;
  readonly cpu: Int16Array;
  readonly number: Uint32Array;
}

function createColumns(): { add(row: number, cpu: number, number: number): void; columns(): Columns } {
  let [row, cpu, numbers] = [new Uint32Array(4096), new Int16Array(4096), new Uint32Array(4096)];
  let count = 0;
  return {
    add(at, its, number): void {
      if (count === row.length) {
        row = grown(row, new Uint32Array(2 * count));
        cpu = grown(cpu, new Int16Array(2 * count));
        numbers = grown(numbers, new Uint32Array(2 * count));
      }
      row[count] = at;
      cpu[count] = its;
      numbers[count++] = number;
    },
    columns: () => ({ row: row.slice(0, count), cpu: cpu.slice(0, count), number: numbers.slice(0, count) }),
  };
}

function grown<T extends Uint32Array | Int16Array>(column: T, larger: T): T {
  larger.set(column);
  return larger;
}

/** Returns the number of the opcode of a record; -1 for an instruction that was skipped and is no branch. */
function opcodeAt(
  trace: Trace,
  known: KnownCode,
  decoded: Decoded,
  index: number,
  instructions: Instructions,
  conditions: Conditions,
): number {
  const { batch } = decoded;
  const condition = conditions.next(batch.cpu[index]!);
  // Exact below 2^53; above, only their opcodes distinguish addresses that share a number.
  const address = batch.addressLow[index]! + batch.addressHigh[index]! * 2 ** 32;
  const skipped = batch.kind[index] === KIND.skipped;
  const key = skipped ? -1 - address : address;
  const bytes = recordBytes(decoded, index);
  const last = known.at.get(key);
  if (last !== undefined && condition === undefined && endsWith(bytes, last.tail)) {
    conditions.begin(batch.cpu[index]!, last.predicates);
    return last.number;
  }
  const view = recordView(trace, decoded, index);
  const effects = instructions.decode(view, condition);
  conditions.begin(batch.cpu[index]!, effects?.predicates);
  const flow = effects?.flow;
  const number = skipped && flow === undefined ? -1 : known.opcodes.length;
  if (number >= 0) {
    const definitions = skipped ? [] : (effects?.definitions ?? []);
    known.opcodes.push({
      effects,
      defines: definitions.flatMap(({ to }) => (isMemory(to) ? [] : [to.register])),
      flow: skipped ? 'conditional' : flow,
      decides: skipped || (effects?.decides?.length ?? 0) > 0,
      leaves: instructions.isForeign(view) ? 'set' : modeChange(view, effects, instructions.control),
    });
  }
  const tail = tailFrom(bytes, view.opcode);
  if (tail !== undefined && condition === undefined) {
    if (known.at.size >= MOST_OPCODES) known.at.clear();
    known.at.set(key, { tail, number, predicates: effects?.predicates });
  }
  return number;
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

function endsWith(bytes: Uint8Array, tail: Uint8Array): boolean {
  const start = bytes.length - tail.length;
  if (start < 0) return false;
  for (let k = 0; k < tail.length; k++) if (bytes[start + k] !== tail[k]) return false;
  return true;
}

/** Returns the bytes of a record, starting at its opcode; empty if the opcode is that of an image, undefined if it is not found. */
function tailFrom(bytes: Uint8Array, opcode: string | undefined): Uint8Array | undefined {
  if (opcode === undefined) return new Uint8Array();
  const at = Buffer.from(bytes).toString('latin1').toLowerCase().indexOf(opcode.slice(2));
  return at < 0 ? undefined : bytes.slice(at);
}

function setAt(
  { reader }: Trace,
  { sets, spans }: KnownCode,
  decoded: Decoded,
  index: number,
  file: RegisterFile,
): number {
  const { batch }: { batch: Batch } = decoded;
  const code = batch.registers[index]!;
  const known = code === 0 ? undefined : sets.get(code);
  if (known !== undefined) return known;
  const names = namesSet(reader.decoder.describe(recordBytes(decoded, index), batch, index));
  spans.push(names.flatMap(([name]) => registersNamed(name, file)));
  const number = spans.length - 1;
  if (code !== 0) sets.set(code, number);
  return number;
}
