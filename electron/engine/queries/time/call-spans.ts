/** Returns calls over time: long calls one by one, and shorter ones aggregated by columns of time. */
import {
  AGAINST_TIME,
  type CallSpan,
  type CallSpans,
  type CallSpansArguments,
  type FlowProgress,
} from '../../../../shared/requests/flow.ts';
import { counted } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { callsOf, knownCalls, type KnownCalls } from '../../flow/calls.ts';
import { createSpanColumns, type SpanTable } from '../../flow/tally/span-columns.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from '../find/find.ts';
import { chooseCpu, keptOf } from './cpu-choice.ts';
import { functionNames, type NameOf } from '../calls/function-names.ts';
import { prominentFunctions } from '../calls/prominent.ts';

const COLUMNS = 2000;

export async function callSpans(
  trace: Trace,
  args: Omit<CallSpansArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CallSpans>> {
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, args);
  const columns = 2 ** Math.ceil(Math.log2(args.columns ?? COLUMNS));
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  if (known.value.backwards)
    return ok({ spans: [], columns, cpus: [], coarse: false, prominent: [], notes: [AGAINST_TIME], reach });
  const name = functionNames(trace.images, known.value.functions);
  const prominent = prominentFunctions(known.value, name);
  const whole = from === 0 && to === known.value.records ? wholeSpans(known.value, columns, args.cpu) : undefined;
  if (whole !== undefined) return ok({ ...answered(name, whole), prominent, reach });
  const choice = chooseCpu(args.cpu);
  const list = createSpanColumns(from, to, [columns]);
  const found = await callsOf(trace, { from, to }, task, { spans: (cpu) => (choice.take(cpu) ? list : undefined) });
  if (!found.ok) return found;
  const table = list.tables()[0]!;
  return ok({ ...answered(name, { table, cpus: choice.cpus, cpu: choice.chosen() }), prominent, reach });
}

interface Found {
  readonly table: SpanTable;
  /** In order of appearance. */
  readonly cpus: readonly number[];
  readonly cpu: number | undefined;
}

/** Returns what the walk over the whole trace kept, if it has at least so many columns. */
function wholeSpans({ overTime }: KnownCalls, columns: number, wanted: number | undefined): Found | undefined {
  if (overTime === undefined) return undefined;
  const { cpus, cpu, of } = keptOf(overTime, wanted);
  const table = of?.spans.findLast((its) => its.columns >= columns);
  return table && { table, cpus, cpu };
}

function answered(name: NameOf, { table, cpus, cpu }: Found): Omit<CallSpans, 'prominent' | 'reach'> {
  const { depth, open, stays, since, coarse, columns, levels } = table;
  const lowest = depth.reduce((least, its) => Math.min(least, its), Number.POSITIVE_INFINITY);
  return {
    spans: Array.from(table.fn, (fn, i): CallSpan => {
      const { id, name: text, symbol } = name(fn);
      const [from, to] = [table.from[i]!, table.to[i]!];
      return {
        function: text,
        ...(symbol !== undefined && { symbol }),
        id,
        depth: depth[i]! - lowest,
        from,
        to,
        ...(!Number.isNaN(since[i]!) && { since: since[i]! < 0 ? null : since[i]! }),
        ...(stays[i]! > 1 && { calls: stays[i]! }),
        ...(open[i]! < to - from && { open: open[i]! }),
      };
    }),
    columns,
    ...(cpu !== undefined && { cpu }),
    cpus: cpus.toSorted((a, b) => a - b),
    coarse,
    notes:
      levels === undefined
        ? []
        : [`Only the outermost ${counted(levels, 'level')} of calls are shown; deeper ones are left out.`],
  };
}
