import type { Pane } from '../../workbench/pane.ts';
import { onTrace } from '../../workbench/command.ts';
import { OWN_COLUMNS } from '../../trace/view.svelte.ts';
import { isChanged } from './column-menu.ts';
import Instructions from './Instructions.svelte';

export const pane: Pane = {
  id: 'instructions',
  title: 'Instructions',
  words: 'disassembly listing records assembler',
  icon: 'code',
  key: 'Ctrl+3',
  home: 'right-upper',
  component: Instructions,
  commands: [
    onTrace(
      { id: 'fold-call', title: 'Fold or unfold the call', key: 'Shift+F', menu: 'View' },
      ({ cursor, folds }) => {
        if (folds.headedBy(cursor.n)) folds.unfold(cursor.n);
        else void folds.foldAround(cursor.n);
      },
    ),
    onTrace(
      { id: 'show-details', title: 'Show or hide the records of the instruction', key: 'i', menu: 'View' },
      ({ cursor, details }) => {
        const instruction = details.ownerOf(cursor.n) ?? cursor.n;
        const isOpen = details.isOpen(instruction);
        if (isOpen) cursor.step(instruction);
        details.set(instruction, !isOpen);
      },
      ({ details }) => (details.all ? 'The records of all instructions are shown.' : null),
    ),
    onTrace(
      {
        id: 'all-details',
        title: 'Show the records of all instructions',
        key: 'Shift+I',
        menu: 'View',
        words: 'effects registers memory expand collapse one row',
      },
      ({ details }) => (details.all = !details.all),
    ),
    onTrace(
      { id: 'reset-columns', title: 'Reset columns', menu: 'View', words: 'width order hide show' },
      ({ view }) => (view.columns = OWN_COLUMNS),
      ({ view }) => (isChanged(view.columns) ? null : 'The columns are as they were at first.'),
    ),
    onTrace(
      { id: 'unfold-calls', title: 'Unfold all calls', menu: 'View' },
      ({ folds }) => folds.unfoldAll(),
      ({ folds }) => (folds.list.length > 0 ? null : 'No call is folded.'),
    ),
  ],
};
