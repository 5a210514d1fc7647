import type { Pane } from '../../workbench/pane.ts';
import { commands } from './commands.ts';
import Compare from './Compare.svelte';

export const pane: Pane = {
  id: 'compare',
  title: 'Compare',
  words: 'diff two runs traces difference divergence side by side',
  icon: 'split',
  key: 'Shift+D',
  home: 'whole',
  component: Compare,
  commands,
};
