/**
 * A notebook as JSON, to hand on and to put together with another one: which trace it is of, its notes, its views. What
 * is read may come from anybody, so nothing of it is believed before it was checked.
 */
import type { Note, View } from '../../../shared/requests/notes.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { NOTES_MOST, isNote, isView, noteProblem, plainLine, viewProblem } from './check-note.ts';
import type { TraceIdentity } from './identity.ts';

/** What stands in `format`, and the versions of it. */
const NOTES_FORMAT = 'tracebench-notes';
const VERSION = 1;

export interface Exchanged {
  readonly of: TraceIdentity;
  readonly notes: readonly Note[];
  readonly views: readonly View[];
}

export function writeNotes(
  { bytes, probe }: TraceIdentity,
  name: string,
  { notes, views }: Pick<Exchanged, 'notes' | 'views'>,
): string {
  return `${JSON.stringify({ format: NOTES_FORMAT, version: VERSION, trace: { name, bytes, probe }, notes, views }, undefined, 2)}\n`;
}

/** Fails with a sentence about the first thing that is not as it must be; then nothing of it is used. */
export function readNotes(text: string): Result<Exchanged> {
  if (text.length > TEXT_MOST) return refuse(`it has more than ${TEXT_MOST.toLocaleString('en')} characters`);
  const value = parse(text);
  if (!isObject(value) || value['format'] !== NOTES_FORMAT)
    return refuse('it is not what an export of notes gives; export them again from the other notebook');
  if (value['version'] !== VERSION)
    return refuse(
      `it has version ${short(value['version'])} of that form, and this Tracebench reads ${String(VERSION)}`,
    );
  const of = identityOf(value['trace']);
  if (of === undefined) return refuse('it does not say which trace it is of');
  const { notes = [], views = [] } = value;
  if (!isList(notes) || !isList(views)) return refuse('its notes and views must be lists');
  if (Math.max(notes.length, views.length) > NOTES_MOST)
    return refuse(`it has more than ${NOTES_MOST.toLocaleString('en')} notes`);
  const badNote = notes.findIndex((note) => !isNote(note));
  if (badNote >= 0) return refuse(`note ${String(badNote + 1)} of it ${noteProblem(notes[badNote]) ?? ''}`);
  const badView = views.findIndex((view) => !isView(view));
  if (badView >= 0) return refuse(`view ${String(badView + 1)} of it ${viewProblem(views[badView]) ?? ''}`);
  const beyond = notes.filter(isNote).find(({ place }) => place.offset >= of.bytes);
  if (beyond !== undefined)
    return refuse(`the note '${beyond.title.slice(0, 60)}' is on a byte behind the end of the trace`);
  return ok({ of, notes: newest(notes.filter(isNote).map(clean)), views: newest(views.filter(isView).map(cleanView)) });
}

/** Some hundred thousand notes as they are. */
const TEXT_MOST = 256 * 1024 * 1024;

/** Nothing that a note does not have. */
function clean({ id, title, text, colour, tags, place, order, created, changed, revision }: Note): Note {
  const { n, to, address, length, offset, reading } = place;
  return {
    id,
    title: plainLine(title),
    text: text.toWellFormed(),
    colour,
    tags: tags.map(plainLine),
    place: {
      n,
      ...(to === undefined ? {} : { to }),
      ...(address === undefined ? {} : { address }),
      ...(length === undefined ? {} : { length }),
      offset,
      reading,
    },
    order,
    created,
    changed,
    revision,
  };
}

function cleanView({ id, name, content, changed, revision }: View): View {
  return { id, name: plainLine(name), content: content.toWellFormed(), changed, revision };
}

/** Of those with one id. */
function newest<T extends { readonly id: string; readonly changed: string }>(items: readonly T[]): readonly T[] {
  const kept = new Map<string, T>();
  for (const item of items) {
    const before = kept.get(item.id);
    if (before === undefined || before.changed < item.changed) kept.set(item.id, item);
  }
  return [...kept.values()];
}

function identityOf(value: unknown): TraceIdentity | undefined {
  if (!isObject(value)) return undefined;
  const { bytes, probe } = value;
  const good =
    typeof bytes === 'number' &&
    Number.isSafeInteger(bytes) &&
    bytes > 0 &&
    typeof probe === 'string' &&
    /^[0-9a-f]{64}$/.test(probe);
  return good ? { bytes, probe } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function short(value: unknown): string {
  return (typeof value === 'number' || typeof value === 'string' ? String(value) : 'no number').slice(0, 20);
}

function refuse(why: string): Result<never> {
  return fail('import', `these notes cannot be taken: ${why}`);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
