/** What ran between branch messages, as the program's images prove it: lists show it below each message. */
import type { RanInstruction } from '../../../shared/requests/flow.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createChunks } from '../questions/chunks.svelte.ts';
import type { Range } from '../cursor.svelte.ts';
import type { Trace } from '../trace.svelte.ts';

export interface Run {
  /** The last instructions that ran, the branch itself last. */
  readonly instructions: readonly RanInstruction[];
  /** So many before them are not listed. */
  readonly left: number;
  /** Why what ran behind them is not known; empty where they are all. */
  readonly unknown: string;
}

export interface Runs {
  /** True where a trace is made of messages and an image has code. */
  readonly possible: boolean;
  readonly of: (n: RecordNumber) => Run | undefined;
  readonly want: (ranges: readonly Range[]) => void;
  readonly stop: () => void;
}

const CHUNK = 400;
/** Instructions that are listed below one message. */
const MOST = 40;

export function createRuns(trace: () => Trace): Runs {
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

/** Lines that a run takes below its message. */
export function linesOf(run: Run | undefined): number {
  return run === undefined ? 0 : run.instructions.length + (run.left > 0 ? 1 : 0) + (run.unknown === '' ? 0 : 1);
}
