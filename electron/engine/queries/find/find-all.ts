/** Counts the matching records over time and returns the first of them, in bounded memory. */
import type { Answer, Arguments, FindAllProgress } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from './find.ts';
import { candidates } from './candidates.ts';
import { readQuestion } from './question.ts';
import { searchBlocks } from './search.ts';
import { evenEdges } from '../heat/grid.ts';
import { columnOf } from '../heat/heat-cells.ts';

const REPORT_MS = 100;
const MOST_REPORTED = 1000;

export async function findAll(
  trace: Trace,
  args: Omit<Arguments<'findAll'>, 'trace'>,
  task: Task<FindAllProgress>,
): Promise<Result<Answer<'findAll'>>> {
  const question = readQuestion(args);
  if (!question.ok) return question;
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, args);
  const sum = createSum(from, Math.max(from, to), args.columns ?? 1, args.most ?? 0);
  if (from >= to) return ok({ ...sum.soFar(sum.most), reach });
  const { blocks } = trace;
  const first = blocks.blockOfRecord(from);
  const end = blocks.blockOfRecord(to - 1) + 1;
  const found = candidates(trace, question.value, first, end, false)[Symbol.iterator]();
  let nextReport = performance.now() + REPORT_MS;
  const search = { question: question.value, from, to, wanted: 'numbers', blocks: found } as const;
  const searched = await searchBlocks(trace, search, task, ({ numbers }, looked) => {
    sum.add(numbers);
    const last = looked.at(-1);
    if (last !== undefined && performance.now() >= nextReport) {
      task.report({ ...sum.soFar(MOST_REPORTED), at: Math.min(to, blocks.firstRecord(last + 1)) });
      nextReport = performance.now() + REPORT_MS;
    }
    return true;
  });
  return searched.ok ? ok({ ...sum.soFar(sum.most), reach }) : searched;
}

interface Sum {
  readonly most: number;
  add(numbers: Float64Array): void;
  /** Includes at most the first `most` numbers. */
  soFar(most: number): Omit<Answer<'findAll'>, 'reach'>;
}

function createSum(from: RecordNumber, to: RecordNumber, columns: number, most: number): Sum {
  const edges = from < to ? evenEdges(from, to, columns) : new Float64Array(0);
  const counts = new Float64Array(Math.max(0, edges.length - 1));
  const kept: Float64Array[] = [];
  let keptNumbers = 0;
  let found = 0;
  return {
    most,
    add(numbers): void {
      found += numbers.length;
      let column = 0;
      let end = 0;
      for (let i = 0; i < numbers.length; i++) {
        const n = numbers[i]!;
        if (n >= end) {
          column = columnOf(edges, n);
          end = edges[column + 1]!;
        }
        counts[column]!++;
      }
      if (keptNumbers >= most || numbers.length === 0) return;
      const part = numbers.subarray(0, most - keptNumbers);
      kept.push(part);
      keptNumbers += part.length;
    },
    soFar: (wanted) => ({ found, edges: edges.slice(), counts: counts.slice(), numbers: joined(kept, wanted) }),
  };
}

function joined(parts: readonly Float64Array[], most: number): Float64Array {
  const length = Math.min(
    most,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  const all = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    if (at >= length) break;
    const taken = part.subarray(0, length - at);
    all.set(taken, at);
    at += taken.length;
  }
  return all;
}
