/** Notes in the page: the bookmark key, typing, filters, order, and conflicts. */
import { expect, test } from 'vitest';
import { createCursor } from '../../renderer/trace/cursor.svelte.ts';
import { coloursOf, filterNotes, NO_FILTER, tagsOf } from '../../renderer/features/notes/note-filter.ts';
import { moveNote } from '../../renderer/features/notes/note-order.ts';
import { addressText, readNotePlace, recordsText } from '../../renderer/trace/notes/note-place.ts';
import { createNotesPane } from '../../renderer/features/notes/notes-pane.svelte.ts';
import { createNotes } from '../../renderer/trace/notes/notes.svelte.ts';
import type { Trace } from '../../renderer/trace/trace.svelte.ts';
import { readTags } from '../../renderer/features/notes/typed-note.ts';
import { createView } from '../../renderer/trace/view.svelte.ts';
import { noteAt, placeNotes } from '../../renderer/widgets/note-marks.ts';
import type { Note } from '../../shared/requests/notes.ts';
import { draft, fakeNotebook } from './fake-notebook.ts';

const VISIBLE = { isVisible: () => true, onChange: () => () => undefined };
const NO_STORAGE = { load: () => null, save: () => undefined };

function open() {
  const fake = fakeNotebook();
  const cursor = createCursor();
  const view = createView(cursor, () => 10_000);
  const announced: string[] = [];
  const rows = { at: (n: number) => (n === 300 ? { n, address: '0x8002', size: 2 } : undefined) };
  const say = (text: string): unknown => announced.push(text);
  const base = { cursor, view, rows, last: 9999, extent: 10_000, say } as unknown as Trace;
  const notes = createNotes(fake.client, 't1', () => base, say, VISIBLE);
  const pane = createNotesPane({ ...base, notes }, NO_STORAGE);
  return { fake, cursor, view, notes, pane, announced };
}

test('adds a bookmark at the cursor, and the same key removes it', async () => {
  const { notes, cursor, announced } = open();
  cursor.jump(1234);
  await notes.bookmark();
  expect(notes.all).toMatchObject([{ title: '', text: '', place: { n: 1234 } }]);
  expect(notes.all[0]?.place).not.toHaveProperty('address');
  await notes.bookmark();
  expect([notes.all, announced]).toEqual([[], ['Bookmark added: record 1,234', 'Bookmark removed: record 1,234']]);
  await notes.undo();
  expect(notes.at(1234)).toHaveLength(1);
});

test('the bookmark key never removes a note', async () => {
  const { notes, fake } = open();
  fake.change({ put: [draft('a', { place: { n: 0 } })] });
  await notes.bookmark();
  expect(notes.all.map(({ title }) => title)).toEqual(['a', '']);
});

test('stores an address with a note only if it was chosen or is accessed at the record', async () => {
  const { notes, cursor } = open();
  cursor.jump(100, { low: 0x8000n, bytes: 4 });
  await notes.bookmark();
  cursor.step(101);
  await notes.bookmark();
  cursor.step(300);
  await notes.bookmark();
  cursor.step(301);
  cursor.setAddress({ low: 0x9000n, bytes: 1 });
  await notes.bookmark();
  cursor.setRegister({ name: 'r1' });
  cursor.step(302);
  await notes.bookmark();
  expect(notes.all.map(({ place }) => [place.n, place.address, place.length])).toEqual([
    [100, '0x8000', 4],
    [101, undefined, undefined],
    [300, '0x8000', 4],
    [301, '0x9000', undefined],
    [302, undefined, undefined],
  ]);
});

test('a note about a brushed selection has its ranges, and going to the note shows them', async () => {
  const { notes, cursor, view, pane } = open();
  view.selection = { from: 200, to: 500, low: 0x1000n, high: 0x1100n, stretch: { bottom: 0, top: 1 } };
  await pane.begin();
  expect(pane.typing.note).toMatchObject({ records: '200 to 499', address: '0x1000+256' });
  pane.typing.note = { ...pane.typing.note!, title: 'loop' };
  expect(await pane.typing.save()).toBe(true);
  expect(notes.all[0]?.place).toMatchObject({ n: 200, to: 500, address: '0x1000', length: 256 });
  view.selection = null;
  cursor.jump(9000);
  notes.jump(notes.all[0]!);
  expect([cursor.n, cursor.address, cursor.range]).toEqual([200, { low: 0x1000n, bytes: 256 }, { from: 200, to: 500 }]);
  expect([199, 200, 499, 500].map((n) => notes.at(n).length)).toEqual([0, 1, 1, 0]);
});

