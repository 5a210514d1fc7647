/**
 * Writes a notebook as JSON and reads it back: the identity of its trace, its notes and its views. Input is untrusted, so it is checked
 * completely before any of it is used.
 */
import {
  EXPORT_MOST,
  NOTES_MOST,
  noteSchema,
  viewSchema,
  type Note,
  type View,
} from '../../../shared/requests/notes.ts';
import {
  list,
  optional,
  parse,
  partOfFile,
  pathText,
  rule,
  whole,
  type Problem,
} from '../../../shared/requests/schema.ts';
import { jsonText } from '../../../shared/base/visible.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { plainLine } from './check-note.ts';
import type { TraceIdentity } from '../platform/file-identity.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';

/** Values of the fields `format` and `version`. */
const NOTES_FORMAT = 'tracebench-notes';
const VERSION = 1;

export interface Exchanged {
  readonly of: TraceIdentity;
  readonly notes: readonly Note[];
  readonly views: readonly View[];
}

const exportSchema = partOfFile({
  trace: partOfFile({
    bytes: whole(1, Number.MAX_SAFE_INTEGER),
    probe: rule<string>(
      (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
      'must be 64 hexadecimal digits',
    ),
  }),
  notes: optional(list(noteSchema, NOTES_MOST, 0)),
  views: optional(list(viewSchema, NOTES_MOST, 0)),
});

export function writeNotes(
  { bytes, probe }: TraceIdentity,
  name: string,
  { notes, views }: Pick<Exchanged, 'notes' | 'views'>,
): string {
  const content = { format: NOTES_FORMAT, version: VERSION, trace: { name, bytes, probe }, notes, views };
  return `${jsonText(content, 2)}\n`;
}

/** Fails with a sentence about the first problem. */
export function readNotes(text: string): Result<Exchanged> {
  if (text.length > EXPORT_MOST) return refuse(`the file has more than ${EXPORT_MOST.toLocaleString('en')} characters`);
  const value = jsonValue(text);
  if (!isObject(value) || value['format'] !== NOTES_FORMAT)
    return refuse('the file is not an export of notes; export them again from the other notebook');
  if (value['version'] !== VERSION)
    return refuse(
      `the file has version ${short(value['version'])} of the export format, and this Tracebench reads ${VERSION}`,
    );
  const checked = parse(exportSchema, value);
  if (!checked.ok) return refuse(exportProblem(checked.problem));
  const { trace: of, notes = [], views = [] } = checked.value;
  const beyond = notes.find(({ place }) => place.offset >= of.bytes);
  if (beyond !== undefined)
    return refuse(`the note '${beyond.title.slice(0, 60)}' is on a byte after the end of the trace`);
  return ok({ of, notes: notes.map(clean), views: views.map(cleanView) });
}

/** Formats a problem as `note 2: id must be ...` */
function exportProblem({ path, must }: Problem): string {
  const [kind, at, ...rest] = path;
  if (typeof at !== 'number') return `${pathText(path)} ${must}`;
  return `${kind === 'notes' ? 'note' : 'view'} ${at + 1}: ${`${pathText(rest)} ${must}`.trim()}`;
}

/** Joins text that must be a single line, and replaces lone surrogates. */
function clean(note: Note): Note {
  return {
    ...note,
    title: plainLine(note.title),
    text: note.text.toWellFormed(),
    tags: note.tags.map(plainLine),
  };
}

function cleanView(view: View): View {
  return { ...view, name: plainLine(view.name), content: view.content.toWellFormed() };
}

function short(value: unknown): string {
  return (typeof value === 'number' || typeof value === 'string' ? String(value) : 'no number').slice(0, 20);
}

function refuse(why: string): Result<never> {
  return fail('import', `these notes cannot be imported: ${why}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
