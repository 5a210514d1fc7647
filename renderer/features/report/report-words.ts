/** Names and descriptions of the parts of a report, for the list of parts. */
import { kindWords } from '../../../present/base/kinds.ts';
import { plainText } from '../../../present/text/markdown.ts';
import {
  DIAGNOSTICS_NAME,
  CHANGE_NAMES,
  DIFF_NAME,
  figureName,
  noteName,
  queryName,
  SUMMARY_NAME,
  TABLE_NAMES,
  textName,
  whyName,
} from '../../../present/text/part-names.ts';
import { counted, group, recordSpan } from '../../../shared/base/numbers.ts';
import type { Note } from '../../../shared/requests/notes.ts';
import { WHY_STEPS, type WhyQuestion } from '../../../shared/requests/why.ts';
import type { FigureRequest, FlameOrder, ReportPart } from '../../../shared/report/plan.ts';
import type { ReportForm } from '../../../shared/requests/reports.ts';
import type { IconName } from '../../widgets/icons.ts';

export interface PartWords {
  readonly name: string;
  /** Description of the part; may be empty. */
  readonly detail: string;
  /** Beginning of the text of a note without a title. */
  readonly begin?: string;
  readonly icon: IconName;
  /** Colour of a note. */
  readonly colour?: Note['colour'];
  /** The note of this part was removed, so the part is left out. */
  readonly isGone?: boolean;
}

export const ORDER_NAMES: Readonly<Record<FlameOrder, string>> = {
  'left-heavy': 'Left-heavy',
  time: 'Time order',
  'bottom-up': 'Bottom-up',
};

export const FORM_NAMES: Readonly<Record<ReportForm, string>> = {
  html: 'HTML',
  md: 'Markdown',
  pdf: 'PDF',
  json: 'JSON',
};

/** Default number of rows in a table, and of records around a note. */
export const ROWS = 20;
export const AROUND = 5;

export function wordsOf(part: ReportPart, notes: readonly Note[]): PartWords {
  switch (part.kind) {
    case 'text':
      return { name: textName(part.text) || beginOf(part.text) || 'Empty text', detail: 'Text', icon: 'edit' };
    case 'summary':
      return { name: SUMMARY_NAME, detail: 'facts about the trace, and counts', icon: 'file' };
    case 'diagnostics':
      return { name: DIAGNOSTICS_NAME, detail: 'problems in the trace', icon: 'warn' };
    case 'note':
      return noteWords(
        notes.find(({ id }) => id === part.note),
        part.around ?? AROUND,
      );
    case 'figure':
      return { name: figureName(part.figure), detail: figureDetail(part.figure), icon: 'chart' };
    case 'table':
      return {
        name: TABLE_NAMES[part.table],
        detail: `${counted(part.most ?? ROWS, 'row')}, ${rangeText(part)}`,
        icon: 'table',
      };
    case 'why':
      return { name: whyName(part.question), detail: whyDetail(part.question), icon: 'why' };
    case 'query':
      return { name: queryName(part), detail: `SQL, ${counted(part.most ?? ROWS, 'row')}`, icon: 'sql' };
    case 'diff':
      return { name: DIFF_NAME, detail: 'where both runs part, and what differs', icon: 'split' };
    case 'change':
      return { name: CHANGE_NAMES[part.of], detail: counted(part.most ?? ROWS, 'row'), icon: 'split' };
  }
}

/** Returns the first words of Markdown text, without its syntax. */
function beginOf(text: string): string {
  return plainText(text.slice(0, 400)).slice(0, 120);
}

/** Returns `records 0 to 4,999` or `whole trace`. */
export function rangeText({ from, to }: { readonly from?: number; readonly to?: number }): string {
  if (from === undefined && to === undefined) return 'whole trace';
  if (to === undefined) return `from record ${group(from ?? 0)}`;
  return recordSpan(from ?? 0, Math.max(to, (from ?? 0) + 1));
}

function noteWords(note: Note | undefined, around: number): PartWords {
  if (!note) return { name: 'Removed note', detail: 'left out', icon: 'warn', isGone: true };
  const { n, to } = note.place;
  const place = to === undefined ? `record ${group(n)}` : rangeText({ from: n, to });
  return {
    name: noteName(note),
    detail: `${place}, ${group(around)} around`,
    ...(note.title.trim() === '' && { begin: beginOf(note.text) }),
    icon: 'bookmark',
    colour: note.colour,
  };
}

function figureDetail(figure: FigureRequest): string {
  const range = rangeText(figure);
  switch (figure.figure) {
    case 'overview':
      return figure.tracks?.length ? `${range}, ${counted(figure.tracks.length, 'track')}` : range;
    case 'heat': {
      const span =
        figure.low === undefined && figure.high === undefined ? '' : `, ${figure.low ?? '0x0'} to ${figure.high ?? ''}`;
      const kinds = figure.kinds ? `, ${figure.kinds.map(kindWords).join(', ')}` : '';
      return `${range}${span}${kinds}`;
    }
    case 'graph':
      return `${figure.centre === undefined ? 'around the function with the largest total' : `around ${figure.centre}`}, ${range}`;
    case 'flame':
      return range;
  }
}

function whyDetail({ at, pc, steps = WHY_STEPS, addresses, control, allCopies }: WhyQuestion): string {
  const details = [
    ...(pc === true ? [] : [`after record ${group(at)}`]),
    `at most ${counted(steps, 'step')}`,
    ...(addresses === true ? ['with addresses'] : []),
    ...(control === true ? ['with control'] : []),
    ...(allCopies === true ? ['with all copies'] : []),
  ];
  return details.join(', ');
}
