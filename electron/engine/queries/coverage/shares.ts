/** Sums of the counts of instructions: of lines, of functions, of all. The instructions are sorted by address. */
import type {
  Coverage,
  CoveredFunction,
  CoveredLine,
  InstructionCounts,
  Share,
} from '../../../../shared/requests/answers/coverage.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { Images } from '../../image/images.ts';
import { namesOf } from '../../image/names/shown-name.ts';

type Counted = Omit<InstructionCounts, 'lines' | 'functions'>;

/** Adds the lines and functions of the instructions, and what share of them ran. */
export function withShares(
  images: Images,
  addresses: readonly bigint[],
  counted: Counted,
): Pick<Coverage, 'instructions' | 'lines' | 'functions' | 'totals'> {
  const lines = linesOf(images, addresses, counted);
  const functions = functionsOf(images, addresses, counted, lines);
  const instructions = { ...counted, lines: lines.rowOf, functions: functions.rowOf };
  return {
    instructions,
    lines: lines.list,
    functions: functions.list,
    totals: {
      functions: shareOf(functions.list, ({ count, instructions: own }) => count > 0 || own.covered > 0),
      lines: shareOf(lines.list, ({ most }) => most > 0),
      instructions: shareOf(counted.counts, (count) => count > 0),
      branches: sumOf(functions.ways),
    },
  };
}

interface Lines {
  readonly list: readonly CoveredLine[];
  /** Per instruction: its line, or -1. */
  readonly rowOf: readonly number[];
}

function linesOf(images: Images, addresses: readonly bigint[], { counts }: Counted): Lines {
  interface Growing {
    readonly file: string;
    readonly line: number;
    readonly first: number;
    most: number;
    sum: number;
    row: number;
  }
  const known = new Map<string, Growing>();
  const lineOf = addresses.map((address, at) => {
    const place = images.lineAt(address);
    if (place === undefined) return undefined;
    const { file, line } = place;
    const count = counts[at]!;
    let found = known.get(`${line} ${file}`);
    if (found === undefined) {
      found = { file, line, first: count, most: 0, sum: 0, row: 0 };
      known.set(`${line} ${file}`, found);
    }
    found.most = Math.max(found.most, count);
    found.sum += count;
    return found;
  });
  const list = [...known.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
  list.forEach((line, row) => (line.row = row));
  return {
    list: list.map(({ file, line, most, first, sum }) => ({ file, line, most, first, sum })),
    rowOf: lineOf.map((line) => line?.row ?? -1),
  };
}

interface FunctionsOfCode {
  readonly list: readonly CoveredFunction[];
  /** Per instruction: its function, or -1. */
  readonly rowOf: readonly number[];
  /** Ways out of conditional branches, of each function and of the code outside of all. */
  readonly ways: readonly Share[];
}

function functionsOf(
  images: Images,
  addresses: readonly bigint[],
  { counts, kinds, taken, notTaken }: Counted,
  lines: Lines,
): FunctionsOfCode {
  interface Growing {
    readonly names: { readonly name: string; readonly symbol?: string };
    readonly address: bigint;
    count: number;
    line: CoveredLine | undefined;
    readonly instructions: { covered: number; total: number };
    readonly branches: { covered: number; total: number };
    /** True for lines of which an instruction ran. */
    readonly lines: Map<number, boolean>;
  }
  const none = { covered: 0, total: 0 };
  const known = new Map<bigint, Growing>();
  const list: Growing[] = [];
  const rows = new Map<Growing, number>();
  const rowOf = addresses.map((address, at) => {
    const hit = images.symbolAt(address);
    const start = hit === undefined ? undefined : address - hit.offset;
    let owner = start === undefined ? undefined : known.get(start);
    if (owner === undefined && hit !== undefined && start !== undefined) {
      owner = {
        names: namesOf(hit.symbol),
        address: start,
        count: 0,
        line: undefined,
        instructions: { covered: 0, total: 0 },
        branches: { covered: 0, total: 0 },
        lines: new Map(),
      };
      known.set(start, owner);
      rows.set(owner, list.push(owner) - 1);
    }
    const count = counts[at]!;
    if (kinds[at] === 'conditional-branch') {
      const ways = owner?.branches ?? none;
      ways.total += 2;
      ways.covered += Number(taken[at]! > 0) + Number(notTaken[at]! > 0);
    }
    if (owner === undefined) return -1;
    owner.instructions.total++;
    if (count > 0) owner.instructions.covered++;
    const line = lines.rowOf[at]!;
    if (line >= 0) owner.lines.set(line, count > 0 || owner.lines.get(line) === true);
    if (address === owner.address) {
      owner.count = count;
      owner.line = lines.list[line];
    }
    return rows.get(owner)!;
  });
  return {
    list: list.map(({ names, address, count, line, instructions, branches, lines: own }) => ({
      ...names,
      address: toHex(address),
      count,
      instructions,
      lines: shareOf([...own.values()], (ran) => ran),
      branches,
      ...(line && { file: line.file, line: line.line }),
    })),
    rowOf,
    ways: [none, ...list.map(({ branches }) => branches)],
  };
}

function shareOf<T>(all: readonly T[], ran: (one: T) => boolean): Share {
  return { covered: all.filter(ran).length, total: all.length };
}

function sumOf(shares: readonly Share[]): Share {
  return {
    covered: shares.reduce((sum, { covered }) => sum + covered, 0),
    total: shares.reduce((sum, { total }) => sum + total, 0),
  };
}
