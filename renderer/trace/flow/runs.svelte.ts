/** Instructions that ran between branch messages, proved by the program images. Lists show them below each message. */
import type { RanInstruction } from '../../../shared/requests/flow.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createChunks } from '../questions/chunks.svelte.ts';
import type { Range } from '../cursor.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

export interface Run {
  /** Last instructions that ran, ending with the branch itself. */
  readonly instructions: readonly RanInstruction[];
  /** Number of earlier instructions that are not listed. */
  readonly left: number;
  /** Reason why the instructions after these are unknown; empty if these are all. */
  readonly unknown: string;
}

export interface Runs {
  /** True if the trace consists of branch messages and an image has code. */
  readonly possible: boolean;
  readonly of: (n: RecordNumber) => Run | undefined;
  readonly want: (ranges: readonly Range[]) => void;
  readonly stop: () => void;
}

const CHUNK = 400;
/** Largest number of instructions listed below one message. */
const MOST = 40;

export function createRuns(trace: () => TraceBase): Runs {
  const chunks = createChunks<ReadonlyMap<RecordNumber, Run>>(CHUNK, async (from, count, signal) => {
    const result = await trace().client.request('between', { trace: trace().id, from, count }, { signal });
    if (!result.ok) return result;
    const runs = result.value.runs.map(({ n, instructions, left = 0, unknown = '' }): [RecordNumber, Run] => [
      n,
      { instructions: instructions.slice(-MOST), left: left + Math.max(0, instructions.length - MOST), unknown },
    ]);
    return { ok: true, value: new Map(runs) };
  });

  function isPossible(): boolean {
    const { opened, source } = trace();
    return opened.messages === true && (source.images ?? []).length > 0;
  }

  return {
    get possible() {
      return isPossible();
    },
    of: (n) => chunks.at(n)?.get(n),
    want(ranges) {
      if (isPossible()) chunks.want(ranges, trace().reach.records);
    },
    stop: chunks.clear,
  };
}

/** Returns the number of lines that a run takes below its message. */
export function linesOf(run: Run | undefined): number {
  return run === undefined ? 0 : run.instructions.length + (run.left > 0 ? 1 : 0) + (run.unknown === '' ? 0 : 1);
}
