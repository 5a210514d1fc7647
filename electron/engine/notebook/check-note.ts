/**
 * What a note and a view may be. Whatever comes from outside is held against this before it is believed: arguments,
 * files that are imported, rows of a notebook that somebody else may have written.
 */
import { NOTE_COLOURS, type Note, type View } from '../../../shared/requests/notes.ts';

const TITLE_MOST = 1000;
const TEXT_MOST = 1_000_000;
const TAGS_MOST = 50;
const TAG_MOST = 100;
const NAME_MOST = 200;

/** Notes, or views, that one notebook takes. */
export const NOTES_MOST = 100_000;
/** A larger file is no notebook. */
export const BYTES_MOST = 512 * 1024 * 1024;

export function isNote(value: unknown): value is Note {
  return noteProblem(value) === undefined;
}

export function isView(value: unknown): value is View {
  return viewProblem(value) === undefined;
}

/** Completes `the note ...`; undefined for a good one. */
export function noteProblem(value: unknown): string | undefined {
  return broken(value, NOTE) ?? (isObject(value) ? placeProblem(value['place']) : undefined);
}

export function viewProblem(value: unknown): string | undefined {
  return broken(value, VIEW);
}

/** On one line, and without halves of characters, which no file can hold. */
export function plainLine(text: string): string {
  return text.toWellFormed().replaceAll(/\s*[\r\n\u2028\u2029]\s*/g, ' ');
}

interface Rule {
  readonly test: (value: unknown) => boolean;
  readonly must: string;
}
type Rules = Readonly<Record<string, Rule>>;

const id: Rule = {
  test: (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  must: 'has no usable id: 1 to 64 letters, digits, - and _',
};
const time: Rule = {
  test: (value) => typeof value === 'string' && TIME.test(value) && Number.isFinite(Date.parse(value)),
  must: 'has a time that is not one: such as 2026-01-31T12:00:00.000Z',
};
/** No note was changed later. */
export const LAST_TIME = '8999-12-31T23:59:59.999Z';
const TIME = /^[1-8]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const whole: Rule = { test: isWhole, must: 'has a revision that is no number' };

const NOTE: Rules = {
  id,
  title: { test: text(TITLE_MOST), must: `has a title that is no text of at most ${String(TITLE_MOST)} characters` },
  text: {
    test: text(TEXT_MOST),
    must: `has a text that is none of at most ${String(TEXT_MOST)} characters`,
  },
  colour: {
    test: (value) => NOTE_COLOURS.some((colour) => colour === value),
    must: `has a colour that is none of ${NOTE_COLOURS.join(', ')}`,
  },
  tags: {
    test: (value) => Array.isArray(value) && value.length <= TAGS_MOST && value.every(text(TAG_MOST, 1)),
    must: `has more than ${String(TAGS_MOST)} tags, or one that is no text of 1 to ${String(TAG_MOST)} characters`,
  },
  order: { test: (value) => Number.isFinite(value), must: 'has an order that is no number' },
  created: time,
  changed: time,
  revision: whole,
};

const VIEW: Rules = {
  id,
  name: { test: text(NAME_MOST), must: `has a name that is no text of at most ${String(NAME_MOST)} characters` },
  content: { test: text(TEXT_MOST), must: `has more than ${String(TEXT_MOST)} characters` },
  changed: time,
  revision: whole,
};

function placeProblem(place: unknown): string | undefined {
  if (!isObject(place)) return 'has no place';
  const { n, to, address, length, offset, reading } = place;
  if (!isWhole(n) || !isWhole(offset)) return 'has a place that is no record';
  if (to !== undefined && !(isWhole(to) && to > n)) return 'has a range that ends before it begins';
  if (address !== undefined && !(typeof address === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/.test(address)))
    return 'has an address that is none';
  if (length !== undefined && !(isWhole(length) && length > 0 && address !== undefined))
    return 'has a length that is none';
  return text(READING_MOST)(reading) ? undefined : 'does not say how the trace was read';
}

const READING_MOST = 10_000;

function broken(value: unknown, rules: Rules): string | undefined {
  if (!isObject(value)) return 'is none';
  return Object.entries(rules).find(([key, { test }]) => !test(value[key]))?.[1].must;
}

function text(most: number, least = 0): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && value.length >= least && value.length <= most && !value.includes('\0');
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
