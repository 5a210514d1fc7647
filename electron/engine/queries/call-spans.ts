/** Calls in time: when each was entered and when it ended. Where there are too many the shortest are left out. */
import type { CallSpan, CallSpans, CallSpansArguments, FlowProgress } from '../../../shared/flow-answers.ts';
import { ok, type Result } from '../../../shared/result.ts';
import type { RecordNumber } from '../../../shared/units.ts';
import { callsOf } from '../flow/call-walk.ts';
import type { SpanSink } from '../flow/open-calls.ts';
import type { Task } from '../task.ts';
import { reachOf, type Trace } from '../trace.ts';
import { rangeOf } from './find.ts';
import { functionNames } from './function-names.ts';

const COLUMNS = 2000;
const MOST_SPANS = 50_000;

export async function callSpans(
  trace: Trace,
  args: Omit<CallSpansArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CallSpans>> {
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, args);
  const cpus: number[] = [];
  const list = createSpans(from, to, (to - from) / (args.columns ?? COLUMNS));
  const found = await callsOf(trace, { from, to }, task, (cpu) => {
    const isFirst = cpus.length === 0;
    if (cpu >= 0) cpus.push(cpu);
    return (args.cpu ?? (isFirst ? cpu : -2)) === cpu ? list : NOWHERE;
  });
  if (!found.ok) return found;
  const name = functionNames(trace.images, found.value.functions);
  const { spans, coarse } = list.all();
  const lowest = spans.reduce((least, { depth }) => Math.min(least, depth), Number.POSITIVE_INFINITY);
  const cpu = args.cpu ?? cpus[0];
  return ok({
    spans: spans.map((span): CallSpan => {
      const { id, name: text } = name(span.fn);
      return { function: text, id, depth: span.depth - lowest, from: span.from, to: span.to };
    }),
    ...(cpu === undefined ? {} : { cpu }),
    cpus: cpus.sort((a, b) => a - b),
    coarse,
    reach,
  });
}

const NOWHERE: SpanSink = { add: () => undefined };

interface Span {
  readonly fn: number;
  readonly depth: number;
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

interface Spans extends SpanSink {
  all(): { readonly spans: readonly Span[]; readonly coarse: boolean };
}

function createSpans(first: RecordNumber, end: RecordNumber, shortest: number): Spans {
  let spans: Span[] = [];
  let least = shortest;
  let coarse = false;
  return {
    add(fn, depth, since, until) {
      const from = Math.max(first, since);
      const to = Math.min(end, until);
      if (to <= from) return;
      if (to - from < least) {
        coarse = true;
        return;
      }
      spans.push({ fn, depth, from, to });
      if (spans.length < 2 * MOST_SPANS) return;
      spans = thinned();
    },
    all() {
      if (spans.length > MOST_SPANS) spans = thinned();
      return { spans, coarse };
    },
  };

  function thinned(): Span[] {
    coarse = true;
    let kept = spans;
    while (kept.length > MOST_SPANS) {
      least = Math.max(1, least) * 2;
      kept = kept.filter(({ from, to }) => to - from >= least);
    }
    return kept;
  }
}
