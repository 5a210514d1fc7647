/** `notes ...`: lists and changes the notebook of a trace. */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import {
  NOTE_COLOURS,
  type Note,
  type Notebook,
  type NotesImported,
  type Taken,
} from '../../../shared/requests/notes.ts';
import { NOTEBOOK_UNREADABLE } from '../../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { writeWholeFile } from '../../result-file.ts';
import { isArchive } from '../bundle/archive-file.ts';
import { address, addressOf } from '../options/addresses.ts';
import { command, type Context } from '../command.ts';
import { flatNote, printNotes } from '../print/notes.ts';
import { bytes, counted, group } from '../../../shared/base/numbers.ts';
import { path, recordNumber, size, word, type Option } from '../options/options.ts';
import { missing } from '../options/state-at.ts';
import { filesRead, withTrace, type OpenTrace } from '../trace.ts';

/** Shared by all commands that show notes. */
export const NOTEBOOK = path('FILE', 'the notebook to use instead of the one that belongs to the trace');

const list = command({
  name: 'notes list',
  text: 'The notes about a trace, in their order',
  notes: `Notes are kept in the file TRACE.notebook next to the trace, or in your data folder if that cannot be written.
A notebook is recognised by the content of its trace, so both may be renamed or moved together.
TRACE may also be a bundle (\`tracebench bundle\`), whose notes are listed without the trace.`,
  trace: 'needed',
  options: {
    notebook: NOTEBOOK,
    tag: word('TAG', 'only notes with this tag', 'a tag'),
    text: word('TEXT', 'only notes that contain this text in their title or text', 'a text'),
  },
  run: (context, { notebook, tag, text = '' }) =>
    withNotes(context, notebook, async (notes) => {
      const wanted = text.toLowerCase();
      const shown = notes.filter(
        (note) =>
          (tag === undefined || note.tags.includes(tag)) &&
          `${note.title}\n${note.text}`.toLowerCase().includes(wanted),
      );
      await printNotes(context, shown);
      return ok(undefined);
    }),
});

const add = command({
  name: 'notes add',
  text: 'Add a note on a record, a range of records or an address',
  trace: 'needed',
  options: {
    at: recordNumber('the record, or the first of a range; required'),
    to: recordNumber('the record after the last of a range'),
    address: address('A', 'an address'),
    length: size('L', 'number of bytes starting there'),
    title: word('T', 'one line', 'a text'),
    text: word('T', 'the text, as Markdown', 'a text'),
    colour: colour(),
    tag: tags(),
    notebook: NOTEBOOK,
  },
  run: async (context, { at, to, address, length, title = '', text = '', colour = 'blue', tag = [], notebook }) => {
    if (at === undefined) return missing(context, 'give the record with --at N');
    if (to !== undefined && to <= at) return missing(context, '--to must be greater than --at');
    if (length === 0) return missing(context, '--length must be 1 byte or more');
    if (length !== undefined && address === undefined) return missing(context, '--length needs --address');
    return withNotebook(context, notebook, 'any', async (trace) => {
      const found = address && (await addressOf(context, trace, address));
      if (found?.ok === false) return found;
      const place = {
        n: at,
        ...(to !== undefined && { to }),
        ...(found && { address: found.value }),
        ...(length !== undefined && { length }),
      };
      const indexed = await trace.index({ records: Math.max(at + 1, to ?? 0) });
      if (!indexed.ok) return indexed;
      const id = crypto.randomUUID();
      const put = [{ id, title, text, colour, tags: tag, place }];
      const kept = await trace.request('changeNotebook', { trace: trace.id, put });
      if (!kept.ok) return kept;
      const made = kept.value.notes.filter((note) => note.id === id);
      if (context.common.json) await context.out.json(made.map(flatNote)[0]);
      else await printNotes(context, made);
      return ok(undefined);
    });
  },
});

const remove = command({
  name: 'notes remove',
  text: 'Remove a note by its id, or by the start of its id',
  trace: 'needed',
  operands: ['TRACE', 'ID'],
  arrange: traceFirst,
  options: { notebook: NOTEBOOK },
  run: (context, { notebook }) =>
    withNotebook(context, notebook, 'there', async (trace, { notes }) => {
      const { ID: id = '' } = context.operands;
      const meant = notes.filter((note) => note.id === id);
      const found = meant.length > 0 ? meant : notes.filter((note) => note.id.startsWith(id));
      const [note] = found;
      if (note === undefined) return fail('no-such-note', `there is no note '${id}'; \`notes list\` shows the ids`);
      if (found.length > 1)
        return fail('no-such-note', `the ids of ${String(found.length)} notes begin with '${id}'; give more of the id`);
      const gone = await trace.request('changeNotebook', {
        trace: trace.id,
        remove: [{ id: note.id, revision: note.revision }],
      });
      if (!gone.ok) return gone;
      await printNotes(context, gone.value.notes);
      return ok(undefined);
    }),
});

