/** Names of the parts of a report and of charts: the page's list of parts, the report and the figures all use these. */
import type { FigureRequest, FlameOrder, ReportChange, ReportTable } from '../../shared/report/plan.ts';
import type { Note } from '../../shared/requests/notes.ts';
import type { WhyQuestion } from '../../shared/requests/why.ts';
import { group } from '../../shared/base/numbers.ts';
import { plainText } from './markdown.ts';
import { placeText } from './why-words.ts';

export const SUMMARY_NAME = 'Summary';
export const DIAGNOSTICS_NAME = 'Diagnostics';
export const DIFF_NAME = 'Comparison with the other run';

export const TABLE_NAMES: Readonly<Record<ReportTable, string>> = {
  profile: 'Hot spots',
  loops: 'Loops',
  lines: 'Hottest source lines',
  instructions: 'Hottest instructions',
  coverage: 'Coverage',
  branches: 'Hottest branches',
  functions: 'Hottest functions',
  pages: 'Busiest pages',
};

export const CHANGE_NAMES: Readonly<Record<ReportChange, string>> = {
  profile: 'Change of hot spots to the other run',
  lines: 'Change of source lines to the other run',
  coverage: 'Change of coverage to the other run',
};

const FLAME_NAMES: Readonly<Record<FlameOrder, string>> = {
  'left-heavy': 'Flame graph',
  time: 'Calls over time',
  'bottom-up': 'Bottom-up flame graph',
};

export function figureName(
  figure: Pick<FigureRequest, 'figure'> & { readonly order?: FlameOrder | undefined },
): string {
  switch (figure.figure) {
    case 'overview':
      return 'Overview';
    case 'heat':
      return 'Heatmap';
    case 'graph':
      return 'Call graph';
    case 'flame':
      return FLAME_NAMES[figure.order ?? 'left-heavy'];
  }
}

/** Name of a note: its title, or else its record. */
export function noteName({
  title,
  place,
}: {
  readonly title: string;
  readonly place: Pick<Note['place'], 'n'>;
}): string {
  return title.trim() === '' ? `Record ${group(place.n)}` : title;
}

/** Name of a text: the heading that it begins with; empty without one. */
export function textName(text: string): string {
  const [first = ''] = text.trimStart().split('\n', 1);
  return /^#{1,6}[ \t]/.test(first) ? plainText(first) : '';
}

/** Name of a query: its title, or else the beginning of its statement. */
export function queryName({ title = '', sql }: { readonly title?: string | undefined; readonly sql: string }): string {
  const own = title.trim() === '' ? sql.trim() : title.trim();
  return own.replaceAll(/\s+/g, ' ').slice(0, MOST_NAME);
}

const MOST_NAME = 200;

/** Name of a question about a value: `Why r0`, `Where [0x8000+4] went`, `Why record 12 was reached`. */
export function whyName({ at, register, cpu = 0, address = '0x0', length = 1, pc, forward }: WhyQuestion): string {
  if (pc === true) return `Why record ${group(at)} was reached`;
  const place = placeText(register === undefined ? { address, length, value: null } : { register, cpu, value: null });
  return forward === true ? `Where ${place} went` : `Why ${place}`;
}
