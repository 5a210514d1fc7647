/** Validates notes and views from untrusted files, with the schemas of the requests. */
import { noteSchema, viewSchema, type Note, type View } from '../../../shared/requests/notes.ts';
import { pathText, problemOf, type Schema } from '../../../shared/requests/schema.ts';

/** Maximum size of a notebook file, in bytes. */
export const BYTES_MOST = 512 * 1024 * 1024;
/** Latest time of a change. */
export const LAST_TIME = '8999-12-31T23:59:59.999Z';

export function isNote(value: unknown): value is Note {
  return noteProblem(value) === undefined;
}

export function isView(value: unknown): value is View {
  return viewProblem(value) === undefined;
}

/** Returns the rest of the sentence `the note: ...`, or undefined for a valid note. */
export function noteProblem(value: unknown): string | undefined {
  return problemText(noteSchema, value);
}

/** Returns the rest of the sentence `the view: ...`, or undefined for a valid view. */
export function viewProblem(value: unknown): string | undefined {
  return problemText(viewSchema, value);
}

/** Returns the text on one line and without lone surrogates, which no file can hold. */
export function plainLine(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/g, (blanks) => (LINE_END.test(blanks) ? ' ' : blanks));
}

const LINE_END = /[\r\n\u2028\u2029]/;

function problemText(schema: Schema, value: unknown): string | undefined {
  const problem = problemOf(schema, value);
  return problem && `${pathText(problem.path)} ${problem.must}`.trim();
}
