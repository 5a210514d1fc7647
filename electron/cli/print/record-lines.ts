/** Prints records: JSON Lines, or a table. */
import { jsonText } from '../../../shared/base/visible.ts';
import { inOrder, type RecordView } from '../../../shared/records/record.ts';
import type { Context } from '../command.ts';
import { group } from '../../../shared/base/numbers.ts';
import { printable } from './printable.ts';
import { createTable } from './table.ts';
import type { Column } from './table.ts';

/** Returns a printer that is called with one part of the records after another. */
export function recordPrinter({ common, out }: Context): (records: readonly RecordView[]) => Promise<void> {
  if (common.json) return (records) => out.write(records.map((record) => `${jsonText(inOrder(record))}\n`).join(''));
  const table = createTable(COLUMNS, out.colour);
  return (records) => out.write(table.lines(records));
}

/** Upper limit of the characters in one cell. */
const TEXT_MOST = 100;

const COLUMNS: readonly Column<RecordView>[] = [
  { title: 'record', right: true, text: ({ n }) => group(n) },
  { title: 'time', right: true, text: ({ time }) => (time === undefined ? '' : group(time)) },
  { title: 'cpu', right: true, text: ({ cpu }) => cpu?.toString() ?? '' },
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'native', text: ({ native }) => native },
  { title: 'address', right: true, text: ({ address }) => address ?? '' },
  { title: 'symbol', text: ({ symbol }) => printable(symbol ?? '', TEXT_MOST) },
  { title: 'size', right: true, text: ({ size }) => size?.toString() ?? '' },
  { title: 'register', text: ({ register }) => register ?? '' },
  { title: 'value', right: true, text: ({ value }) => value ?? '' },
  { title: 'opcode', right: true, text: ({ opcode }) => opcode ?? '' },
  { title: 'isa', text: ({ isa }) => isa ?? '' },
  { title: 'target', right: true, text: ({ target }) => target ?? '' },
  { title: 'to', text: ({ targetSymbol }) => printable(targetSymbol ?? '', TEXT_MOST) },
  { title: 'source', right: true, text: ({ source }) => source ?? '' },
  {
    title: 'from',
    text: ({ sourceSymbol, symbol }) => (sourceSymbol === symbol ? '' : printable(sourceSymbol ?? '', TEXT_MOST)),
  },
  { title: 'flags', text: ({ flags }) => flags?.join(' ') ?? '' },
  { title: 'line', text: ({ line }) => printable(line ?? '', TEXT_MOST) },
  { title: 'text', text: ({ text }) => printable(text ?? '', TEXT_MOST) },
];
