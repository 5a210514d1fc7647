/**
 * The notes of a trace that several panes show and add to: where they are, which one is chosen, and the ones that a single key
 * keeps. The Notes pane adds its list, its filter and its editor.
 */
import type { Client } from '../../../shared/requests/requests.ts';
import type { Note, NoteColour, NoteDraft, Taken } from '../../../shared/requests/notes.ts';
import type { Failure, Result } from '../../../shared/base/result.ts';
import { group } from '../../../shared/base/numbers.ts';
import { nameOf } from '../file-names.ts';
import { countsText, mergedItems } from './merged-items.ts';
import { addressOf, spanOf, type DraftPlace } from './note-place.ts';
import type { Change, Step } from './note-steps.ts';
import { createNotebook, type NotebookStore, type Visibility } from './notebook.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

export interface Notes {
  readonly book: NotebookStore;
  /** All notes, in their order. */
  readonly all: readonly Note[];
  /** Id of the chosen note. */
  chosen: string | null;
  /** Colour of new notes: the colour of the note saved last. */
  colour: NoteColour;
  /** Returns the notes that begin at a record, followed by the notes whose range contains it. */
  readonly at: (n: number) => readonly Note[];
  /** Place for a new note: the selection of the heatmap, else the cursor. */
  readonly placeHere: () => DraftPlace;
  /** Goes to the record, range and address of a note. */
  readonly jump: (note: Note) => void;
  /** Goes to the next or previous note by record. */
  readonly walk: (direction: 1 | -1) => void;
  /** Adds a bookmark at a place, by default the current one, or removes the bookmark that is already there. */
  readonly bookmark: (place?: DraftPlace) => Promise<void>;
  /** Adds a note about a place that another pane found. */
  readonly keep: (title: string, tag: string, place: DraftPlace, text?: string) => Promise<void>;
  /** Changes the notebook. Returns false, and says why, if that failed. */
  readonly change: (what: string, make: (notes: readonly Note[]) => Change | null) => Promise<boolean>;
  readonly undo: () => Promise<void>;
  readonly redo: () => Promise<void>;
  /** Imports notes from the text of an exported file. */
  readonly merge: (text: string) => Promise<void>;
  /** Adds the notes and views of a bundle. Returns the reason if that failed; null if it is done. */
  readonly mergeBundle: (path: string) => Promise<Failure | null>;
}

const FIRST_COLOUR: NoteColour = 'yellow';

