import type { Pane } from '../../workbench/pane.ts';
import Stack from './Stack.svelte';

export const pane: Pane = {
  id: 'stack',
  title: 'Stack',
  words: 'backtrace frames callers unwind',
  icon: 'stack',
  key: 'Ctrl+9',
  home: 'right-lower',
  component: Stack,
};
