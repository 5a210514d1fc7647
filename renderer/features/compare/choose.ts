import type { App } from '../../workbench/app.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { comparisonOf } from './comparison.svelte.ts';
import { compareOptions } from '../../trace/compare-options.ts';

/** Compares a trace with the one at a path: the pane opens that trace, and shows where they part. */
export function compareWith(app: App, trace: Trace, path: string): void {
  const options = compareOptions(trace);
  const comparison = comparisonOf(trace);
  if (path !== options.other) {
    options.cpu = undefined;
    options.hasImages = false;
    comparison.refusal = null;
  }
  options.other = path;
  comparison.startsAtFirst = true;
  comparison.wasOpen = null;
  app.show('compare');
}
