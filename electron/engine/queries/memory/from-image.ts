/**
 * Adds the bytes of program images to memory that no record up to `at` wrote or read. A segment is used only if memory contains it when the
 * program starts, if the image is not of another build as far as executed opcodes show, and if no read in the trace contradicts the segment
 * (image-trust.ts).
 */
import { KNOWN, WRONG_IMAGES, type MemoryView, type UnusedSegment } from '../../../../shared/requests/requests.ts';
import { ok } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { initialBytes, type InitialPart } from '../../image/initial-bytes.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { compareOpcodes } from '../images/compare.ts';
import { matchesOf } from '../images/matches.ts';
import { sampleOf } from '../images/sample.ts';
import type { Span } from '../records/span.ts';
import { contradictionOf } from './image-trust.ts';

/**
 * Adds bytes to `view`, which covers the span. `since` contains, per byte, the record that determined the byte in `view`, or -1. Returns the
 * segments that would have bytes to add, but were not used. `disassembler`: see `disassemblerFor`.
 */
export function* addImage(
  trace: Trace,
  { low }: Span,
  view: Pick<MemoryView, 'length' | 'bytes' | 'known' | 'writers'>,
  since: Float64Array,
  disassembler: Disassembler | undefined,
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
    const doubt = yield* doubtAbout(trace, part, disassembler);
    if (!doubt.ok) return doubt;
    if (doubt.value !== undefined) {
      unused.push(doubt.value);
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

/** Compares the image and the segment with what a sample of the trace executed. */
function* doubtAbout(
  trace: Trace,
  part: InitialPart,
  disassembler: Disassembler | undefined,
): Steps<UnusedSegment | undefined> {
  const { image, segment } = part;
  const matches = yield* matchesOf(trace, [image], disassembler);
  if (!matches.ok) return matches;
  if (matches.value.some(({ verdict }) => WRONG_IMAGES.has(verdict)))
    return ok(unusedSegment(part, 'the image is probably not the program that ran, or not at its place'));
  const sample = yield* sampleOf(trace);
  if (!sample.ok) return sample;
  const { first } = compareOpcodes({ ...image, segments: [segment] }, image.shift, sample.value.instructions);
  if (first === undefined) return ok(undefined);
  const reason = `the program executed another opcode at ${toHex(first.address)} than the image has`;
  return ok({ ...unusedSegment(part, reason), record: first.n });
}

function unusedSegment({ image, segment, base }: InitialPart, reason: string): UnusedSegment {
  return { path: image.path, address: toHex(base), bytes: segment.bytes.length, reason };
}
