// A command that has no effect explains why.
import { expect, test } from 'vitest';
import { PANES } from '../../renderer/features/index.ts';
import { createCommands } from '../../renderer/shell/commands.ts';
import { createCursor } from '../../renderer/trace/cursor.svelte.ts';
import { createView, LEAST_RECORDS } from '../../renderer/trace/view.svelte.ts';

const RECORDS = 1000;

function page(complete = true, keys: Readonly<Record<string, string>> = {}, singleKeys = true) {
  const announced: string[] = [];
  const cursor = createCursor();
  const view = createView(cursor, () => RECORDS);
  const trace = {
    cursor,
    view,
    last: RECORDS - 1,
    reach: { records: RECORDS, bytes: 6000, complete },
    indexing: complete ? 'complete' : 'building',
    get shown() {
      return cursor.range ?? { from: 0, to: RECORDS };
    },
    search: { running: null, results: { running: false }, isEmpty: true, problem: null },
    accessSearch: { running: null },
    changeSearch: { running: null },
    flow: { running: null },
    calls: { isWalking: false },
    slice: { busy: false, only: false, numbers: [] },
    folds: { list: [], walk: (n: number, by: number) => Math.min(RECORDS - 1, Math.max(0, n + by)) },
  };
  const context = {
    workbench: { active: trace, say: (text: string) => announced.push(text) },
    layout: {},
    shell: { keys, singleKeys, layouts: {} },
    theme: {},
  };
  return { cursor, view, announced, commands: createCommands(context as never, PANES) };
}

test.each([
  ['step-back', 'This is the first record.'],
  ['page-up', 'This is the first record.'],
  ['first', 'This is the first record.'],
  ['back', 'There is no earlier place to go back to.'],
  ['forward', 'There is no later place to go forward to.'],
  ['search-next', 'Say what to search for first, in the Search pane.'],
  ['zoom-range', 'Select part of the heatmap first: hold Shift and drag across it, or press Space in it.'],
  ['zoom-out', 'The charts already show all records.'],
  ['zoom-all', 'The charts already show all records.'],
  ['unfold-calls', 'No call is folded.'],
  ['cancel', 'Nothing is running.'],
])('the disabled command %s explains why', (id, why) => {
  const { announced, commands } = page();
  expect(commands.isEnabled(id)).toBe(false);
  commands.run(id);
  expect(announced).toEqual([why]);
});

test('texts name the keys that run commands now', () => {
  const named = (commands: ReturnType<typeof page>['commands']) => ['search', 'note', 'go'].map(commands.keyOf);
  expect(named(page().commands)).toEqual(['Ctrl+F', 'n', 'g']);
  const own = { search: 'Ctrl+K', note: '', go: 'q F7' };
  expect(named(page(true, own).commands)).toEqual(['Ctrl+K', undefined, 'q']);
  expect(named(page(true, own, false).commands)).toEqual(['Ctrl+K', undefined, 'F7']);
});

test('the last record is the last indexed one while the index grows', () => {
  for (const [complete, why] of [
    [true, 'This is the last record.'],
    [false, 'This is the last record indexed so far.'],
  ] as const) {
    const { cursor, announced, commands } = page(complete);
    commands.run('last');
    expect([cursor.n, announced]).toEqual([RECORDS - 1, []]);
    for (const id of ['last', 'step', 'page-down']) commands.run(id);
    expect(announced).toEqual([why, why, why]);
  }
});

test('charts zoom to their limit and then say so', () => {
  const { view, cursor, announced, commands } = page();
  for (let turn = 0; turn < 20 && announced.length === 0; turn += 1) commands.run('zoom-in');
  expect((cursor.range?.to ?? 0) - (cursor.range?.from ?? 0)).toBe(LEAST_RECORDS);
  expect(announced).toEqual(['The charts cannot show fewer records than this.']);
  commands.run('zoom-all');
  expect(view.showsAll).toBe(true);
});

test('a command has the key that a person gave it', () => {
  const { commands } = page(true, { step: 'q' });
  const keys = ['step', 'first'].map((id) => commands.list.find((command) => command.id === id)?.key);
  expect(keys).toEqual(['q', 'Ctrl+Home']);
  expect([commands.command('step').key, commands.defaults.find(({ id }) => id === 'step')?.key]).toEqual([
    'q',
    'Down j',
  ]);
});
