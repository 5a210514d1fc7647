/** Stretches of blocks in their order: from the index, else read by the pool's threads while those before them are taken. */
import type { FlowStretch } from '../../../shared/flow.ts';
import { ok, type Result } from '../../../shared/result.ts';
import type { BlockNumber } from '../../../shared/units.ts';
import { decodeFlow } from '../builders/flow-row.ts';
import type { BlockStart } from '../queries/heat-cells.ts';
import type { BlockTable } from '../store/block-table.ts';
import { NODE } from '../store/index-file.ts';
import { unlessCancelled, type Task } from '../task.ts';
import type { Trace } from '../trace.ts';

/** Blocks that one task has at most: of lines, whose events are few; a block of messages may hold a million. */
const LONGEST_RUN = 4;

interface Part {
  /** The block behind those of the part. */
  readonly next: BlockNumber;
  readonly answer: Promise<Result<FlowStretch>>;
}

/** Hands the stretches of blocks [first, end) to `take`, each with the block behind it, until that answers false. */
export async function readAhead<E>(
  trace: Trace,
  { first, end }: { readonly first: BlockNumber; readonly end: BlockNumber },
  task: Task<E>,
  take: (stretch: FlowStretch, next: BlockNumber) => Promise<boolean>,
): Promise<Result<undefined>> {
  const { pool, reader, blocks } = trace;
  const control = new AbortController();
  const parts: Part[] = [];
  const longest = reader.decoder.framing.kind === 'lines' ? LONGEST_RUN : 1;
  let asked = first;
  try {
    for (;;) {
      while (asked < end && parts.length <= pool.jobs) {
        const stored = storedStretch(trace, asked);
        let next = asked + 1;
        if (stored !== undefined) parts.push({ next, answer: Promise.resolve(ok(stored)) });
        else {
          while (next < Math.min(end, asked + longest) && !isStored(trace, next)) next++;
          parts.push({ next, answer: ask(asked, next) });
        }
        asked = next;
      }
      const part = parts.shift();
      if (part === undefined) return ok(undefined);
      const stretch = await unlessCancelled(part.answer, task);
      if (!stretch.ok) return stretch;
      if (!(await take(stretch.value, part.next))) return ok(undefined);
    }
  } finally {
    control.abort();
  }

  function ask(from: BlockNumber, next: BlockNumber): Promise<Result<FlowStretch>> {
    return pool.flow({ trace: reader.ref, blocks: startsOf(blocks, from, next) }, control.signal);
  }
}

/** The stretch of one block. */
export async function readBlock<E>(trace: Trace, block: BlockNumber, task: Task<E>): Promise<Result<FlowStretch>> {
  const stored = storedStretch(trace, block);
  if (stored !== undefined) return ok(stored);
  const { pool, reader, blocks } = trace;
  const control = new AbortController();
  try {
    const starts = startsOf(blocks, block, block + 1);
    return await unlessCancelled(pool.flow({ trace: reader.ref, blocks: starts }, control.signal), task);
  } finally {
    control.abort();
  }
}

/** What the index has of a block's flow; undefined where that was left out. */
function storedStretch({ index, blocks }: Trace, block: BlockNumber): FlowStretch | undefined {
  const bytes = index.blob(NODE.flow, 0, block);
  return bytes.length === 0 ? undefined : decodeFlow(bytes, blocks.firstRecord(block));
}

function isStored({ index }: Trace, block: BlockNumber): boolean {
  return index.blob(NODE.flow, 0, block).length > 0;
}

function startsOf({ entry, firstRecord }: BlockTable, from: BlockNumber, next: BlockNumber): readonly BlockStart[] {
  return Array.from({ length: next - from }, (_, at) => ({
    block: from + at,
    entry: entry(from + at),
    firstRecord: firstRecord(from + at),
  }));
}
