/** Sentence about a segment of an image that does not show what memory contained. */
import type { UnusedSegment } from './records.ts';
import { group } from '../base/numbers.ts';

export function unusedText({ path, address, bytes, reason, record }: UnusedSegment): string {
  const name = path.replace(/^.*[\\/]/, '');
  const proof = record === undefined ? '' : ` (record ${group(record)})`;
  return `The ${group(bytes)} bytes of ${name} at ${address} are not used: ${reason}${proof}.`;
}
