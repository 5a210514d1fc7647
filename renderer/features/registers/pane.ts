import type { Pane } from '../../workbench/pane.ts';
import Registers from './Registers.svelte';

export const pane: Pane = {
  id: 'registers',
  title: 'Registers',
  words: 'values flags cpsr pc sp',
  icon: 'registers',
  key: 'Ctrl+7',
  home: 'right-lower',
  component: Registers,
  suits: ({ registers }) => registers === true,
};
