import type { Pane } from '../../workbench/pane.ts';
import { commands } from './commands.ts';
import Notes from './Notes.svelte';

export const pane: Pane = {
  id: 'notes',
  title: 'Notes',
  words: 'bookmarks comments annotations tags',
  icon: 'note',
  key: 'Shift+N',
  home: 'left-lower',
  component: Notes,
  commands,
};
