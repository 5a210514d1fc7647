/** Where does the processor go on when a handler that it entered is done? IRETs undo what led to handlers, the last one first. */
import { EVENT, NO_BRANCH, type Events } from '../../../../shared/flow/events.ts';
import type { Isa } from '../../image/machine.ts';
import { HANDLER, type HandlerCode } from './handler-code.ts';
import type { ImageCode } from '../classify/image-code.ts';

/** SELF: with the instruction that was left, which did not run yet. BEHIND: behind it. OPEN: the events do not tell. */
export const SELF = 0;
export const BEHIND = 1;
export const ELSEWHERE = 2;
export const OPEN = 3;

/** Events that are looked through. */
export const MOST_AHEAD = 4096;

interface Left {
  readonly low: number;
  readonly end: number;
}

/** `at`: the event with which a handler was entered. */
export function comeBack(
  events: Events,
  at: number,
  code: ImageCode,
  handlers: HandlerCode,
  isa: Isa | undefined,
): number {
  const { flags, cpu, sourceLow, sourceHigh, targetLow, targetHigh } = events;
  const ends = EVENT.source | EVENT.target;
  const left: Left[] = [leftAt(at)];
  const last = Math.min(events.count, at + 1 + MOST_AHEAD);
  for (let i = at + 1; i < last; i++) {
    if (cpu[i] !== cpu[at]) continue;
    if ((flags[i]! & EVENT.gap) !== 0 || (flags[i]! & ends) !== ends) return ELSEWHERE;
    const instruction = code.at(sourceLow[i]!, sourceHigh[i]!, isa);
    const target = targetLow[i]!;
    const top = left.at(-1)!;
    if (
      instruction?.restores === true &&
      targetHigh[i] === sourceHigh[at] &&
      (target === top.low || target === top.end)
    ) {
      left.pop();
      if (left.length === 0) return target === top.low ? SELF : BEHIND;
      continue;
    }
    const isDirect =
      instruction !== undefined && instruction.branch !== NO_BRANCH && instruction.target?.low === target;
    if (!isDirect && handlers.at(target, targetHigh[i]!, isa) === HANDLER) left.push(leftAt(i));
    else if (instruction?.restores === true) return ELSEWHERE;
  }
  return last === at + 1 + MOST_AHEAD ? ELSEWHERE : OPEN;

  function leftAt(i: number): Left {
    const low = sourceLow[i]!;
    return { low, end: low + (code.at(low, sourceHigh[i]!, isa)?.size ?? 0) };
  }
}
