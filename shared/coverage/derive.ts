/** Sums of the counts of instructions: of lines, of functions, of all. */
import {
  INSTRUCTION_SORTS,
  type Coverage,
  type CoveredFunction,
  type CoveredLine,
  type InstructionCounts,
  type Share,
} from '../requests/answers/coverage.ts';
import { COUNTED } from './parts.ts';

/** The lines and functions that the rows of the instructions refer to, without counts. */
export interface Places {
  readonly lines: readonly Pick<CoveredLine, 'file' | 'line' | 'left'>[];
  /** `count`: how often control came to a function whose first instruction is not among the rows. */
  readonly functions: readonly (Pick<CoveredFunction, 'name' | 'symbol' | 'address' | 'file' | 'line'> & {
    readonly count?: number;
  })[];
}

/** The instructions of a program in columns, sorted by address: as in InstructionCounts, but for these. */
export interface CountedRows {
  readonly counts: Float64Array;
  /** NaN if the trace does not show it, or if the instruction has no condition. */
  readonly skipped: Float64Array;
  /** Indexes in INSTRUCTION_SORTS. */
  readonly sorts: Uint8Array;
  /** Of branches; others have any number. */
  readonly taken: Float64Array;
  readonly notTaken: Float64Array;
  readonly lines: Int32Array;
  readonly functions: Int32Array;
  readonly parts?: readonly number[] | undefined;
  /** Per function: the row of its first instruction, or -1. */
  readonly entries: Int32Array;
}

export type Sums = Pick<Coverage, 'lines' | 'functions' | 'totals' | 'executed'>;

/** Returns the instructions with what they say about their lines and functions. Rows are sorted by address. */
export function derived(instructions: InstructionCounts, places: Places): Sums & Pick<Coverage, 'instructions'> {
  const work = sumsOf(columnsOf(instructions, places), places);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return { instructions, ...step.value };
}

function columnsOf(instructions: InstructionCounts, { functions }: Places): CountedRows {
  const { addresses, counts, skipped, kinds, taken, notTaken, parts } = instructions;
  const entries = new Int32Array(functions.length).fill(-1);
  addresses.forEach((address, row) => {
    const owner = instructions.functions[row]!;
    if (functions[owner]?.address === address) entries[owner] = row;
  });
  return {
    counts: Float64Array.from(counts),
    skipped: Float64Array.from(skipped, (times) => times ?? Number.NaN),
    sorts: Uint8Array.from(kinds, (kind) => INSTRUCTION_SORTS.indexOf(kind)),
    taken: Float64Array.from(taken, (times) => times ?? 0),
    notTaken: Float64Array.from(notTaken, (times) => times ?? 0),
    lines: Int32Array.from(instructions.lines),
    functions: Int32Array.from(instructions.functions),
    parts,
    entries,
  };
}

/**
 * Returns the sums in steps, because a program may have a million instructions.
 * @param listsLines false leaves the list of lines empty
 */
export function* sumsOf(
  rows: CountedRows,
  { lines, functions }: Places,
  listsLines = true,
): Generator<undefined, Sums, undefined> {
  const ofLines = yield* linesOf(rows, lines.length);
  const ofFunctions = yield* functionsOf(rows, functions, lines);
  const { counts, parts } = rows;
  const own = { covered: 0, total: 0 };
  let executed = 0;
  yield* inSteps(counts.length, (from, to) => {
    for (let row = from; row < to; row++) {
      executed += counts[row]!;
      if (parts !== undefined && (parts[row]! & COUNTED.instruction) === 0) continue;
      own.total++;
      if (counts[row]! > 0) own.covered++;
    }
  });
  const counted = { covered: 0, total: 0 };
  lines.forEach(({ left }, at) => {
    if (left === true) return;
    counted.total++;
    if (ofLines.most[at]! > 0) counted.covered++;
  });
  return {
    lines: listsLines
      ? lines.map(({ file, line, left }, at) => ({
          file,
          line,
          most: ofLines.most[at]!,
          first: Math.max(0, ofLines.first[at]!),
          sum: ofLines.sum[at]!,
          ...(left === true && { left }),
        }))
      : [],
    functions: ofFunctions.list,
    totals: {
      functions: shareOf(
        ofFunctions.list.filter(({ instructions: { total } }) => total > 0),
        ({ instructions: { covered } }) => covered > 0,
      ),
      lines: counted,
      instructions: own,
      branches: ofFunctions.branches,
      ...(ofFunctions.conditions.total > 0 && { conditions: ofFunctions.conditions }),
    },
    executed,
  };
}

/** Rows between two steps. */
const STEP = 4096;

/** Does work on all rows, some at a time. V8 compiles a function that yields less well. */
function* inSteps(count: number, work: (from: number, to: number) => void): Generator<undefined, void, undefined> {
  for (let from = 0; from < count; from += STEP) {
    yield;
    work(from, Math.min(count, from + STEP));
  }
}

const [CONDITIONAL, CONDITIONAL_BRANCH] = [
  INSTRUCTION_SORTS.indexOf('conditional'),
  INSTRUCTION_SORTS.indexOf('conditional-branch'),
];

