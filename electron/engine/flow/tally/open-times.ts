/** How long functions are open on one cpu, in instructions or branches, whether they run themselves or what they called: once where a function calls itself. */
import { addTo, type CallTally } from './call-tally.ts';

export interface OpenTimes {
  /** Units that ran. */
  run(units: number): void;
  /** The function is open from now on. */
  open(fn: number): void;
  /** It is open now, and shows to have been so for all the `ran` units of the stack that began with the record `begun`. */
  wasOpen(fn: number, begun: number, ran: number): void;
  /** Counts the time of a function that was open on the stack which began with the record `begun`; it is open from now on. */
  count(fn: number, begun: number): void;
}

export function createOpenTimes({ total }: Pick<CallTally, 'total'>): OpenTimes {
  let now = 0;
  /** By function: since when it is open. */
  let since = new Float64Array(64);
  /** By function, two each: the stack in which its time was counted last, by where that began, and how much was counted there. */
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
      // What it took within that, called by itself, is no more than that.
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
