import type { Pane } from '../../workbench/pane.ts';
import { onTrace } from '../../workbench/command.ts';
import Report from './Report.svelte';

export const pane: Pane = {
  id: 'report',
  title: 'Report',
  words: 'html pdf markdown findings share',
  icon: 'edit',
  key: 'Shift+P',
  home: 'whole',
  component: Report,
  menu: 'File',
  commands: [
    onTrace(
      { id: 'report-export', title: 'Export report…', key: 'Ctrl+Shift+E', menu: 'File' },
      (_, { shell }) => (shell.dialog = 'report'),
    ),
  ],
};
