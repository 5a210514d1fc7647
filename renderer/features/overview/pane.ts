import type { Pane } from '../../workbench/pane.ts';
import Overview from './Overview.svelte';

export const pane: Pane = {
  id: 'overview',
  title: 'Overview',
  words: 'timeline density activity',
  icon: 'chart',
  key: 'Ctrl+1',
  home: 'top',
  component: Overview,
  hasFigure: true,
};
