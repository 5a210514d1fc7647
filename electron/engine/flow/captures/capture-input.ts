/** Input for following one capture: its entries together with the settings and images of its trace. */
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { BUFFER_BYTES, isCheckpointed, isIndirect } from '../../../../shared/xscale/messages.ts';
import type { FollowedTrace } from '../events/image-flow.ts';
import type { Images } from '../../image/images.ts';
import type { Trace } from '../../trace.ts';
import type { CaptureContent } from './content.ts';
import { isBigEndian } from './xscale/byte-order.ts';
import { createCode, type Code } from './xscale/code.ts';
import type { Followed } from './xscale/findings.ts';
import { follow, type Question } from './xscale/follow.ts';

type Read = Pick<FollowedTrace, 'reader'>;

/** Bytes of OpenOCD's header before a buffer, and bytes of each entry after it. */
const HEADER = 16;
const WORD = 4;
/** Offset in that header of the address at which the core had stopped. */
const HALT = 8;
/** Largest number of bytes of a cut entry that OpenOCD leaves out at the front of a buffer. */
const MOST_TRIMMED = 4;

/** Fails unless the trace consists of XScale trace buffers. */
export function requireXscale({ format }: Trace): Result<undefined> {
  if (format.id === 'xscale') return ok(undefined);
  return fail('no-captures', `only XScale trace buffers have captures, and this file was read as ${format.name}`);
}

export function followCapture(trace: Read, capture: CaptureContent, code: Code | undefined): Followed {
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

/** Returns the address of the exception vectors. */
export function baseOf({ reader }: Read): number {
  return reader.decoder.settings['base'] === '0xffff0000' ? 0xffff0000 : 0;
}

/**
 * Returns true if newer entries overwrote older ones. A full buffer without unwritten bytes need not have wrapped: if it was filled once
 * and stopped, it begins with the return from the debugger, an indirect branch after no instruction. OpenOCD leaves out bytes at the front
 * that may be the rest of a cut entry: then only a checkpoint on that branch shows that it is the first entry.
 */
export function hasWrapped(trace: Read, capture: CaptureContent): boolean {
  const [oldest] = capture.entries;
  if (capture.unwritten || oldest === undefined) return false;
  const bytes = bufferBytes(trace, capture);
  if (bytes < BUFFER_BYTES - MOST_TRIMMED) return false;
  const isReturn = isIndirect(oldest.message) && oldest.bytes > 1 && oldest.count === 0;
  return !(isReturn && (bytes === BUFFER_BYTES || isCheckpointed(oldest.message)));
}

/** Returns the address at which the core had stopped, which only OpenOCD's dumps contain; undefined for other dialects. */
export function haltOf({ reader }: Read, { start }: CaptureContent): number | undefined {
  if (reader.decoder.dialect !== 'openocd') return undefined;
  const bytes = new Uint8Array(WORD);
  const read = reader.source.read(start + HALT, bytes, 0, WORD);
  return read.ok ? new DataView(bytes.buffer).getUint32(0) : undefined;
}

/** Returns the number of trace buffer bytes in the file. */
export function bufferBytes({ reader }: Read, { start, end }: CaptureContent): number {
  return reader.decoder.dialect === 'openocd' ? (end - start - HEADER) / WORD : BUFFER_BYTES;
}

/** Returns the code of the images, or undefined if none of them has bytes. */
export function codeOf(images: Images): Code | undefined {
  return images.list.every(({ segments }) => segments.length === 0)
    ? undefined
    : createCode(images, isBigEndian(images));
}
