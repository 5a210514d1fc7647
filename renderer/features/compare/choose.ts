import type { App } from '../../workbench/app.ts';
import { secondTrace } from '../../workbench/compared/second-trace.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { comparisonOf } from './comparison.svelte.ts';

/** Compares a trace with the one at a path, in the pane that asked for it: that pane opens the other trace. */
export function compareWith(app: App, trace: Trace, path: string): void {
  const second = secondTrace(trace);
  second.choose(path);
  comparisonOf(trace).startsAtFirst = true;
  app.show(second.pane);
}
