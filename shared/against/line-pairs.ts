/**
 * Which source lines of two programs are the same. Lines are paired by file and number, unless the code proves that a source was edited:
 * then the lines of a function are paired by their distance from its first line if it has code at the same ones in both, and all others
 * are not compared.
 */
import type { Coverage } from '../requests/answers/coverage.ts';
import type { FunctionPairs } from './function-pairs.ts';

/** Rows of `lines` of both programs. A program without the line has none. */
export interface LinePair {
  readonly a?: number;
  readonly b?: number;
}

export interface LinePairs {
  readonly pairs: readonly LinePair[];
  /** Rows of lines that may be in the other program, but at an unknown place. */
  readonly notComparedA: readonly number[];
  readonly notComparedB: readonly number[];
}

type Code = Pick<Coverage, 'lines' | 'functions' | 'instructions'>;

/** @param functions pairs of the functions of both, by their addresses */
export function pairLines(a: Code, b: Code, functions: FunctionPairs): LinePairs {
  const [its, others] = [indexed(a), indexed(b)];
  const inBoth = functionsInBoth(a, b, functions);
  const files = filesOf(its, others, inBoth, a, b);
  const pairs: LinePair[] = [];
  const notComparedA: number[] = [];
  const notComparedB: number[] = [];
  const [doneA, doneB] = [new Set<number>(), new Set<number>()];
  const add = (own: number, other: number): void => {
    doneA.add(own);
    doneB.add(other);
    pairs.push({ a: own, b: other });
  };
  for (const [file, otherFile] of files) {
    const [rows, otherRows] = [its.files.get(file)!, others.files.get(otherFile)!];
    const within = inBoth.filter(
      ([one, other]) => a.functions[one]!.file === file && b.functions[other]!.file === otherFile,
    );
    const moved = within.filter(([one, other]) => isMoved(shapeOf(its, one), shapeOf(others, other)));
    if (moved.length === 0) {
      for (const [line, row] of rows) {
        const other = otherRows.get(line);
        if (other !== undefined) add(row, other);
      }
      continue;
    }
    for (const [one, other] of within) {
      const [shape, otherShape] = [shapeOf(its, one), shapeOf(others, other)];
      if (!isSameShape(shape, otherShape)) continue;
      for (const offset of shape.offsets) {
        const row = rows.get(shape.first + offset)!;
        const otherRow = otherRows.get(otherShape.first + offset)!;
        if (!doneA.has(row) && !doneB.has(otherRow)) add(row, otherRow);
      }
    }
    for (const row of rows.values()) if (!doneA.has(row)) notComparedA.push(row);
    for (const row of otherRows.values()) if (!doneB.has(row)) notComparedB.push(row);
    for (const row of notComparedA) doneA.add(row);
    for (const row of notComparedB) doneB.add(row);
  }
  a.lines.forEach((_, row) => !doneA.has(row) && pairs.push({ a: row }));
  b.lines.forEach((_, row) => !doneB.has(row) && pairs.push({ b: row }));
  return { pairs, notComparedA, notComparedB };
}

interface Indexed {
  /** Rows of lines by file and number. */
  readonly files: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** By function: its lines in its own file. */
  readonly shapes: readonly (Shape | undefined)[];
}

/** The lines of a function in its own file. */
interface Shape {
  readonly first: number;
  /** Distances from the first line, ascending. */
  readonly offsets: readonly number[];
}

const NO_SHAPE: Shape = { first: 0, offsets: [] };

function indexed({ lines, functions, instructions }: Code): Indexed {
  const files = new Map<string, Map<number, number>>();
  lines.forEach(({ file, line }, row) => {
    const own = files.get(file) ?? new Map<number, number>();
    files.set(file, own.set(line, row));
  });
  const own = functions.map(() => new Set<number>());
  instructions.functions.forEach((owner, row) => {
    const line = lines[instructions.lines[row]!];
    if (line !== undefined && line.file === functions[owner]?.file) own[owner]!.add(line.line);
  });
  const shapes = own.map((numbers, at): Shape | undefined => {
    const first = functions[at]!.line;
    if (first === undefined) return undefined;
    return { first, offsets: [...numbers].map((line) => line - first).sort((x, y) => x - y) };
  });
  return { files, shapes };
}

function shapeOf({ shapes }: Indexed, at: number): Shape {
  return shapes[at] ?? NO_SHAPE;
}

function isSameShape(a: Shape, b: Shape): boolean {
  return a.offsets.length === b.offsets.length && a.offsets.every((offset, at) => offset === b.offsets[at]);
}

/** One line says nothing: other optimisation can put it elsewhere. */
function isMoved(a: Shape, b: Shape): boolean {
  return a.first !== b.first && a.offsets.length > 1 && isSameShape(a, b);
}

/** Indexes of the functions of A and B that are in both. */
function functionsInBoth(a: Code, b: Code, { pairs }: FunctionPairs): readonly (readonly [number, number])[] {
  const rows = (all: Code['functions']): ReadonlyMap<string, number> =>
    new Map(all.map(({ address }, at) => [address, at]));
  const [its, others] = [rows(a.functions), rows(b.functions)];
  return pairs.flatMap((pair) => {
    const [one, other] = [its.get(pair.a ?? ''), others.get(pair.b ?? '')];
    return one === undefined || other === undefined ? [] : [[one, other] as const];
  });
}

/** Files are the same if their paths are, or else if all their functions that are in both say so, and they have the same name. */
function filesOf(
  its: Indexed,
  others: Indexed,
  inBoth: readonly (readonly [number, number])[],
  a: Code,
  b: Code,
): ReadonlyMap<string, string> {
  const files = new Map([...its.files.keys()].filter((file) => others.files.has(file)).map((file) => [file, file]));
  const partners = (from: Code, to: Code, side: 0 | 1): ReadonlyMap<string, ReadonlySet<string>> => {
    const found = new Map<string, Set<string>>();
    for (const pair of inBoth) {
      const [own, other] = [from.functions[pair[side]]!.file, to.functions[pair[side === 0 ? 1 : 0]]!.file];
      if (own === undefined || other === undefined) continue;
      found.set(own, (found.get(own) ?? new Set<string>()).add(other));
    }
    return found;
  };
  const back = partners(b, a, 1);
  for (const [file, found] of partners(a, b, 0)) {
    const [other] = found;
    const isOnly = other !== undefined && found.size === 1 && back.get(other)?.size === 1;
    if (!isOnly || files.has(file) || its.files.has(other) || nameOf(file) !== nameOf(other)) continue;
    if (its.files.has(file) && others.files.has(other)) files.set(file, other);
  }
  return files;
}

function nameOf(file: string): string {
  return file.split(/[/\\]/).at(-1) ?? file;
}