const importNotes = command({
  name: 'notes import',
  text: 'Import notes from `notes export` or a bundle; if a note exists in another version, both are kept',
  trace: 'needed',
  operands: ['TRACE', 'FILE'],
  arrange: (given) => (isNotesFile(given[0]) && !isNotesFile(given[1]) ? given.toReversed() : traceFirst(given)),
  options: { notebook: NOTEBOOK },
  run: async (context, { notebook }) => {
    const { FILE: file = '' } = context.operands;
    if (isArchive(file)) return withNotebook(context, notebook, 'any', (trace) => importBundle(context, trace, file));
    const text = await readNotes(file);
    if (!text.ok) return text;
    return withNotebook(context, notebook, 'any', async (trace) => {
      const taken = await trace.request('importNotes', { trace: trace.id, text: text.value });
      if (!taken.ok) return fail(taken.error.code, `${file}: ${taken.error.message}`);
      await printImported(context, taken.value);
      return ok(undefined);
    });
  },
});

async function importBundle(context: Context, trace: OpenTrace, path: string): Promise<Result<void>> {
  const taken = await trace.request('importBundle', { trace: trace.id, path });
  if (!taken.ok) return taken;
  for (const problem of taken.value.problems) context.notify(problem);
  await printImported(context, taken.value);
  return ok(undefined);
}

const exportNotes = command({
  name: 'notes export',
  text: 'Write all notes to a file for `notes import`, or to standard output',
  trace: 'needed',
  operands: ['TRACE', '[FILE]'],
  arrange: traceFirst,
  options: { notebook: NOTEBOOK, output: path('FILE', 'the file to write', 'o') },
  async run(context, { notebook, output }) {
    const { FILE: named } = context.operands;
    if (named !== undefined && output !== undefined && named !== output)
      return missing(context, `two output files are given, ${named} and ${output}; give one`);
    return withNotebook(context, notebook, 'there', async (trace, { notes }) => {
      const file = named ?? output;
      const exported = await trace.request('exportNotes', { trace: trace.id });
      if (!exported.ok) return exported;
      const { text } = exported.value;
      if (file === undefined) {
        await context.out.write(text);
        return ok(undefined);
      }
      const write = async (unfinished: string): Promise<Result<undefined>> => {
        await writeFile(unfinished, text, { flag: 'wx' });
        return ok(undefined);
      };
      const written = await writeWholeFile(file, write, filesRead(context));
      if (!written.ok) return written;
      const length = Buffer.byteLength(text);
      if (context.common.json) await context.out.json({ path: file, notes: notes.length, bytes: length });
      else await context.out.write(`${file}: ${counted(notes.length, 'note')}, ${bytes(length)}\n`);
      return ok(undefined);
    });
  },
});

export const notesCommands = [list, add, remove, importNotes, exportNotes];

/** Runs `work` on the notes of a bundle or of the notebook of a trace. */
async function withNotes(
  context: Context,
  named: string | undefined,
  work: (notes: readonly Note[]) => Promise<Result<void>>,
): Promise<Result<void>> {
  if (!isArchive(context.trace)) return withNotebook(context, named, 'there', (_trace, { notes }) => work(notes));
  if (named !== undefined) return missing(context, 'a bundle has its own notes; leave out --notebook');
  const bundle = await context.client.request('readBundle', { path: context.trace }, { signal: context.signal });
  if (!bundle.ok) return bundle;
  for (const problem of bundle.value.problems) context.notify(problem);
  return work(bundle.value.notes);
}

