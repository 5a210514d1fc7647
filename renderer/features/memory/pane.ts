import type { Pane } from '../../workbench/pane.ts';
import Memory from './Memory.svelte';

export const pane: Pane = {
  id: 'memory',
  title: 'Memory',
  words: 'hex dump ram data',
  icon: 'table',
  key: 'Ctrl+6',
  home: 'left-lower',
  component: Memory,
};
