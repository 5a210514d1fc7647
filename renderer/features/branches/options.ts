import type { BranchKind } from '../../../shared/flow/events.ts';
import { attached } from '../../trace/attached.svelte.ts';

interface BranchOptions {
  readonly view: 'edges' | 'events';
  /** null = every kind. */
  readonly kinds: readonly BranchKind[] | null;
}

/** Options of the Branches pane, which is created again whenever it comes to the front. */
export const branchOptions = attached((): { current: BranchOptions } => ({ current: { view: 'edges', kinds: null } }));
