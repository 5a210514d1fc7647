/** Sums of the counts of instructions: of lines, of functions, of all. */
import type { Coverage, CoveredFunction, CoveredLine, InstructionCounts, Share } from '../requests/answers/coverage.ts';
import { COUNTED, hasPart } from './parts.ts';
import { showsSkips } from './skipped.ts';

/** The lines and functions that the rows of the instructions refer to, without counts. */
export interface Places {
  readonly lines: readonly Pick<CoveredLine, 'file' | 'line' | 'left'>[];
  /** `count`: how often control came to a function whose first instruction is not among the rows. */
  readonly functions: readonly (Pick<CoveredFunction, 'name' | 'symbol' | 'address' | 'file' | 'line'> & {
    readonly count?: number;
  })[];
}

type Derived = Pick<Coverage, 'instructions' | 'lines' | 'functions' | 'totals'>;

/** Returns the instructions with what they say about their lines and functions. Rows are sorted by address. */
export function derived(instructions: InstructionCounts, places: Places): Derived {
  const work = deriving(instructions, places);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Does the same in steps, because a program may have a million instructions. */
export function* deriving(
  instructions: InstructionCounts,
  { lines, functions }: Places,
): Generator<undefined, Derived, undefined> {
  const ofLines = yield* linesOf(instructions, lines);
  const ofFunctions = yield* functionsOf(instructions, functions, ofLines);
  const own = { covered: 0, total: 0 };
  for (let row = 0; row < instructions.counts.length; row++) {
    if (row % STEP === 0) yield;
    if (!hasPart(instructions, row, COUNTED.instruction)) continue;
    own.total++;
    if (instructions.counts[row]! > 0) own.covered++;
  }
  return {
    instructions,
    lines: ofLines,
    functions: ofFunctions.list,
    totals: {
      functions: shareOf(
        ofFunctions.list.filter(({ instructions: { total } }) => total > 0),
        ({ instructions: { covered } }) => covered > 0,
      ),
      lines: shareOf(
        ofLines.filter(({ left }) => left !== true),
        ({ most }) => most > 0,
      ),
      instructions: own,
      branches: ofFunctions.branches,
      ...(ofFunctions.conditions.total > 0 && { conditions: ofFunctions.conditions }),
    },
  };
}

/** Rows between two steps. */
const STEP = 256;

function* linesOf(
  { counts, lines: lineOf }: InstructionCounts,
  places: Places['lines'],
): Generator<undefined, readonly CoveredLine[], undefined> {
  const most = new Float64Array(places.length);
  const sum = new Float64Array(places.length);
  const first = new Float64Array(places.length).fill(-1);
  for (let row = 0; row < counts.length; row++) {
    if (row % STEP === 0) yield;
    const line = lineOf[row]!;
    if (line < 0) continue;
    const count = counts[row]!;
    if (count > most[line]!) most[line] = count;
    if (first[line]! < 0) first[line] = count;
    sum[line]! += count;
  }
  return places.map(({ file, line, left }, at) => ({
    file,
    line,
    most: most[at]!,
    first: Math.max(0, first[at]!),
    sum: sum[at]!,
    ...(left === true && { left }),
  }));
}

interface OfFunctions {
  readonly list: readonly CoveredFunction[];
  /** Ways out of all conditional branches, of code outside of functions too. */
  readonly branches: Share;
  /** Outcomes of conditional instructions that are no branches, where the trace shows them: executed, and skipped. */
  readonly conditions: Share;
}

function* functionsOf(
  instructions: InstructionCounts,
  places: Places['functions'],
  lines: readonly CoveredLine[],
): Generator<undefined, OfFunctions, undefined> {
  const { addresses, counts, skipped, kinds, taken, notTaken, lines: lineOf, functions: functionOf } = instructions;
  const conditions = { covered: 0, total: 0 };
  const own = places.map(({ count = 0 }) => ({
    count,
    instructions: { covered: 0, total: 0 },
    branches: { covered: 0, total: 0 },
    lines: new Map<number, boolean>(),
  }));
  const outside = { covered: 0, total: 0 };
  for (let row = 0; row < counts.length; row++) {
    if (row % STEP === 0) yield;
    const count = counts[row]!;
    const owner = own[functionOf[row]!];
    if (kinds[row] === 'conditional-branch') {
      const ways = owner?.branches ?? outside;
      for (const [flag, times] of [
        [COUNTED.taken, taken[row]!],
        [COUNTED.notTaken, notTaken[row]!],
      ] as const) {
        if (!hasPart(instructions, row, flag)) continue;
        ways.total++;
        if (times > 0) ways.covered++;
      }
    }
    if (showsSkips(instructions, row)) {
      conditions.total += 2;
      conditions.covered += Number(skipped[row]! > 0) + Number(count > skipped[row]!);
    }
    if (owner === undefined) continue;
    if (addresses[row] === places[functionOf[row]!]!.address) owner.count = count;
    if (!hasPart(instructions, row, COUNTED.instruction)) continue;
    owner.instructions.total++;
    if (count > 0) owner.instructions.covered++;
    const line = lineOf[row]!;
    if (line >= 0 && lines[line]!.left !== true) owner.lines.set(line, count > 0 || owner.lines.get(line) === true);
  }
  const branches = { ...outside };
  for (const { branches: ways } of own) {
    branches.covered += ways.covered;
    branches.total += ways.total;
  }
  return {
    list: places.map(({ name, symbol, address, file, line }, at) => {
      const { count, instructions: itsInstructions, branches: ways, lines: ran } = own[at]!;
      return {
        name,
        ...(symbol !== undefined && { symbol }),
        address,
        count,
        instructions: itsInstructions,
        lines: shareOf([...ran.values()], (did) => did),
        branches: ways,
        ...(file !== undefined && { file }),
        ...(line !== undefined && { line }),
      };
    }),
    branches,
    conditions,
  };
}

function shareOf<T>(all: readonly T[], ran: (one: T) => boolean): Share {
  let covered = 0;
  for (const one of all) if (ran(one)) covered++;
  return { covered, total: all.length };
}
