/** What walks over all of a trace found: kept while the trace is open, and good as long as its index has not grown. */
import type { RecordNumber } from '../../../shared/units.ts';
import type { FlowProgress } from '../../../shared/flow-answers.ts';
import type { KnownCalls } from './call-walk.ts';
import type { Edges } from './edges.ts';
import type { SharedCode } from '../image/shared-code.ts';
import type { Handlers } from './handlers.ts';
import type { InferredKinds } from './infer-calls.ts';
import type { SharedWork } from './shared-work.ts';

export interface FlowMemory {
  kinds?: { readonly records: RecordNumber; readonly inferred: InferredKinds };
  edges?: { readonly records: RecordNumber; readonly edges: Edges };
  handlers?: { readonly records: RecordNumber; readonly found: Handlers };
  calls?: KnownCalls;
  /** Of the images, for captures; null where none has any. */
  code?: SharedCode | null;
  /** The walk that finds them, while it lasts. */
  callWalk?: SharedWork<KnownCalls, FlowProgress>;
}
