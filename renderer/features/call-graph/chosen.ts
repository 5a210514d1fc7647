/** What a person points at in the call graph. */
import type { CallEdge, FunctionId } from '../../../shared/requests/flow.ts';

export type Chosen =
  | { readonly kind: 'function'; readonly id: FunctionId }
  /** Functions that call one another in a circle and are drawn as one. */
  | { readonly kind: 'circle'; readonly ids: readonly FunctionId[] }
  | { readonly kind: 'edges'; readonly edges: readonly EdgeName[] };

/** What an edge is known by in the answers about all ranges: in each it stands at another place. */
export type EdgeName = Pick<CallEdge, 'caller' | 'callee' | 'kind' | 'inferred'>;

export function isSameEdge(a: EdgeName, b: EdgeName): boolean {
  return a.caller === b.caller && a.callee === b.callee && a.kind === b.kind && a.inferred === b.inferred;
}