export function createNotes(
  client: Client,
  id: string,
  trace: () => TraceBase,
  say: (text: string) => void,
  visibility: Visibility,
): Notes {
  const book = createNotebook(client, id, visibility);
  let chosen = $state<string | null>(null);
  let colour = $state<NoteColour>(FIRST_COLOUR);

  const all = $derived(book.value?.notes ?? []);
  const starts = $derived(Map.groupBy(all, ({ place }) => place.n));
  const ranges = $derived(all.filter(({ place }) => place.to !== undefined));

  function placeHere(): DraftPlace {
    const { cursor, view, last } = trace();
    const { selection } = view;
    if (!selection)
      return { n: cursor.n, ...(hasOwnAddress(trace()) && cursor.address ? addressOf(cursor.address) : {}) };
    const bytes = Number(selection.high - selection.low);
    const n = Math.min(last, Math.max(0, Math.floor(selection.from)));
    const to = Math.max(n + 1, Math.min(last + 1, Math.ceil(selection.to)));
    return { n, to, ...(Number.isSafeInteger(bytes) ? addressOf({ low: selection.low, bytes }) : {}) };
  }

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
    if (note.place.unreached) say('The index has not reached this note yet.');
  }

  function sayStep(result: Result<Step | null>, done: string, nothing: string): void {
    if (!result.ok) say(result.error.message);
    else say(result.value ? `${done}: ${result.value.what}` : nothing);
  }

  return {
    book,
    get all() {
      return all;
    },
    get chosen() {
      return chosen;
    },
    set chosen(next) {
      chosen = next;
    },
    get colour() {
      return colour;
    },
    set colour(next) {
      colour = next;
    },
    at: (n) => [...(starts.get(n) ?? []), ...ranges.filter(({ place }) => n > place.n && n < (place.to ?? 0))],
    placeHere,
    jump,
    walk(direction) {
      const { n } = trace().cursor;
      let nearest: Note | undefined;
      for (const note of all) {
        const distance = (note.place.n - n) * direction;
        if (distance > 0 && (nearest === undefined || distance < (nearest.place.n - n) * direction)) nearest = note;
      }
      if (nearest) jump(nearest);
      else say(`There is no ${direction > 0 ? 'later' : 'earlier'} note`);
    },
    async bookmark(place = placeHere()) {
      const fresh = { id: crypto.randomUUID(), title: '', text: '', colour, tags: [], place };
      const outcome = { isNew: true };
      const isDone = await change('bookmark', (notes) => {
        const there = notes.find((note) => isBare(note) && note.place.n === place.n && note.place.to === place.to);
        outcome.isNew = there === undefined;
        return there ? { remove: [{ id: there.id, revision: there.revision }] } : { put: [fresh] };
      });
      if (!isDone) return;
      if (outcome.isNew) chosen = fresh.id;
      say(`Bookmark ${outcome.isNew ? 'added' : 'removed'}: record ${group(place.n)}`);
    },
    async keep(title, tag, place, text = '') {
      const note = { id: crypto.randomUUID(), title, text, colour, tags: [tag], place };
      const before = chosen;
      const outcome: { kept: string } = { kept: note.id };
      const isDone = await change('note', (notes) => {
        const there = notes.find((other) => isKeptAs(other, note));
        outcome.kept = there?.id ?? note.id;
        return there ? null : { put: [note] };
      });
      if (!isDone) return;
      if (chosen === before) chosen = outcome.kept;
      say(`${outcome.kept === note.id ? 'Note added' : 'This note already exists'}: record ${group(place.n)}`);
    },
    change,
    async undo() {
      sayStep(await book.undo(), 'Undone', 'There is nothing to undo');
    },
    async redo() {
      sayStep(await book.redo(), 'Redone', 'There is nothing to redo');
    },
    async merge(text) {
      const result = await book.merge({ text });
      if (!result.ok) {
        say(result.error.message);
        return;
      }
      const { answer } = result.value;
      const { views } = answer;
      const hasViews = Object.values(views).some((count) => count > 0);
      say(`Notes: ${takenText(answer)}${hasViews ? `; views and reports: ${takenText(views)}` : ''}`);
    },
    async mergeBundle(path) {
      const result = await book.merge({ bundle: path });
      if (!result.ok) return result.error;
      const items = mergedItems(result.value.step);
      chosen = items.find(({ kind }) => kind === 'note')?.id ?? chosen;
      const [other, added] = [items.filter(({ isOther }) => isOther), items.filter(({ isOther }) => !isOther)];
      const parts = [
        added.length > 0 && `${countsText(added)} added`,
        other.length > 0 && `${countsText(other)} kept in two versions`,
      ].filter((part) => part !== false);
      say(`${nameOf(path)} was merged: ${parts.join('; ') || 'nothing in it was new'}. Ctrl+Z takes this back`);
      return null;
    },
  };
}

/** Returns true if the cursor's address belongs to its record: it was chosen there, or the record touches it. */
function hasOwnAddress({ cursor, rows }: TraceBase): boolean {
  const record = rows.at(cursor.n);
  if (!cursor.address || cursor.about !== 'address') return false;
  if (cursor.isAddressHere) return true;
  if (record?.address === undefined) return false;
  const { low, bytes } = cursor.address;
  const start = BigInt(record.address);
  return start < low + BigInt(bytes) && low < start + BigInt(record.size ?? 1);
}

function takenText({ added, updated, same, conflicts }: Taken): string {
  const kept =
    conflicts === 0 ? '' : `, ${group(conflicts)} earlier version${conflicts === 1 ? '' : 's'} to decide about`;
  return `${group(added)} added, ${group(updated)} updated, ${group(same)} unchanged${kept}`;
}

/** Returns true if a note has the same content and place as one that is about to be kept. */
function isKeptAs(note: Note, { title, text, tags, place }: Omit<NoteDraft, 'id' | 'colour'>): boolean {
  const { n, to, address, length } = note.place;
  return (
    note.title === title &&
    note.text === text &&
    note.tags.join() === tags.join() &&
    n === place.n &&
    to === place.to &&
    address === place.address &&
    length === place.length
  );
}

/** Returns true for a bookmark: a note with a place and nothing else. */
export function isBare({ title, text, tags }: Note): boolean {
  return title === '' && text === '' && tags.length === 0;
}