test('drops an empty new note, and saves a typed one before the next', async () => {
  const { notes, cursor, pane } = open();
  await pane.begin();
  cursor.jump(50);
  await pane.begin();
  expect(pane.typing.note?.records).toBe('50');
  pane.typing.note = { ...pane.typing.note!, text: 'words', tags: ' b,a ,, b' };
  cursor.jump(60);
  await pane.begin();
  expect(notes.all).toMatchObject([{ text: 'words', tags: ['b', 'a'], place: { n: 50 } }]);
  pane.typing.cancel();
  expect([pane.typing.note, notes.all.length]).toEqual([null, 1]);
});

test('returns to a note that could not be saved first, and to the next one after it', async () => {
  const { notes, fake, cursor, pane } = open();
  await pane.begin();
  pane.typing.note = { ...pane.typing.note!, title: 'first' };
  fake.refuse('full', 'The disk is full.');
  cursor.jump(50);
  const begun = pane.begin();
  expect([pane.typing.note.title, pane.typing.note.records]).toEqual(['', '50']);
  pane.typing.note = { ...pane.typing.note, title: 'second' };
  await begun;
  expect([pane.typing.note.title, pane.typing.problem]).toEqual(['first', 'The disk is full.']);
  await pane.typing.save();
  expect(pane.typing.note.title).toBe('second');
  expect(await pane.typing.leave()).toBe(true);
  expect(notes.all.map(({ title }) => title)).toEqual(['first', 'second']);
});

test('keeps a note that cannot be saved, with the reason', async () => {
  const { fake, pane } = open();
  await pane.begin();
  pane.typing.note = { ...pane.typing.note!, title: 'x', records: '10,000' };
  expect([await pane.typing.save(), pane.typing.problem]).toEqual([false, 'The last record is 9,999.']);
  pane.typing.note = { ...pane.typing.note, records: '9,999' };
  expect(pane.typing.problem).toBe(null);
  fake.refuse('full', 'The disk is full.');
  expect([await pane.typing.save(), pane.typing.problem]).toEqual([false, 'The disk is full.']);
  expect(pane.typing.note.title).toBe('x');
  expect(await pane.typing.save()).toBe(true);
});

/** A note that another writer changes while it is being typed. */
async function conflict(theirs: 'changed' | 'removed') {
  const opened = open();
  const { fake, notes, pane } = opened;
  fake.change({ put: [draft('a', { text: 'first' })] });
  await notes.book.reload();
  await pane.typing.edit(notes.all[0]!);
  pane.typing.note = { ...pane.typing.note!, text: 'mine' };
  if (theirs === 'changed') fake.change({ put: [draft('a', { text: 'theirs', revision: 1 })] });
  else fake.change({ remove: [{ id: 'a', revision: 1 }] });
  expect(await pane.typing.save()).toBe(false);
  return opened;
}

test.each([
  ['both', ['theirs', 'mine']],
  ['mine', ['mine']],
  ['theirs', ['theirs']],
] as const)('does not overwrite a note that another writer changed: %s', async (how, texts) => {
  const { notes, pane } = await conflict('changed');
  expect([pane.typing.conflict?.theirs?.text, pane.typing.note?.text]).toEqual(['theirs', 'mine']);
  expect(notes.all.map(({ text }) => text)).toEqual(['theirs']);
  await pane.typing.resolve(how);
  expect([notes.all.map(({ text }) => text), pane.typing.note]).toEqual([texts, null]);
});

test.each([
  ['mine', ['mine']],
  ['theirs', []],
] as const)('does not lose a note that another writer removed: %s', async (how, texts) => {
  const { notes, pane } = await conflict('removed');
  expect(pane.typing.conflict).toEqual({ theirs: null });
  await pane.typing.resolve(how);
  expect(notes.all.map(({ text }) => text)).toEqual(texts);
});

