/** The report composer: undo, storage in the notebook, and conflicts between two writers. */
import { expect, test } from 'vitest';
import { createComposer } from '../../renderer/trace/report/composer.svelte.ts';
import type { OtherTrace } from '../../renderer/trace/report/both-traces.ts';
import { draftOf, planOf, withMoved, withoutPart, withParts } from '../../renderer/trace/report/report-draft.ts';
import { isKeptReport, keptPlan, keptView } from '../../renderer/trace/report/kept-report.ts';
import type { Client } from '../../shared/requests/requests.ts';
import { NOTE_CHANGED } from '../../shared/requests/failures.ts';
import type { Note, Notebook, NotebookChange, View } from '../../shared/requests/notes.ts';
import type { ReportPart, ReportPlan } from '../../shared/report/plan.ts';
import { fail, ok } from '../../shared/base/result.ts';

const USUAL: ReportPlan = { title: 'run.txt', parts: [{ kind: 'summary' }, { kind: 'diagnostics' }] };
const TEXT: ReportPart = { kind: 'text', text: '' };

/** A notebook with revisions as in the engine, and a client for it. */
function setUp(views: readonly View[] = []) {
  let notebook: Notebook = { path: '/a.notebook', exists: false, notes: [], views, version: 1 };
  const announced: string[] = [];
  const reports: ReportPlan[] = [];
  let readOnly = false;

  function change({ putViews = [] }: NotebookChange) {
    if (readOnly) return fail('notebook', 'The folder is read-only.');
    for (const { revision, ...draft } of putViews) {
      const known = notebook.views.find(({ id }) => id === draft.id);
      if (known?.revision !== revision) return fail(NOTE_CHANGED, 'somebody else was there first');
      const view = { ...draft, changed: '2026-01-01T00:00:00Z', revision: (revision ?? 0) + 1 };
      const others = notebook.views.filter(({ id }) => id !== draft.id);
      notebook = { ...notebook, exists: true, views: [...others, view], version: notebook.version + 1 };
    }
    return ok(notebook);
  }

  const client = {
    request(name: string, args: unknown) {
      switch (name) {
        case 'notebook':
          return Promise.resolve(ok(notebook));
        case 'changeNotebook':
          return Promise.resolve(change(args as NotebookChange));
        case 'reportPlan':
          return Promise.resolve(ok(USUAL));
        case 'report':
          reports.push((args as { plan: ReportPlan }).plan);
          return Promise.resolve(ok({ files: [{ name: 'a.html', bytes: new TextEncoder().encode('<p>') }] }));
        default:
          throw new Error(`unexpected request ${name}`);
      }
    },
  } as unknown as Client;
  const trace = {
    id: 't',
    reach: { records: 10, complete: true },
    compared: undefined as OtherTrace | undefined,
  };
  return {
    client,
    composer: createComposer(
      client,
      () => trace,
      (text) => announced.push(text),
    ),
    trace,
    announced,
    reports,
    held: () => notebook.views.map((view) => keptPlan(view)),
    notebook: () => notebook,
    elsewhere: change,
    lock: (locked: boolean) => (readOnly = locked),
  };
}

/** Answers to a request arrive when the test releases them, in any order. */
function delayed({ client }: ReturnType<typeof setUp>, name: string) {
  const waiting: (() => void)[] = [];
  const { request } = client as unknown as { request: (requested: string, args: object) => Promise<unknown> };
  Object.assign(client, {
    async request(requested: string, args: object) {
      const answer = await request(requested, args);
      if (requested === name) await new Promise<void>((settle) => waiting.push(settle));
      return answer;
    },
  });
  return waiting;
}

function kinds(composer: ReturnType<typeof setUp>['composer']): readonly string[] {
  return composer.draft?.parts.map(({ part }) => part.kind) ?? [];
}

test('shows the default report and writes nothing until the first change', async () => {
  const { composer, notebook, held } = setUp();
  await composer.load();
  expect([kinds(composer), composer.isOwn]).toEqual([['summary', 'diagnostics'], false]);
  await composer.keep();
  expect(notebook().exists).toBe(false);
  composer.add([TEXT]);
  await composer.keep();
  expect(held()).toEqual([ok({ title: 'run.txt', parts: [...USUAL.parts, TEXT] })]);
  expect([composer.isOwn, composer.isUnsaved]).toEqual([true, false]);
});

test('shows the default report only after the index is complete', async () => {
  const { composer, trace } = setUp();
  trace.reach.complete = false;
  await composer.load();
  expect(composer.draft).toBeNull();
  trace.reach.complete = true;
  await composer.load();
  expect(kinds(composer)).toEqual(['summary', 'diagnostics']);
});

