/** The code of two runs as one: which functions and lines ran in each of them, and how often. */
import type { Coverage, CoveredFunction } from '../requests/answers/coverage.ts';
import type {
  FunctionCode,
  FunctionCodeChange,
  LineCode,
  LineCodeChange,
  LineTotals,
} from '../requests/answers/code-changes.ts';
import { counted } from '../base/numbers.ts';
import { pairFunctions } from './function-pairs.ts';
import { pairLines } from './line-pairs.ts';

/** Indexes of a function in both answers. */
export interface FunctionRows {
  readonly a?: number;
  readonly b?: number;
}

export interface CodeChanges {
  /** Those with the most lines that ran in one run only first, then those with the greatest change of their cost. */
  readonly functions: readonly FunctionCodeChange[];
  /** Per function. */
  readonly rows: readonly FunctionRows[];
  /** By file and line of A, then of B. */
  readonly lines: readonly LineCodeChange[];
  readonly totals: LineTotals;
  /** Sentences about what is not compared. */
  readonly notes: readonly string[];
}

/** @param shift addresses of B minus those of A */
export function codeChanges(a: Coverage, b: Coverage, shift: bigint): CodeChanges {
  const paired = pairFunctions(identified(a), identified(b), shift);
  const lined = pairLines(a, b, paired);
  const only = { a: new Float64Array(paired.pairs.length), b: new Float64Array(paired.pairs.length) };
  const owners = { a: ownersOf(a, paired.ofA), b: ownersOf(b, paired.ofB) };
  const totals = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  for (const { a: own, b: other } of lined.pairs) {
    const ranA = own !== undefined && a.lines[own]!.most > 0;
    const ranB = other !== undefined && b.lines[other]!.most > 0;
    totals[ranA ? (ranB ? 'both' : 'onlyA') : ranB ? 'onlyB' : 'neither']++;
    if (ranA === ranB) continue;
    const pairs = ranA ? owners.a.get(own) : owners.b.get(other!);
    for (const pair of pairs ?? []) only[ranA ? 'a' : 'b'][pair]!++;
  }
  const [codeA, codeB] = [functionCode(a), functionCode(b)];
  const [rowsA, rowsB] = [rowsOf(a), rowsOf(b)];
  const functions = paired.pairs.map((pair, at) => {
    const [own, other] = [rowsA.get(pair.a ?? ''), rowsB.get(pair.b ?? '')];
    const rows: FunctionRows = { ...(own !== undefined && { a: own }), ...(other !== undefined && { b: other }) };
    const change: FunctionCodeChange = {
      name: pair.name,
      a: own === undefined ? null : codeA[own]!,
      b: other === undefined ? null : codeB[other]!,
      onlyA: only.a[at]!,
      onlyB: only.b[at]!,
    };
    return { rows, change };
  });
  functions.sort(
    ({ change: x }, { change: y }) =>
      y.onlyA + y.onlyB - x.onlyA - x.onlyB || Math.abs(changeOf(y)) - Math.abs(changeOf(x)),
  );
  const lines = lined.pairs.map((pair): LineCodeChange => ({ a: lineCode(a, pair.a), b: lineCode(b, pair.b) }));
  const [notComparedA, notComparedB] = [lined.notComparedA.length, lined.notComparedB.length];
  return {
    functions: functions.map(({ change }) => change),
    rows: functions.map(({ rows }) => rows),
    lines: lines.sort(byPlace),
    totals: { ...totals, notComparedA, notComparedB },
    notes:
      notComparedA + notComparedB === 0
        ? []
        : [
            `The source was edited between the two programs: ${counted(notComparedA, 'line')} of A and ${notComparedB} of B are not compared, because their functions changed.`,
          ],
  };
}

/** Returns the change of the number of instructions that ran. */
export function changeOf({
  a,
  b,
}: {
  readonly a: { self: number } | null;
  readonly b: { self: number } | null;
}): number {
  return (b?.self ?? 0) - (a?.self ?? 0);
}

/** Returns the lines that ran more or less often in one run, the greatest change of the cost first. */
export function changedLines({ lines }: Pick<CodeChanges, 'lines'>): readonly LineCodeChange[] {
  return lines
    .filter(({ a, b }) => a?.self !== b?.self || a?.count !== b?.count)
    .sort((x, y) => Math.abs(changeOf(y)) - Math.abs(changeOf(x)));
}

/** Returns true if the same parts of a function ran in both runs, and it was entered in both or in none. */
export function ranAlike({ a, b, onlyA, onlyB }: FunctionCodeChange): boolean {
  if (a === null || b === null) return (a ?? b)!.self === 0;
  return onlyA + onlyB === 0 && a.instructions.covered === b.instructions.covered && a.self > 0 === b.self > 0;
}

function identified({ functions }: Coverage) {
  return functions.map(({ address, name, symbol }) => ({ id: address, name, ...(symbol !== undefined && { symbol }) }));
}

function rowsOf({ functions }: Coverage): ReadonlyMap<string, number> {
  return new Map(functions.map(({ address }, row) => [address, row]));
}

function functionCode({ functions, instructions }: Coverage): readonly FunctionCode[] {
  const self = new Float64Array(functions.length);
  instructions.functions.forEach((owner, row) => {
    if (owner >= 0) self[owner]! += instructions.counts[row]!;
  });
  return functions.map(({ count, instructions: own, lines }: CoveredFunction, at) => ({
    count,
    self: self[at]!,
    instructions: own,
    lines,
  }));
}

/** Returns the pairs of functions that have instructions of a line, by row of the line. */
function ownersOf(
  { instructions, functions }: Coverage,
  pairOf: ReadonlyMap<string, number>,
): ReadonlyMap<number, ReadonlySet<number>> {
  const owners = new Map<number, Set<number>>();
  instructions.lines.forEach((line, row) => {
    const pair = pairOf.get(functions[instructions.functions[row]!]?.address ?? '');
    if (line < 0 || pair === undefined) return;
    owners.set(line, (owners.get(line) ?? new Set<number>()).add(pair));
  });
  return owners;
}

function lineCode({ lines }: Coverage, row: number | undefined): LineCode | null {
  if (row === undefined) return null;
  const { file, line, most, sum } = lines[row]!;
  return { file, line, count: most, self: sum };
}

function byPlace(x: LineCodeChange, y: LineCodeChange): number {
  const [one, other] = [(x.a ?? x.b)!, (y.a ?? y.b)!];
  return one.file < other.file ? -1 : one.file > other.file ? 1 : one.line - other.line;
}
