/**
 * The functions of a trace's images as instructions with their lines and names. Reading those of a large program takes seconds, so the
 * index keeps them for each set of images: a byte for each instruction, and where lines and functions change.
 */
import { ok, type Result } from '../../../../shared/base/result.ts';
import { createWholeTraceResult, type StoredForm } from '../../flow/whole-trace.ts';
import { loadDisassembler, type Disassembler } from '../../image/disassembler.ts';
import type { Images } from '../../image/images.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createTraitsReader } from './instruction-traits.ts';
import { placesOf, type CodePlaces } from './places.ts';
import { functionCode, sizeOf, wholeCode, type FunctionCode, type WholeCode } from './program-code.ts';

export interface Program {
  readonly code: WholeCode;
  /** Lines and functions of the instructions of functions. */
  readonly places: CodePlaces;
}

interface Known {
  readonly own: FunctionCode;
  readonly places: CodePlaces;
}

const knownOf = new WeakMap<Images, Program>();

/** Returns the code of the images. Reads it once, from the index if that has it. Yields often. */
export function* programOf(trace: Trace, disassembler: Disassembler): Generator<undefined, Program, undefined> {
  const { images } = trace;
  const before = knownOf.get(images);
  if (before !== undefined) return before;
  const traits = createTraitsReader(disassembler);
  const stored = isKept(images) ? KEPT.get(trace) : undefined;
  const own = stored?.own ?? (yield* functionCode(images, traits));
  const places = stored?.places ?? (yield* placesOf(images, own));
  const program = { code: wholeCode(images, traits, own), places };
  knownOf.set(images, program);
  if (stored === undefined && isKept(images)) KEPT.set(trace, trace.blocks.records, { own, places });
  return program;
}

/** Reads the code of large images before there is a question about it. */
export async function programAhead(trace: Trace, task: Task<unknown>): Promise<Result<undefined>> {
  if (!isKept(trace.images)) return ok(undefined);
  const disassembler = await loadDisassembler();
  function* reading(): Generator<undefined, Result<undefined>, undefined> {
    yield* programOf(trace, disassembler);
    return ok(undefined);
  }
  return answerInSlices(reading(), task);
}

/** Bytes of images whose code is read in a few milliseconds: finding it in the index would take as long. */
const FEW_BYTES = 1 << 17;

/** Returns true if the index keeps the code of the images. Their digest, by which it is found, does not say whether names are raw. */
function isKept({ list }: Images): boolean {
  if (list.some(({ rawNames }) => rawNames === true)) return false;
  return (
    list.reduce((sum, { segments }) => segments.reduce((all, { bytes }) => all + bytes.length, sum), 0) > FEW_BYTES
  );
}

/** Values by row, where they change. */
interface Runs {
  readonly rows: Uint32Array;
  readonly values: Int32Array;
}

interface KeptProgram {
  readonly facts: Uint8Array;
  /** Rows that are not behind the preceding one in memory, with their addresses. */
  readonly rows: Uint32Array;
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  /** The source file of each line as an index in `files`. */
  readonly files: readonly string[];
  readonly fileOf: Uint32Array;
  readonly numbers: Uint32Array;
  readonly functions: CodePlaces['functions'];
  readonly lineOf: Runs;
  readonly functionOf: Runs;
}

export const STORED_PROGRAM: StoredForm<Known, KeptProgram> = {
  name: 'program',
  toTable({ own: { low, high, facts }, places: { lines, functions, lineOf, functionOf } }) {
    const rows: number[] = [];
    for (let row = 0; row < facts.length; row++) {
      const next = row === 0 ? -1 : low[row - 1]! + sizeOf(facts[row - 1]!);
      if (low[row] !== next || high[row] !== high[row - 1]) rows.push(row);
    }
    const files = [...new Set(lines.map(({ file }) => file))];
    const rowOfFile = new Map(files.map((file, at) => [file, at]));
    return {
      facts,
      rows: Uint32Array.from(rows),
      low: Uint32Array.from(rows, (row) => low[row]!),
      high: Uint32Array.from(rows, (row) => high[row]!),
      files,
      fileOf: Uint32Array.from(lines, ({ file }) => rowOfFile.get(file)!),
      numbers: Uint32Array.from(lines, ({ line }) => line),
      functions,
      lineOf: runsOf(lineOf),
      functionOf: runsOf(functionOf),
    };
  },
  fromTable({ facts, rows, files, fileOf, numbers, functions, ...kept }) {
    const count = facts.length;
    const low = new Uint32Array(count);
    const high = new Uint32Array(count);
    rows.forEach((first, at) => {
      let next = kept.low[at]!;
      const end = rows[at + 1] ?? count;
      high.fill(kept.high[at]!, first, end);
      for (let row = first; row < end; row++) {
        low[row] = next;
        next += sizeOf(facts[row]!);
      }
    });
    const lines = Array.from(numbers, (line, at) => ({ file: files[fileOf[at]!]!, line }));
    return {
      own: { low, high, facts },
      places: { lines, functions, lineOf: columnOf(kept.lineOf, count), functionOf: columnOf(kept.functionOf, count) },
    };
  },
};

const KEPT = createWholeTraceResult(STORED_PROGRAM);

function runsOf(column: Int32Array): Runs {
  const rows = Array.from(column.keys()).filter((row) => row === 0 || column[row] !== column[row - 1]);
  return { rows: Uint32Array.from(rows), values: Int32Array.from(rows, (row) => column[row]!) };
}

function columnOf({ rows, values }: Runs, count: number): Int32Array {
  const column = new Int32Array(count);
  rows.forEach((first, at) => column.fill(values[at]!, first, rows[at + 1] ?? count));
  return column;
}
