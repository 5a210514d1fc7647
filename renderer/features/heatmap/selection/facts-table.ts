/** The statistics of a selection as one table of CSV. */
import { READS, WRITES, type Kind } from '../../../../shared/records/record.ts';
import type { CsvCell } from '../../../../shared/base/csv.ts';
import { address } from '../../../../shared/base/numbers.ts';
import { KIND_LOOKS, occurring } from '../../../../present/base/kinds.ts';
import type { Table } from '../../../widgets/table.ts';
import type { HotSpots } from '../heat.svelte.ts';
import type { Ends } from './selection-facts.svelte.ts';

export interface Facts {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly low: bigint;
  /** Exclusive. */
  readonly high: bigint;
  readonly kinds: Partial<Record<Kind, number>>;
  readonly ends: Ends;
  readonly pages: HotSpots;
  /** Absent without images. */
  readonly symbols?: HotSpots;
}

export function totalOf(kinds: Partial<Record<Kind, number>>, of?: readonly Kind[]): number {
  return occurring(kinds).reduce((sum, { kind, count }) => sum + (of?.includes(kind) === false ? 0 : count), 0);
}

/** Rows have a subject, its name, the first and last record or address, and accesses. Cells without meaning are empty. */
export function factsTable(facts: Facts, digits: number): Table {
  const { from, to, low, high, kinds, ends, pages, symbols } = facts;
  const rows: readonly (readonly CsvCell[])[] = [
    ['records', '', from, to - 1, ''],
    ['addresses', '', address(low, digits), address(high - 1n, digits), totalOf(kinds)],
    ['first and last access', '', ends.first ?? '', ends.last ?? '', ''],
    ['memory reads', '', '', '', totalOf(kinds, READS)],
    ['memory writes', '', '', '', totalOf(kinds, WRITES)],
    ...occurring(kinds).map(({ kind, count }) => ['kind', KIND_LOOKS[kind].label, '', '', count]),
    ...spotRows('page', pages, digits),
    ...(symbols ? spotRows('symbol', symbols, digits) : []),
  ];
  return {
    name: 'heatmap-selection',
    head: ['what', 'name', 'from', 'to', 'accesses'],
    count: rows.length,
    row: (index) => rows[index] ?? [],
  };
}

function spotRows(what: string, { spots, left }: HotSpots, digits: number): readonly (readonly CsvCell[])[] {
  return [
    ...spots.map((spot) => [
      what,
      spot.name ?? '',
      address(spot.low, digits),
      address(spot.high - 1n, digits),
      spot.count,
    ]),
    ...(left > 0 ? [[`${what}s left out`, String(left), '', '', '']] : []),
  ];
}
