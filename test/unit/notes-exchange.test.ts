/** Import of notes from an untrusted file. */
import { expect, test } from 'vitest';
import { readNotes, writeNotes } from '../../electron/engine/notebook/exchange.ts';
import type { Note } from '../../shared/requests/notes.ts';

const NOTE: Note = {
  id: '0f0e',
  title: '<script>alert(1)</script>',
  text: '![](http://x.example/y.png)\n\u202eabc',
  colour: 'purple',
  tags: ['a', 'b c'],
  place: { n: 5, to: 9, address: '0xffffffffffffffff', length: 4, offset: 2 ** 33, reading: 'byu6 endian=big' },
  order: 1.25,
  created: '2026-01-31T12:00:00.000Z',
  changed: '2026-02-01T12:00:00.000Z',
  revision: 3,
};
const VIEW = { id: 'v', name: 'n', content: '{}', changed: NOTE.changed, revision: 1 };
const TRACE = { bytes: 2 ** 34, probe: '0123456789abcdef'.repeat(4) };

const good = (): Exported => JSON.parse(writeNotes(TRACE, 'x.trace', { notes: [NOTE], views: [VIEW] })) as Exported;

interface Exported {
  trace?: unknown;
  readonly notes: readonly (object & { readonly place: object })[];
}

test('reads exported notes back unchanged', () => {
  const text = writeNotes(TRACE, 'x.trace', { notes: [NOTE], views: [VIEW] });
  expect(readNotes(text)).toEqual({ ok: true, value: { of: TRACE, notes: [NOTE], views: [VIEW] } });
});

test('drops unknown fields, repairs line breaks and half characters, and keeps both versions of a note', () => {
  const older = { ...NOTE, changed: '2026-01-31T12:00:00.000Z', text: 'old' };
  const odd = {
    ...NOTE,
    id: 'odd',
    title: 'two\n\nlines\ud800',
    admin: true,
    place: { ...NOTE.place, elsewhere: true },
  };
  const read = readNotes(JSON.stringify({ ...good(), notes: [NOTE, older, odd] }));
  if (!read.ok) throw new Error(read.error.message);
  expect(read.value.notes).toEqual([NOTE, older, { ...NOTE, id: 'odd', title: 'two lines\ufffd' }]);
});

test.each<[string, (good: Exported) => unknown, string]>([
  ['text that is no JSON', () => '{"format":', 'not an export of notes'],
  ['an empty file', () => '', 'not an export of notes'],
  ['deep nesting', () => '['.repeat(200_000), 'not an export of notes'],
  ['another form', (file) => ({ ...file, format: 'x' }), 'not an export of notes'],
  ['a later version', (file) => ({ ...file, version: 2 }), 'has version 2'],
  ['an invalid version', (file) => ({ ...file, version: [1] }), 'has version no number'],
  ['no trace', (file) => ({ ...file, trace: undefined }), 'trace is missing'],
  [
    'a trace size that is text',
    (file) => ({ ...file, trace: { bytes: '5', probe: TRACE.probe } }),
    'trace.bytes must be a whole number',
  ],
  [
    'notes that are no list',
    (file) => ({ ...file, notes: { length: 1 } }),
    'notes must be a list of at most 100000 items',
  ],
  [
    'too many notes',
    (file) => ({ ...file, notes: Array.from({ length: 100_001 }, () => file.notes[0]) }),
    'notes must be a list of at most 100000 items',
  ],
  ['an invalid note', (file) => ({ ...file, notes: [...file.notes, null] }), 'note 2: must be an object'],
  ['a title without text type', edited({ title: { toString: 'x' } }), 'note 1: title must be a text'],
  ['an unknown colour', edited({ colour: 'url(x)' }), 'note 1: colour must be one of'],
  ['invalid tags', edited({ tags: [{}] }), 'note 1: tags[0] must be a text of 1 to 100'],
  [
    'too many tags',
    edited({ tags: Array.from({ length: 51 }, (_, i) => String(i)) }),
    'note 1: tags must be a list of at most 50 items',
  ],
  [
    'a text that is too long',
    edited({ text: 'x'.repeat(1_000_001) }),
    'note 1: text must be a text of at most 1000000',
  ],
  ['an invalid id', edited({ id: '../x' }), 'note 1: id must be 1 to 64'],
  ['an invalid time', edited({ changed: '2026-99-99T00:00:00.000Z' }), 'note 1: changed must be a time'],
  ['the latest possible time', edited({ changed: '9999-12-31T23:59:59.999Z' }), 'note 1: changed must be a time'],
  ['an invalid order', edited({ order: null }), 'note 1: order must be a number'],
  ['no place', edited({ place: [] }), 'note 1: place.n is missing'],
  ['an invalid record', placed({ n: -1 }), 'note 1: place.n must be a whole number'],
  ['a record number beyond 2^53', placed({ n: 2 ** 60 }), 'note 1: place.n must be a whole number'],
  ['a range that ends before it begins', placed({ to: 5 }), 'note 1: place.to must be greater than n'],
  ['a byte after the end', placed({ offset: 2 ** 34 }), 'after the end of the trace'],
  ['an invalid address', placed({ address: '0xG' }), 'note 1: place.address must be 0x'],
  ['an invalid length', placed({ length: 0 }), 'note 1: place.length must be a whole number'],
  ['no decoding options', placed({ reading: 5 }), 'note 1: place.reading must be a text'],
  ['an invalid view', (file) => ({ ...file, views: [{ id: 'v' }] }), 'view 1: name is missing'],
])('refuses %s with a sentence and imports nothing', (_, change, sentence) => {
  const changed = change(good());
  const read = readNotes(typeof changed === 'string' ? changed : JSON.stringify(changed));
  expect(read).toMatchObject({
    ok: false,
    error: { code: 'import', message: expect.stringContaining(sentence) as string },
  });
});

function edited(change: object): (file: Exported) => unknown {
  return (file) => ({ ...file, notes: file.notes.map((note) => ({ ...note, ...change })) });
}

function placed(change: object): (file: Exported) => unknown {
  return (file) => ({ ...file, notes: file.notes.map((note) => ({ ...note, place: { ...note.place, ...change } })) });
}
