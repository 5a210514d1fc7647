import type { PathElements } from '../../../../../shared/requests/diff.ts';
import type { PathChunks } from '../../../flow/path/path-chunks.ts';
import type { Trace } from '../../../trace.ts';

/** One of the two traces. */
export interface Side {
  readonly trace: Trace;
  readonly chunks: PathChunks;
  /** The elements of its path. */
  readonly elements: PathElements;
  /** FLAG bits of the ends of branches that count, because both traces show them. */
  readonly ends: number;
  /** Its addresses minus those of the first trace. */
  readonly shift: bigint;
}
