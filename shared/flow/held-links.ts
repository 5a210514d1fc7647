/**
 * The link register of interrupted code. A handler changes it and restores it before it returns to the place that it interrupted. So the
 * value there is held until a return leads to that place. Handlers of several threads may be open at once: values are held by place.
 */
import { BRANCH, EVENT, type Events, type FlowPoint, type HeldLink, type LinkValue } from './events.ts';
import { EXCEPTION_RETURN, FIQ_MODE, HYPERVISOR_MODE, keepsLink, MODE_SHIFT } from './point.ts';

/** Open interrupts whose values are held; of more, the latest. */
const MOST_HELD = 16;

/** Holds a value until a return leads to the place. Undefined: it is not known, and an older one for the place no longer counts. */
export function hold(held: HeldLink[], low: number, high: number, link: LinkValue | undefined): void {
  take(held, low, high);
  if (link === undefined) return;
  if (held.length === MOST_HELD) held.shift();
  held.push({ low, high, link });
}

/** Removes and returns the value that is held for a place. */
export function take(held: HeldLink[], low: number, high: number): LinkValue | undefined {
  const at = held.findIndex((one) => one.low === low && one.high === high);
  return at < 0 ? undefined : held.splice(at, 1)[0]!.link;
}

/**
 * Returns the value of the link register at `next`, after a step from `last` whose events are those from `from` on. `link`: value after
 * `last`. `resume` returns the value that was held for the target of the return at an index of the events.
 */
export function linkAfter(
  events: Events,
  from: number,
  last: FlowPoint,
  next: FlowPoint,
  link: LinkValue | undefined,
  held: HeldLink[],
  resume: (at: number, held: HeldLink[]) => LinkValue | undefined,
): LinkValue | undefined {
  let value = last.branch === BRANCH.call ? undefined : link;
  let turns = false;
  for (let at = from; at < events.count; at++) {
    if (interrupts(events, at)) {
      hold(held, events.resumeLow[at]!, events.resumeHigh[at]!, value);
      value = undefined;
      turns = true;
    } else if (returns(events, at)) {
      value = resume(at, held);
      turns = true;
    } else if (at + 1 < events.count) value = undefined;
  }
  return turns || keepsLink(last, next) ? value : undefined;
}

/** Returns true if code at a known place was interrupted: also for a reason that the trace does not show. */
export function interrupts({ kind, flags }: Events, at: number): boolean {
  const its = flags[at]!;
  if ((its & EVENT.resume) === 0) return false;
  if (kind[at] === BRANCH.unknown) return (its & EVENT.broken) !== 0;
  return kind[at] === BRANCH.interrupt || kind[at] === BRANCH.exception;
}

export function returns({ kind, flags }: Events, at: number): boolean {
  return kind[at] === BRANCH.return && (flags[at]! & EVENT.target) !== 0;
}

/** Returns true if a record shows the link register of another mode than an instruction's, or the value that ends an exception. */
export function isForeign({ low, high, mode = 0 }: LinkValue, mark: number): boolean {
  const its = mark >>> MODE_SHIFT;
  return (mode !== 0 && its !== 0 && bankOf(mode) !== bankOf(its)) || (high === 0 && low >= EXCEPTION_RETURN);
}

/** Returns a number for the link register of a mode. User, system and hypervisor mode share one: Armv7-A, B1.3.2. */
function bankOf(mode: number): number {
  return mode >= FIQ_MODE && mode < HYPERVISOR_MODE ? mode : 0;
}
