/** Commands of the comparison of two runs. */
import type { Trace } from '../../trace/trace.svelte.ts';
import type { App } from '../../workbench/app.ts';
import { onTrace, type Command } from '../../workbench/command.ts';
import { secondTrace } from '../../workbench/compared/second-trace.svelte.ts';
import { comparisonOf } from './comparison.svelte.ts';
import { keepDifference } from './difference-note.ts';
import { differencePart } from './part.ts';
import { compareOptions } from '../../trace/compare-options.ts';

const NONE = 'Choose a trace to compare with first.';

export const commands: readonly Command[] = [
  onTrace(
    {
      id: 'compare-with',
      title: 'Compare with…',
      menu: 'File',
      words: 'diff two runs traces difference divergence second other side by side',
    },
    (trace, { shell }) => {
      secondTrace(trace).pane = 'compare';
      shell.dialog = 'compare';
    },
  ),
  onTrace(
    {
      id: 'images-b',
      title: 'Program images of trace B…',
      menu: 'File',
      words: 'compare diff other elf symbols names',
    },
    (_, { shell }) => (shell.dialog = 'images-b'),
    (trace) => refusal(trace) ?? (trace.compared ? null : 'Open the other trace first.'),
  ),
  onTrace(
    {
      id: 'compare-options',
      title: 'Options of the comparison',
      menu: 'View',
      words: 'compare diff ignore register function symbol confirm path',
    },
    (trace, app) => {
      const options = compareOptions(trace);
      options.showsOptions = !options.showsOptions;
      app.show('compare');
    },
    refusal,
  ),
  step('next-difference', 'Next difference of the two runs', 'F8', 1),
  step('previous-difference', 'Previous difference of the two runs', 'Shift+F8', -1),
  onTrace(
    {
      id: 'why-both',
      title: 'Why on both sides of the comparison',
      key: 'F9',
      menu: 'Go',
      words: 'compare diff why value differs origin cause',
    },
    (trace, app) => {
      show(app);
      const comparison = comparisonOf(trace);
      const whys = comparison.whysOfState() ?? comparison.whysOfRow();
      if (whys) comparison.whys = whys;
      else trace.say('The traces record no register or memory that this instruction set.');
    },
    refusal,
  ),
  onTrace(
    {
      id: 'note-difference',
      title: 'Note the difference at the cursor',
      menu: 'Notes',
      words: 'compare diff two runs part bookmark annotate',
    },
    (trace) => void keepDifference(trace, comparisonOf(trace)),
    refusal,
  ),
  onTrace(
    {
      id: 'report-differences',
      title: 'Add the differences of the two runs to the report',
      menu: 'Notes',
      words: 'compare diff report part',
    },
    (trace) => void trace.composer.take(differencePart(trace)),
    refusal,
  ),
  onTrace(
    {
      id: 'first-difference',
      title: 'First difference of the two runs',
      menu: 'Go',
      words: 'compare diff divergence part',
    },
    (trace, app) => {
      const comparison = comparisonOf(trace);
      app.show('compare');
      if (comparison.alignment) comparison.goToFirst();
      else comparison.startsAtFirst = true;
    },
    refusal,
  ),
];

function step(id: string, title: string, key: string, way: 1 | -1): Command {
  return onTrace(
    { id, title, key, menu: 'Go', words: 'compare diff divergence' },
    (trace, app) => {
      show(app);
      comparisonOf(trace).step(way);
    },
    refusal,
  );
}

function show(app: App): void {
  if (!app.layout.isOpen('compare')) app.show('compare');
}

function refusal(trace: Trace): string | null {
  return compareOptions(trace).other === undefined ? NONE : null;
}
