/** The lines and instructions of a program by how often they ran, for people. */
import type { InstructionCost, LineCost } from '../../../../shared/coverage/costs.ts';
import type { InstructionTime, LineTime } from '../../../../shared/requests/answers/code-times.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { createTable, type Column } from '../table.ts';

/** @param cost of all instructions: 100 % */
export function lineTable(rows: readonly LineCost[], cost: number, colour: boolean): string {
  const columns: readonly Column<LineCost>[] = [
    { title: 'self %', right: true, text: ({ self }) => share(self, cost) },
    { title: 'self', right: true, text: ({ self }) => group(self) },
    { title: 'count', right: true, text: ({ count }) => group(count) },
    { title: 'line', text: placeOf },
  ];
  return createTable(columns, colour).lines(rows);
}

export function instructionTable(rows: readonly InstructionCost[], cost: number, colour: boolean): string {
  const columns: readonly Column<InstructionCost>[] = [
    { title: 'self %', right: true, text: ({ count }) => share(count, cost) },
    { title: 'count', right: true, text: ({ count }) => group(count) },
    { title: 'address', right: true, text: ({ address }) => address },
    { title: 'instruction', text: ({ text }) => text },
    { title: 'function', text: (row) => row.function ?? '' },
    { title: 'line', text: placeOf },
  ];
  return createTable(columns, colour).lines(rows);
}

type Timed = Pick<InstructionTime, 'time' | 'count' | 'unknown'>;

/** @param cost time of all instructions: 100 % */
export function lineTimes(rows: readonly LineTime[], cost: number, colour: boolean): string {
  return createTable<LineTime>([...timeColumns(cost), { title: 'line', text: placeOf }], colour).lines(rows);
}

export function instructionTimes(rows: readonly InstructionTime[], cost: number, colour: boolean): string {
  const columns: readonly Column<InstructionTime>[] = [
    ...timeColumns(cost),
    { title: 'address', right: true, text: ({ address }) => address },
    { title: 'instruction', text: ({ text }) => text ?? '' },
    { title: 'function', text: (row) => row.function ?? '' },
    { title: 'line', text: placeOf },
  ];
  return createTable(columns, colour).lines(rows);
}

function timeColumns(cost: number): readonly Column<Timed>[] {
  return [
    { title: 'time %', right: true, text: ({ time }) => share(time, cost) },
    { title: 'time', right: true, text: ({ time }) => group(time) },
    { title: 'count', right: true, text: ({ count }) => group(count) },
    { title: 'unknown', right: true, text: ({ unknown = 0 }) => (unknown === 0 ? '' : group(unknown)) },
  ];
}

function placeOf({ file, line }: { readonly file?: string; readonly line?: number }): string {
  return file === undefined ? '' : `${file}:${line ?? 0}`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : ((100 * part) / whole).toFixed(1);
}
