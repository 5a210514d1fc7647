import type { FunctionId } from '../../../shared/requests/flow.ts';
import { attached } from '../../trace/attached.svelte.ts';

interface GraphOptions {
  readonly asTable: boolean;
  readonly inRange: boolean;
  readonly steps: number;
  readonly most: number;
  readonly collapse: boolean;
  /** Functions whose cycles are shown one by one. */
  readonly opened: ReadonlySet<FunctionId>;
}

/** Options of the Call graph pane, which is created again whenever it comes to the front. */
export const graphOptions = attached((): { current: GraphOptions } => ({
  current: { asTable: false, inRange: true, steps: 2, most: 40, collapse: true, opened: new Set() },
}));
