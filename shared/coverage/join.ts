/** The code of two runs row by row: instructions are the same by address, lines by file and number, functions by address. */
import type { CoveredFunction, CoveredLine, InstructionCounts } from '../requests/answers/coverage.ts';
import type { Coverage } from '../requests/answers/coverage.ts';
import type { Hex } from '../base/units.ts';
import { derived } from './derive.ts';

/** Returns the coverage of two runs of the same images together, as if one run had done both. */
export function added(a: Coverage, b: Coverage): Coverage {
  const lines = createList<CoveredLine>(({ file, line }) => `${line} ${file}`);
  const functions = createList<CoveredFunction>(({ address }) => address);
  const sides = [a, b].map((side) => ({
    ...side.instructions,
    lineOf: side.lines.map((line) => lines.add(line)),
    functionOf: side.functions.map((one) => functions.add(one)),
  }));
  const [one, other] = sides as [(typeof sides)[number], (typeof sides)[number]];
  const joined = {
    addresses: [] as Hex[],
    sizes: [] as number[],
    counts: [] as number[],
    skipped: [] as (number | null)[],
    kinds: [] as InstructionCounts['kinds'][number][],
    taken: [] as (number | null)[],
    notTaken: [] as (number | null)[],
    lines: [] as number[],
    functions: [] as number[],
    ...(one.texts && { texts: [] as string[] }),
  };
  for (const { own, its } of rowsOf(one.addresses, other.addresses)) {
    const [side, row] = own >= 0 ? [one, own] : [other, its];
    const sum = (of: (each: InstructionCounts) => readonly (number | null)[]): number | null => {
      const values = [own >= 0 ? of(one)[own]! : null, its >= 0 ? of(other)[its]! : null];
      return values.reduce((all, value) => (value === null ? all : (all ?? 0) + value), null);
    };
    joined.addresses.push(side.addresses[row]!);
    joined.sizes.push(side.sizes[row]!);
    joined.counts.push(sum(({ counts }) => counts)!);
    joined.skipped.push(skippedIn([own < 0 ? undefined : one, own], [its < 0 ? undefined : other, its]));
    joined.kinds.push(side.kinds[row]!);
    joined.taken.push(sum(({ taken }) => taken));
    joined.notTaken.push(sum(({ notTaken }) => notTaken));
    joined.lines.push(side.lineOf[side.lines[row]!] ?? -1);
    joined.functions.push(side.functionOf[side.functions[row]!] ?? -1);
    joined.texts?.push(side.texts?.[row] ?? '');
  }
  const order = sorted(lines.all, (x, y) => (x.file < y.file ? -1 : x.file > y.file ? 1 : x.line - y.line));
  const byAddress = sorted(functions.all, (x, y) => compareHex(x.address, y.address));
  const places = { lines: order.list, functions: byAddress.list };
  const rows = {
    ...joined,
    lines: joined.lines.map((line) => order.rowOf[line] ?? -1),
    functions: joined.functions.map((one) => byAddress.rowOf[one] ?? -1),
  };
  return { ...a, ...derived(rows, places), notes: [...a.notes, ...b.notes] };
}

/** Sums how often an instruction was skipped: null if a run that came to it does not show it. */
function skippedIn(...sides: readonly (readonly [InstructionCounts | undefined, number])[]): number | null {
  let sum: number | null = null;
  for (const [side, row] of sides) {
    const skipped = side?.skipped[row] ?? null;
    if (skipped === null && side !== undefined && side.counts[row]! > 0) return null;
    if (skipped !== null) sum = (sum ?? 0) + skipped;
  }
  return sum;
}

/** Rows of the same address in two lists that are sorted by address; -1 in a list without it. */
export function* rowsOf(
  a: readonly Hex[],
  b: readonly Hex[],
): Generator<{ readonly own: number; readonly its: number }, void> {
  let [own, its] = [0, 0];
  while (own < a.length || its < b.length) {
    const order = own >= a.length ? 1 : its >= b.length ? -1 : compareHex(a[own]!, b[its]!);
    yield { own: order <= 0 ? own : -1, its: order >= 0 ? its : -1 };
    if (order <= 0) own++;
    if (order >= 0) its++;
  }
}

/** Addresses have no leading zeros: the shorter one is the lower. */
export function compareHex(a: Hex, b: Hex): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

function createList<T>(keyOf: (one: T) => string) {
  const rows = new Map<string, number>();
  const all: T[] = [];
  return {
    all,
    /** Returns the row of the entry, which is that of an earlier one with the same key. */
    add(one: T): number {
      const key = keyOf(one);
      let row = rows.get(key);
      if (row === undefined) rows.set(key, (row = all.push(one) - 1));
      return row;
    },
  };
}

function sorted<T>(all: readonly T[], compare: (a: T, b: T) => number) {
  const order = [...all.keys()].sort((a, b) => compare(all[a]!, all[b]!));
  const rowOf: number[] = [];
  order.forEach((old, row) => (rowOf[old] = row));
  return { list: order.map((old) => all[old]!), rowOf };
}