function* linesOf({ counts, lines: lineOf }: CountedRows, count: number) {
  const most = new Float64Array(count);
  const sum = new Float64Array(count);
  const first = new Float64Array(count).fill(-1);
  yield* inSteps(counts.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const line = lineOf[row]!;
      if (line < 0) continue;
      const times = counts[row]!;
      if (times > most[line]!) most[line] = times;
      if (first[line]! < 0) first[line] = times;
      sum[line]! += times;
    }
  });
  return { most, sum, first };
}

type Four = [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
const EVERY_PART = COUNTED.instruction + COUNTED.taken + COUNTED.notTaken;

interface OfFunctions {
  readonly list: readonly CoveredFunction[];
  /** Ways out of all conditional branches, of code outside of functions too. */
  readonly branches: Share;
  /** Outcomes of conditional instructions that are no branches, where the trace shows them: executed, and skipped. */
  readonly conditions: Share;
}

function* functionsOf(
  rows: CountedRows,
  places: Places['functions'],
  lines: Places['lines'],
): Generator<undefined, OfFunctions, undefined> {
  const { counts, skipped, sorts, taken, notTaken, parts, functions: functionOf, entries } = rows;
  const conditions = { covered: 0, total: 0 };
  // Behind the functions: code outside of them.
  const outside = places.length;
  const [instructions, ran, ways, went] = [0, 0, 0, 0].map(() => new Uint32Array(outside + 1)) as Four;
  yield* inSteps(counts.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const owner = functionOf[row]! < 0 ? outside : functionOf[row]!;
      const part = parts?.[row] ?? EVERY_PART;
      const sort = sorts[row]!;
      if (sort === CONDITIONAL_BRANCH) {
        const [mayTake, mayPass] = [(part & COUNTED.taken) !== 0, (part & COUNTED.notTaken) !== 0];
        ways[owner]! += Number(mayTake) + Number(mayPass);
        went[owner]! += Number(mayTake && taken[row]! > 0) + Number(mayPass && notTaken[row]! > 0);
      }
      if ((part & COUNTED.instruction) === 0) continue;
      instructions[owner]!++;
      if (counts[row]! > 0) ran[owner]!++;
      if (sort !== CONDITIONAL || Number.isNaN(skipped[row]!)) continue;
      conditions.total += 2;
      conditions.covered += Number(skipped[row]! > 0) + Number(counts[row]! > skipped[row]!);
    }
  });
  const ofLines = yield* linesOfFunctions(rows, places.length, lines);
  const sum = (column: Uint32Array): number => column.reduce((all, one) => all + one, 0);
  return {
    list: places.map(({ name, symbol, address, count = 0, file, line }, at) => ({
      name,
      ...(symbol !== undefined && { symbol }),
      address,
      count: entries[at]! < 0 ? count : counts[entries[at]!]!,
      instructions: { covered: ran[at]!, total: instructions[at]! },
      lines: { covered: ofLines.covered[at]!, total: ofLines.total[at]! },
      branches: { covered: went[at]!, total: ways[at]! },
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
    })),
    branches: { covered: sum(went), total: sum(ways) },
    conditions,
  };
}

/** Returns per function the number of lines of which it has an instruction, and of those of which one ran. */
function* linesOfFunctions(
  { counts, parts, lines: lineOf, functions: functionOf }: CountedRows,
  count: number,
  lines: Places['lines'],
) {
  const total = new Uint32Array(count);
  const covered = new Uint32Array(count);
  if (lines.length === 0) return { total, covered };
  const order = rowsByFunction(functionOf, count);
  const isLeft = Uint8Array.from(lines, ({ left }) => Number(left === true));
  /** By line: the last function that has an instruction of it, and the last one of which such an instruction ran. */
  const seen = new Int32Array(lines.length).fill(-1);
  const ran = new Int32Array(lines.length).fill(-1);
  yield* inSteps(order.length, (from, to) => {
    for (let at = from; at < to; at++) {
      const row = order[at]!;
      const line = lineOf[row]!;
      if (line < 0 || isLeft[line] === 1) continue;
      if (parts !== undefined && (parts[row]! & COUNTED.instruction) === 0) continue;
      const owner = functionOf[row]!;
      if (seen[line] !== owner) {
        seen[line] = owner;
        total[owner]!++;
      }
      if (counts[row]! > 0 && ran[line] !== owner) {
        ran[line] = owner;
        covered[owner]!++;
      }
    }
  });
  return { total, covered };
}

/** Returns the rows of instructions in functions, those of a function together. */
function rowsByFunction(functionOf: Int32Array, count: number): Uint32Array {
  const ends = new Uint32Array(count + 1);
  for (let row = 0; row < functionOf.length; row++) if (functionOf[row]! >= 0) ends[functionOf[row]! + 1]!++;
  for (let owner = 1; owner <= count; owner++) ends[owner]! += ends[owner - 1]!;
  const order = new Uint32Array(ends[count]!);
  for (let row = 0; row < functionOf.length; row++) if (functionOf[row]! >= 0) order[ends[functionOf[row]!]!++] = row;
  return order;
}

function shareOf<T>(all: readonly T[], ran: (one: T) => boolean): Share {
  let covered = 0;
  for (const one of all) if (ran(one)) covered++;
  return { covered, total: all.length };
}
