/** Formats texts of reports: makes texts of users and traces safe to read, and describes records and bytes. */
import { markdown } from '../../../present/text/markdown.ts';
import { counted, group, recordSpan } from '../../../shared/base/numbers.ts';
import { steady, visible } from '../../../shared/base/visible.ts';
import type { ImageIdentity, Stretch } from './document.ts';

/** Returns one line of at most `most` characters. */
export function line(text: string, most: number): string {
  const clean = steady(text).trim().replaceAll(/\s+/g, ' ');
  const characters = Array.from(new Intl.Segmenter('en').segment(clean.slice(0, most * 8)), ({ segment }) => segment);
  return characters.length <= most ? clean.slice(0, most * 8) : `${characters.slice(0, most - 1).join('')}…`;
}

/** Converts a user's Markdown to HTML. References such as `&#x202e;` are decoded by that conversion, so the result is made safe again. */
export function proseHtml(text: string, heading: number): string {
  return steady(markdown(steady(text, true), { heading }), true);
}

/** For records [from, to): `record 5`, `records 5 to 8`. */
export function recordsText({ from, to }: Stretch): string {
  return recordSpan(from, to);
}

export function bytesText({ from, to }: Stretch): string {
  if (to <= from) return 'no bytes';
  return to === from + 1 ? `byte ${group(from)}` : `bytes ${group(from)} to ${group(to - 1)}`;
}

/** Returns the placement of an image as a suffix: `, at 0x8000`, `, moved by 0x1000`, or nothing if the file determines it. */
export function placeText({ shift, base }: Pick<ImageIdentity, 'shift' | 'base'>): string {
  return `${base === undefined ? '' : `, at ${base}`}${shift === undefined ? '' : `, moved by ${shift}`}`;
}

/** Quotes a word for a shell command line. */
export function shellWord(text: string): string {
  return /^[\w.,:+=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** For example `21 November 2026, 15:30 UTC`. */
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

/** For example `12.3 %` or `< 0.1 %`. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '';
  const share = (100 * part) / whole;
  if (share > 0 && share < 0.1) return '< 0.1 %';
  return `${share.toFixed(1)} %`;
}

/** For example `The first 20 of 81 functions; counted in instructions`. */
export function tableCaption(shown: number, all: number, [one, many]: readonly [string, string], more: string): string {
  const begin = shown < all ? `The first ${group(shown)} of ` : all === 1 ? '' : 'All ';
  return `${begin}${counted(all, one, many)}; ${more}`;
}
