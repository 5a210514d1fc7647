import type { LineStepKind } from '../../../shared/requests/source/answers.ts';
import type { Pane } from '../../workbench/pane.ts';
import { onTrace, type Command } from '../../workbench/command.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import Source from './Source.svelte';

function lineStep(id: string, title: string, key: string, step: LineStepKind): Command {
  return onTrace(
    { id, title, key, menu: 'Go', words: 'source line statement debugger' },
    (trace) => void trace.flow.stepLine(step),
    whyNot,
  );
}

function whyNot({ source }: Trace): string | null {
  return (source.images?.length ?? 0) > 0 ? null : 'Add a program image with debug information first.';
}

export const pane: Pane = {
  id: 'source',
  title: 'Source',
  words: 'code lines c file listing debug information counts',
  icon: 'file',
  key: 'Shift+L',
  home: 'left-upper',
  component: Source,
  startsClosed: true,
  commands: [
    lineStep('line-over', 'Next source line, over calls', 'q', 'over'),
    lineStep('line-back-over', 'Previous source line, over calls', 'Shift+Q', 'back over'),
    lineStep('line-into', 'Next source line, into calls', 's', 'into'),
    lineStep('line-back-into', 'Previous source line, into calls', 'Alt+S', 'back into'),
  ],
};
