import type { Pane } from '../../workbench/pane.ts';
import { onTrace } from '../../workbench/command.ts';
import { switchLens } from './lens.ts';
import { selectionFacts } from './selection/selection-facts.svelte.ts';
import Heatmap from './Heatmap.svelte';

export const pane: Pane = {
  id: 'heatmap',
  title: 'Heatmap',
  words: 'addresses memory map density pages',
  icon: 'heat',
  key: 'Ctrl+2',
  home: 'left-upper',
  component: Heatmap,
  hasFigure: true,
  commands: [
    onTrace({ id: 'fold', title: 'Fold empty address space', key: 'f', menu: 'View' }, ({ view, say }) => {
      view.folded = !view.folded;
      say(view.folded ? 'The heatmap hides unused addresses.' : 'The heatmap shows addresses to scale.');
    }),
    onTrace(
      {
        id: 'lens',
        title: 'Magnify selected or densest addresses',
        key: 'l',
        menu: 'View',
        words: 'lens zoom code strip heatmap',
      },
      (trace) => void switchLens(trace),
      ({ reach }) => (reach.records > 0 ? null : 'Nothing is indexed yet.'),
    ),
    onTrace(
      {
        id: 'selection-facts',
        title: 'Statistics of the selection',
        key: 'Shift+S',
        menu: 'View',
        words: 'counts kinds pages symbols heatmap',
      },
      (trace, app) => {
        app.show('heatmap');
        selectionFacts(trace).isOpen = true;
      },
      ({ view }) =>
        view.selection
          ? null
          : 'Select part of the heatmap first: hold Shift and drag across it, or press Space in it.',
    ),
  ],
};
