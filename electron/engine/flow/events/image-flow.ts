/**
 * Branch events of formats whose records are no events on their own (`followed` in shared/format/format.ts): where branches came from and
 * where direct ones went is found by following whole recordings through the program image. Each such format implements `ImageFlow` once,
 * and `image-flows.ts` lists the implementations. The index keeps none of these events, because they depend on the images.
 */
import type { Batch } from '../../../../shared/records/batch.ts';
import type { Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import type { FlowStretch } from '../../../../shared/flow/events.ts';
import type { RanInstruction } from '../../../../shared/requests/flow.ts';
import type { Images } from '../../image/images.ts';
import type { BlockTable } from '../../index/store/block-table.ts';
import type { SharedCode } from '../../image/shared-code.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { TraceReader, TraceRef } from '../../index/trace-reader.ts';
import { poolTask } from '../../threads/pool-task.ts';
import type { Task } from '../../threads/task.ts';

export interface ImageFlow {
  /** `Format.id` of the format. */
  readonly format: string;
  /** Returns the blocks that hold all of the recordings that begin in blocks [from, next), which other blocks may continue. */
  blocksAround(
    trace: Pick<FollowedTrace, 'blocks' | 'reader'>,
    from: BlockNumber,
    next: BlockNumber,
  ): readonly [first: BlockNumber, end: BlockNumber];
  /** Creates the reader of one decode thread. It remembers what it has followed. */
  createReader(reader: TraceReader, batch: Batch, images: Images): ImageFlowReader;
  /** Returns the instructions that the image proves to have run between each of `count` records, starting at `from`, and its predecessor. */
  runsBetween<E>(
    trace: FollowedTrace,
    records: { readonly from: RecordNumber; readonly count: number },
    task: Task<E>,
  ): Promise<Result<readonly FollowedRun[]>>;
}

/** The parts of an open trace that following needs. */
export interface FollowedTrace {
  readonly reader: TraceReader;
  readonly blocks: BlockTable;
  readonly images: Images;
  /** Scratch of the calling thread. */
  readonly batch: Batch;
}

export interface ImageFlowReader {
  /** Returns the branch events of a run of blocks. Equal bytes give equal events, whatever was read before. */
  read(run: ImageFlowRun): Result<FlowStretch>;
}

export interface ImageFlowRun {
  /** Consecutive blocks that hold the recordings, see `ImageFlow.blocksAround`. */
  readonly blocks: readonly BlockStart[];
  /** Recordings are read if their first record is in [first, end). */
  readonly first: RecordNumber;
  readonly end: RecordNumber;
  /** Events need no columns of their own (see `Events.alike`). They are returned in shared memory: in `room` if that is large enough. */
  readonly lean: boolean;
  readonly room?: SharedArrayBuffer | undefined;
}

/** Reads the branch events of records that are followed through the code of images. */
export const FOLLOW_IMAGES = poolTask<
  ImageFlowRun & { readonly trace: TraceRef; readonly code: SharedCode },
  FlowStretch
>('follow images', 'survey');

export interface FollowedRun {
  readonly n: RecordNumber;
  /** Oldest first. */
  readonly instructions: readonly RanInstruction[];
  /** Reason why some instructions are not known. */
  readonly unknown?: string;
}
