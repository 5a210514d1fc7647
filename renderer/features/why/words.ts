/** The words and signs of an answer: values, kinds of steps, reasons, and the whole tree as text and as a table. */
import type { CsvCell } from '../../../shared/base/csv.ts';
import { counted, group } from '../../../shared/base/numbers.ts';
import type { Bytes, Why, WhyArguments, WhyEdge, WhyKind, WhyStep, WhyUse } from '../../../shared/requests/why.ts';
import type { Table } from '../../widgets/table.ts';
import { forwardEndedText } from './forward-words.ts';
import { soleEnd, type WhyRow } from './why-rows.ts';

interface KindWords {
  readonly sign: string;
  readonly word: string;
  /** The trace of the value ends there. */
  readonly isEnd: boolean;
  readonly meaning: string;
}

export const KIND_WORDS: Readonly<Record<WhyKind, KindWords>> = {
  copy: { sign: '=', word: 'copy', isEnd: false, meaning: 'The value was moved' },
  computed: { sign: '+', word: 'computed', isEnd: false, meaning: 'The value was made of others' },
  constant: { sign: '#', word: 'constant', isEnd: true, meaning: 'The value is in the instruction' },
  input: { sign: '↓', word: 'input', isEnd: true, meaning: 'Read from memory that nothing in the trace wrote before' },
  image: { sign: '▤', word: 'image', isEnd: true, meaning: 'Read from memory that a program image has' },
  unknown: { sign: '?', word: 'unknown', isEnd: true, meaning: 'Nothing says what made the value' },
};

export const EDGE_WORDS: Readonly<Record<WhyEdge, string>> = { data: '', address: 'address', control: 'control' };

/** Bytes of memory whose values a row shows. */
const MOST_SHOWN = 8;

/** Returns `r0`, `r0 of CPU 1`, `[0x8000]` or `[0x8000+4]`. */
export function placeText(bytes: Bytes): string {
  if ('register' in bytes)
    return bytes.cpu === null || bytes.cpu === 0 ? bytes.register : `${bytes.register} of CPU ${bytes.cpu}`;
  return bytes.length <= 1 ? `[${bytes.address}]` : `[${bytes.address}+${bytes.length}]`;
}

/** Returns `0x5` or `30 00 ??`; `?` if nothing is known. */
export function valueText(bytes: Bytes, most = Number.POSITIVE_INFINITY): string {
  if (bytes.value === null) return '?';
  if ('register' in bytes) return bytes.value;
  const pairs = bytes.value.match(/../g) ?? [];
  return `${pairs.slice(0, most).join(' ')}${pairs.length > most ? ' …' : ''}`;
}

export function bytesText(bytes: Bytes, most = MOST_SHOWN): string {
  return isPlace(bytes) ? `${placeText(bytes)} = ${valueText(bytes, most)}` : 'other state';
}

/** Returns false for a use without a place that the answer can name. */
export function isPlace(bytes: Bytes): boolean {
  return !('length' in bytes && bytes.length === 0);
}

export function definesText({ defines }: WhyStep, most = MOST_SHOWN): string {
  return defines.map((bytes) => bytesText(bytes, most)).join(', ');
}

/** Returns what a step says about its own end: the place that its value was read from, and why that has no step. Empty if it has none. */
export function endText(step: WhyStep): string {
  const end = soleEnd(step);
  const from = end === undefined ? [] : [`from ${placeText(end)}`, ...(end.reason === undefined ? [] : [end.reason])];
  return [...from, ...(step.reason === undefined ? [] : [step.reason])].join(', ');
}

/** Returns `r4<7:0> = 0x30 (#3)`, or the reason in place of the step. */
export function useText(use: WhyUse): string {
  const edge = EDGE_WORDS[use.edge];
  const step = use.step === null ? (use.reason ?? 'the value of the question') : `#${use.step}`;
  const inferred = use.inferred === true ? ', inferred' : '';
  return `${edge === '' ? '' : `${edge} `}${bytesText(use)} (${step}${inferred})`;
}

/** Returns `copied 7 times`, or `copied 64 bytes` of a loop. */
export function copiesText(count: number, moved?: number): string {
  if (moved !== undefined) return `copied ${counted(moved, 'byte')}`;
  return count === 1 ? 'copied once' : `copied ${group(count)} times`;
}

/** Returns `by 128 instructions` for the copies of a loop and their step; empty for other copies. */
export function copiersText(count: number, moved?: number): string {
  return moved === undefined ? '' : `by ${counted(count + 1, 'instruction')}`;
}

/** Returns the question in a few words: `Why r0 = 0x5 after record 12`. */
export function questionText({ at, of }: Pick<Why, 'at' | 'of'>, { pc }: Pick<WhyArguments, 'pc'> = {}): string {
  return pc === true ? `Why record ${group(at)} was reached` : `Why ${bytesText(of, 4)} after record ${group(at)}`;
}

/** Returns where the search for origins ended, in a sentence. */
export function endedText({ ended, steps }: Pick<Why, 'ended' | 'steps'>): string {
  if (ended.reason === 'origins') return 'Complete: every value is followed to where it came from.';
  if (ended.reason === 'unknown') return 'Complete, but the origin of some values is unknown.';
  return `The first ${counted(steps.length, 'step')}: ${counted(ended.open.length, 'value')} not followed further.`;
}

/** Returns one row of the tree as text, without its lines. */
export function rowText(row: WhyRow, steps: readonly WhyStep[]): string {
  if (row.kind === 'end') return `${bytesText(row.use)}  end: ${row.use.reason ?? 'no step'}`;
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

/** Returns the whole tree as text, with its question and its end. */
export function treeText(why: Why, heading: string, rows: readonly WhyRow[]): string {
  const lines = rows.map((row) => {
    const text = rowText(row, why.steps);
    return `${row.lines.replaceAll(/[│├└ ]/g, (line) => LINES[line] ?? '')}${text}`;
  });
  return [heading, ...lines, why.forward ? forwardEndedText(why) : endedText(why)].join('\n');
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