test('inserts after the chosen part, and undoes typing as one change', async () => {
  const { composer } = setUp();
  await composer.load();
  composer.chosen = composer.draft?.parts[0]?.key ?? null;
  composer.add([TEXT]);
  expect(kinds(composer)).toEqual(['summary', 'text', 'diagnostics']);
  const key = composer.chosen ?? '';
  for (const text of ['a', 'ab', 'abc']) composer.change(key, { kind: 'text', text }, 'text');
  composer.setTitle('x');
  composer.setTitle('xy');
  composer.undo();
  expect([composer.draft?.title, composer.draft?.parts[1]?.part]).toEqual(['run.txt', { kind: 'text', text: 'abc' }]);
  composer.undo();
  expect(composer.draft?.parts[1]?.part).toEqual(TEXT);
  composer.undo();
  expect([kinds(composer), composer.canUndo]).toEqual([['summary', 'diagnostics'], false]);
  for (let times = 0; times < 4; times += 1) composer.redo();
  expect([composer.draft?.title, composer.draft?.parts[1]?.part, composer.canRedo]).toEqual([
    'xy',
    { kind: 'text', text: 'abc' },
    false,
  ]);
});

test('ignores a change without effect', async () => {
  const { composer } = setUp();
  await composer.load();
  const key = composer.draft?.parts[0]?.key ?? '';
  composer.moveTo(key, 0);
  composer.change(key, { kind: 'summary' }, 'all');
  composer.setTitle('run.txt');
  expect([composer.canUndo, composer.isUnsaved]).toEqual([false, false]);
});

test("shows a report that another window changed, and undo restores the user's version", async () => {
  const { composer, elsewhere, announced, held } = setUp();
  await composer.load();
  const theirs = draftOf({ title: 'Theirs', parts: [{ kind: 'summary' }] });
  elsewhere({ trace: 't', putViews: [keptView(theirs, undefined)] });
  composer.setTitle('Ours');
  await composer.keep();
  expect([composer.draft?.title, kinds(composer)]).toEqual(['Theirs', ['summary']]);
  expect(announced.join()).toContain('Undo restores yours');
  composer.undo();
  await composer.keep();
  expect(composer.draft?.title).toBe('Ours');
  expect(held()).toEqual([ok({ title: 'Ours', parts: USUAL.parts })]);
});

test('follows changes of another window and keeps the keys of unchanged parts', async () => {
  const { composer, elsewhere, notebook } = setUp();
  await composer.load();
  const before = composer.draft?.parts.map(({ key }) => key);
  elsewhere({
    trace: 't',
    putViews: [keptView(draftOf({ title: 'Theirs', parts: [TEXT, ...USUAL.parts] }), undefined)],
  });
  await composer.update(notebook());
  expect(kinds(composer)).toEqual(['text', 'summary', 'diagnostics']);
  expect(composer.draft?.parts.slice(1).map(({ key }) => key)).toEqual(before);
});

test('shows a failed save and saves again when possible', async () => {
  const { composer, lock, held } = setUp();
  await composer.load();
  lock(true);
  composer.setTitle('Kept later');
  await composer.keep();
  expect([composer.failure?.message, composer.isUnsaved, composer.draft?.title]).toEqual([
    'The folder is read-only.',
    true,
    'Kept later',
  ]);
  lock(false);
  await composer.keep();
  expect([composer.failure, composer.isUnsaved]).toEqual([null, false]);
  expect(held()).toEqual([ok({ title: 'Kept later', parts: USUAL.parts })]);
});

test('keeps an unreadable report in the notebook until the user starts again', async () => {
  const view = { ...keptView(draftOf(USUAL), undefined), changed: '2026-01-01T00:00:00Z', revision: 7 };
  const { composer, held } = setUp([{ ...view, content: '{"report":1,"plan":{"title":3}}' }]);
  await composer.load();
  expect(composer.draft).toBeNull();
  expect(composer.failure?.message).toMatch(/^The report in the notebook cannot be shown: /);
  await composer.keep();
  expect(held()[0]?.ok).toBe(false);
  await composer.startOver();
  await composer.keep();
  expect(held()).toEqual([ok({ title: 'run.txt', parts: USUAL.parts })]);
});

