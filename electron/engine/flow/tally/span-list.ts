/** Calls in time as a walk hears of them, when each was entered and when it ended: where there are too many the shortest are left out. */
import type { RecordNumber } from '../../../../shared/base/units.ts';

export interface SpanSink {
  /**
   * A stay while the stack was in use. `depth` counts from the outermost frame that was known then; `from` is -1 where it was entered
   * before the trace.
   */
  add(fn: number, depth: number, from: number, to: number): void;
}

export interface Span {
  readonly fn: number;
  readonly depth: number;
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** Where it began, if that lies before the records that are asked for; -1: that is not in the trace. */
  readonly since?: RecordNumber;
}

/** In the order in which calls end. */
export interface KnownSpans {
  readonly spans: readonly Span[];
  /** Short ones were left out. */
  readonly coarse: boolean;
}

export interface SpanList extends SpanSink {
  all(): KnownSpans;
}

/** A span for each, as plain columns. */
export interface SpanTable {
  readonly fn: Int32Array;
  readonly depth: Int32Array;
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly coarse: boolean;
}

const MOST_SPANS = 50_000;

/** Of the records [first, end); calls of fewer records than `shortest` are left out. */
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

/** Those of at least `shortest` records. */
export function longest({ spans, coarse }: KnownSpans, shortest: number): KnownSpans {
  const long = spans.filter(({ from, to }) => to - from >= shortest);
  return { spans: long, coarse: coarse || long.length < spans.length };
}

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
