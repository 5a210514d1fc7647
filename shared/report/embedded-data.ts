/**
 * How the data of a report stands in its text: as JSON that no parser of the text around can take for anything else, in a template of
 * HTML, in a comment of Markdown; and how it is found there again.
 */
import { fail, ok, type Result } from '../base/result.ts';
import type { Settings } from '../format/format.ts';
import { jsonValue } from '../base/json-value.ts';

export type TextForm = 'html' | 'md' | 'json';

const TEMPLATE = ['<template id="tracebench-report">', '</template>'] as const;
const COMMENT = ['<!-- tracebench-report\n', '\n-->'] as const;

/** JSON may escape any character: nothing in it can end what it stands in. */
export function embeddedData(json: string, form: 'html' | 'md'): string {
  const quiet = json.replaceAll(/[<>&\u2028\u2029]/g, escaped).replaceAll('--', String.raw`-\u002d`);
  const [start, end] = form === 'html' ? TEMPLATE : COMMENT;
  return `${start}${quiet}${end}`;
}

function escaped(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export interface ReportText {
  readonly form: TextForm;
  /** Parsed JSON from an untrusted report. */
  readonly data: unknown;
  /** Text before and behind the data; empty for a report that is JSON. */
  readonly before: string;
  readonly after: string;
}

/** Line ends and a byte order mark, which mail and version control may change, count for nothing. Fails with `not-a-report`. */
export function openReport(text: string): Result<ReportText> {
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  if (plain.trimStart().startsWith('{')) return parsed(plain, { form: 'json', before: '', after: '' });
  const html = split(plain, TEMPLATE);
  if (html !== undefined) return parsed(html.json, { form: 'html', ...html });
  const md = split(plain, COMMENT);
  if (md !== undefined) return parsed(md.json, { form: 'md', ...md });
  if (plain.startsWith('%PDF-')) {
    return fail('not-a-report', 'a PDF contains no data to verify; name the report in its HTML, Markdown or JSON form');
  }
  return notOne('it does not contain the data of a Tracebench report');
}

function split(text: string, [start, end]: readonly [string, string]) {
  const at = text.lastIndexOf(start);
  const from = at + start.length;
  const to = at < 0 ? -1 : text.indexOf(end, from);
  if (to < 0) return undefined;
  return { json: text.slice(from, to), before: text.slice(0, at), after: text.slice(to + end.length) };
}

function parsed(json: string, { form, before, after }: Omit<ReportText, 'data'>): Result<ReportText> {
  const data = jsonValue(json);
  return data === undefined ? notOne('its data is damaged') : ok({ form, before, after, data });
}

function notOne(why: string): Result<never> {
  return fail('not-a-report', `this report cannot be verified: ${why}; name a report that tracebench wrote`);
}

/** How the trace was read for a report: what to open it with to check that. Empty if it does not report. */
export function readingOf(data: unknown): { readonly format?: string; readonly options?: Settings } {
  const trace = isObject(data) ? data['trace'] : undefined;
  const format = isObject(trace) ? trace['format'] : undefined;
  if (!isObject(format)) return {};
  const { id, options } = format;
  const given = isObject(options) ? Object.entries(options) : [];
  const settings = given.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    ...(typeof id === 'string' ? { format: id } : {}),
    ...(settings.length === 0 ? {} : { options: Object.fromEntries(settings) }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
