/** Makes images of files that contain bytes at addresses, but neither symbols nor a processor. */
import { BAD_IMAGE } from '../../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { createCodeStates } from '../code-states.ts';
import type { ImageContent, Segment } from '../image.ts';
import { createSymbolTable } from '../symbols.ts';

/** `segments` are in the order of addresses. A base moves the lowest of them there. */
export function placedImage(
  form: ImageContent['form'],
  place: ImagePlace,
  segments: readonly Segment[],
  problems: readonly string[],
): Result<ImageContent> {
  const { path, base, shift = 0 } = place;
  const [lowest] = segments;
  if (lowest === undefined)
    return fail(BAD_IMAGE, `${path}: this file has no data records; choose the program that ran`);
  return ok({
    form,
    shift: BigInt.asUintN(64, base === undefined ? BigInt(shift) : BigInt(base) - lowest.address),
    segments,
    symbols: createSymbolTable([]),
    states: createCodeStates([]),
    notices: problems.map((problem) => `${path}: ${problem}`),
  });
}
