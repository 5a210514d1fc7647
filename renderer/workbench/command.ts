/** Commands of the page: what menus show about them, what they do, and when they can run. */
import type { CommandFacts } from '../../shared/commands.ts';
import type { Trace } from '../trace/trace.svelte.ts';
import type { App } from './app.ts';
import type { Facts } from './context/facts.ts';

export interface Command extends CommandFacts {
  /** @param facts what a context menu was opened on; absent: the cursor */
  readonly run: (app: App, facts?: Facts) => void;
  /** Returns a sentence that says why the command cannot run now, or null if it can. Absent if it always can. */
  readonly refusal?: (app: App, facts?: Facts) => string | null;
}

/** Makes a command that needs an open trace. */
export function onTrace(
  facts: CommandFacts,
  run: (trace: Trace, app: App, about?: Facts) => void,
  refusal: (trace: Trace) => string | null = () => null,
): Command {
  return {
    ...facts,
    run(app, about) {
      const { active } = app.workbench;
      if (active) run(active, app, about);
    },
    refusal: ({ workbench }) => (workbench.active ? refusal(workbench.active) : 'Open a trace first.'),
  };
}
