import type { Pane } from '../../workbench/pane.ts';
import { commands } from './commands.ts';
import Watches from './Watches.svelte';

export const pane: Pane = {
  id: 'watches',
  title: 'Watches',
  words: 'variables values history plot follow',
  icon: 'watch',
  key: 'Shift+V',
  home: 'right-lower',
  component: Watches,
  commands,
};
