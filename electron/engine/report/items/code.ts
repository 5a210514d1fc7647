/** Data of the report parts about the code of the program: its hottest lines and instructions, and what of it never ran. */
import type { CoveredFunction } from '../../../../shared/requests/answers/coverage.ts';
import { instructionCosts, lineCosts } from '../../../../shared/coverage/costs.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, lowHalf } from '../../../../shared/base/units.ts';
import { listedIn } from '../../queries/source/counts.ts';
import { codeOf } from '../../queries/source/describe.ts';
import type { RangeArguments } from '../../queries/source/per-range.ts';
import { coverageFiles } from '../../queries/source/queries.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import type { TableData } from '../document.ts';

/** Fails with NO_IMAGE_CODE without an image that has code. */
export async function codeData(
  trace: Trace,
  table: 'lines' | 'instructions' | 'coverage',
  most: number,
  range: RangeArguments,
  task: Task,
): Promise<Result<TableData>> {
  if (table === 'coverage') return coverageData(trace, most, range, task);
  const counted = await listedIn(trace, range, withoutProgress(task));
  if (!counted.ok) return counted;
  const coverage = counted.value;
  const { notes } = coverage;
  const costs = { unit: 'instructions', cost: coverage.executed, notes };
  if (table === 'lines') {
    const lines = lineCosts(coverage);
    return ok({ table, rows: lines.slice(0, most), all: lines.length, ...costs });
  }
  const code = await codeOf(trace);
  const rows = instructionCosts(coverage, most, (row) => {
    const address = BigInt(coverage.instructions.addresses[row]!);
    return code.at(lowHalf(address), highHalf(address), undefined)?.text;
  });
  const all = coverage.instructions.counts.reduce((sum, count) => sum + Number(count > 0), 0);
  return ok({ table, rows, all, ...costs });
}

async function coverageData(trace: Trace, most: number, range: RangeArguments, task: Task): Promise<Result<TableData>> {
  const found = await coverageFiles(trace, range, withoutProgress(task));
  if (!found.ok) return found;
  const { files, functions, notes, totals } = found.value;
  const missed = functions.filter(({ instructions: { covered, total } }) => covered < total).sort(byMissed);
  return ok({
    table: 'coverage',
    rows: missed.slice(0, most),
    all: missed.length,
    files: files.slice(0, most),
    allFiles: files.length,
    totals,
    notes,
  });
}

function byMissed(a: CoveredFunction, b: CoveredFunction): number {
  const missed = (one: CoveredFunction, what: 'lines' | 'instructions'): number => one[what].total - one[what].covered;
  return missed(b, 'lines') - missed(a, 'lines') || missed(b, 'instructions') - missed(a, 'instructions');
}
