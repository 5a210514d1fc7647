/**
 * What a person chose in panes that are made anew whenever they come forward, or their trace does: each leaves here what it was set
 * to, and begins with it the next time. They belong to the trace, as other traces have other kinds, processors and functions.
 */
import type { BranchKind } from '../../shared/flow/events.ts';
import type { CallSpan, FunctionId } from '../../shared/requests/flow.ts';

export interface Choices {
  tree: TreeChoices;
  graph: GraphChoices;
  branches: BranchChoices;
  registers: RegisterChoices;
}

export interface TreeChoices {
  readonly way: 'heavy' | 'time' | 'up';
  readonly asTable: boolean;
  readonly text: string;
  /** Whose calls stand in order of time; undefined = those of the first. */
  readonly cpu: number | undefined;
  /** Functions from a root to the frame that is zoomed to, for each way of looking. */
  readonly paths: Readonly<Record<'heavy' | 'up', readonly string[]>>;
  readonly chosen: ChosenCall | null;
}

/** By what it is known in the answers about all ranges: the functions from a root to a frame, or where a call lies. */
export type ChosenCall =
  | { readonly way: 'heavy' | 'up'; readonly path: readonly FunctionId[] }
  | { readonly way: 'time'; readonly cpu: number | undefined; readonly span: CallSpan };

export interface GraphChoices {
  readonly asTable: boolean;
  readonly inRange: boolean;
  readonly steps: number;
  readonly most: number;
  readonly collapse: boolean;
  /** Functions whose circles are shown one by one. */
  readonly opened: ReadonlySet<FunctionId>;
}

export interface BranchChoices {
  readonly view: 'edges' | 'events';
  /** null = every kind. */
  readonly kinds: readonly BranchKind[] | null;
}

export interface RegisterChoices {
  /** As the list of them names it; null = that of the cursor's record. */
  readonly cpu: string | null;
}

export function createChoices(): Choices {
  return {
    tree: { way: 'heavy', asTable: false, text: '', cpu: undefined, paths: { heavy: [], up: [] }, chosen: null },
    graph: { asTable: false, inRange: true, steps: 2, most: 40, collapse: true, opened: new Set() },
    branches: { view: 'edges', kinds: null },
    registers: { cpu: null },
  };
}
