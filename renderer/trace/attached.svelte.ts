/** State that a feature keeps for each open trace, in the feature's own folder. */
import type { TraceBase } from './trace-base.ts';

/**
 * Returns a function that gives each trace its own state. The state is created on first use and lives as long as its trace,
 * whichever pane asked first.
 */
export function attached<Trace extends TraceBase, State>(create: (trace: Trace) => State): (trace: Trace) => State {
  const states = new WeakMap<Trace, State>();
  return (trace) => {
    let state = states.get(trace);
    if (state === undefined) {
      // A root of its own: derived values would otherwise end with the component that asked first.
      $effect.root(() => {
        state = create(trace);
      });
      states.set(trace, state as State);
    }
    return state as State;
  };
}
