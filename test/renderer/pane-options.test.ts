/** Options of panes as the view of a trace keeps them; what an older or newer version wrote counts as far as it is valid. */
import { expect, test } from 'vitest';
import { branchOptions } from '../../renderer/features/branches/options.ts';
import { graphOptions } from '../../renderer/features/call-graph/options.ts';
import { treeOptions } from '../../renderer/features/call-tree/options.ts';
import { memoriesOf } from '../../renderer/features/memory/memories.ts';
import { createPaneOptions, MOST, MOST_EACH } from '../../renderer/trace/kept-options.svelte.ts';
import { idle, playEngine } from './played-engine.ts';

test('keeps only options that differ from the first ones', () => {
  const { trace } = playEngine();
  const graph = graphOptions(trace);
  expect([graph.steps, trace.paneOptions.saved]).toEqual([2, {}]);
  graph.steps = 4;
  graph.text = 'main';
  branchOptions(trace).kinds = ['call'];
  expect(trace.paneOptions.saved).toEqual({ graph: { steps: 4, text: 'main' }, branches: { kinds: ['call'] } });
  graph.text = '';
  branchOptions(trace).kinds = null;
  expect([graph.steps, graph.text, trace.paneOptions.saved]).toEqual([4, '', { graph: { steps: 4 } }]);
});

test('an open pane takes over restored options, and options that it does not know are kept', () => {
  const { trace } = playEngine();
  const graph = graphOptions(trace);
  graph.most = 70;
  const later = { graph: { asTable: true, fisheye: 3 }, sequence: { zoom: [1, 2] } };
  trace.paneOptions.restore(later);
  expect([graph.most, graph.asTable]).toEqual([40, true]);
  expect(trace.paneOptions.saved).toEqual(later);
});

test('ignores options that are invalid, each for itself', () => {
  const { trace } = playEngine();
  trace.paneOptions.restore({
    tree: {
      way: 'sideways',
      asTable: 'yes',
      heavyPath: [7],
      upPath: ['f'],
      chosen: { path: ['f'] },
      text: 'x',
    },
    branches: { view: 'events', kinds: ['call', '__proto__'] },
    graph: { steps: 5, opened: {}, constructor: 1, __proto__: { most: 20 } },
    memory: { views: [{ id: 1, top: '0x0g', follow: true, opcodes: false, image: false, word: 3, endian: 'little' }] },
  });
  const { way, asTable, heavyPath, upPath, chosen, text } = treeOptions(trace);
  expect([way, asTable, heavyPath, upPath, chosen, text]).toEqual(['heavy', false, [], ['f'], null, 'x']);
  expect([branchOptions(trace).view, branchOptions(trace).kinds]).toEqual(['events', null]);
  const { steps, most, opened } = graphOptions(trace);
  expect([steps, most, opened]).toEqual([2, 40, []]);
  const { top, word, pinned } = memoriesOf(trace).list[0]!;
  expect([top, word, pinned]).toEqual([null, 1, null]);
});

test.each([null, 7, 'text', [], [['graph', {}]], { graph: null, tree: [], branches: 'edges' }])(
  'reads %j as no options',
  (saved) => {
    const options = createPaneOptions();
    options.restore(saved);
    expect(options.saved).toEqual({});
  },
);

test('leaves out what is too long', () => {
  const options = createPaneOptions();
  options.set('graph', { text: 'x'.repeat(MOST_EACH), steps: 3 });
  expect(options.saved).toEqual({ graph: { steps: 3 } });
  options.restore(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`pane${i}`, { text: 'x'.repeat(1000) }])));
  expect(JSON.stringify(options.saved).length).toBeLessThanOrEqual(MOST + 2);
  expect(Object.keys(options.saved)).toHaveLength(11);
});

test('views of memory keep their addresses, pinned records and words', async () => {
  const before = playEngine().trace;
  const memories = memoriesOf(before);
  const first = memories.list[0]!;
  first.top = 0xffff_ffff_ffff_f000n;
  memories.split(first);
  const second = memories.list[1]!;
  second.pinned = 12;
  second.word = 4;
  second.endian = 'big';
  memories.close(first);
  const { trace } = playEngine();
  trace.paneOptions.restore(JSON.parse(JSON.stringify(before.paneOptions.saved)));
  await idle();
  expect(
    memoriesOf(trace).list.map(({ top, follow, pinned, word, endian }) => ({ top, follow, pinned, word, endian })),
  ).toEqual([{ top: 0xffff_ffff_ffff_f000n, follow: false, pinned: 12, word: 4, endian: 'big' }]);
});