/** With `there`, a notebook that was named must exist. */
function withNotebook(
  context: Context,
  named: string | undefined,
  need: 'there' | 'any',
  work: (trace: OpenTrace, notebook: Notebook) => Promise<Result<void>>,
): Promise<Result<void>> {
  return withTrace(
    context,
    async (trace) => {
      const found = await readNotebook(context, trace);
      if (!found.ok) return found;
      const { exists, path: place, notices = [], problem, unread } = found.value;
      if (!exists && named !== undefined && need === 'there')
        return fail('notebook-missing', notices[0] ?? `${named}: there is no such notebook; check the path`);
      for (const notice of notices) context.notify(notice);
      if (unread === true && need === 'there')
        return fail(NOTEBOOK_UNREADABLE, problem ?? `${place}: this notebook cannot be read`);
      const done = await work(trace, found.value);
      // A failed change may have reported the same problem.
      if (problem !== undefined && (done.ok || done.error.message !== problem)) context.notify(problem);
      if (done.ok && !exists && need === 'any') context.notify(`the notes are kept in ${place}`);
      return done;
    },
    named === undefined ? {} : { notebook: named },
  );
}

/** Returns the notebook with the records of all notes, including notes made in another reading of the trace. */
async function readNotebook(context: Context, trace: OpenTrace): Promise<Result<Notebook>> {
  const first = await trace.request('notebook', { trace: trace.id });
  if (!first.ok || first.value.notes.every(({ place }) => place.unreached !== true)) return first;
  context.notify(
    `${context.trace}: some notes were made when the trace was read differently; their records are looked up`,
  );
  const indexed = await trace.index();
  return indexed.ok ? trace.request('notebook', { trace: trace.id }) : indexed;
}

async function printImported(
  { common, out }: Context,
  { views, notebook, added, updated, same, conflicts }: NotesImported,
) {
  const { notes } = notebook;
  const taken = { added, updated, same, conflicts };
  if (common.json) await out.json({ ...taken, views, notes: notes.map(flatNote) });
  else
    await out.write(
      `notes: ${takenText(taken)}; ${counted(notes.length, 'note')} now\n${viewsText(views)}${taken.conflicts > 0 ? RESOLVE : ''}`,
    );
}

const RESOLVE =
  'to resolve a conflict, remove the version that you do not want: `notes list` marks earlier versions, `notes remove` takes an id\n';

function viewsText(views: Taken): string {
  return Object.values(views).every((count) => count === 0) ? '' : `views and reports: ${takenText(views)}\n`;
}

function takenText({ added, updated, same, conflicts }: Taken): string {
  const kept =
    conflicts === 0
      ? ''
      : `, ${counted(conflicts, 'earlier version')} kept as ${conflicts === 1 ? 'a conflict' : 'conflicts'}`;
  return `${group(added)} added, ${group(updated)} changed, ${group(same)} already there${kept}`;
}

/** Puts the trace first. Operands in the other order are accepted if only the second is a file. */
function traceFirst(given: readonly string[]): readonly string[] {
  const [first = '', second = ''] = given;
  return given.length === 2 && !existsSync(first) && existsSync(second) ? [second, first] : given;
}

/** True if a file begins like an export. */
function isNotesFile(file = ''): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(64);
    readSync(descriptor, head, 0, head.length, 0);
    return /^\s*\{\s*"format":\s*"tracebench-notes"/.test(head.toString());
  } finally {
    closeSync(descriptor);
  }
}

const TEXT_MOST = 256 * 1024 * 1024;

async function readNotes(file: string): Promise<Result<string>> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) return fail('unreadable', `${file}: this is not a file; name one that \`notes export\` wrote`);
    if (facts.size > TEXT_MOST)
      return fail('unreadable', `${file}: this is too large for notes; name a file that \`notes export\` wrote`);
    const text = await readFile(file, 'utf8');
    if (!text.startsWith('SQLite format 3')) return ok(text);
    return fail(
      'unreadable',
      `${file}: this is a notebook, not an export; export its notes first: notes export TRACE FILE --notebook ${file}`,
    );
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'there is no such file' : String(error);
    return fail('unreadable', `${file}: ${reason}; name a file that \`notes export\` wrote`);
  }
}

function colour(): Option<Note['colour']> {
  const read = (text: string) => NOTE_COLOURS.find((one) => one === text);
  return {
    value: 'C',
    text: `${NOTE_COLOURS.join(', ')}; blue by default`,
    read,
    must: `one of ${NOTE_COLOURS.join(', ')}`,
  };
}

function tags(): Option<readonly string[]> {
  const read = (text: string, before: readonly string[] = []) => {
    const given = text.split(',').map((tag) => tag.trim());
    return given.every((tag) => tag !== '') ? [...new Set([...before, ...given])] : undefined;
  };
  return {
    value: 'TAG,TAG',
    text: 'tags; repeatable',
    repeatable: true,
    read,
    must: 'one or more tags separated by commas',
  };
}
