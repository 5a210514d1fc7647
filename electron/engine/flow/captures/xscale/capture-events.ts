/** Turns the followed entries of a capture into numbered branch events. Programs loop, so most events already have a number. */
import { BRANCH, EVENT } from '../../../../../shared/flow/events.ts';
import { isBranch, isException, isIndirect, MESSAGE, vectorOf } from '../../../../../shared/xscale/messages.ts';
import { instructionsIn, isOfRegister, type Entry } from './entries.ts';
import { NUMBER_FROM, type EventList } from './event-list.ts';
import type { Branches } from './follow.ts';
import { STEP } from './known-steps.ts';
import { even, NO_KIND, NOWHERE } from './path.ts';

export interface CaptureEvents {
  /** Events of the latest `fill`, as `EventList.add` takes them. */
  readonly some: Int32Array;
  /** Fills `some` with the events of a capture and returns their number. Every branch and exception is an event. */
  fill(entries: readonly Entry[], branches: Branches): number;
}

/**
 * Columns of the memo of event numbers. `from`: the step of the entry, or -1 - message if it has none. `target`: the entry's own target.
 * `ran`: the number of instructions, shifted left by RAN_FROM, with the flags `gap` and `inferred` below. `number`: the event number.
 */
const MADE = { from: 0, target: 1, ran: 2, number: 3 } as const;
const RAN_FROM = 8;
const MADE_WORDS = 4;
/** Slots of the memo, a power of two. A new event replaces the old one in its slot. */
const MOST_MADE = 1 << 12;

export function createCaptureEvents(list: EventList, base: number): CaptureEvents {
  const filled = { some: new Int32Array(256), fill };
  /** By hash of the first three columns of MADE. */
  const made = new Float64Array(MOST_MADE * MADE_WORDS).fill(Number.NaN);
  let age = -1;
  return filled;

  function fill(entries: readonly Entry[], branches: Branches): number {
    if (filled.some.length < entries.length) filled.some = new Int32Array(entries.length);
    if (age !== branches.age) made.fill(Number.NaN);
    age = branches.age;
    const { some } = filled;
    const { steps, doubtful, registersHold } = branches;
    const doubt = doubtful ? EVENT.inferred : 0;
    let since = 0;
    let gap: number = EVENT.gap;
    let count = 0;
    for (let k = 0; k < entries.length; k++) {
      const entry = entries[k]!;
      const { message } = entry;
      if (!isBranch(message) && !isException(message)) {
        // Nothing is known after a damaged entry.
        if (message === MESSAGE.reserved) gap = EVENT.gap;
        since = message === MESSAGE.reserved ? 0 : since + (instructionsIn(entry) ?? entry.count);
        continue;
      }
      const instructions = since + (instructionsIn(entry) ?? entry.count);
      const target = registersHold || !isOfRegister(entry) ? (entry.target ?? NOWHERE) : NOWHERE;
      const step = steps[k]!;
      const from = step < 0 ? -1 - message : step;
      const ran = (instructions << RAN_FROM) | gap | doubt;
      const at = mixOf(from, target, ran) * MADE_WORDS;
      if (made[at + MADE.from] !== from || made[at + MADE.target] !== target || made[at + MADE.ran] !== ran) {
        made[at + MADE.from] = from;
        made[at + MADE.target] = target;
        made[at + MADE.ran] = ran;
        made[at + MADE.number] = numberOf(message, target, step, branches.rows, gap, doubt, instructions);
      }
      const number = made[at + MADE.number]!;
      some[count++] = (number << NUMBER_FROM) | k;
      since = gap = 0;
    }
    return count;
  }

  function numberOf(
    message: number,
    target: number,
    step: number,
    rows: Float64Array,
    gap: number,
    doubt: number,
    instructions: number,
  ): number {
    const isFollowed = step >= 0 && rows[step + STEP.kind] !== NO_KIND;
    const kind = isFollowed ? rows[step + STEP.kind]! : bareKind(message);
    const source = isFollowed ? rows[step + STEP.source]! : NOWHERE;
    const resume = isFollowed ? rows[step + STEP.resume]! : NOWHERE;
    // A target that needs no image is certain.
    let to = isException(message) ? base + vectorOf(message) : target;
    if (to < 0 && isFollowed && !isIndirect(message)) to = rows[step + STEP.target]!;
    if (to >= 0) to = even(to);
    const computed = kind === BRANCH.jump && isIndirect(message) ? EVENT.computed : 0;
    const known = (source < 0 ? 0 : EVENT.source) | (to < 0 ? 0 : EVENT.target) | (resume < 0 ? 0 : EVENT.resume);
    const flags = gap | computed | (isFollowed ? doubt : 0) | known;
    return list.numberOf(kind, flags, Math.max(0, source), Math.max(0, to), Math.max(0, resume), instructions);
  }
}

function mixOf(from: number, target: number, ran: number): number {
  const mix = Math.imul(from ^ Math.imul(target, 0x85ebca6b) ^ (ran << 8), 0x9e3779b1);
  return (mix ^ (mix >>> 15)) & (MOST_MADE - 1);
}

function bareKind(message: number): number {
  if (!isException(message)) return BRANCH.unknown;
  return message === MESSAGE.irq || message === MESSAGE.fiq ? BRANCH.interrupt : BRANCH.exception;
}
