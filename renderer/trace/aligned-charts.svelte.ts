/**
 * Charts over time share one axis if their panes are stacked: panes with the same left and right edge give their charts the same
 * distances from these edges, so that a record is at the same place in all of them.
 */
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { attached } from './attached.svelte.ts';

/** Distances in CSS pixels between a chart and the left and right edge of its pane. */
export interface Inset {
  readonly left: number;
  readonly right: number;
}

export interface AlignedChart {
  /** Distances that fit every chart of the stack. */
  readonly inset: Inset;
  /** Attached to any element of the pane while the chart is shown. */
  readonly inPane: Attachment<HTMLElement>;
}

interface Placed {
  readonly edges: Inset | undefined;
  readonly least: Inset;
}

/** Edges are equal if they differ by less, because layouts are shares of a width. */
const NEAR = 1;

const stackOf = attached(() => {
  let charts = $state.raw<readonly Placed[]>([]);
  return {
    get charts() {
      return charts;
    },
    set charts(next) {
      charts = next;
    },
  };
});

/**
 * Aligns a chart with the others of its trace.
 * @param least returns the distances that the chart needs for its own scales and lists
 * @param layout is read so that a change of the layout measures the edges again
 */
export function alignedChart(
  trace: Parameters<typeof stackOf>[0],
  least: () => Inset,
  layout: () => unknown,
): AlignedChart {
  const stack = stackOf(trace);
  let edges = $state.raw<Inset | undefined>();
  const own: Placed = {
    get edges() {
      return edges;
    },
    get least() {
      return least();
    },
  };
  return {
    get inset() {
      return insetOf(own, stack.charts);
    },
    inPane(element) {
      layout();
      const pane = element.closest('section') ?? element;
      const measure = (): void => {
        const { left, right } = pane.getBoundingClientRect();
        if (edges?.left !== left || edges.right !== right) edges = { left, right };
      };
      const observer = new ResizeObserver(measure);
      observer.observe(pane);
      untrack(() => {
        measure();
        stack.charts = [...stack.charts, own];
      });
      return () => {
        observer.disconnect();
        stack.charts = stack.charts.filter((other) => other !== own);
      };
    },
  };
}

/** Returns the greatest distances among the charts whose panes have the same edges. */
export function insetOf({ edges, least }: Placed, charts: readonly Placed[]): Inset {
  const stacked = charts.filter(
    (other) => edges && other.edges && [edges.left - other.edges.left, edges.right - other.edges.right].every(isNear),
  );
  return {
    left: Math.max(least.left, ...stacked.map((other) => other.least.left)),
    right: Math.max(least.right, ...stacked.map((other) => other.least.right)),
  };
}

function isNear(difference: number): boolean {
  return Math.abs(difference) < NEAR;
}
