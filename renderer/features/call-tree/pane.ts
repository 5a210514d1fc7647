import type { Pane } from '../../workbench/pane.ts';
import CallTree from './CallTree.svelte';

export const pane: Pane = {
  id: 'tree',
  title: 'Call tree',
  words: 'flame flamegraph icicle profile hot functions time',
  icon: 'tree',
  key: 'Shift+T',
  home: 'left-upper',
  component: CallTree,
  hasFigure: true,
};
