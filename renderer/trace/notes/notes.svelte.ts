/**
 * The notes of a trace as a person works with them: what is listed, which one is chosen, where they are, what one key keeps.
 * The notebook itself and the note that is being typed are stores of their own.
 */
import type { Client } from '../../../shared/requests/requests.ts';
import type { Note, NoteDraft, Taken } from '../../../shared/requests/notes.ts';
import type { Result } from '../../../shared/base/result.ts';
import { group } from '../../../present/base/numbers.ts';
import { draftOf } from './note-drafts.ts';
import { filterNotes, NO_FILTER, type NoteFilter } from '../../features/notes/note-filter.ts';
import { moveNote } from '../../features/notes/note-order.ts';
import { addressOf, spanOf, type DraftPlace } from './note-place.ts';
import type { Change, Step } from './note-steps.ts';
import { createNotebook, type NotebookStore, type Sight } from './notebook.svelte.ts';
import type { Trace } from '../trace.svelte.ts';
import { createTyping, type Keeping, type Typing } from '../../features/notes/typing.svelte.ts';
import { createViews, type Views } from '../../features/notes/views.svelte.ts';

export interface Notes {
  readonly book: NotebookStore;
  readonly typing: Typing;
  readonly views: Views;
  /** In their order. */
  readonly all: readonly Note[];
  readonly listed: readonly Note[];
  filter: NoteFilter;
  chosen: string | null;
  /** Notes that begin at a record, then those whose range it is in. */
  readonly at: (n: number) => readonly Note[];
  /** Goes to where a note is: its record, range and address. */
  readonly jump: (note: Note) => void;
  /** Goes to the next or previous note by record. */
  readonly walk: (way: 1 | -1) => void;
  /** Keeps the place, or lets go of it where nothing but a bookmark is there. */
  readonly bookmark: () => Promise<void>;
  /** Begins a note about where the cursor, or the selection, is. */
  readonly begin: () => Promise<void>;
  /** What is typed becomes a note about where the cursor, or the selection, is now. */
  readonly takePlace: () => void;
  /** Keeps a place found elsewhere. */
  readonly keep: (title: string, tag: string, place: DraftPlace) => Promise<void>;
  readonly remove: (note: Note) => Promise<void>;
  /** Before another one, or behind all. */
  readonly move: (id: string, before: string | null) => Promise<void>;
  /** By a place in the list. */
  readonly moveBy: (id: string, by: 1 | -1) => Promise<void>;
  readonly undo: () => Promise<void>;
  readonly redo: () => Promise<void>;
  readonly merge: (text: string) => Promise<void>;
}

/** What the page around is asked. */
export interface Outside {
  readonly sight: Sight;
  readonly keeping: Keeping;
}