test('saves a note that another writer only moved', async () => {
  const { fake, notes, pane } = open();
  fake.change({ put: [draft('a'), draft('b')] });
  await notes.book.reload();
  await pane.typing.edit(notes.all[0]!);
  pane.typing.note = { ...pane.typing.note!, text: 'mine' };
  fake.change({ put: [draft('a', { order: 9, revision: 1 })] });
  await notes.book.reload();
  expect(await pane.typing.save()).toBe(true);
  expect(notes.all.map(({ id, text }) => [id, text])).toEqual([
    ['b', ''],
    ['a', 'mine'],
  ]);
});

test('moves notes in the list, past hidden ones, and undoes moves', async () => {
  const { fake, notes, pane } = open();
  fake.change({ put: ['a', 'b', 'c', 'd'].map((id) => draft(id, { tags: id === 'b' ? [] : ['x'] })) });
  await notes.book.reload();
  const order = (): string => notes.all.map(({ id }) => id).join('');
  await pane.moveBy('d', -1);
  expect(order()).toBe('abdc');
  pane.filter = { ...NO_FILTER, tag: 'x' };
  await pane.moveBy('a', 1);
  expect(order()).toBe('bdac');
  await pane.moveBy('c', 1);
  await pane.move('c', 'b');
  expect(order()).toBe('cbda');
  await pane.move('c', null);
  expect(order()).toBe('bdac');
  for (let step = 0; step < 4; step += 1) await notes.undo();
  expect(order()).toBe('abcd');
});

test('renumbers notes if no order number fits between two', () => {
  const at = (id: string, order: number) => ({ id, order }) as Note;
  expect(moveNote([at('a', 1), at('b', 1), at('c', 2)], 'c', 'b')).toEqual([
    { id: 'a', order: 1 },
    { id: 'c', order: 2 },
    { id: 'b', order: 3 },
  ]);
  expect(moveNote([at('a', 1), at('b', 2), at('c', 3)], 'c', 'a')).toEqual([{ id: 'c', order: 0 }]);
  expect(moveNote([at('a', 1), at('b', 2)], 'a', 'gone')).toEqual([]);
});

test('finds notes by words, tag, colour, address and record', async () => {
  const { fake, notes } = open();
  fake.change({
    put: [
      draft('a', { title: 'Stack grows', tags: ['stack'], colour: 'red', place: { n: 1234, address: '0x7fff0' } }),
      draft('b', { title: 'Loop', text: 'writes the STACK', tags: ['bug', 'stack'] }),
      draft('c', { title: 'Idle' }),
    ],
  });
  await notes.book.reload();
  const found = (filter: object): string =>
    filterNotes(notes.all, { ...NO_FILTER, ...filter })
      .map(({ id }) => id)
      .join('');
  expect([found({}), found({ text: 'stack' }), found({ text: 'stack LOOP' }), found({ text: 'nowhere' })]).toEqual([
    'abc',
    'ab',
    'b',
    '',
  ]);
  expect([
    found({ tag: 'bug' }),
    found({ colour: 'red' }),
    found({ text: '0x7fff' }),
    found({ text: '1,234' }),
  ]).toEqual(['b', 'a', 'a', 'a']);
  expect([tagsOf(notes.all), coloursOf(notes.all)]).toEqual([
    [
      { value: 'bug', count: 1 },
      { value: 'stack', count: 2 },
    ],
    [
      { value: 'red', count: 1 },
      { value: 'blue', count: 2 },
    ],
  ]);
});

test('finds the next and the previous note by record', async () => {
  const { fake, notes, cursor, announced } = open();
  fake.change({
    put: [draft('a', { place: { n: 700 } }), draft('b', { place: { n: 20 } }), draft('c', { place: { n: 90 } })],
  });
  await notes.book.reload();
  const walked = [1, 1, 1, 1, -1].map((way) => {
    notes.walk(way === 1 ? 1 : -1);
    return cursor.n;
  });
  expect([walked, announced]).toEqual([[20, 90, 700, 700, 90], ['There is no later note']]);
});

test.each<[string, string, object | string]>([
  ['1,234', '', { n: 1234 }],
  ['10 to 19', '0x8000', { n: 10, to: 20, address: '0x8000' }],
  ['10-10', '0x8000+16', { n: 10, address: '0x8000', length: 16 }],
  ['0 – 9999', '', { n: 0, to: 10_000 }],
  ['', '', 'Type a record'],
  ['x', '', 'Type a record'],
  ['20 to 10', '', 'The range ends before it begins.'],
  ['10000', '', 'The last record is 9,999.'],
  ['5', 'main', 'Type an address'],
])('reads %j and %j as a place', (records, address, place) => {
  const read = readNotePlace(records, address, 9999);
  if (typeof place === 'string') expect(!read.ok && read.error.message).toContain(place);
  else {
    expect(read).toEqual({ ok: true, value: place });
    const again = read.ok && readNotePlace(recordsText(read.value), addressText(read.value), 9999);
    expect(again).toEqual(read);
  }
});

