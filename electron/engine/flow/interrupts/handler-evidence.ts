/**
 * Finds the handlers of interrupts of processors that may have them at any address. In: all branches of a trace. Out: addresses.
 *
 * Rule 1: an address may be a handler if something other than a branch led there, and is one if a return from an exception (IRET,
 * ERET, MRET) ends what began so. Example: 0x9000 runs after `add` at 0x1040, and the next `iret` goes to 0x1043.
 *
 * Rule 2: some interrupts come only right after indirect branches, and look like their targets. If a return from an exception
 * comes while only calls are open, one of the branches that led to the current function was an interrupt. Example: `ret` at 0x1040
 * seems to go to 0x9000, and the next `iret` is in the code that began there.
 */
import { BRANCH, EVENT, type Events } from '../../../../shared/flow/events.ts';
import { ABSENT, createAddressMap, type AddressMap } from '../../collections/address-map.ts';
import { HANDLER, isIndirect, MAYBE_HANDLER } from './handlers.ts';
import { createEntryStack, type Ended, type EntryStack } from './entry-stack.ts';

export interface HandlerEvidence {
  /** Adds the next events. Those of each CPU are in order. */
  add(events: Events): void;
  /** Returns MAYBE_HANDLER or HANDLER by address. */
  handlers(): AddressMap;
}

/** Sets of addresses one of which is a handler. */
const MOST_SUSPECTS = 65_536;

export function createHandlerEvidence(): HandlerEvidence {
  /** Addresses that something other than a branch led to. */
  const led = createAddressMap();
  /** Those of them that a return from an exception ended. */
  const ended = createAddressMap();
  /** Return addresses of calls. */
  const resumes = createAddressMap();
  const suspects = new Map<string, Ended>();
  const stacks = new Map<number, EntryStack>();
  return { add, handlers };

  function add(events: Events): void {
    const { kind, flags, cpu, targetLow, targetHigh, resumeLow, resumeHigh, count } = events;
    let [last, stack] = [Number.NaN, undefined as EntryStack | undefined];
    for (let i = 0; i < count; i++) {
      if (cpu[i] !== last || stack === undefined) {
        last = cpu[i]!;
        stack = stacks.get(last) ?? createEntryStack();
        stacks.set(last, stack);
      }
      const bits = flags[i]!;
      if ((bits & EVENT.gap) !== 0) stack.clear();
      if ((bits & EVENT.target) === 0) continue;
      const [low, high] = [targetLow[i]!, targetHigh[i]!];
      const indirect = isIndirect(events, i);
      const hasResume = (bits & EVENT.resume) !== 0;
      switch (kind[i]) {
        case BRANCH.call:
          if (!hasResume) break;
          resumes.set(resumeLow[i]!, resumeHigh[i]!, 1);
          stack.pushCall(low, high, resumeLow[i]!, resumeHigh[i]!, indirect && !isLed(low, high));
          if (indirect && isLed(low, high)) stack.pushInterrupt(low, high, 0, 0, false);
          break;
        case BRANCH.jump:
          if (indirect && isLed(low, high)) stack.pushInterrupt(low, high, 0, 0, false);
          else if (indirect) stack.noteJump(low, high);
          break;
        case BRANCH.return:
          if ((bits & EVENT.ends) !== 0) endInterrupt(stack, low, high);
          else if (stack.returnTo(low, high)) break;
          else if (isLed(low, high)) stack.leave();
          else stack.noteReturn(low, high);
          if (isLed(low, high)) stack.pushInterrupt(low, high, 0, 0, false);
          break;
        case BRANCH.exception:
        case BRANCH.interrupt:
          led.set(low, high, 1);
          stack.pushInterrupt(low, high, resumeLow[i]!, resumeHigh[i]!, hasResume);
          break;
        case BRANCH.unknown: {
          const isBroken = (bits & EVENT.broken) !== 0;
          if (!isBroken && (bits & EVENT.strayed) === 0) break;
          led.set(low, high, 1);
          if (!isBroken && hasResume) {
            resumes.set(resumeLow[i]!, resumeHigh[i]!, 1);
            stack.pushCall(low, high, resumeLow[i]!, resumeHigh[i]!, false);
          }
          stack.pushInterrupt(low, high, resumeLow[i]!, resumeHigh[i]!, isBroken && hasResume);
          break;
        }
        default:
          break;
      }
    }
  }

  function isLed(low: number, high: number): boolean {
    return led.get(low, high) !== ABSENT;
  }

  function endInterrupt(stack: EntryStack, low: number, high: number): void {
    const found = stack.endInterrupt(low, high);
    if (found === undefined) return;
    const { lows, highs } = found;
    if (found.certain) {
      ended.set(lows[0]!, highs[0]!, 1);
      return;
    }
    const key = `${found.fits ? 1 : 0} ${lows.map((each, at) => `${highs[at]!}:${each}`).join(' ')}`;
    if (suspects.size < MOST_SUSPECTS) suspects.set(key, found);
  }

  function handlers(): AddressMap {
    const all = createAddressMap();
    // A return address of a call is not a handler: records are missing there, or another thread continued.
    led.each((low, high) => {
      if (resumes.get(low, high) === ABSENT) all.set(low, high, MAYBE_HANDLER);
    });
    ended.each((low, high) => {
      all.set(low, high, HANDLER);
    });
    // Small sets first: a handler that they prove explains the larger ones.
    const groups = [...suspects.values()].map(({ lows, highs, fits }) => ({
      fits,
      places: lows
        .map((low, at) => ({ low, high: highs[at]! }))
        .filter(({ low, high }) => resumes.get(low, high) === ABSENT),
    }));
    for (const { places, fits } of groups.sort((a, b) => a.places.length - b.places.length)) {
      const isAlone = places.length === 1;
      const isKnown = places.some(({ low, high }) => all.get(low, high) !== ABSENT);
      if (isKnown && !isAlone) continue;
      const kind = isAlone && (isKnown || fits) ? HANDLER : MAYBE_HANDLER;
      for (const { low, high } of places) all.set(low, high, kind);
    }
    return all;
  }
}
