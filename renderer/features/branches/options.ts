import { BRANCH_KINDS, type BranchKind } from '../../../shared/flow/events.ts';
import { list, oneOf } from '../../../shared/requests/schema.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';

interface BranchOptions {
  view: 'edges' | 'events';
  /** null = every kind. */
  kinds: readonly BranchKind[] | null;
}

export const branchOptions = paneOptions<BranchOptions>(
  'branches',
  { view: oneOf(['edges', 'events']), kinds: list(oneOf(BRANCH_KINDS), BRANCH_KINDS.length) },
  () => ({ view: 'edges', kinds: null }),
);
