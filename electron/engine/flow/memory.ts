/** What walks over all of a trace found: kept while the trace is open, and good as long as its index has not grown. */
import type { RecordNumber } from '../../../shared/units.ts';
import type { KnownCalls } from './call-walk.ts';
import type { Edges } from './edges.ts';
import type { InferredKinds } from './infer-calls.ts';

export interface FlowMemory {
  kinds?: { readonly records: RecordNumber; readonly inferred: InferredKinds };
  edges?: { readonly records: RecordNumber; readonly edges: Edges };
  calls?: KnownCalls;
}
