/** Parses and validates a report, which is untrusted, as far as `verify` needs it. */
import { NOTE_COLOURS } from '../../../shared/requests/notes.ts';
import { parsePlan } from '../../../shared/report/plan.ts';
import { openReport, type ReportText } from '../../../shared/report/embedded-data.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { LAYOUT, type ImageIdentity, type OtherIdentity, type ReportDocument, type ReportNote } from './document.ts';

export interface ReadReport extends Omit<ReportText, 'data'> {
  /** Its items are not validated. */
  readonly document: Omit<ReportDocument, 'items'> & { readonly items: readonly unknown[] };
}

/** Fails with `not-a-report`, with `plan`, or with `layout` for a report of another version. */
export function readReport(text: string): Result<ReadReport> {
  const opened = openReport(text);
  if (!opened.ok) return opened;
  const { data, ...around } = opened.value;
  if (!isObject(data) || data['report'] !== 'tracebench') return broken('its data is not the data of a report');
  const { layout, program, made, name, trace, images, other, plan, notes, items } = data;
  if (layout !== LAYOUT) {
    return fail(
      'layout',
      `this report was made by Tracebench ${isText(program) ? program.slice(0, 40) : ''}, whose reports have another layout; verify it with that version`,
    );
  }
  const checked = parsePlan(plan);
  if (!checked.ok) return checked;
  const { made: planned, sha256 } = checked.value;
  if (planned === undefined || sha256 === undefined || planned !== made)
    return broken('its creation time is missing or differs from its plan');
  if (!isText(program) || !isText(name) || /[/\\\0]/.test(name))
    return broken('its name or its program version is invalid');
  if (!isTrace(trace) || !isList(images, isImage) || (other !== undefined && !isOther(other)))
    return broken('the identity of its trace or of an image is missing or invalid');
  if (!isList(notes, isNote)) return broken('its notes are invalid');
  if (!Array.isArray(items) || items.length !== checked.value.parts.length) {
    return broken('its number of parts differs from its plan');
  }
  return ok({
    ...around,
    document: {
      report: 'tracebench',
      layout,
      program,
      made: planned,
      name,
      trace,
      images,
      ...(other !== undefined && { other }),
      plan: { ...checked.value, made: planned, sha256 },
      notes,
      items,
    },
  });
}

function broken(why: string): Result<never> {
  return fail('not-a-report', `this report cannot be verified: ${why}; name a report that tracebench wrote`);
}

function isOther(value: unknown): value is OtherIdentity {
  return isObject(value) && isTrace(value['trace']) && isList(value['images'], isImage);
}

function isTrace(value: unknown): value is ReportDocument['trace'] {
  if (!isObject(value) || !isObject(value['format'])) return false;
  const { id, name, confidence, reasons, options } = value['format'];
  return (
    isText(value['name']) &&
    isCount(value['bytes']) &&
    isText(id) &&
    isText(name) &&
    typeof confidence === 'number' &&
    isList(reasons, isText) &&
    isObject(options)
  );
}

function isImage(value: unknown): value is ImageIdentity {
  if (!isObject(value)) return false;
  const { debug } = value;
  const isDebugGood = debug === undefined || (isObject(debug) && isText(debug['name']) && isText(debug['sha256']));
  return isDebugGood && isText(value['name']) && isCount(value['bytes']) && isText(value['sha256']);
}

function isNote(value: unknown): value is ReportNote {
  if (!isObject(value) || !isObject(value['place'])) return false;
  const { id, title, text, colour, tags, place, created, changed } = value;
  const { n, to, address, length, offset, reading } = place;
  return (
    [id, title, text, created, changed, reading].every(isText) &&
    NOTE_COLOURS.some((one) => one === colour) &&
    isList(tags, isText) &&
    isCount(n) &&
    isCount(offset) &&
    (to === undefined || isCount(to)) &&
    (address === undefined || (isText(address) && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/.test(address))) &&
    (length === undefined || isCount(length))
  );
}

function isList<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
