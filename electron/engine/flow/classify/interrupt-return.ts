/**
 * Finds where a handler returned to, in the events after it was entered. IRETs end handlers in reverse order.
 *
 * Example: a message says that `iret` at 0x9040 went to the handler at 0x9100. If the IRET of that returns to 0x9040, the first
 * IRET had not been executed: an interrupt came before it. If it returns to 0x9041, the instruction had been executed.
 */
import { EVENT, NO_BRANCH, type Events } from '../../../../shared/flow/events.ts';
import type { Isa } from '../../image/machine.ts';
import { HANDLER, type HandlerCode } from './handler-code.ts';
import type { ImageCode } from './image-code.ts';

/** A handler returned to the instruction at the source of the event that entered it, which had not been executed yet. */
export const TO_SOURCE = 0;
/** It returned to the next instruction. */
export const TO_NEXT = 1;
export const ELSEWHERE = 2;
/** It had not returned by the last event. */
export const OPEN = 3;

/** Events that are searched for the return. */
export const MOST_AHEAD = 4096;

/** The source of an event that entered a handler: the address of its instruction, and of the next one. */
interface Interrupted {
  readonly low: number;
  readonly end: number;
}

/** Returns where the handler that event `at` entered returned to. */
export function findInterruptReturn(
  events: Events,
  at: number,
  code: ImageCode,
  handlers: HandlerCode,
  isa: Isa | undefined,
): number {
  const { flags, cpu, sourceLow, sourceHigh, targetLow, targetHigh } = events;
  const ends = EVENT.source | EVENT.target;
  const open: Interrupted[] = [sourceOf(at)];
  const last = Math.min(events.count, at + 1 + MOST_AHEAD);
  for (let i = at + 1; i < last; i++) {
    if (cpu[i] !== cpu[at]) continue;
    if ((flags[i]! & EVENT.gap) !== 0 || (flags[i]! & ends) !== ends) return ELSEWHERE;
    const instruction = code.at(sourceLow[i]!, sourceHigh[i]!, isa);
    const target = targetLow[i]!;
    const top = open.at(-1)!;
    if (
      instruction?.restores === true &&
      targetHigh[i] === sourceHigh[at] &&
      (target === top.low || target === top.end)
    ) {
      open.pop();
      if (open.length === 0) return target === top.low ? TO_SOURCE : TO_NEXT;
      continue;
    }
    const isDirect =
      instruction !== undefined && instruction.branch !== NO_BRANCH && instruction.target?.low === target;
    if (!isDirect && handlers.at(target, targetHigh[i]!, isa) === HANDLER) open.push(sourceOf(i));
    else if (instruction?.restores === true) return ELSEWHERE;
  }
  return last === at + 1 + MOST_AHEAD ? ELSEWHERE : OPEN;

  function sourceOf(i: number): Interrupted {
    const low = sourceLow[i]!;
    return { low, end: low + (code.at(low, sourceHigh[i]!, isa)?.size ?? 0) };
  }
}
