import type { CallSpan, FunctionId } from '../../../shared/requests/flow.ts';
import { attached } from '../../trace/attached.svelte.ts';

export interface TreeOptions {
  readonly way: 'heavy' | 'time' | 'up';
  readonly asTable: boolean;
  /** Recursion is folded, except in time order. */
  readonly isFolded: boolean;
  readonly text: string;
  /** Functions from a root to the zoomed frame, for each order of frames. */
  readonly paths: Readonly<Record<'heavy' | 'up', readonly string[]>>;
  readonly chosen: ChosenCall | null;
}

/** Identifies a call in answers about any range: by the functions from a root to its frame, or by its span. */
export type ChosenCall =
  | { readonly way: 'heavy' | 'up'; readonly path: readonly FunctionId[] }
  | { readonly way: 'time'; readonly cpu: number | undefined; readonly span: CallSpan };

/**
 * Options of the Call tree pane, which is created again whenever it comes to the front. Calls of branch messages are first shown in time
 * order.
 */
export const treeOptions = attached(({ opened }): { current: TreeOptions } => ({
  current: {
    way: opened.messages && !opened.followed ? 'time' : 'heavy',
    asTable: false,
    isFolded: false,
    text: '',
    paths: { heavy: [], up: [] },
    chosen: null,
  },
}));
