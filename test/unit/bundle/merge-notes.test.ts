// Joining notes of two bundles: the same in either order and however often, and no version is lost.
import { expect, test } from 'vitest';
import { mergeItems } from '../../../electron/engine/bundle/merge-notes.ts';
import { contentOfNote } from '../../../electron/engine/notebook/rows.ts';
import { withConflicts } from '../../../electron/engine/notebook/conflicts.ts';
import type { Note } from '../../../shared/requests/notes.ts';

function note(id: string, text: string, minute: number, order = 1): Note {
  const changed = `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
  const place = { n: 5, offset: 50, reading: 'din' };
  const created = '2026-01-01T00:00:00.000Z';
  return { id, title: id, text, colour: 'blue', tags: [], place, order, created, changed, revision: 1 };
}

const merge = (a: readonly Note[], b: readonly Note[]): readonly Note[] => mergeItems(a, b, contentOfNote).items;
const texts = (notes: readonly Note[]): string[] => notes.map(({ text }) => text).sort();

test('keeps the notes of both, and both versions of a note that both changed', () => {
  const { items, taken } = mergeItems(
    [note('a', 'mine', 1), note('b', 'only mine', 1)],
    [note('a', 'theirs', 2), note('c', 'only theirs', 1)],
    contentOfNote,
  );
  expect(texts(items)).toEqual(['mine', 'only mine', 'only theirs', 'theirs']);
  expect(items.find(({ id }) => id === 'a')?.text).toBe('theirs');
  expect(withConflicts(items).filter(({ conflictOf }) => conflictOf === 'a')).toMatchObject([{ text: 'mine' }]);
  expect(taken).toEqual({ added: 1, updated: 1, same: 1, conflicts: 1 });
});

test('keeps the version of the same time whose content is the same on every machine', () => {
  const [a, b] = [[note('a', 'one', 1)], [note('a', 'other', 1)]];
  expect(merge(a, b)).toEqual(merge(b, a));
  expect(texts(merge(a, b))).toEqual(['one', 'other']);
});

test('obeys the laws of a union for any sets of versions', () => {
  let seed = 1;
  const random = (most: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >>> 8) % most;
  };
  const some = (): Note[] => {
    const ids = ['a', 'b', 'c', 'd'].filter(() => random(3) > 0);
    return ids.map((id) => note(id, `text ${String(random(3))}`, random(4), random(3)));
  };
  for (let i = 0; i < 400; i++) {
    const [a, b, c] = [some(), some(), some()];
    const ab = merge(a, b);
    expect(merge(b, a)).toEqual(ab);
    expect(merge(ab, ab)).toEqual(ab);
    expect(merge(ab, a)).toEqual(ab);
    expect(texts(merge(ab, c))).toEqual(texts(merge(a, merge(b, c))));
    expect(merge(ab, c)).toEqual(merge(a, merge(b, c)));
    for (const one of [...a, ...b]) expect(texts(ab)).toContain(one.text);
  }
});