test('shows a range of one record as that record', () => {
  expect(recordsText({ n: 1234, to: 1235 })).toBe('1,234');
});

test('tags are separated by commas', () => {
  expect(readTags(' a, b  c ,,a')).toEqual(['a', 'b c']);
  expect(readTags('')).toEqual([]);
});

test('places flags at the start of notes and finds the nearest one', () => {
  const notes = [
    { id: 'a', place: { n: 10 } },
    { id: 'b', place: { n: 20, to: 40, address: '0x80', length: 16 } },
    { id: 'c', place: { n: 500 } },
  ] as unknown as readonly Note[];
  const y = (low: bigint, bytes: number) => ({ top: Number(low), height: bytes });
  const marks = placeNotes(notes, { width: 100, x: (n) => n, y });
  expect(marks.map(({ note, x, width, across }) => [note.id, x, width, across])).toEqual([
    ['a', 10, 0, undefined],
    ['b', 20, 20, { top: 0x80, height: 16 }],
  ]);
  expect(
    [noteAt(marks, 13, 4), noteAt(marks, 16, 4), noteAt(marks, 30, 4), noteAt(marks, 10, 40)].map(
      (mark) => mark?.note.id,
    ),
  ).toEqual(['a', 'b', undefined, undefined]);
});

test('keeps a search match only once as a note', async () => {
  const { notes, announced } = open();
  const keep = () => notes.keep('ldr', 'search', { n: 7, address: '0x8000' });
  await Promise.all([keep(), keep()]);
  expect(notes.all).toHaveLength(1);
  expect(announced).toEqual(['Note added: record 7', 'This note already exists: record 7']);
});

test('keeping both notes of a conflict twice adds one note and keeps text typed meanwhile', async () => {
  const { notes, pane } = await conflict('changed');
  const first = pane.typing.resolve('both');
  const second = pane.typing.resolve('both');
  const { note } = pane.typing;
  if (note) pane.typing.note = { ...note, text: 'mine and more' };
  await Promise.all([first, second]);
  expect(notes.all.map(({ text }) => text)).toEqual(['theirs', 'mine']);
  expect(pane.typing.note?.text).toBe('mine and more');
  await pane.typing.save();
  expect(notes.all.map(({ text }) => text)).toEqual(['theirs', 'mine and more']);
});

test('keeps a note chosen while another is removed', async () => {
  const { notes, fake, pane } = open();
  fake.change({ put: ['a', 'b', 'c'].map((id, order) => draft(id, { order })) });
  await notes.book.reload();
  notes.chosen = 'a';
  const [a] = notes.all;
  if (!a) throw new Error('there is a note');
  const removing = pane.remove(a);
  notes.chosen = 'c';
  await removing;
  expect(notes.chosen).toBe('c');
});

test.each([
  ['earlier', [['a', 'earlier', 1]]],
  [
    'both',
    [
      ['a', 'later', 1],
      [expect.stringMatching(/^[0-9a-f-]{36}$/), 'earlier', 2],
    ],
  ],
  ['later', [['a', 'later', 1]]],
] as const)('resolves a conflict of an import with %s, and undoes that', async (how, wanted) => {
  const { fake, notes, pane } = open();
  fake.change({ put: [draft('a', { title: 'later' }), draft('12345678-was-a', { title: 'earlier' })] });
  await notes.book.reload();
  const before = notes.all.map(({ id, title }) => [id, title]);
  await pane.resolve({ ...notes.all[1]!, conflictOf: 'a' }, how);
  expect(notes.all.map(({ id, title }, i) => [id, title, i + 1])).toEqual(wanted);
  expect(notes.chosen).toBe(notes.all.find(({ title }) => title === (how === 'later' ? 'later' : 'earlier'))?.id);
  await notes.undo();
  expect(notes.all.map(({ id, title }) => [id, title])).toEqual(before);
});
