import type { Pane } from '../../workbench/pane.ts';
import Coverage from './Coverage.svelte';

export const pane: Pane = {
  id: 'coverage',
  title: 'Coverage',
  words: 'what ran never executed untested dead code lines functions files',
  icon: 'check',
  key: 'Shift+K',
  home: 'left-lower',
  component: Coverage,
  startsClosed: true,
};
