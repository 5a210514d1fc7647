/** An answer as text and as a table. */
import {
  bytesText,
  copiersText,
  copiesText,
  EDGE_WORDS,
  endedText,
  KIND_WORDS,
  MOST_SHOWN,
  placeText,
  useText,
} from '../../../present/text/why-words.ts';
import type { CsvCell } from '../../../shared/base/csv.ts';
import { group } from '../../../shared/base/numbers.ts';
import type { Why, WhyStep } from '../../../shared/requests/why.ts';
import type { Table } from '../../widgets/table.ts';
import { soleEnd, type WhyRow } from './why-rows.ts';

export function definesText({ defines }: WhyStep, most = MOST_SHOWN): string {
  return defines.map((bytes) => bytesText(bytes, most)).join(', ');
}

/** Returns what a step says about its own end: the place that its value was read from, and why that has no step. Empty if it has none. */
export function endText(step: WhyStep): string {
  const end = soleEnd(step);
  const from = end === undefined ? [] : [`from ${placeText(end)}`, ...(end.reason === undefined ? [] : [end.reason])];
  return [...from, ...(step.reason === undefined ? [] : [step.reason])].join(', ');
}

/** Returns one row of the tree as text, without its lines. */
export function rowText(row: WhyRow, steps: readonly WhyStep[]): string {
  if (row.kind === 'end') return `${endedValuesText(row)}  end: ${row.use.reason ?? 'no step'}`;
  if (row.kind === 'copy') return `copy at record ${group(row.n)}`;
  if (row.kind === 'copies') return `${copiesText(row.count, row.moved)} ${copiersText(row.count, row.moved)}`.trim();
  if (row.kind === 'see') return `${bytesText(row.use)}  see #${row.step}`;
  const step = steps[row.step];
  if (!step) return '';
  const { kind, text, symbol, line, n, inferred } = step;
  const edge = row.use === undefined ? '' : EDGE_WORDS[row.use.edge];
  const parts = [
    `#${row.step} ${edge === '' ? '' : `${edge} `}${definesText(step)}`,
    KIND_WORDS[kind].word,
    text ?? '',
    symbol === undefined ? '' : `<${symbol}>`,
    line ?? '',
    `record ${group(n)}`,
    row.end ?? endText(step),
    inferred ? 'inferred' : '',
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** Returns the values that a row is about, which ended in the same way. */
export function endedValuesText({ use, others }: Extract<WhyRow, { kind: 'end' }>): string {
  return [use, ...others].map((value) => bytesText(value)).join(', ');
}

/** Returns the whole tree as text, with its question and its end. */
export function treeText(why: Why, heading: string, rows: readonly WhyRow[]): string {
  const lines = rows.map((row) => {
    const text = rowText(row, why.steps);
    return `${row.lines.replaceAll(/[│├└ ]/g, (line) => LINES[line] ?? '')}${text}`;
  });
  return [heading, ...lines, endedText(why)].join('\n');
}

const LINES: Readonly<Record<string, string>> = { '│': '│  ', '├': '├─ ', '└': '└─ ', ' ': '   ' };

/** Returns the steps as a table, in descending order of records. */
export function stepTable({ at, steps }: Pick<Why, 'at' | 'steps'>): Table {
  return {
    name: `why-at-${at}`,
    head: [
      ...['step', 'kind', 'defines', 'record', 'time', 'cpu', 'address', 'symbol', 'line', 'instruction'],
      ...['uses', 'copies', 'reason', 'inferred'],
    ],
    count: steps.length,
    row(index): readonly CsvCell[] {
      const step = steps[index];
      if (!step) return [];
      const { kind, n, time, cpu, address, symbol, line, text, uses, copies = [], reason, inferred } = step;
      const own = [index, kind, definesText(step, Number.POSITIVE_INFINITY), n, time, cpu, address, symbol, line, text];
      return [...own, uses.map(useText).join('; '), copies.join(' '), reason, inferred ? 'inferred' : undefined];
    },
  };
}
