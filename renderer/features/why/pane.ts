import type { Pane } from '../../workbench/pane.ts';
import { commands } from './commands.ts';
import Why from './Why.svelte';

export const pane: Pane = {
  id: 'why',
  title: 'Why',
  words: 'slice origin cause backtrace of a value taint provenance data flow',
  icon: 'why',
  key: 'Shift+Y',
  home: 'left-lower',
  component: Why,
  startsClosed: true,
  commands,
};
