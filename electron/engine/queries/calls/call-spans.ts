/** Returns calls over time, with the record at which each was entered and ended. The shortest calls are omitted if there are too many. */
import {
  AGAINST_TIME,
  type CallSpan,
  type CallSpans,
  type CallSpansArguments,
  type FlowProgress,
} from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { callsOf, knownCalls, SPAN_COLUMNS, type KnownCalls } from '../../flow/calls.ts';
import type { Functions } from '../../flow/functions/functions.ts';
import { createSpanList, longest, type KnownSpans, type SpanSink } from '../../flow/tally/span-list.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from '../find/find.ts';
import { functionNames } from './function-names.ts';
import { prominentFunctions } from './prominent.ts';

const COLUMNS = 2000;

export async function callSpans(
  trace: Trace,
  args: Omit<CallSpansArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CallSpans>> {
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, args);
  const shortest = (to - from) / (args.columns ?? COLUMNS);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  if (known.value.backwards)
    return ok({ spans: [], cpus: [], coarse: false, prominent: [], notes: [AGAINST_TIME], reach });
  const prominent = prominentFunctions(known.value, functionNames(trace.images, known.value.functions));
  const whole = wholeSpans(known.value, { from, to }, args);
  if (whole !== undefined) {
    const { functions, spans = new Map<number, KnownSpans>() } = known.value;
    return ok({
      ...answered(trace, functions, longest(whole, shortest), [...spans.keys()], args.cpu),
      prominent,
      reach,
    });
  }
  const cpus: number[] = [];
  const list = createSpanList(from, to, shortest);
  const found = await callsOf(trace, { from, to }, task, (cpu) => {
    const isFirst = cpus.length === 0;
    if (cpu >= 0) cpus.push(cpu);
    return (args.cpu ?? (isFirst ? cpu : -2)) === cpu ? list : NOWHERE;
  });
  if (!found.ok) return found;
  return ok({ ...answered(trace, found.value.functions, list.all(), cpus, args.cpu), prominent, reach });
}

/** Returns the spans recorded by the walk over the whole trace, if they satisfy the request. */
function wholeSpans(
  { records, spans }: KnownCalls,
  { from, to }: { readonly from: number; readonly to: number },
  { columns = COLUMNS, cpu }: Pick<CallSpansArguments, 'columns' | 'cpu'>,
): KnownSpans | undefined {
  if (from > 0 || to !== records || columns > SPAN_COLUMNS || spans === undefined) return undefined;
  const seen = [...spans.keys()];
  const wanted = cpu ?? seen.find((its) => its >= 0) ?? seen[0];
  return wanted === undefined ? undefined : spans.get(wanted);
}

/** `seen` lists the CPUs in order of appearance. An unknown CPU is below 0. */
function answered(
  { images }: Trace,
  functions: Functions,
  { spans, coarse }: KnownSpans,
  seen: readonly number[],
  wanted: number | undefined,
): Omit<CallSpans, 'prominent' | 'reach'> {
  const cpus = seen.filter((cpu) => cpu >= 0);
  const name = functionNames(images, functions);
  const lowest = spans.reduce((least, { depth }) => Math.min(least, depth), Number.POSITIVE_INFINITY);
  const cpu = wanted ?? cpus[0];
  return {
    spans: spans.map((span): CallSpan => {
      const { id, name: text, symbol } = name(span.fn);
      const { from, to, since } = span;
      return {
        function: text,
        ...(symbol !== undefined && { symbol }),
        id,
        depth: span.depth - lowest,
        from,
        to,
        ...(since !== undefined && { since: since < 0 ? null : since }),
      };
    }),
    ...(cpu === undefined ? {} : { cpu }),
    cpus: cpus.toSorted((a, b) => a - b),
    coarse,
    notes: [],
  };
}

const NOWHERE: SpanSink = { add: () => undefined };
