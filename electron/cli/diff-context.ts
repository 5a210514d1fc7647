/**
 * The surroundings of a difference in one of two traces: the instructions around it with their effects, and the open calls. In traces without
 * instructions, the records around it.
 */
import { effectsOf, LONGEST } from '../../shared/records/attach.ts';
import { isInstruction, type RecordView } from '../../shared/records/record.ts';
import { CANCELLED } from '../../shared/requests/failures.ts';
import { ok, type Result } from '../../shared/base/result.ts';
import type { RecordNumber } from '../../shared/base/units.ts';
import type { OpenTrace } from './trace.ts';

export interface Surroundings {
  /** Instructions, or all records of the CPU if the difference is no instruction. */
  readonly instructions: readonly {
    readonly record: RecordView;
    readonly effects: readonly RecordView[];
    readonly isHere: boolean;
  }[];
  /** Names of the functions with open calls, innermost first; undefined if they cannot be found. */
  readonly stack: readonly string[] | undefined;
}

/** Returns the surroundings of a record, with `most` instructions of its CPU before it and after it. */
export async function surroundingsOf(
  { id, opened, request }: OpenTrace,
  at: RecordNumber,
  most: number,
): Promise<Result<Surroundings>> {
  const from = Math.max(0, at - (most + 1) * LONGEST);
  const answer = await request('records', { trace: id, from, count: at - from + (most + 2) * LONGEST });
  if (!answer.ok) return answer;
  const { records } = answer.value;
  const here = records[at - from];
  const hasInstructions = here !== undefined && isInstruction(here.kind);
  const own = records.filter(({ kind, cpu }) => (isInstruction(kind) || !hasInstructions) && cpu === here?.cpu);
  const place = own.findIndex(({ n }) => n === at);
  const instructions = own.slice(Math.max(0, place - most), place + most + 1).map((record) => ({
    record,
    effects: hasInstructions ? effectsOf(record.n, (n) => records[n - from]) : [],
    isHere: record.n === at,
  }));
  const stack = opened.flow === true ? await request('stack', { trace: id, at }) : undefined;
  if (stack?.ok === false && stack.error.code === CANCELLED) return stack;
  // Without known calls the stack is left out.
  const frames = stack?.ok === true ? stack.value.frames.map((frame) => frame.function) : undefined;
  return ok({ instructions, stack: frames });
}
