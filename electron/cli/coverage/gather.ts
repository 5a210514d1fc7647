/** Coverage of several traces of one program. Each trace is open only while it is asked, so memory does not grow with their number. */
import type { Coverage, CoverageLevel } from '../../../shared/requests/answers/coverage.ts';
import type { ImageFacts } from '../../../shared/requests/requests.ts';
import { added } from '../../../shared/coverage/join.ts';
import { minus } from '../../../shared/coverage/minus.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { FileRead } from '../../result-file.ts';
import type { Context } from '../command.ts';
import { withFlow } from '../options/flow-range.ts';
import { filesRead } from '../trace.ts';

export interface Gathering {
  /** Range in the first trace, which is the only one then. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Traces whose code is left out. */
  readonly others: readonly string[];
  /** Level of the lists of one trace. Several traces are added up, and left out, by their instructions. */
  readonly level: CoverageLevel;
  /** Asks for the disassembly too. */
  readonly texts: boolean;
}

export interface Gathered {
  readonly coverage: Coverage;
  readonly images: readonly ImageFacts[];
}

/** Adds up the traces of the command line, and leaves out what the others ran. */
export async function gather(
  context: Context,
  { from, to, others, level, texts }: Gathering,
): Promise<Result<Gathered>> {
  const traces = [context.trace, ...context.rest];
  const isAlone = traces.length + others.length === 1;
  const own = await sumOf(context, traces, { from, to, level, texts, isAlone });
  if (!own.ok || others.length === 0) return own;
  const left = await sumOf(context, others, { from: undefined, to: undefined, level, texts: false, isAlone });
  if (!left.ok) return left;
  const { coverage, images } = own.value;
  const notes = [...coverage.notes, ...left.value.coverage.notes];
  return ok({ coverage: { ...minus(coverage, left.value.coverage), notes }, images });
}

/** Files that no output may replace. */
export function gatheredFiles(context: Context, others: readonly string[]): readonly FileRead[] {
  return [...filesRead(context), ...[...context.rest, ...others].map((path) => ({ path, what: 'a trace' }))];
}

async function sumOf(
  context: Context,
  traces: readonly string[],
  { from, to, level, texts, isAlone }: Omit<Gathering, 'others'> & { readonly isAlone: boolean },
): Promise<Result<Gathered>> {
  let sum: Gathered | undefined;
  for (const path of traces) {
    const done = await withFlow({ ...context, trace: path }, { from, to }, async (trace, range, onEvent) => {
      const args = {
        trace: trace.id,
        ...range,
        level: isAlone ? level : 'instruction',
        ...(texts && { texts }),
      } as const;
      const answer = await trace.request('coverage', args, { onEvent });
      context.progress.clear();
      if (!answer.ok) return answer;
      const notes = answer.value.notes.map((note) => (isAlone ? note : `${path}: ${note}`));
      const coverage = { ...answer.value, notes };
      if (sum !== undefined) {
        sum = { ...sum, coverage: added(sum.coverage, coverage) };
        return ok(undefined);
      }
      const info = await trace.request('info', { trace: trace.id });
      if (!info.ok) return info;
      sum = { coverage, images: info.value.images ?? [] };
      return ok(undefined);
    });
    if (!done.ok) return done;
  }
  return ok(sum!);
}
