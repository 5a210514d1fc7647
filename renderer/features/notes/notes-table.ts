/** Notes as a table for CSV. */
import type { Note } from '../../../shared/requests/notes.ts';
import type { Table } from '../../widgets/table.ts';

export function notesTable(notes: readonly Note[]): Table {
  return {
    name: 'notes',
    head: ['title', 'text', 'tags', 'from', 'to', 'address', 'length', 'colour'],
    count: notes.length,
    row(index) {
      const note = notes[index];
      if (!note) return [];
      const { title, text, tags, place, colour } = note;
      return [title, text, tags.join(' '), place.n, place.to, place.address, place.length, colour];
    },
  };
}
