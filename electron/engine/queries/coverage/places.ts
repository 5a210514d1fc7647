/** The lines and functions that instructions belong to, as the images have them. The instructions are sorted by address. */
import type { CoveredFunction, CoveredLine } from '../../../../shared/requests/answers/coverage.ts';
import { joinAddress, toHex } from '../../../../shared/base/units.ts';
import type { Images } from '../../image/images.ts';
import { namesOf } from '../../image/names/shown-name.ts';

type LinePlace = Pick<CoveredLine, 'file' | 'line'>;
type FunctionPlace = Pick<CoveredFunction, 'name' | 'symbol' | 'address' | 'file' | 'line'>;

export interface CodePlaces {
  /** Sorted by file and line. */
  readonly lines: readonly LinePlace[];
  /** By the address of the first instruction of each. */
  readonly functions: readonly FunctionPlace[];
  /** Per instruction: indexes, or -1. */
  readonly lineOf: Int32Array;
  readonly functionOf: Int32Array;
}

/** Halves of addresses, ascending. */
export interface AddressColumns {
  readonly low: ArrayLike<number>;
  readonly high: ArrayLike<number>;
}

/** Finds the places of instructions. Yields often. */
export function* placesOf(images: Images, { low, high }: AddressColumns): Generator<undefined, CodePlaces, undefined> {
  const count = low.length;
  const places = createPlaces();
  const lineOf = new Int32Array(count);
  const functionOf = new Int32Array(count);
  for (let row = 0; row < count;) {
    yield;
    const address = joinAddress(low[row]!, high[row]!);
    const line = places.line(images.lineAt(address));
    const hit = images.symbolAt(address);
    const owner = hit === undefined ? -1 : places.owner(address - hit.offset, () => namesOf(hit.symbol));
    if (hit?.offset === 0n) places.begins(owner, line);
    const end = images.placeEnd(address);
    const [endLow, endHigh] = [Number(end & 0xffff_ffffn), Number(end >> 32n)];
    const first = row;
    do row++;
    while (row < count && (high[row]! < endHigh || (high[row] === endHigh && low[row]! < endLow)));
    lineOf.fill(line, first, row);
    functionOf.fill(owner, first, row);
  }
  return places.finish(lineOf, functionOf);
}

function createPlaces() {
  const lines: LinePlace[] = [];
  const byFile = new Map<string, Map<number, number>>();
  const functions: { -readonly [Field in keyof FunctionPlace]: FunctionPlace[Field] }[] = [];
  const byStart = new Map<bigint, number>();
  return { line, owner, begins, finish };

  /** Returns the number of a line; -1 without one. */
  function line(place: LinePlace | undefined): number {
    if (place === undefined) return -1;
    let ofFile = byFile.get(place.file);
    if (ofFile === undefined) byFile.set(place.file, (ofFile = new Map<number, number>()));
    let at = ofFile.get(place.line);
    if (at === undefined) ofFile.set(place.line, (at = lines.push({ file: place.file, line: place.line }) - 1));
    return at;
  }

  function owner(start: bigint, names: () => ReturnType<typeof namesOf>): number {
    let at = byStart.get(start);
    if (at === undefined) byStart.set(start, (at = functions.push({ ...names(), address: toHex(start) }) - 1));
    return at;
  }

  /** Notes the line of the first instruction of a function. */
  function begins(at: number, its: number): void {
    if (its < 0) return;
    functions[at]!.file = lines[its]!.file;
    functions[at]!.line = lines[its]!.line;
  }

  function finish(lineOf: Int32Array, functionOf: Int32Array): CodePlaces {
    const order = linesInOrder(lines);
    const rowOf = inverse(order);
    for (let row = 0; row < lineOf.length; row++) if (lineOf[row]! >= 0) lineOf[row] = rowOf[lineOf[row]!]!;
    return { lines: order.map((at) => lines[at]!), functions, lineOf, functionOf };
  }
}

function linesInOrder(lines: readonly LinePlace[]): readonly number[] {
  return [...lines.keys()].sort((a, b) => {
    const [x, y] = [lines[a]!, lines[b]!];
    return x.file < y.file ? -1 : x.file > y.file ? 1 : x.line - y.line;
  });
}

/**
 * Joins the places of the instructions of two lists.
 * @param order the instructions by address: rows of the first list, and behind its length those of the second
 */
export function joinedPlaces(one: CodePlaces, other: CodePlaces, order: Uint32Array): CodePlaces {
  const lines = [...one.lines];
  const rowsOfLines = new Map(lines.map((line, at) => [`${line.line} ${line.file}`, at]));
  const lineOf = other.lines.map((line) => rowsOfLines.get(`${line.line} ${line.file}`) ?? lines.push(line) - 1);
  const functions = [...one.functions];
  const rowsOfFunctions = new Map(functions.map(({ address }, at) => [address, at]));
  const functionOf = other.functions.map((its) => {
    const at = rowsOfFunctions.get(its.address);
    if (at === undefined) return functions.push(its) - 1;
    functions[at] = { ...its, ...functions[at]! };
    return at;
  });
  const count = one.lineOf.length;
  const byPlace = linesInOrder(lines);
  const lineRows = inverse(byPlace);
  const joinedLines = new Int32Array(order.length);
  const joinedFunctions = new Int32Array(order.length);
  const functionRows = new Int32Array(functions.length).fill(-1);
  const byAddress: FunctionPlace[] = [];
  order.forEach((row, at) => {
    const line = row < count ? one.lineOf[row]! : (lineOf[other.lineOf[row - count]!] ?? -1);
    const owner = row < count ? one.functionOf[row]! : (functionOf[other.functionOf[row - count]!] ?? -1);
    joinedLines[at] = line < 0 ? -1 : lineRows[line]!;
    if (owner >= 0 && functionRows[owner]! < 0) functionRows[owner] = byAddress.push(functions[owner]!) - 1;
    joinedFunctions[at] = owner < 0 ? -1 : functionRows[owner]!;
  });
  return {
    lines: byPlace.map((at) => lines[at]!),
    functions: byAddress,
    lineOf: joinedLines,
    functionOf: joinedFunctions,
  };
}

function inverse(order: readonly number[]): Int32Array {
  const rowOf = new Int32Array(order.length);
  order.forEach((at, row) => (rowOf[at] = row));
  return rowOf;
}
