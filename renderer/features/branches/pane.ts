import type { Pane } from '../../workbench/pane.ts';
import Branches from './Branches.svelte';

export const pane: Pane = {
  id: 'branches',
  title: 'Branches',
  words: 'jumps edges loops hot',
  icon: 'branch',
  key: 'Shift+B',
  home: 'left-lower',
  component: Branches,
};