test('a preview omits digest and removed notes, and an export has the requested digest', async () => {
  const { composer, reports } = setUp();
  await composer.load();
  composer.add([{ kind: 'note', note: 'gone' }]);
  const key = composer.previewKey;
  expect(key?.plan).toEqual({ ...USUAL, sha256: false });
  if (key) composer.preview.ask(key);
  await expect.poll(() => composer.preview.value).toBe('<p>');
  const made = await composer.making.make('html', { name: 'a', sha256: true });
  expect(made?.ok && made.value.map(({ name }) => name)).toEqual(['a.html']);
  expect(reports.map(({ sha256, parts }) => [sha256, parts.length])).toEqual([
    [false, 2],
    [true, 2],
  ]);
});

test('moves, removes and inserts parts at any position with their content', () => {
  const draft = draftOf({ title: 't', parts: [TEXT, { kind: 'summary' }, { kind: 'diagnostics' }] });
  const [a, b, c] = draft.parts.map(({ key }) => key);
  const order = (moved: typeof draft) => moved.parts.map(({ key }) => key);
  expect(order(withMoved(draft, a ?? '', 2))).toEqual([b, c, a]);
  expect(order(withMoved(draft, c ?? '', 0))).toEqual([c, a, b]);
  expect(order(withMoved(draft, b ?? '', 99))).toEqual([a, c, b]);
  expect(withMoved(draft, 'nobody', 0)).toBe(draft);
  expect(order(withoutPart(draft, b ?? ''))).toEqual([a, c]);
  const added = draftOf({ title: '', parts: [{ kind: 'summary' }] }).parts;
  expect(order(withParts(draft, added, a ?? ''))).toEqual([a, added[0]?.key, b, c]);
  expect(order(withParts(draft, added, null))).toEqual([a, b, c, added[0]?.key]);
  expect(keptPlan({ ...keptView(draft, 3), changed: '', revision: 3 })).toEqual(ok(planOf(draft)));
  expect(isKeptReport(keptView(draft, undefined))).toBe(true);
  expect(isKeptReport({ id: 'another' })).toBe(false);
});

test('does not announce an addition to a report that is not yet possible', async () => {
  const { composer, trace, announced } = setUp();
  trace.reach.complete = false;
  await composer.take(TEXT);
  expect([composer.draft, announced]).toEqual([null, ['A report can be made once indexing has finished.']]);
});

test('announces a restart only if it succeeds', async () => {
  const stage = setUp();
  const { composer, announced } = stage;
  await composer.load();
  composer.add([TEXT]);
  Object.assign(stage.client, { request: () => Promise.resolve(fail('broken', 'The trace is gone.')) });
  await composer.startOver();
  expect([kinds(composer), announced]).toEqual([['summary', 'diagnostics', 'text'], ['The trace is gone.']]);
});

test("shows a later change of another window, even if it arrives before the answer to the page's own change", async () => {
  const stage = setUp();
  const { composer, elsewhere, notebook } = stage;
  await composer.load();
  const waiting = delayed(stage, 'changeNotebook');
  composer.add([TEXT]);
  const keeping = composer.keep();
  await expect.poll(() => waiting.length).toBe(1);
  const theirs = draftOf({ title: 'theirs', parts: [] });
  elsewhere({ trace: 't', putViews: [keptView(theirs, notebook().views[0]?.revision)] });
  await composer.update(notebook());
  waiting.shift()?.();
  await keeping;
  expect(composer.draft?.title).toBe('theirs');
  composer.undo();
  expect(kinds(composer)).toEqual(['summary', 'diagnostics', 'text']);
});

test('uses the default report for the newer notebook if two answers arrive', async () => {
  const stage = setUp();
  const { composer, notebook, client } = stage;
  const titles = ['first', 'second'];
  const plans: ((title: string) => void)[] = [];
  Object.assign(client, {
    request: () => new Promise((settle) => plans.push((title) => settle(ok({ ...USUAL, title })))),
  });
  const both = [composer.update(notebook()), composer.update({ ...notebook(), version: 2 })];
  for (const at of [1, 0]) plans[at]?.(titles[at] ?? '');
  await Promise.all(both);
  expect(composer.draft?.title).toBe('second');
});

test('asks for another preview when a note of the report changes, not when the draft is saved', async () => {
  const { composer, notebook } = setUp();
  const note = { id: 'n', at: 5, title: 'Here', text: '', created: '', changed: '', revision: 1 } as unknown as Note;
  await composer.update({ ...notebook(), notes: [note] });
  composer.add([{ kind: 'note', note: 'n' }]);
  const before = composer.previewKey;
  await composer.update({ ...notebook(), notes: [note], version: 7 });
  expect(composer.previewKey).toEqual(before);
  await composer.keep();
  await composer.update({ ...notebook(), notes: [{ ...note, revision: 2 }], version: 8 });
  expect(composer.previewKey).not.toEqual(before);
});
