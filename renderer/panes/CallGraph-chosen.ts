/** What a person points at in the call graph. */
import type { FunctionId } from '../../shared/flow-answers.ts';

export type Chosen =
  | { readonly kind: 'function'; readonly id: FunctionId }
  /** Functions that call one another in a circle and are drawn as one. */
  | { readonly kind: 'circle'; readonly ids: readonly FunctionId[] }
  /** Places in the graph's edges. */
  | { readonly kind: 'edges'; readonly edges: readonly number[] };
