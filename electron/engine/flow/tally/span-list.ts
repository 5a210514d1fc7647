/** Spans: calls in time, with the records at which each was entered and ended. A list has an upper bound and drops the shortest spans. */
import type { RecordNumber } from '../../../../shared/base/units.ts';

export interface SpanSink {
  /**
   * Adds a stay of a frame in a function while its stack was in use. `depth` counts from the outermost frame that was known then.
   * `from` is -1 if the function was entered before the trace.
   */
  add(fn: number, depth: number, from: number, to: number): void;
}

export interface Span {
  readonly fn: number;
  readonly depth: number;
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** The record at which the call began, if that is before the requested range; -1 if it is before the trace. */
  readonly since?: RecordNumber;
}

/** Spans in the order in which the calls end. */
export interface KnownSpans {
  readonly spans: readonly Span[];
  /** True if short spans were dropped. */
  readonly coarse: boolean;
}

export interface SpanList extends SpanSink {
  all(): KnownSpans;
}

/** Spans as plain columns. */
export interface SpanTable {
  readonly fn: Int32Array;
  readonly depth: Int32Array;
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly coarse: boolean;
}

const MOST_SPANS = 50_000;

/** Creates a list for the records [first, end). Spans of fewer records than `shortest` are dropped. */
export function createSpanList(first: RecordNumber, end: RecordNumber, shortest: number): SpanList {
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
      spans.push(since < from && first > 0 ? { fn, depth, from, to, since } : { fn, depth, from, to });
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

/** Returns the spans of at least `shortest` records. */
export function longest({ spans, coarse }: KnownSpans, shortest: number): KnownSpans {
  const long = spans.filter(({ from, to }) => to - from >= shortest);
  return { spans: long, coarse: coarse || long.length < spans.length };
}

/** Converts spans to columns for the index. */
export function spanTable({ spans, coarse }: KnownSpans): SpanTable {
  return {
    fn: Int32Array.from(spans, ({ fn }) => fn),
    depth: Int32Array.from(spans, ({ depth }) => depth),
    from: Float64Array.from(spans, ({ from }) => from),
    to: Float64Array.from(spans, ({ to }) => to),
    coarse,
  };
}

export function spansOf({ fn, depth, from, to, coarse }: SpanTable): KnownSpans {
  const spans = Array.from(fn, (own, i) => ({ fn: own, depth: depth[i]!, from: from[i]!, to: to[i]! }));
  return { spans, coarse };
}
