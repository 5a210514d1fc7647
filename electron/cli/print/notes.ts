/** Prints notes: flat objects as JSON, or a table. */
import type { Note } from '../../../shared/requests/notes.ts';
import type { Context } from '../command.ts';
import { group } from '../../../shared/base/numbers.ts';
import { printable } from './printable.ts';
import { createTable, type Column } from './table.ts';

export async function printNotes({ common, out }: Context, notes: readonly Note[]): Promise<void> {
  if (common.json) await out.json(notes.map(flatNote));
  else if (notes.length === 0) await out.write('no notes\n');
  else {
    const isElsewhere = notes.some(({ place }) => place.elsewhere === true);
    await out.write(`${createTable(COLUMNS, out.colour).lines(notes)}${isElsewhere ? ELSEWHERE : ''}`);
  }
}

const ELSEWHERE =
  '* made when the trace was read differently: the record at the same byte of the file; the end of a range is unknown\n';

/** `at` and `to` are record numbers; `elsewhere` marks a note made in another reading of the trace, `conflictOf` an earlier version. */
export function flatNote({ id, place, title, text, colour, tags, created, changed, conflictOf }: Note) {
  const { n: at, to, address, length, elsewhere } = place;
  return {
    id,
    at,
    ...(to !== undefined && { to }),
    ...(address !== undefined && { address }),
    ...(length !== undefined && { length }),
    title,
    text,
    colour,
    tags,
    created,
    changed,
    ...(elsewhere && { elsewhere }),
    ...(conflictOf !== undefined && { conflictOf }),
  };
}

const COLUMNS: readonly Column<Note>[] = [
  { title: 'id', text: ({ id }) => id.slice(0, 8) },
  { title: 'at', right: true, text: ({ place }) => `${group(place.n)}${place.elsewhere ? '*' : ''}` },
  { title: 'to', right: true, text: ({ place }) => (place.to === undefined ? '' : group(place.to)) },
  { title: 'address', right: true, text: ({ place }) => place.address ?? '' },
  { title: 'length', right: true, text: ({ place }) => (place.length === undefined ? '' : group(place.length)) },
  { title: 'colour', text: ({ colour }) => colour },
  { title: 'tags', text: ({ tags }) => printable(tags.join(', '), 40) },
  {
    title: 'conflict',
    text: ({ conflictOf }) => (conflictOf === undefined ? '' : `earlier version of ${conflictOf.slice(0, 8)}`),
  },
  { title: 'title', text: ({ title }) => printable(title, 80) },
  { title: 'text', text: ({ text }) => printable(text.replaceAll(/\s+/g, ' '), 100) },
];
