import type { Pane } from '../../workbench/pane.ts';
import { onTrace } from '../../workbench/command.ts';
import CallGraph from './CallGraph.svelte';

export const pane: Pane = {
  id: 'graph',
  title: 'Call graph',
  words: 'functions callers callees profile',
  icon: 'graph',
  key: 'Shift+G',
  home: 'left-upper',
  component: CallGraph,
  hasFigure: true,
  commands: [
    onTrace(
      { id: 'graph-here', title: 'Callers and callees of the function here', key: 'e', menu: 'Go' },
      (trace, app, about) => {
        if (about?.function) trace.calls.centreOn(about.function.id);
        else void trace.calls.centreHere(about?.record);
        app.show('graph');
      },
    ),
  ],
};
