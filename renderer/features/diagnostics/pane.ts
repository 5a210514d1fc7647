import type { Pane } from '../../workbench/pane.ts';
import Diagnostics from './Diagnostics.svelte';

export const pane: Pane = {
  id: 'diagnostics',
  title: 'Diagnostics',
  words: 'errors warnings problems',
  icon: 'warn',
  key: 'Ctrl+5',
  home: 'left-lower',
  component: Diagnostics,
  startsClosed: true,
};
