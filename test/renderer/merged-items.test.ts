import { expect, test } from 'vitest';
import { countsText, mergedItems } from '../../renderer/trace/notes/merged-items.ts';
import { queryView } from '../../renderer/trace/sql/saved-queries.ts';
import type { Note, View } from '../../shared/requests/notes.ts';

const time = '2026-01-31T12:00:00.000Z';

function note(id: string, title: string, more: Partial<Note> = {}): Note {
  const place = { n: 5, offset: 50, reading: 'text' };
  return {
    id,
    title,
    text: '',
    colour: 'blue',
    tags: [],
    place,
    order: 1,
    created: time,
    changed: time,
    revision: 1,
    ...more,
  };
}

function view(id: string, name: string, content = '{}', more: Partial<View> = {}): View {
  return { id, name, content, changed: time, revision: 1, ...more };
}

test('lists each note and view once, with both of its versions', () => {
  const query = view('q', 'Writes', queryView({ title: 'Writes', sql: 'SELECT 1', set: {} }, undefined).content);
  const step = {
    notes: [
      { id: 'new', before: undefined, after: note('new', 'New') },
      // Both versions come from the bundle.
      { id: 'x-was-new', before: undefined, after: note('x-was-new', 'Old', { conflictOf: 'new' }) },
      // Theirs is the later one.
      { id: 'a', before: note('a', 'Mine'), after: note('a', 'Theirs') },
      { id: 'x-was-a', before: undefined, after: note('x-was-a', 'Mine', { conflictOf: 'a' }) },
      // Theirs is the earlier one, and the one of the notebook stays.
      { id: 'x-was-b', before: undefined, after: note('x-was-b', 'Earlier', { conflictOf: 'b' }) },
      { id: 'order', before: note('order', 'Moved'), after: note('order', 'Moved', { order: 2 }) },
      { id: 'bare', before: undefined, after: note('bare', '') },
    ],
    views: [
      { id: 'q', before: undefined, after: query },
      { id: 'x-was-v', before: undefined, after: view('x-was-v', 'Loop', '{}', { conflictOf: 'v' }) },
    ],
  };
  const items = mergedItems(step);
  expect(items.map(({ kind, title, isOther }) => [kind, title, isOther])).toEqual([
    ['note', 'New', false],
    ['note', 'Theirs', true],
    ['note', 'Earlier', true],
    ['note', 'Bookmark at record 5', false],
    ['query', 'Writes', false],
    ['view', 'Loop', true],
  ]);
  expect(countsText(items)).toBe('4 notes, 1 saved query, 1 saved view');
});
