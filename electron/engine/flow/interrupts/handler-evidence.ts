/**
 * Finds handlers of interrupts in all branches of a trace, for processors that may have them anywhere.
 *
 * What something led to otherwise than by a branch may be one: an interrupt between two instructions that are none, or behind
 * a direct branch; an exception. It is one if a return from an exception (IRET, ERET, MRET) ends what began so. Some interrupts come only
 * right behind branches to where a register or the stack says, and look like those: such a return, where nothing but calls is
 * open, ends one of the branches that led to the function that it is in.
 */
import { BRANCH, EVENT, type Events } from '../../../../shared/flow/events.ts';
import { ABSENT, createAddressMap, type AddressMap } from '../../collections/address-map.ts';
import { HANDLER, isIndirect, MAYBE_HANDLER } from './handlers.ts';
import { createEntryStack, type Ended, type EntryStack } from './entry-stack.ts';

export interface HandlerEvidence {
  /** The next events, those of each cpu in order. */
  add(events: Events): void;
  /** By address: MAYBE_HANDLER or HANDLER. */
  handlers(): AddressMap;
}

/** Of places of which a return from an exception ended one. */
const MOST_SUSPECTS = 65_536;

export function createHandlerEvidence(): HandlerEvidence {
  /** Where something led otherwise than by a branch. */
  const led = createAddressMap();
  /** Of those: what a return from an exception ended. */
  const ended = createAddressMap();
  /** Where calls go on. */
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
          stack.call(low, high, resumeLow[i]!, resumeHigh[i]!, indirect && !isLed(low, high));
          if (indirect && isLed(low, high)) stack.came(low, high, 0, 0, false);
          break;
        case BRANCH.jump:
          if (indirect && isLed(low, high)) stack.came(low, high, 0, 0, false);
          else if (indirect) stack.jump(low, high);
          break;
        case BRANCH.return:
          if ((bits & EVENT.ends) !== 0) end(stack, low, high);
          else if (stack.back(low, high)) break;
          else if (isLed(low, high)) stack.leave();
          else stack.lead(low, high);
          if (isLed(low, high)) stack.came(low, high, 0, 0, false);
          break;
        case BRANCH.exception:
        case BRANCH.interrupt:
          led.set(low, high, 1);
          stack.came(low, high, resumeLow[i]!, resumeHigh[i]!, hasResume);
          break;
        case BRANCH.unknown: {
          const isBroken = (bits & EVENT.broken) !== 0;
          if (!isBroken && (bits & EVENT.strayed) === 0) break;
          led.set(low, high, 1);
          if (!isBroken && hasResume) {
            resumes.set(resumeLow[i]!, resumeHigh[i]!, 1);
            stack.call(low, high, resumeLow[i]!, resumeHigh[i]!, false);
          }
          stack.came(low, high, resumeLow[i]!, resumeHigh[i]!, isBroken && hasResume);
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

  function end(stack: EntryStack, low: number, high: number): void {
    const found = stack.end(low, high);
    if (found === undefined) return;
    const { lows, highs } = found;
    if (found.certain) {
      ended.set(lows[0]!, highs[0]!, 1);
      return;
    }
    const key = `${found.fits ? 1 : 0} ${lows.map((its, at) => `${highs[at]!}:${its}`).join(' ')}`;
    if (suspects.size < MOST_SUSPECTS) suspects.set(key, found);
  }

  function handlers(): AddressMap {
    const all = createAddressMap();
    // What only calls return to is no handler: something is missing there, or another thread went on.
    led.each((low, high) => {
      if (resumes.get(low, high) === ABSENT) all.set(low, high, MAYBE_HANDLER);
    });
    ended.each((low, high) => {
      all.set(low, high, HANDLER);
    });
    // Few places first: they may explain the others.
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
