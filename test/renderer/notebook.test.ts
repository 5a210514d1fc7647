/** How the page's notebook changes, follows others, and takes its own changes back without losing theirs. */
import { expect, test } from 'vitest';
import { createConnection } from '../../renderer/client/connection.svelte.ts';
import { createNotebook, type Visibility } from '../../renderer/trace/notes/notebook.svelte.ts';
import type { RequestName } from '../../shared/requests/requests.ts';
import { fail, ok } from '../../shared/base/result.ts';
import { draft, fakeNotebook, idle } from './fake-notebook.ts';

const seen: Visibility = { isVisible: () => true, onChange: () => () => undefined };

function open() {
  const fake = fakeNotebook();
  return { fake, book: createNotebook(fake.client, 't1', seen) };
}

function titles(book: ReturnType<typeof open>['book']): readonly string[] {
  return book.value?.notes.map(({ title }) => title) ?? [];
}

test('changes run one after another, so each sees the result of the previous one', async () => {
  const { book } = open();
  const counts: number[] = [];
  await Promise.all(
    ['a', 'b', 'c'].map((id) =>
      book.change('note', ({ notes }) => {
        counts.push(notes.length);
        return { put: [draft(id)] };
      }),
    ),
  );
  expect(counts).toEqual([0, 1, 2]);
  expect(titles(book)).toEqual(['a', 'b', 'c']);
});

test('a change fails at once without a server and does not read the notes', async () => {
  const { book, fake } = open();
  await book.change('note', () => ({ put: [draft('a')] }));
  fake.calls.length = 0;
  fake.refuse('disconnected', 'nobody answers');
  const result = await book.change('note', () => ({ put: [draft('b')] }));
  expect([result.ok, fake.calls]).toEqual([false, ['changeNotebook']]);
});

test('without a server, changes fail instead of waiting, and notes are read when it answers', async () => {
  const fake = fakeNotebook();
  let isThere = false;
  const wire = {
    request: (name: RequestName, ...rest: [never, never]) => {
      if (!isThere) return Promise.resolve(fail('disconnected', 'nobody answers'));
      return name === 'formats' ? Promise.resolve(ok([])) : fake.client.request(name, ...rest);
    },
  };
  const connection = createConnection(wire, () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    return { over: promise, sooner: () => resolve(undefined) };
  });
  const book = createNotebook(connection.client, 't1', seen);
  const end = book.follow();
  expect(await book.change('note', () => ({ put: [draft('a')] }))).toMatchObject({ ok: false });

  fake.change({ put: [draft('b')] });
  isThere = true;
  connection.check();
  await expect.poll(() => titles(book)).toEqual(['b']);
  await book.change('note', () => ({ put: [draft('c')] }));

  isThere = false;
  expect(await book.undo()).toMatchObject({ ok: false });
  isThere = true;
  connection.check();
  await expect.poll(() => connection.lost).toBe(null);
  await idle();
  expect([titles(book), book.canUndo, book.failure]).toEqual([['b', 'c'], true, null]);
  end();
});

test('undoes and redoes creating, changing and removing notes', async () => {
  const { book } = open();
  await book.change('note', () => ({ put: [draft('a', { tags: ['x'], place: { n: 7, to: 9, address: '0x8000' } })] }));
  await book.change('note changed', ({ notes }) => ({
    put: [draft('a', { title: 'A', revision: notes[0]!.revision })],
  }));
  await book.change('note removed', ({ notes }) => ({ remove: [{ id: 'a', revision: notes[0]!.revision }] }));
  expect(titles(book)).toEqual([]);

  const announced = [];
  for (let step = 0; step < 3; step += 1) announced.push(await book.undo());
  expect(announced.map((step) => step.ok && step.value?.what)).toEqual(['note removed', 'note changed', 'note']);
  expect([titles(book), book.canUndo, book.canRedo]).toEqual([[], false, true]);
  expect(await book.undo()).toEqual({ ok: true, value: null });

  await book.redo();
  expect(book.value?.notes[0]).toMatchObject({ title: 'a', tags: ['x'], place: { n: 7, to: 9, address: '0x8000' } });
  await book.redo();
  expect(titles(book)).toEqual(['A']);
  await book.redo();
  expect([titles(book), book.canRedo]).toEqual([[], false]);
});

