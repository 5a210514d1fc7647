/** Texts of reports: what people and traces bring in made harmless to read, and what the program says of records and bytes. */
import { markdown } from '../../../present/text/markdown.ts';
import { group } from '../../../present/base/numbers.ts';
import { steady, visible } from '../../../shared/base/visible.ts';
import type { ImageIdentity, Stretch } from './document.ts';

/** One line of at most `most` characters. */
export function line(text: string, most: number): string {
  const clean = steady(text).trim().replaceAll(/\s+/g, ' ');
  const characters = Array.from(new Intl.Segmenter('en').segment(clean.slice(0, most * 8)), ({ segment }) => segment);
  return characters.length <= most ? clean.slice(0, most * 8) : `${characters.slice(0, most - 1).join('')}…`;
}

/** A person's Markdown as HTML. What it names as `&#x202e;` is there only then. */
export function proseHtml(text: string, heading: number): string {
  return steady(markdown(steady(text, true), { heading }), true);
}

/** `record 5`, `records 5 to 8`: of records [from, to). */
export function recordsText({ from, to }: Stretch): string {
  if (to <= from) return 'no records';
  return to === from + 1 ? `record ${group(from)}` : `records ${group(from)} to ${group(to - 1)}`;
}

export function bytesText({ from, to }: Stretch): string {
  if (to <= from) return 'no bytes';
  return to === from + 1 ? `byte ${group(from)}` : `bytes ${group(from)} to ${group(to - 1)}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${group(count)} ${count === 1 ? one : many}`;
}

/** Where an image lies, behind what it is: `, at 0x8000`, `, moved by 0x1000`, or nothing where the file tells it. */
export function placeText({ shift, base }: Pick<ImageIdentity, 'shift' | 'base'>): string {
  return `${base === undefined ? '' : `, at ${base}`}${shift === undefined ? '' : `, moved by ${shift}`}`;
}

/** One word of a command line, as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w.,:+=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** `21 November 2026, 15:30 UTC`. */
export function timeText(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return visible(iso);
  const month = MONTHS[time.getUTCMonth()] ?? '';
  const clock = time.toISOString().slice(11, 16);
  return `${String(time.getUTCDate())} ${month} ${String(time.getUTCFullYear())}, ${clock} UTC`;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `12.3 %`, `< 0.1 %`. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '';
  const share = (100 * part) / whole;
  if (share > 0 && share < 0.1) return '< 0.1 %';
  return `${share.toFixed(1)} %`;
}
