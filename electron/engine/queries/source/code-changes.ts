/** Returns what ran in two runs, and how often, function by function and line by line. Both traces are counted as wholes. */
import { changedLines, codeChanges } from '../../../../shared/against/code-changes.ts';
import type { CodeDifference, FunctionPlace, PlacedChange } from '../../../../shared/requests/answers/code-changes.ts';
import type { Coverage } from '../../../../shared/requests/answers/coverage.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { shiftBetween } from '../diff/paths/shift.ts';
import { listedIn } from './counts.ts';

/** Lines of an answer. */
const MOST_LINES = 10_000;

export async function codeDifference(
  trace: Trace,
  other: Trace,
  task: Task<FlowProgress>,
): Promise<Result<CodeDifference>> {
  const shift = await shiftBetween(trace, other, task);
  if (!shift.ok) return shift;
  const its = await listedIn(trace, {}, task);
  if (!its.ok) return its;
  const others = await listedIn(other, {}, task);
  if (!others.ok) return others;
  const [a, b] = [its.value, others.value];
  const changes = codeChanges(a, b, BigInt(shift.value.shift));
  const lines = changedLines(changes);
  return ok({
    shift: shift.value.shift,
    functions: changes.functions.map((change, at): PlacedChange => {
      const rows = changes.rows[at]!;
      return {
        ...change,
        ...(rows.a !== undefined && { placeA: placeOf(a, rows.a) }),
        ...(rows.b !== undefined && { placeB: placeOf(b, rows.b) }),
      };
    }),
    lines: lines.slice(0, MOST_LINES),
    left: Math.max(0, lines.length - MOST_LINES),
    totals: changes.totals,
    notes: [...a.notes.map((note) => `A: ${note}`), ...b.notes.map((note) => `B: ${note}`), ...changes.notes],
  });
}

function placeOf({ functions }: Coverage, row: number): FunctionPlace {
  const { address, file, line } = functions[row]!;
  return { address, ...(file !== undefined && { file }), ...(line !== undefined && { line }) };
}