export function createNotes(
  client: Client,
  id: string,
  trace: () => Trace,
  say: (text: string) => void,
  outside: Outside,
): Notes {
  const book = createNotebook(client, id, outside.sight);
  const typing = createTyping(
    book,
    () => trace().last,
    (next) => (chosen = next),
    outside.keeping,
  );
  let filter = $state.raw<NoteFilter>(NO_FILTER);
  let chosen = $state<string | null>(null);

  const all = $derived(book.value?.notes ?? []);
  const listed = $derived(filterNotes(all, filter));
  const starts = $derived(Map.groupBy(all, ({ place }) => place.n));
  const ranges = $derived(all.filter(({ place }) => place.to !== undefined));

  function here(): DraftPlace {
    const { cursor, view, last } = trace();
    const { selection } = view;
    if (!selection) return { n: cursor.n, ...(isAbout(trace()) && cursor.address ? addressOf(cursor.address) : {}) };
    const bytes = Number(selection.high - selection.low);
    const n = Math.min(last, Math.max(0, Math.floor(selection.from)));
    const to = Math.max(n + 1, Math.min(last + 1, Math.ceil(selection.to)));
    return { n, to, ...(Number.isSafeInteger(bytes) ? addressOf({ low: selection.low, bytes }) : {}) };
  }

  /** True where it was done; else the reason is said. */
  async function change(what: string, make: (notes: readonly Note[]) => Change | null): Promise<boolean> {
    const result = await book.change(what, ({ notes }) => make(notes));
    if (!result.ok) say(result.error.message);
    return result.ok;
  }

  function jump(note: Note): void {
    const { cursor, view, last } = trace();
    const { n, to } = note.place;
    const span = spanOf(note.place);
    if (span) cursor.jump(Math.min(n, last), span);
    else cursor.jump(Math.min(n, last));
    if (to !== undefined) view.showRecords(n, to);
    chosen = note.id;
    if (note.place.unreached) say('The index has not come to this note yet.');
  }

  async function move(moved: string, before: string | null): Promise<void> {
    await change('note moved', (notes) => {
      const orders = new Map(moveNote(notes, moved, before).map((placed) => [placed.id, placed.order]));
      const put = notes.flatMap((note) => {
        const order = orders.get(note.id);
        return order === undefined ? [] : [{ ...draftOf(note, note.revision), order }];
      });
      return put.length > 0 ? { put } : null;
    });
  }

  function told(result: Result<Step | null>, done: string, nothing: string): void {
    if (!result.ok) say(result.error.message);
    else say(result.value ? `${done}: ${result.value.what}` : nothing);
  }

  return {
    book,
    typing,
    views: createViews(book, trace, say),
    get all() {
      return all;
    },
    get listed() {
      return listed;
    },
    get filter() {
      return filter;
    },
    set filter(next) {
      filter = next;
    },
    get chosen() {
      return chosen;
    },
    set chosen(next) {
      chosen = next;
    },
    at: (n) => [...(starts.get(n) ?? []), ...ranges.filter(({ place }) => n > place.n && n < (place.to ?? 0))],
    jump,
    walk(way) {
      const { n } = trace().cursor;
      let best: Note | undefined;
      for (const note of all) {
        const far = (note.place.n - n) * way;
        if (far > 0 && (best === undefined || far < (best.place.n - n) * way)) best = note;
      }
      if (best) jump(best);
      else say(`There is no ${way > 0 ? 'later' : 'earlier'} note`);
    },
    async bookmark() {
      const place = here();
      const fresh = { id: crypto.randomUUID(), title: '', text: '', colour: typing.colour, tags: [], place };
      const turn = { isNew: true };
      const isDone = await change('bookmark', (notes) => {
        const there = notes.find((note) => isBare(note) && note.place.n === place.n && note.place.to === place.to);
        turn.isNew = there === undefined;
        return there ? { remove: [{ id: there.id, revision: there.revision }] } : { put: [fresh] };
      });
      if (!isDone) return;
      if (turn.isNew) chosen = fresh.id;
      say(`Bookmark ${turn.isNew ? 'kept' : 'removed'}: record ${group(place.n)}`);
    },
    begin: () => typing.begin(here()),
    takePlace: () => typing.moveTo(here()),
    async keep(title, tag, place) {
      const note = { id: crypto.randomUUID(), title, text: '', colour: typing.colour, tags: [tag], place };
      const before = chosen;
      const turn: { kept: string } = { kept: note.id };
      const isDone = await change('note', (notes) => {
        const there = notes.find((other) => isKeptAs(other, note));
        turn.kept = there?.id ?? note.id;
        return there ? null : { put: [note] };
      });
      if (!isDone) return;
      if (chosen === before) chosen = turn.kept;
      say(`${turn.kept === note.id ? 'Kept as a note' : 'It is kept as a note already'}: record ${group(place.n)}`);
    },
    async remove(note) {
      if (typing.note?.id === note.id) typing.cancel();
      const at = listed.findIndex((other) => other.id === note.id);
      const next = listed[at + 1] ?? listed[at - 1];
      const what = isBare(note) ? 'bookmark' : 'note';
      const seen = { id: note.id, revision: note.revision };
      const before = chosen;
      if (!(await change(`${what} removed`, () => ({ remove: [seen] })))) return;
      if (chosen === before) chosen = next?.id ?? null;
      say(`The ${what} was removed; Ctrl+Z brings it back`);
    },
    move,
    async moveBy(moved, by) {
      const at = listed.findIndex((note) => note.id === moved);
      const beside = listed[at + by];
      if (at < 0 || !beside) return;
      // Behind one of the list is before whatever follows that one among all.
      const others = all.filter((note) => note.id !== moved);
      const place = others.indexOf(beside) + (by > 0 ? 1 : 0);
      await move(moved, others[place]?.id ?? null);
    },
    async undo() {
      told(await book.undo(), 'Undone', 'There is nothing to undo');
    },
    async redo() {
      told(await book.redo(), 'Done again', 'There is nothing to do again');
    },
    async merge(text) {
      const result = await book.merge(text);
      if (!result.ok) {
        say(result.error.message);
        return;
      }
      const { views } = result.value;
      const hasViews = views.added + views.updated + views.same > 0;
      say(`Notes: ${takenText(result.value)}${hasViews ? `; views and reports: ${takenText(views)}` : ''}`);
    },
  };
}

/** The cursor's address belongs to its record: it was chosen there, or the record touches it. */
function isAbout({ cursor, rows }: Trace): boolean {
  const record = rows.at(cursor.n);
  if (!cursor.address || cursor.about !== 'address') return false;
  if (cursor.isAddressHere) return true;
  if (record?.address === undefined) return false;
  const { low, bytes } = cursor.address;
  const start = BigInt(record.address);
  return start < low + BigInt(bytes) && low < start + BigInt(record.size ?? 1);
}

function takenText({ added, updated, same }: Taken): string {
  return `${group(added)} added, ${group(updated)} updated, ${group(same)} were there already`;
}

/** True of a note that says what one that is to be kept says. */
function isKeptAs(note: Note, { title, tags, place }: Pick<NoteDraft, 'title' | 'tags' | 'place'>): boolean {
  const { n, to, address, length } = note.place;
  return (
    note.title === title &&
    note.text === '' &&
    note.tags.join() === tags.join() &&
    n === place.n &&
    to === place.to &&
    address === place.address &&
    length === place.length
  );
}

/** Nothing but a place. */
function isBare({ title, text, tags }: Note): boolean {
  return title === '' && text === '' && tags.length === 0;
}
