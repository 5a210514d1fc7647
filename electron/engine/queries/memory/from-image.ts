/**
 * Adds the bytes of program images to memory that no record up to `at` wrote or read. A segment is used only if memory contains it when the
 * program starts, and if nothing in the trace contradicts it (image-trust.ts).
 */
import { KNOWN, type MemoryView, type UnusedSegment } from '../../../../shared/requests/requests.ts';
import { ok } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { initialBytes, type InitialPart } from '../../image/initial-bytes.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import type { Span } from '../records/span.ts';
import { contradictionOf } from './image-trust.ts';

/**
 * Adds bytes to `view`, which covers the span. `since` contains, per byte, the record that determined the byte in `view`, or -1. Returns the
 * segments that would have bytes to add, but were not used.
 */
export function* addImage(
  trace: Trace,
  { low }: Span,
  view: Pick<MemoryView, 'length' | 'bytes' | 'known' | 'writers'>,
  since: Float64Array,
): Steps<readonly UnusedSegment[]> {
  const unused: UnusedSegment[] = [];
  for (const { offsets, ...part } of initialBytes(trace.images.list, low, view.length)) {
    const open = offsets.filter(
      (byte) => since[byte]! < 0 && view.writers[byte]! < 0 && view.known[byte] === KNOWN.not,
    );
    if (open.length === 0) continue;
    const { base, segment } = part;
    if (segment.notInitial !== undefined) {
      unused.push(unusedSegment(part, segment.notInitial));
      continue;
    }
    const found = yield* contradictionOf(trace, part);
    if (!found.ok) return found;
    if (found.value !== undefined) {
      const { record, address } = found.value;
      const reason = `a read at ${toHex(address)} returned another value than the image has`;
      unused.push({ ...unusedSegment(part, reason), record });
      continue;
    }
    for (const byte of open) {
      view.bytes[byte] = segment.bytes[Number(low - base) + byte]!;
      view.known[byte] = KNOWN.image;
    }
  }
  return ok(unused);
}

function unusedSegment({ image, segment, base }: InitialPart, reason: string): UnusedSegment {
  return { path: image.path, address: toHex(base), bytes: segment.bytes.length, reason };
}
