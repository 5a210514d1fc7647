// `bundle`: what is cited travels without the trace, joins with a colleague's, and is compared with the trace.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { zipSync, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { queryView, savedQueries } from '../../../renderer/trace/sql/saved-queries.ts';
import type { View } from '../../../shared/requests/notes.ts';
import { BTM, BYU, cli, folder, json, lines, TARMAC, traceOf } from './driver.ts';

interface Info {
  readonly notes: number;
  readonly slices: readonly {
    readonly member: string;
    readonly from: number;
    readonly to: number;
    readonly stateRecords: number;
    readonly stateBytes: number;
    readonly header: number;
    readonly start: number;
    readonly stop: number;
    readonly by: readonly string[];
  }[];
  readonly leftOut: readonly string[];
  readonly problems: readonly string[];
}

const bundleInfo = async (file: string): Promise<Info> => (await json(['info', file])) as Info;

/** Copies a trace. A notebook is found by the content of its trace, so each copy has one that is named. */
function copyOf(trace: string, name: string): string {
  const copy = join(folder, `${name}${extname(trace)}`);
  copyFileSync(trace, copy);
  return copy;
}

const notebookOf = (trace: string): string[] => ['--notebook', `${trace}.own`];
const note = (trace: string, at: number, title: string, ...more: string[]): Promise<unknown> =>
  json(['notes', 'add', trace, '--at', String(at), '--title', title, ...notebookOf(trace), ...more]);

async function bundleOf(trace: string, name: string, ...more: string[]): Promise<string> {
  const file = join(folder, `${name}.zip`);
  await json(['bundle', trace, '-o', file, '--context', '2', ...notebookOf(trace), ...more]);
  return file;
}

test.each<[name: string, trace: string, at?: number, ...how: string[]]>([
  ['tarmac', TARMAC],
  ['byu6', BYU],
  ['byu12', traceOf('byu12/every-request')],
  ['btm with a header', BTM],
  ['btm, binary', traceOf('btm/binary')],
  ['lackey', traceOf('lackey/large-accesses')],
  ['armtracer', traceOf('armtracer/amba')],
  ['din', traceOf('din/plain')],
  ['brstack, whose lines have several records', traceOf('brstack/samples')],
  ['tarmac of Event Stream, whose lines continue others', traceOf('tarmac/es-forms'), 25],
  ['tarmac of Fast Models', traceOf('tarmac/fastmodels-program'), 12],
  ['tarmac of gem5', traceOf('tarmac/gem5-program'), 7],
  ['tarmac of RTL', traceOf('tarmac/rtl-small-core'), 7],
  ['btm with lines that are records only below a row', traceOf('btm/broken-lines'), 7, '--format', 'btm'],
])('%s: holds the cited records, and matches its trace', async (name, trace, at = 3, ...how) => {
  const copy = copyOf(trace, name.replaceAll(/\W/g, '-'));
  await note(copy, at, 'Here', '--text', '# Why', ...how);
  const file = await bundleOf(copy, name.replaceAll(/\W/g, '-'), ...how);
  const info = await bundleInfo(file);
  expect([info.notes, info.leftOut, info.problems]).toEqual([1, [], []]);
  const [slice] = info.slices;
  expect(slice?.by).toContain("the note 'Here'");
  const bytes = readFileSync(copy);
  const held = unzipSync(readFileSync(file))[slice!.member]!;
  const { header, start, stop, stateBytes } = slice!;
  expect(Buffer.from(held.subarray(0, header)).equals(bytes.subarray(0, header))).toBe(true);
  expect(Buffer.from(held.subarray(header + stateBytes)).equals(bytes.subarray(start, stop))).toBe(true);
  expect(await json(['verify', file])).toMatchObject({ differing: [] });
  expect(await json(['verify', file, copy, ...how])).toMatchObject({ differing: [] });
  const { from, to, stateRecords } = slice!;
  const cited = await lines(['records', copy, '--from', String(from), '--count', String(to - from), ...how]);
  expect(cited[0]?.['offset']).toBe(start);
  // Without the trace, the slice has the same records.
  const opened = join(folder, `slice-${basename(copy)}`);
  writeFileSync(opened, held);
  const reading = readingOf(file);
  const records = await lines(['records', opened, ...reading, '--from', String(stateRecords), '--count', '1000']);
  expect(records.map(essence)).toEqual(cited.map(essence));
});

/** Options of the command line with which the slices of a bundle open. */
function readingOf(file: string): string[] {
  const manifest = JSON.parse(Buffer.from(unzipSync(readFileSync(file))['bundle.json']!).toString()) as {
    trace: { format: { id: string; options: Record<string, string> } };
  };
  const { id, options } = manifest.trace.format;
  return ['--format', id, ...Object.entries(options).flatMap(([name, value]) => ['--option', `${name}=${value}`])];
}

