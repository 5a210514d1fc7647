/** Searches many blocks with the threads of the pool, and returns the results in order. */
import { setImmediate as breathe } from 'node:timers/promises';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { unlessCancelled, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { searchedBlock } from './candidates.ts';
import { FIND_MATCHES, type Matches, type Wanted } from './matches.ts';
import type { Question } from './question.ts';

export interface Search {
  readonly question: Question;
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** Blocks to search, in the wanted order of matches. */
  readonly blocks: Iterator<BlockNumber>;
  /** Says what is wanted of blocks that are about to be searched. */
  wanted(blocks: readonly BlockNumber[]): Wanted;
}

/** Blocks per task. The first tasks are short so that near matches are found at once. Later tasks take about ten milliseconds. */
const FIRST_RUN = 1;
const LONGEST_RUN = 8;
const SLICE_MS = 8;

interface Part {
  readonly blocks: readonly BlockNumber[];
  readonly answer: Promise<Result<Matches>>;
}

/**
 * Passes results with their searched blocks to `take`, part by part, until it returns false, all blocks are searched, or the task is
 * cancelled.
 */
export async function searchBlocks<E>(
  trace: Trace,
  search: Search,
  task: Task<E>,
  take: (matches: Matches, blocks: readonly BlockNumber[]) => boolean,
): Promise<Result<undefined>> {
  const { pool, reader } = trace;
  const control = new AbortController();
  const parts: Part[] = [];
  let run = FIRST_RUN;
  let started = 0;
  const ended = { yet: false };
  try {
    for (;;) {
      while (!ended.yet && parts.length < pool.jobs * 2) {
        const blocks = await nextBlocks(run);
        if (task.cancelled()) return task.cancel();
        if (blocks.length === 0) break;
        parts.push({ blocks, answer: start(blocks) });
        if (++started % pool.jobs === 0) run = Math.min(LONGEST_RUN, run * 2);
      }
      const part = parts.shift();
      if (part === undefined) return ok(undefined);
      const found = await unlessCancelled(part.answer, task);
      if (!found.ok) return found;
      if (!take(found.value, part.blocks)) return ok(undefined);
    }
  } finally {
    control.abort();
  }

  function start(blocks: readonly BlockNumber[]): Promise<Result<Matches>> {
    const { question, from, to } = search;
    const wanted = search.wanted(blocks);
    const searched = blocks.map((block) => searchedBlock(trace, block));
    return pool.run(FIND_MATCHES, { trace: reader.ref, question, from, to, wanted, blocks: searched }, control.signal);
  }

  async function nextBlocks(most: number): Promise<BlockNumber[]> {
    const blocks: BlockNumber[] = [];
    let sliceEnd = performance.now() + SLICE_MS;
    while (blocks.length < most) {
      const next = search.blocks.next();
      if (next.done === true) {
        ended.yet = true;
        break;
      }
      blocks.push(next.value);
      if (performance.now() < sliceEnd) continue;
      await breathe();
      if (task.cancelled()) break;
      sliceEnd = performance.now() + SLICE_MS;
    }
    return blocks;
  }
}
