/** The lines and functions that instructions belong to, as the images have them. The instructions are sorted by address. */
import type { InstructionCounts } from '../../../../shared/requests/answers/coverage.ts';
import type { Places } from '../../../../shared/coverage/derive.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { Images } from '../../image/images.ts';
import { namesOf } from '../../image/names/shown-name.ts';

type Rows = Pick<InstructionCounts, 'lines' | 'functions'>;

/** Returns the lines, the functions, and per instruction its line and its function. Yields after each instruction. */
export function* placesOf(
  images: Images,
  addresses: readonly bigint[],
): Generator<undefined, { readonly places: Places; readonly rows: Rows }, undefined> {
  interface Line {
    readonly file: string;
    readonly line: number;
    row: number;
  }
  const lines = new Map<string, Map<number, Line>>();
  const functions: (Places['functions'][number] & { line?: number; file?: string })[] = [];
  const rowOfFunction = new Map<bigint, number>();
  const lineOf: (Line | undefined)[] = [];
  const functionOf: number[] = [];
  for (const address of addresses) {
    yield;
    const place = images.lineAt(address);
    let line: Line | undefined;
    if (place !== undefined) {
      let ofFile = lines.get(place.file);
      if (ofFile === undefined) lines.set(place.file, (ofFile = new Map<number, Line>()));
      line = ofFile.get(place.line);
      if (line === undefined) ofFile.set(place.line, (line = { file: place.file, line: place.line, row: 0 }));
    }
    lineOf.push(line);
    const hit = images.symbolAt(address);
    if (hit === undefined) {
      functionOf.push(-1);
      continue;
    }
    const start = address - hit.offset;
    let row = rowOfFunction.get(start);
    if (row === undefined) {
      row = functions.push({ ...namesOf(hit.symbol), address: toHex(start) }) - 1;
      rowOfFunction.set(start, row);
    }
    if (address === start && line !== undefined) {
      functions[row]!.file = line.file;
      functions[row]!.line = line.line;
    }
    functionOf.push(row);
  }
  const files = [...lines.keys()].sort((a, b) => (a < b ? -1 : Number(a > b)));
  const list = files.flatMap((file) => [...lines.get(file)!.values()].sort((a, b) => a.line - b.line));
  list.forEach((line, row) => (line.row = row));
  return {
    places: { lines: list.map(({ file, line }) => ({ file, line })), functions },
    rows: { lines: lineOf.map((line) => line?.row ?? -1), functions: functionOf },
  };
}