test("undoing a removal restores the note's creation time and order", async () => {
  const { book, fake } = open();
  fake.change({ put: [draft('a', { created: 'long ago', order: 3 })] });
  await book.change('note removed', ({ notes }) => ({ remove: [{ id: 'a', revision: notes[0]!.revision }] }));
  await book.undo();
  expect(book.value?.notes[0]).toMatchObject({ created: 'long ago', order: 3 });
});

test('a new change clears redo', async () => {
  const { book } = open();
  await book.change('note', () => ({ put: [draft('a')] }));
  await book.undo();
  expect(book.canRedo).toBe(true);
  await book.change('note', () => ({ put: [draft('b')] }));
  expect(book.canRedo).toBe(false);
});

test('refuses to undo a change that another writer has changed since', async () => {
  const { book, fake } = open();
  await book.change('note', () => ({ put: [draft('a')] }));
  await book.change('note', () => ({ put: [draft('b')] }));
  fake.change({ put: [draft('b', { title: 'theirs', revision: 2 })] });
  const refused = await book.undo();
  expect(!refused.ok && refused.error.message).toContain('Someone has changed the notebook since');
  expect(titles(book)).toEqual(['a', 'theirs']);
  // Earlier changes can still be undone.
  await book.undo();
  expect(titles(book)).toEqual(['theirs']);
});

test('undoes only own changes, even if others wrote in between', async () => {
  const { book, fake } = open();
  await book.change('note', () => ({ put: [draft('a')] }));
  fake.change({ put: [draft('theirs')] });
  await book.change('note', () => ({ put: [draft('b')] }));
  await book.undo();
  expect(titles(book)).toEqual(['a', 'theirs']);
});

test('undoes changes of views like notes', async () => {
  const { book } = open();
  await book.change('view saved', () => ({ putViews: [{ id: 'v', name: 'first', content: '{}' }] }));
  await book.change('view renamed', ({ views }) => ({
    putViews: [{ id: 'v', name: 'second', content: '{}', revision: views[0]!.revision }],
  }));
  await book.undo();
  expect(book.value?.views.map(({ name }) => name)).toEqual(['first']);
  await book.undo();
  expect(book.value?.views).toEqual([]);
});

test('a refused change has no effect and can be repeated', async () => {
  const { book, fake } = open();
  fake.refuse('full', 'The disk is full.');
  const refused = await book.change('note', () => ({ put: [draft('a')] }));
  expect(refused).toMatchObject({ ok: false, error: { code: 'full' } });
  expect([titles(book), book.canUndo]).toEqual([[], false]);
  await book.change('note', () => ({ put: [draft('a')] }));
  fake.refuse('full', 'The disk is full.');
  expect(await book.undo()).toMatchObject({ ok: false });
  expect(book.canUndo).toBe(true);
  await book.undo();
  expect(titles(book)).toEqual([]);
});

test('follows changes of other writers while the page is visible', async () => {
  const fake = fakeNotebook();
  let isVisible = true;
  let notify = (): void => undefined;
  const visibility: Visibility = {
    isVisible: () => isVisible,
    onChange(callback) {
      notify = callback;
      return () => undefined;
    },
  };
  const book = createNotebook(fake.client, 't1', visibility);
  const stop = book.follow();
  await idle();
  fake.change({ put: [draft('a')] });
  await idle();
  expect([titles(book), fake.watching()]).toEqual([['a'], 1]);

  isVisible = false;
  notify();
  fake.change({ put: [draft('b')] });
  await idle();
  expect([titles(book), fake.watching()]).toEqual([['a'], 0]);
  isVisible = true;
  notify();
  await idle();
  expect([titles(book), fake.watching()]).toEqual([['a', 'b'], 1]);
  stop();
  await idle();
  expect([fake.watching(), book.failure]).toEqual([0, null]);
});

test('does not read own changes again', async () => {
  const { book, fake } = open();
  const stop = book.follow();
  await idle();
  fake.calls.length = 0;
  await book.change('note', () => ({ put: [draft('a')] }));
  await idle();
  expect(fake.calls).toEqual(['changeNotebook']);
  stop();
});