function essence({ time, cpu, kind, native, address, bytes }: Record<string, unknown>): unknown {
  return [time, cpu, kind, native, address, bytes];
}

test('an XScale buffer, of which no part opens, is in the bundle as a whole, unless it is too large', async () => {
  const copy = copyOf(traceOf('xscale/checkpoints-one'), 'buffer');
  await note(copy, 1, 'Here');
  const file = await bundleOf(copy, 'buffer');
  const info = await bundleInfo(file);
  expect([info.slices.length, info.leftOut]).toEqual([1, []]);
  const held = unzipSync(readFileSync(file))[info.slices[0]!.member]!;
  expect(Buffer.from(held).equals(readFileSync(copy))).toBe(true);
  expect(await json(['verify', file, copy])).toMatchObject({ differing: [] });
  const none = await bundleInfo(await bundleOf(copy, 'no-buffer', '--slice-bytes', '8'));
  expect([none.slices, none.leftOut]).toEqual([[], [expect.stringMatching(/are not in the bundle/)]]);
});

test('a changed trace, slice or note is found', async () => {
  const copy = copyOf(TARMAC, 'changed');
  await note(copy, 60, 'Here');
  const file = await bundleOf(copy, 'changed');
  const bytes = readFileSync(file);
  const [slice] = (await bundleInfo(file)).slices;
  bytes[bytes.indexOf(slice!.member) + slice!.member.length + 20]! ^= 4;
  const damaged = join(folder, 'damaged.zip');
  writeFileSync(damaged, bytes);
  for (const args of [
    ['verify', damaged],
    ['info', damaged],
    ['verify', damaged, copy],
  ])
    expect(await cli(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(/damaged/) as string });

  // A bundle that somebody packed again, with another slice.
  const members = unzipSync(readFileSync(file));
  members[slice!.member]![40]! ^= 1;
  writeFileSync(damaged, zipSync(members));
  const found = await cli(['verify', damaged, '--json']);
  expect([found.code, JSON.parse(found.stdout)]).toMatchObject([
    1,
    {
      differing: [
        { how: expect.stringMatching(/Another program packed/) as string },
        { how: `The member ${slice!.member} has changed since it was written.` },
      ],
    },
  ]);

  const trace = readFileSync(copy);
  trace[slice!.start + 30] = trace[slice!.start + 30] === 0x30 ? 0x31 : 0x30;
  writeFileSync(copy, trace);
  const other = await cli(['verify', file, copy, '--json']);
  expect([other.code, other.stdout]).toEqual([1, expect.stringMatching(/differ/)]);
});

test('two bundles of a trace join the same in either order, and no version is lost', async () => {
  const mine = copyOf(TARMAC, 'mine');
  const base = (await note(mine, 60, 'Shared')) as { id: string };
  await note(mine, 80, 'Mine');
  const exported = join(folder, 'exported.json');
  await json(['notes', 'export', mine, exported, ...notebookOf(mine)]);
  const theirs = copyOf(TARMAC, 'theirs');
  const edited = JSON.parse(readFileSync(exported, 'utf8')) as {
    notes: { id: string; title: string; changed: string }[];
  };
  edited.notes = edited.notes.filter(({ id }) => id === base.id);
  edited.notes[0]!.title = 'Edited';
  edited.notes[0]!.changed = '2099-01-01T00:00:00.000Z';
  writeFileSync(exported, JSON.stringify(edited));
  await json(['notes', 'import', theirs, exported, ...notebookOf(theirs)]);
  await note(theirs, 100, 'Theirs');
  const [a, b] = [await bundleOf(mine, 'a'), await bundleOf(theirs, 'b')];
  const [ab, ba, again] = [join(folder, 'ab.zip'), join(folder, 'ba.zip'), join(folder, 'again.zip')];
  expect(await json(['bundle', '--merge', a, b, '-o', ab])).toMatchObject({
    notes: 4,
    merged: { notes: { added: 1, updated: 1, same: 1, conflicts: 1 } },
  });
  await json(['bundle', '--merge', b, a, '-o', ba]);
  expect(readFileSync(ba).equals(readFileSync(ab))).toBe(true);
  await json(['bundle', '--merge', ab, a, '-o', again]);
  expect(readFileSync(again).equals(readFileSync(ab))).toBe(true);
  await json(['bundle', '--merge', a, a, '-o', again]);
  expect(readFileSync(again).equals(readFileSync(a))).toBe(true);
  const notes = (await json(['notes', 'list', ab])) as { title: string; conflictOf?: string }[];
  expect(notes.map(({ title }) => title).sort()).toEqual(['Edited', 'Mine', 'Shared', 'Theirs']);
  expect(notes.filter(({ conflictOf }) => conflictOf !== undefined)).toMatchObject([
    { title: 'Shared', conflictOf: base.id },
  ]);
  // The names of the two copies differ, and reports name their trace.
  expect(await json(['verify', ab])).toMatchObject({ differing: [] });
  expect(await json(['verify', ab, mine])).toMatchObject({ differing: [] });
  const third = copyOf(TARMAC, 'third');
  expect(await json(['notes', 'import', third, ab, ...notebookOf(third)])).toMatchObject({ added: 4 });
});

