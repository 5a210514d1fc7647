/** How the page's notebook changes, follows others, and takes its own changes back without losing theirs. */
import { expect, test } from 'vitest';
import { createConnection } from '../../renderer/client/connection.svelte.ts';
import { createNotebook, type Visibility } from '../../renderer/trace/notes/notebook.svelte.ts';
import type { RequestName, Client } from '../../shared/requests/requests.ts';
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

test('changes wait for one another, so that each sees what the one before left', async () => {
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

test('a change that nobody answers fails at once: the notes are not read in vain', async () => {
  const { book, fake } = open();
  await book.change('note', () => ({ put: [draft('a')] }));
  fake.calls.length = 0;
  fake.refuse('disconnected', 'nobody answers');
  const result = await book.change('note', () => ({ put: [draft('b')] }));
  expect([result.ok, fake.calls]).toEqual([false, ['changeNotebook']]);
});

test('while nobody answers no change waits: it fails, and notes are read once somebody answers', async () => {
  const fake = fakeNotebook();
  let isThere = false;
  const wire = {
    request: (name: RequestName, ...rest: [never, never]) => {
      if (!isThere) return Promise.resolve(fail('disconnected', 'nobody answers'));
      return name === 'formats' ? Promise.resolve(ok([])) : fake.client.request(name, ...rest);
    },
  } as Client;
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

test('notes that were made, changed and removed come back and go again', async () => {
  const { book } = open();
  await book.change('note', () => ({ put: [draft('a', { tags: ['x'], place: { n: 7, to: 9, address: '0x8000' } })] }));
  await book.change('note changed', ({ notes }) => ({
    put: [draft('a', { title: 'A', revision: notes[0]!.revision })],
  }));
  await book.change('note removed', ({ notes }) => ({ remove: [{ id: 'a', revision: notes[0]!.revision }] }));
  expect(titles(book)).toEqual([]);

  const said = [];
  for (let step = 0; step < 3; step += 1) said.push(await book.undo());
  expect(said.map((step) => step.ok && step.value?.what)).toEqual(['note removed', 'note changed', 'note']);
  expect([titles(book), book.canUndo, book.canRedo]).toEqual([[], false, true]);
  expect(await book.undo()).toEqual({ ok: true, value: null });

  await book.redo();
  expect(book.value?.notes[0]).toMatchObject({ title: 'a', tags: ['x'], place: { n: 7, to: 9, address: '0x8000' } });
  await book.redo();
  expect(titles(book)).toEqual(['A']);
  await book.redo();
  expect([titles(book), book.canRedo]).toEqual([[], false]);
});

test('a note that comes back is as old as it was', async () => {
  const { book, fake } = open();
  fake.change({ put: [draft('a', { created: 'long ago', order: 3 })] });
  await book.change('note removed', ({ notes }) => ({ remove: [{ id: 'a', revision: notes[0]!.revision }] }));
  await book.undo();
  expect(book.value?.notes[0]).toMatchObject({ created: 'long ago', order: 3 });
});

test('a new change forgets what could be done again', async () => {
  const { book } = open();
  await book.change('note', () => ({ put: [draft('a')] }));
  await book.undo();
  expect(book.canRedo).toBe(true);
  await book.change('note', () => ({ put: [draft('b')] }));
  expect(book.canRedo).toBe(false);
});

test('what somebody else changed since is not taken back', async () => {
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

test('only what was done here is taken back, also where others wrote at the same time', async () => {
  const { book, fake } = open();
  await book.change('note', () => ({ put: [draft('a')] }));
  fake.change({ put: [draft('theirs')] });
  await book.change('note', () => ({ put: [draft('b')] }));
  await book.undo();
  expect(titles(book)).toEqual(['a', 'theirs']);
});

test('views are taken back like notes', async () => {
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

test('a change that is refused changes nothing and can be made again', async () => {
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

test('what others write is followed while the page is in sight', async () => {
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

test('what was written here is not read again', async () => {
  const { book, fake } = open();
  const stop = book.follow();
  await idle();
  fake.calls.length = 0;
  await book.change('note', () => ({ put: [draft('a')] }));
  await idle();
  expect(fake.calls).toEqual(['changeNotebook']);
  stop();
});
