/** The selected function or calls of the call graph. */
import type { CallEdge, FunctionId } from '../../../shared/requests/flow.ts';

export type Chosen =
  | { readonly kind: 'function'; readonly id: FunctionId }
  /** Functions that call one another in a cycle and are drawn as one. */
  | { readonly kind: 'cycle'; readonly ids: readonly FunctionId[] }
  | { readonly kind: 'edges'; readonly edges: readonly EdgeName[] };

/** Identity of an edge in the answers about all ranges, where its index differs. */
export type EdgeName = Pick<CallEdge, 'caller' | 'callee' | 'kind' | 'inferred'>;

export function isSameEdge(a: EdgeName, b: EdgeName): boolean {
  return a.caller === b.caller && a.callee === b.callee && a.kind === b.kind && a.inferred === b.inferred;
}
