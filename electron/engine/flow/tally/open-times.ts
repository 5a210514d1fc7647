/**
 * Measures how long functions are open on one CPU, in instructions or branches, including the functions that they call. Recursion
 * counts once.
 */
import { addTo, type CallTally } from './call-tally.ts';

export interface OpenTimes {
  /** Advances the time by units that ran. */
  run(units: number): void;
  /** Starts the time of a function that opens now. */
  open(fn: number): void;
  /** Starts the time of a function that has been open since the stack `begun` began, `ran` units ago. */
  wasOpen(fn: number, begun: number, ran: number): void;
  /** Adds the time of a function that was open on the stack `begun` to the total, and starts it again. */
  count(fn: number, begun: number): void;
}

export function createOpenTimes({ total }: Pick<CallTally, 'total'>): OpenTimes {
  let now = 0;
  /** By function: the time since which it is open. */
  let since = new Float64Array(64);
  /** Two entries by function: the stack (its `begun`) in which time was counted last, and the time counted there. */
  let counted = new Float64Array(128).fill(NaN);
  return {
    run(units) {
      now += units;
    },
    open(fn) {
      setSince(fn, now);
    },
    wasOpen(fn, begun, ran) {
      setSince(fn, now - ran);
      // Time that was counted for calls within this stack is part of it.
      if (counted[2 * fn] === begun) addTo(total, fn, -counted[2 * fn + 1]!);
    },
    count(fn, begun) {
      const units = now - since[fn]!;
      addTo(total, fn, units);
      since[fn] = now;
      const at = 2 * fn;
      if (counted[at] === begun) counted[at + 1]! += units;
      else {
        counted[at] = begun;
        counted[at + 1] = units;
      }
    },
  };

  function setSince(fn: number, units: number): void {
    if (fn >= since.length) {
      const larger = new Float64Array(Math.max(since.length * 2, fn + 1));
      const wider = new Float64Array(2 * larger.length).fill(NaN);
      larger.set(since);
      wider.set(counted);
      [since, counted] = [larger, wider];
    }
    since[fn] = units;
  }
}
