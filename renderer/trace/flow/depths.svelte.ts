/** Call depths of records, for lists that indent by them. Unknown until the whole trace is indexed. */
import type { Depths as Answer } from '../../../shared/requests/flow.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createChunks } from '../questions/chunks.svelte.ts';
import type { Range } from '../cursor.svelte.ts';
import { createFlowQuestion, type FlowQuestion } from '../questions/flow-question.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

export interface Depths {
  /** Number of calls open at a record of this CPU; undefined if that is unknown, or not known yet. */
  readonly of: (n: RecordNumber, cpu: number | undefined) => number | undefined;
  /** True if the open calls are inferred rather than seen in the trace. */
  readonly isInferred: (n: RecordNumber, cpu: number | undefined) => boolean;
  /** True if a call, an exception or an interrupt of this CPU led to the record. */
  readonly enters: (n: RecordNumber, cpu: number | undefined) => boolean;
  /** The one walk over the trace that finds its calls; false if no depth can be known. */
  readonly walk: FlowQuestion<RecordNumber, boolean>;
  readonly want: (ranges: readonly Range[]) => void;
  readonly stop: () => void;
}

const CHUNK = 1000;

export function createDepths(trace: () => TraceBase): Depths {
  const walk = createFlowQuestion<RecordNumber, boolean>(async (_records, options) => {
    chunks.clear();
    const result = await trace().client.request('depths', { trace: trace().id, from: 0, count: 1 }, options);
    return result.ok ? { ok: true, value: result.value.unknown !== true } : result;
  });
  const chunks = createChunks<Chunk>(CHUNK, async (from, count, signal) => {
    const result = await trace().client.request('depths', { trace: trace().id, from, count }, { signal });
    return result.ok ? { ok: true, value: chunkOf(result.value) } : result;
  });

  return {
    of: (n, cpu) => stepAt(chunks.at(n), n, cpu)?.depth,
    isInferred: (n, cpu) => stepAt(chunks.at(n), n, cpu)?.inferred === true,
    enters(n, cpu) {
      const step = stepAt(chunks.at(n), n, cpu);
      return step?.n === n && step.enters;
    },
    walk,
    want(ranges) {
      const { records, complete } = trace().reach;
      if (!complete || records === 0) return;
      walk.ask(records);
      if (walk.value === true && walk.key === records) chunks.want(ranges, records);
    },
    stop() {
      walk.stop();
      chunks.clear();
    },
  };
}

interface DepthStep {
  readonly n: RecordNumber;
  readonly depth: number;
  readonly inferred: boolean;
  readonly enters: boolean;
}

/** Depths of each CPU, in the order of records. */
type Chunk = ReadonlyMap<number | undefined, readonly DepthStep[]>;

function chunkOf({ start, changes }: Answer): Chunk {
  const chunk = new Map<number | undefined, DepthStep[]>();
  for (const { cpu, depth, inferred = false } of start) chunk.set(cpu, [{ n: -1, depth, inferred, enters: false }]);
  for (const { n, cpu, depth, inferred = false, enters } of changes) {
    const steps = chunk.get(cpu) ?? [];
    steps.push({ n, depth, inferred, enters });
    chunk.set(cpu, steps);
  }
  return chunk;
}

/** Returns the last step at or before a record. */
function stepAt(chunk: Chunk | undefined, n: RecordNumber, cpu: number | undefined): DepthStep | undefined {
  // A record without a CPU belongs to the only CPU with known calls. A record of another CPU does not.
  const steps = chunk?.get(cpu) ?? (cpu === undefined && chunk?.size === 1 ? [...chunk.values()][0] : undefined);
  if (steps === undefined) return undefined;
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle]?.n ?? 0) <= n) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1];
}
