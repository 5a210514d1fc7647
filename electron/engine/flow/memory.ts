/** What walks over all of a trace found: kept while the trace is open, and good as long as its index has not grown. */
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import type { KnownCalls } from './calls.ts';
import type { Edges } from './events/edges.ts';
import type { SharedCode } from '../image/shared-code.ts';
import type { Handlers } from './interrupts/handlers.ts';
import type { InferredKinds } from './infer/infer-calls.ts';
import type { SharedWork } from '../threads/shared-work.ts';

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
