/** Records as the command line prints them: JSON Lines for scripts, a table for people. */
import { VIEW_KEYS, type RecordView } from '../../shared/record.ts';
import type { Context } from './command.ts';
import { group } from './numbers.ts';
import { createTable } from './table.ts';
import type { Column } from './table.ts';

/** What prints records, part by part. */
export function recordPrinter({ common, out }: Context): (records: readonly RecordView[]) => Promise<void> {
  if (common.json)
    return (records) => out.write(records.map((record) => `${JSON.stringify(record, VIEW_KEYS)}\n`).join(''));
  const table = createTable(COLUMNS, out.colour);
  return (records) => out.write(table.lines(records));
}

const COLUMNS: readonly Column<RecordView>[] = [
  { title: 'record', right: true, text: ({ n }) => group(n) },
  { title: 'time', right: true, text: ({ time }) => (time === undefined ? '' : group(time)) },
  { title: 'cpu', right: true, text: ({ cpu }) => cpu?.toString() ?? '' },
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'native', text: ({ native }) => native },
  { title: 'address', right: true, text: ({ address }) => address ?? '' },
  { title: 'symbol', text: ({ symbol }) => printable(symbol ?? '') },
  { title: 'size', right: true, text: ({ size }) => size?.toString() ?? '' },
  { title: 'register', text: ({ register }) => register ?? '' },
  { title: 'value', right: true, text: ({ value }) => value ?? '' },
  { title: 'opcode', right: true, text: ({ opcode }) => opcode ?? '' },
  { title: 'isa', text: ({ isa }) => isa ?? '' },
  { title: 'target', right: true, text: ({ target }) => target ?? '' },
  { title: 'to', text: ({ targetSymbol }) => printable(targetSymbol ?? '') },
  { title: 'source', right: true, text: ({ source }) => source ?? '' },
  { title: 'from', text: ({ sourceSymbol, symbol }) => (sourceSymbol === symbol ? '' : printable(sourceSymbol ?? '')) },
  { title: 'flags', text: ({ flags }) => flags?.join(' ') ?? '' },
  { title: 'line', text: ({ line }) => printable(line ?? '') },
  { title: 'text', text: ({ text }) => printable(text ?? '') },
];

/** Text of a trace must not steer the terminal, nor fill it. */
function printable(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]/gu, '\u00b7');
  return plain.length > TEXT_MOST ? `${plain.slice(0, TEXT_MOST)}…` : plain;
}

const TEXT_MOST = 100;
