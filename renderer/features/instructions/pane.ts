import type { Pane } from '../../workbench/pane.ts';
import { onTrace } from '../../workbench/command.ts';
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
      { id: 'unfold-calls', title: 'Unfold all calls', menu: 'View' },
      ({ folds }) => folds.unfoldAll(),
      ({ folds }) => (folds.list.length > 0 ? null : 'No call is folded.'),
    ),
  ],
};