test('saved queries go through exports of notes and through bundles, and run afterwards', async () => {
  interface Held {
    views: View[];
  }
  const query = {
    title: `Writes of "x" & 'y'`,
    sql: `SELECT n, :unit AS unit -- a 'comment'\nFROM records\nWHERE n < :end AND kind <> 'é'`,
    set: { end: '2', unit: `it's; "so"` },
  };
  const revised = { ...query, sql: 'SELECT count(*) FROM records' };
  const mine = copyOf(TARMAC, 'queries');
  await note(mine, 60, 'Beside');
  const file = join(folder, 'queries.json');
  const exported = async (trace: string): Promise<Held> => {
    await json(['notes', 'export', trace, file, ...notebookOf(trace)]);
    return JSON.parse(readFileSync(file, 'utf8')) as Held;
  };
  const given = async (trace: string, saved: typeof query, changed: string): Promise<unknown> => {
    const view = { ...queryView(saved, undefined), id: 'query-1', changed, revision: 1 };
    writeFileSync(file, JSON.stringify({ ...(await exported(trace)), views: [view] }));
    return json(['notes', 'import', trace, file, ...notebookOf(trace)]);
  };
  const added = { added: 1, updated: 0, same: 0, conflicts: 0 };
  expect(await given(mine, query, '2026-01-01T00:00:00.000Z')).toMatchObject({ views: added });
  expect(savedQueries((await exported(mine)).views)).toMatchObject([query]);

  const theirs = copyOf(TARMAC, 'revised-queries');
  await note(theirs, 80, 'Theirs');
  await given(theirs, revised, '2026-02-01T00:00:00.000Z');
  const [a, b] = [await bundleOf(mine, 'queries-a'), await bundleOf(theirs, 'queries-b')];
  const both = join(folder, 'queries-ab.zip');
  expect(await json(['bundle', '--merge', a, b, '-o', both])).toMatchObject({ notes: 2 });
  const listed = (await json(['notes', 'list', both])) as { title: string }[];
  expect(listed.map(({ title }) => title).sort()).toEqual(['Beside', 'Theirs']);
  const third = copyOf(TARMAC, 'third-queries');
  await json(['notes', 'import', third, both, ...notebookOf(third)]);
  const found = savedQueries((await exported(third)).views);
  expect(found.find(({ view }) => view.id === 'query-1')).toMatchObject(revised);
  const earlier = found.filter(({ view }) => view.id !== 'query-1');
  expect(earlier).toMatchObject([query]);

  const set = Object.entries(earlier[0]!.set).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  expect(await json(['sql', third, earlier[0]!.sql, ...set])).toMatchObject({
    rows: [
      [0, query.set.unit],
      [1, query.set.unit],
    ],
  });
});

test('refuses to join bundles of different traces, and files that are none', async () => {
  const [one, other] = [copyOf(TARMAC, 'one'), copyOf(BYU, 'other')];
  await note(one, 5, 'One');
  await note(other, 5, 'Other');
  const [a, b, c] = [await bundleOf(one, 'one'), await bundleOf(other, 'other'), join(folder, 'c.zip')];
  expect(await cli(['bundle', '--merge', a, b, '-o', c])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/about different traces/) as string,
  });
  const empty = join(folder, 'empty.zip');
  writeFileSync(empty, zipSync({ a: new Uint8Array(1) }));
  expect(await cli(['verify', empty])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no bundle\.json/) as string,
  });
  expect(await cli(['records', a])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/evidence bundle/) as string,
  });
  expect(await cli(['verify', a, other])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/format|bytes|differ/) as string,
  });
});

test('holds the first records of a long range, and says so', async () => {
  const copy = copyOf(TARMAC, 'long');
  await note(copy, 10, 'Long', '--to', '100');
  const file = await bundleOf(copy, 'long', '--cited-records', '5', '--no-reports');
  const info = await bundleInfo(file);
  // Records 7 and 8 belong to the instruction of record 6, which names their CPU.
  expect(info.slices).toMatchObject([{ from: 6, to: 17 }]);
  expect(info.leftOut).toEqual([`the note 'Long' is on records 10 to 99, of which the first 5 are in the bundle.`]);
  const none = await bundleInfo(await bundleOf(copy, 'none', '--slice-bytes', '10', '--no-reports'));
  expect([none.slices.length, none.leftOut.length]).toEqual([0, 1]);
  expect(basename(file)).toBe('long.zip');
});
