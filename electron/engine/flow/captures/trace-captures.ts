/** What is asked of a capture of an open trace: with its images, its options. */
import { setImmediate as breathe } from 'node:timers/promises';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { BUFFER_BYTES, isCheckpointed, isIndirect } from '../../../../shared/xscale/messages.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { isBigEndian } from './xscale/byte-order.ts';
import type { CaptureContent } from './capture-content.ts';
import { visitCaptures } from './captures.ts';
import { createCode, type Code } from './xscale/code.ts';
import type { Followed } from './xscale/findings.ts';
import { follow, type Question } from './xscale/follow.ts';

/** As any thread has it. */
type Read = Pick<Trace, 'reader'>;

const SLICE_MS = 8;
/** Bytes that a file of OpenOCD has before a buffer, and for each byte of it. */
const HEADER = 16;
const WORD = 4;
/** Where in that the address is at which the core had stopped. */
const HALT = 8;
/** OpenOCD leaves out so many bytes at the front at most that may have been a part of an entry. */
const MOST_TRIMMED = 4;

export function isXscale({ format }: Trace): Result<undefined> {
  if (format.id === 'xscale') return ok(undefined);
  return fail('no-captures', `only XScale trace buffers have captures, and this file was read as ${format.name}`);
}

export function followCapture(trace: Trace, capture: CaptureContent, code: Code | undefined): Followed {
  return follow(questionOf(trace, capture, code));
}

export function questionOf(trace: Read, capture: CaptureContent, code: Code | undefined): Question {
  const { settings } = trace.reader.decoder;
  const { state, 'enable-pc': enabled = '' } = settings;
  return {
    entries: capture.entries,
    registersDiffer: capture.registersDiffer,
    code,
    base: baseOf(trace),
    state: state === 'arm' || state === 'thumb' ? state : undefined,
    enabledAt: enabled !== '' && !hasWrapped(trace, capture) ? Number(enabled) : undefined,
  };
}

/** Where the exception vectors lie. */
export function baseOf({ reader }: Read): number {
  return reader.decoder.settings['base'] === '0xffff0000' ? 0xffff0000 : 0;
}

/**
 * Whether older entries were written over. A buffer that was filled once and stopped has no bytes left that were never written
 * either; but it begins with the way back from the debugger, an indirect branch after no instruction. Where OpenOCD left out
 * bytes at the front, which may have been the rest of an entry, only a checkpoint there tells that it is the first one.
 */
export function hasWrapped(trace: Read, capture: CaptureContent): boolean {
  const [oldest] = capture.entries;
  if (capture.unwritten || oldest === undefined) return false;
  const bytes = bufferBytes(trace, capture);
  if (bytes < BUFFER_BYTES - MOST_TRIMMED) return false;
  const isReturn = isIndirect(oldest.message) && oldest.bytes > 1 && oldest.count === 0;
  return !(isReturn && (bytes === BUFFER_BYTES || isCheckpointed(oldest.message)));
}

/** Where the core had stopped, as OpenOCD's dumps tell it; undefined elsewhere. */
export function haltOf({ reader }: Trace, { start }: CaptureContent): number | undefined {
  if (reader.decoder.dialect !== 'openocd') return undefined;
  const bytes = new Uint8Array(WORD);
  const read = reader.source.read(start + HALT, bytes, 0, WORD);
  return read.ok ? new DataView(bytes.buffer).getUint32(0) : undefined;
}

/** Bytes of the trace buffer that the file has. */
export function bufferBytes({ reader }: Read, { start, end }: CaptureContent): number {
  return reader.decoder.dialect === 'openocd' ? (end - start - HEADER) / WORD : BUFFER_BYTES;
}

/** A block from which on all of the capture that has record `n` is visited. */
export async function firstBlockFor<E>(trace: Trace, n: RecordNumber, task: Task<E>): Promise<Result<BlockNumber>> {
  const { blocks } = trace;
  let block = blocks.length === 0 ? 0 : blocks.blockOfRecord(n);
  while (block > 0) {
    let first = Number.POSITIVE_INFINITY;
    const visited = await visitCaptures(
      trace,
      block,
      (capture) => {
        if (capture.records > 0) first = capture.first;
        return capture.records === 0;
      },
      pauses(task),
    );
    if (!visited.ok) return visited;
    if (first <= n || task.cancelled()) break;
    block--;
  }
  return ok(block);
}

/** Lets others have their turn every few milliseconds, `before` that something is done; false once nobody waits any more. */
export function pauses<E>(task: Task<E>, before?: () => void): () => Promise<boolean> {
  let sliceEnd = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < sliceEnd) return true;
    before?.();
    await breathe();
    sliceEnd = performance.now() + SLICE_MS;
    return !task.cancelled();
  };
}

/** Undefined where no image has bytes. */
export function codeOf({ images }: Pick<Trace, 'images'>): Code | undefined {
  return images.list.every(({ segments }) => segments.length === 0)
    ? undefined
    : createCode(images, isBigEndian(images));
}
